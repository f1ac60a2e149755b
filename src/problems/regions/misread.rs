//! How programs misread boards.

use super::board::Board;
use crate::problems::{Misread, with_turned_head};

/// The board with or without spaces between its digits.
fn spaced(board: &Board, spaced: bool) -> Vec<u8> {
    let cells = board.cells().to_vec();
    let other = Board::new(board.rows(), board.columns(), cells, spaced);
    other.as_ref().unwrap_or(board).render()
}

pub(super) const MISREAD: [Misread<Board>; 3] = [
    Misread {
        name: "sides-swapped",
        summary: "Rows and columns are read in the wrong order.",
        written: |board| with_turned_head(&board.render()),
    },
    Misread {
        name: "digits-apart",
        summary: "Digits are read only where spaces stand between them.",
        written: |board| spaced(board, true),
    },
    Misread {
        name: "digits-together",
        summary: "Digits are read only where no spaces stand between them.",
        written: |board| spaced(board, false),
    },
];

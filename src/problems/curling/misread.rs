//! How programs misread boards.

use super::board::{Board, Instance};
use crate::problems::{Misread, with_turned_head};

fn text(board: &Board) -> Vec<u8> {
    let mut text = Vec::new();
    board.render(&mut text);
    text
}

pub(super) const MISREAD: [Misread<Instance>; 2] = [
    Misread {
        name: "sides-swapped",
        summary: "Width and height are read in the wrong order.",
        written: |instance| {
            let boards = instance.boards.iter();
            let mut all: Vec<u8> = boards
                .flat_map(|board| with_turned_head(&text(board)))
                .collect();
            all.extend(b"0 0\n");
            all
        },
    },
    Misread {
        name: "end-not-seen",
        summary: "The last line `0 0` is not taken for the end of the input.",
        written: |instance| instance.boards.iter().flat_map(text).collect(),
    },
];

//! Boards of growing size.

use rand::SeedableRng as _;
use rand::seq::SliceRandom as _;
use rand_chacha::ChaCha8Rng;

use super::board::{Board, Cell, Instance, Square};
use super::generate::hardest;
use crate::problems::{Ladder, Law};

/// What blocks are drawn from.
const SEED: u64 = 1;

/// More and more of the blocks of the hardest board; and the hardest board cut down to a smaller
/// one, at first.
pub(super) const LADDERS: [Ladder; 2] = [
    Ladder {
        unit: "block",
        reference: Law::Constant,
        sizes: &[
            4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60, 64, 68, 72, 76, 80, 90, 100,
            110, 120,
        ],
    },
    Ladder {
        unit: "row",
        reference: Law::Constant,
        sizes: &[
            2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20,
        ],
    },
];

/// The board that has this size on a ladder.
pub(super) fn rung(ladder: usize, size: u16) -> Option<Instance> {
    let size = usize::from(size);
    let board = match ladder {
        0 => with_blocks(size)?,
        1 => cut_down(size)?,
        _ => return None,
    };
    let boards = vec![board];
    Some(Instance { boards })
}

/// The hardest board with so many of its blocks.
fn with_blocks(count: usize) -> Option<Board> {
    let mut board = hardest().into_iter().next()?;
    let is_block = |cell: &Cell| board.square(*cell) == Square::Block;
    let mut blocks: Vec<Cell> = board.cells().filter(is_block).collect();
    blocks.shuffle(&mut ChaCha8Rng::seed_from_u64(SEED));
    for &cell in blocks.get(count..)? {
        board.set_block(cell, false);
    }
    Some(board)
}

/// The blocks of the hardest board as far as they are in a corner of it.
fn cut_down(side: usize) -> Option<Board> {
    let hardest = hardest().into_iter().next()?;
    let last = side.checked_sub(1)?;
    let mut board = Board::new(side, side, Cell::new(0, 0), Cell::new(last, last))?;
    for cell in board.cells() {
        let is_block = hardest.square(cell) == Square::Block;
        board.set_block(cell, is_block);
    }
    Some(board)
}

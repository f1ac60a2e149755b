//! Every small board: each size, each pair of start and goal, each set of blocks.

use super::board::{Board, Cell, HEIGHT_MAX, WIDTH_MAX};
use crate::problems::small::{pairs, shapes, subsets};

/// The most cells of which every board is tried.
const CELLS_MAX: usize = 16;

/// The boards of so many cells.
pub(super) fn boards(cells: usize) -> Option<impl Iterator<Item = Board>> {
    let sizes = (cells <= CELLS_MAX).then(|| shapes(cells, WIDTH_MAX, HEIGHT_MAX))?;
    Some(sizes.flat_map(move |(width, height)| {
        let place = move |index: usize| Cell::new(index % width, index / width);
        pairs(cells)
            .filter_map(move |(start, goal)| Board::new(width, height, place(start), place(goal)))
            .flat_map(move |empty| {
                let free = empty
                    .cells()
                    .filter(|&cell| cell != empty.start() && cell != empty.goal());
                let free: Vec<Cell> = free.collect();
                subsets(free.len()).map(move |blocks| {
                    let mut board = empty.clone();
                    for (bit, &cell) in free.iter().enumerate() {
                        board.set_block(cell, blocks >> bit & 1 == 1);
                    }
                    board
                })
            })
    }))
}

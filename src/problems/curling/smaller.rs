//! Simpler inputs: fewer datasets, then smaller boards, then fewer blocks, all of them valid. And
//! every small board: each size, each pair of start and goal, each set of blocks.

use super::board::{Board, Cell, HEIGHT_MAX, Instance, Square, WIDTH_MAX};
use crate::problems::smaller::{
    candidates_max, crops, pairs, shapes, shorter, simpler_in, spans, subsets,
};

/// The most cells of which every board is tried.
const CELLS_MAX: usize = 16;

/// Valid inputs one step simpler, the boldest first.
pub(super) fn candidates(instance: &Instance) -> Vec<Instance> {
    let boards = &instance.boards;
    // A digit and a space for each square.
    let bytes = boards
        .iter()
        .map(|board| 2 * board.width() * board.height());
    shorter(boards)
        .chain(simpler_in(boards, smaller))
        .chain(simpler_in(boards, emptier))
        .take(candidates_max(bytes.sum()))
        .map(|boards| Instance { boards })
        .collect()
}

/// Boards without some rows or columns.
fn smaller(board: &Board) -> impl Iterator<Item = Board> + use<> {
    let board = board.clone();
    crops(board.width(), board.height())
        .filter_map(move |(columns, rows)| board.cut(&columns, &rows))
}

/// Boards without some blocks.
fn emptier(board: &Board) -> impl Iterator<Item = Board> + use<> {
    let board = board.clone();
    let cells = board.cells();
    let blocks: Vec<Cell> = cells
        .filter(|&cell| board.square(cell) == Square::Block)
        .collect();
    spans(blocks.len()).map(move |gone| {
        let mut emptier = board.clone();
        for &cell in &blocks[gone] {
            emptier.set_block(cell, false);
        }
        emptier
    })
}

/// The boards of so many cells.
pub(super) fn small(cells: usize) -> Option<impl Iterator<Item = Board>> {
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

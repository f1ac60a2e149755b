//! Simpler inputs: fewer datasets, then smaller boards, then fewer blocks, all of them valid.

use super::board::{Board, Cell, Instance, Square};
use crate::problems::shrink::{SHRINK_CANDIDATES_MAX, crops, shorter, simpler_in, spans};

/// Valid inputs one step simpler, the boldest first.
pub fn candidates(instance: &Instance) -> Vec<Instance> {
    let boards = &instance.boards;
    shorter(boards)
        .chain(simpler_in(boards, smaller))
        .chain(simpler_in(boards, emptier))
        .take(SHRINK_CANDIDATES_MAX)
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

//! Simpler inputs: fewer datasets, then smaller boards, then fewer blocks, all of them valid.

use super::board::{Board, Cell, Instance, Square};
use crate::problems::shrink::{candidates_max, crops, shorter, simpler_in, spans};

/// Valid inputs one step simpler, the boldest first.
pub fn candidates(instance: &Instance) -> Vec<Instance> {
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

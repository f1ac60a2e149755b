//! Simpler boards: fewer rows and columns, fewer regions, smaller colours.

use std::collections::BTreeSet;

use super::board::Board;
use super::map::members;
use crate::problems::shrink::crops;

/// Valid boards one step simpler, the boldest first.
pub(super) fn candidates(board: &Board) -> Vec<Board> {
    let crops = crops(board.columns(), board.rows());
    let smaller = crops.filter_map(|(columns, rows)| cut(board, &columns, &rows));
    let contiguous = board
        .spaced()
        .then(|| Board::new(board.rows(), board.columns(), board.cells().to_vec(), false));
    smaller
        .chain(repainted(board))
        .chain(contiguous.flatten())
        .collect()
}

/// The board of these columns and rows.
fn cut(board: &Board, columns: &[usize], rows: &[usize]) -> Option<Board> {
    let row = |&row: &usize| {
        let start = row * board.columns();
        columns
            .iter()
            .map(move |column| board.cells()[start + column])
    };
    let cells = rows.iter().flat_map(row).collect();
    Board::new(rows.len(), columns.len(), cells, board.spaced())
}

/// Every region in the colours of its neighbours, then every region in smaller colours.
fn repainted(board: &Board) -> Vec<Board> {
    let map = board.map();
    let colour_of = |region: usize| board.cells()[map.first_cell[region]];
    let repaint = |region: usize, colour: u8| {
        let cells = board.cells().iter().zip(&map.region_of);
        let cells = cells.map(|(&old, &of)| if of == region { colour } else { old });
        Board::new(
            board.rows(),
            board.columns(),
            cells.collect(),
            board.spaced(),
        )
    };
    let mut found = Vec::new();
    for (region, &neighbours) in map.neighbours.iter().enumerate() {
        let colours: BTreeSet<u8> = members(neighbours).map(colour_of).collect();
        found.extend(
            colours
                .into_iter()
                .filter_map(|colour| repaint(region, colour)),
        );
    }
    for region in 0..map.first_cell.len() {
        found.extend((1..colour_of(region)).filter_map(|colour| repaint(region, colour)));
    }
    found
}

//! Simpler boards: fewer rows and columns, fewer regions, smaller colours. And every small board, up
//! to which colour is which: colours are numbered in the order in which they are first met.

use std::collections::BTreeSet;

use super::board::{Board, COLOUR_MAX, SIDE_MAX};
use super::map::members;
use crate::problems::smaller::{crops, shapes};

/// The most cells of which every board is tried.
const CELLS_MAX: usize = 9;

/// Valid boards one step simpler, the boldest first.
pub(super) fn candidates(board: &Board) -> Vec<Board> {
    let crops = crops(board.columns(), board.rows());
    let smaller = crops.filter_map(|(columns, rows)| cropped(board, &columns, &rows));
    let contiguous = board
        .spaced()
        .then(|| Board::new(board.rows(), board.columns(), board.cells().to_vec(), false));
    smaller
        .chain(repainted(board))
        .chain(contiguous.flatten())
        .collect()
}

/// The board of these columns and rows.
fn cropped(board: &Board, columns: &[usize], rows: &[usize]) -> Option<Board> {
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
        let repainted = colours
            .into_iter()
            .filter_map(|colour| repaint(region, colour));
        found.extend(repainted);
    }
    for region in 0..map.first_cell.len() {
        found.extend((1..colour_of(region)).filter_map(|colour| repaint(region, colour)));
    }
    found
}

/// The boards of so many cells, with or without spaces between the digits.
pub(super) fn small(cells: usize, spaced: bool) -> Option<impl Iterator<Item = Board>> {
    let sizes = (cells <= CELLS_MAX).then(|| shapes(cells, SIDE_MAX, SIDE_MAX))?;
    let boards = sizes.flat_map(move |(columns, rows)| {
        let boards = colourings(cells).into_iter();
        boards.filter_map(move |colours| Board::new(rows, columns, colours, spaced))
    });
    // A board one cell wide has no spaces.
    Some(boards.filter(move |board| board.spaced() == spaced))
}

/// The ways to colour so many cells in which each new colour is the next number, those with few
/// colours first.
fn colourings(cells: usize) -> Vec<Vec<u8>> {
    let mut found = vec![Vec::new()];
    for _ in 0..cells {
        let longer = |colours: &Vec<u8>| {
            let colours = colours.clone();
            let met = colours.iter().max().copied().unwrap_or(0);
            (1..=COLOUR_MAX.min(met + 1)).map(move |next| [&colours[..], &[next]].concat())
        };
        found = found.iter().flat_map(longer).collect();
    }
    found.sort_by_key(|colours| colours.iter().max().copied());
    found
}

//! Every small board, up to which colour is which: colours are numbered in the order in which they
//! are first met.

use super::board::{Board, COLOUR_MAX, SIDE_MAX};
use crate::problems::small::shapes;

/// The most cells of which every board is tried.
const CELLS_MAX: usize = 9;

/// The boards of so many cells with spaces between the digits.
pub(super) fn spaced(cells: usize) -> impl Iterator<Item = Board> {
    let spaced =
        |board: Board| Board::new(board.rows(), board.columns(), board.cells().to_vec(), true);
    let boards = boards(cells).into_iter().flatten();
    boards.filter_map(spaced).filter(Board::spaced)
}

/// The boards of so many cells, without spaces between the digits.
pub(super) fn boards(cells: usize) -> Option<impl Iterator<Item = Board>> {
    let sizes = (cells <= CELLS_MAX).then(|| shapes(cells, SIDE_MAX, SIDE_MAX))?;
    Some(sizes.flat_map(move |(columns, rows)| {
        let boards = colourings(cells).into_iter();
        boards.filter_map(move |colours| Board::new(rows, columns, colours, false))
    }))
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

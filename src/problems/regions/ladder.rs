//! Boards of growing size.

use super::board::{Board, COLOUR_MAX, SIDE_MAX};
use super::map::REGIONS_MAX;
use crate::problems::{Ladder, Law};

/// Columns of a board whose regions are single cells.
const COLUMNS: usize = 5;

/// More and more regions of one cell, and a larger and larger board of as few regions.
pub(super) const LADDERS: [Ladder; 2] = [
    Ladder {
        unit: "region",
        reference: Law::Linear,
        sizes: &[5, 10, 15, 20, 25, 30, 35, 40, 45, 50],
    },
    Ladder {
        unit: "cell",
        reference: Law::Linear,
        sizes: &[16, 36, 64, 100, 196, 324, 484, 729, 1024, 1444, 1936, 2500],
    },
];

/// The board that has this size on a ladder.
pub(super) fn rung(ladder: usize, size: u16) -> Option<Board> {
    let size = usize::from(size);
    match ladder {
        0 => single_cells(size),
        1 => quarters(size.isqrt()),
        _ => None,
    }
}

/// Regions of one cell each.
fn single_cells(regions: usize) -> Option<Board> {
    if regions > REGIONS_MAX || !regions.is_multiple_of(COLUMNS) {
        return None;
    }
    let colour = |cell: usize| {
        if cell + 1 == regions {
            return Some(COLOUR_MAX);
        }
        // Neighbours in a row differ by one, neighbours in a column by two.
        u8::try_from((cell % COLUMNS + cell / COLUMNS * 2) % COLUMNS + 1).ok()
    };
    let cells = (0..regions).map(colour).collect::<Option<_>>()?;
    Board::new(regions / COLUMNS, COLUMNS, cells, false)
}

/// A square board in four regions.
fn quarters(side: usize) -> Option<Board> {
    if !(2..=SIDE_MAX).contains(&side) {
        return None;
    }
    let half = side / 2;
    let colour = |cell: usize| match (cell / side < half, cell % side < half) {
        (true, true) => 1,
        (true, false) => 2,
        (false, true) => 3,
        (false, false) => 4,
    };
    let cells = (0..side * side).map(colour).collect();
    Board::new(side, side, cells, false)
}

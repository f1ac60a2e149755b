//! The graph of runs: a run is a maximal stretch of free cells in a row or in a column, and two
//! runs are neighbours where they cross.
//!
//! A path of k segments lies on k runs, each a neighbour of the one before. The graph does not
//! depend on the query:
//! a card is left along the runs that begin or end beside it. Every free cell is one crossing, so
//! the neighbours of a run are simply the runs that the cells along it belong to the other way: a
//! slice of a table of cells.

use std::ops::Range;

use super::board::{Board, Point, SIDE_MAX};

/// Rows and columns of the largest board with its ring.
const SPAN: usize = SIDE_MAX as usize + 2;

/// The number of a run; those of rows come before those of columns.
pub type Run = u16;

/// In place of a run: the cell holds a card.
pub const NO_RUN: Run = Run::MAX;

/// One mask per row, bit x for column x, or one per column, bit y for row y.
type Masks = [u128; SPAN];

/// The runs of one board.
#[derive(Debug, Clone)]
pub struct Runs {
    /// The row or the column of every run.
    lines: Vec<u8>,
    /// How many of them are runs of rows.
    in_rows: Run,
    /// Where the neighbours of every run stand in `crossed`.
    spans: Vec<Range<usize>>,
    /// Row by row, the runs of columns that the cells belong to; then, column by column, the runs
    /// of rows.
    crossed: Vec<Run>,
}

impl Runs {
    /// Finds the runs of a board with its ring.
    pub fn of(board: &Board) -> Self {
        let inside = (1_u128 << (board.width() + 2)) - 1;
        let (mut rows, mut columns): (Masks, Masks) = ([0; SPAN], [0; SPAN]);
        for (row, y) in rows.iter_mut().zip(0..board.height() + 2) {
            *row = inside & !board.row(y);
            let mut left = *row;
            while left != 0 {
                columns[left.trailing_zeros() as usize] |= 1 << y;
                left &= left - 1;
            }
        }
        let mut runs = Self {
            lines: Vec::new(),
            in_rows: 0,
            spans: Vec::new(),
            crossed: vec![NO_RUN; 2 * SPAN * SPAN],
        };
        runs.add(&rows, 0, SPAN * SPAN);
        runs.in_rows = runs.count();
        runs.add(&columns, SPAN * SPAN, 0);
        runs
    }

    /// Adds the runs of all lines of one orientation: `own` is where the table that lists the cells
    /// along such lines begins, `other` where the one that lists them across begins.
    fn add(&mut self, masks: &Masks, own: usize, other: usize) {
        for (number, (line, &mask)) in (0_u8..).zip(masks.iter().enumerate()) {
            let mut left = mask;
            while left != 0 {
                let first = left.trailing_zeros() as usize;
                let length = (!(left >> first)).trailing_zeros() as usize;
                let run = self.count();
                for along in first..first + length {
                    self.crossed[other + along * SPAN + line] = run;
                }
                let start = own + line * SPAN + first;
                self.spans.push(start..start + length);
                self.lines.push(number);
                // What lies above the run, without shifting by all 128 bits.
                left &= u128::MAX << (first + length);
            }
        }
    }

    /// How many runs there are: at most half of all cells for rows and as many for columns, so a
    /// number fits.
    pub fn count(&self) -> Run {
        Run::try_from(self.lines.len()).unwrap_or(NO_RUN)
    }

    /// The runs that cross this one.
    pub fn neighbours(&self, run: Run) -> &[Run] {
        &self.crossed[self.spans[usize::from(run)].clone()]
    }

    /// The runs along which a card can be left: of the row to its left and right, of the column
    /// above and below.
    pub fn beside(&self, card: Point) -> impl Iterator<Item = Run> {
        let (x, y) = (usize::from(card.x), usize::from(card.y));
        let in_row = |x: usize| self.crossed[SPAN * SPAN + x * SPAN + y];
        let in_column = |y: usize| self.crossed[y * SPAN + x];
        [
            in_row(x - 1),
            in_row(x + 1),
            in_column(y - 1),
            in_column(y + 1),
        ]
        .into_iter()
        .filter(|&run| run != NO_RUN)
    }

    /// The cell where two neighbours cross.
    pub fn crossing(&self, one: Run, other: Run) -> Point {
        let (of_row, of_column) = if one < self.in_rows {
            (one, other)
        } else {
            (other, one)
        };
        Point {
            x: self.lines[usize::from(of_column)],
            y: self.lines[usize::from(of_row)],
        }
    }
}

//! A board of square cells: where they are, their numbers along the edges, lines between them.

use super::{Canvas, Path, Place, length};

/// The room for row numbers to the left of a board, and for column numbers above it.
const MARGIN: Place = [26.0, 20.0];

/// The size of the numbers along the edges.
const LABEL_SIZE: f64 = 10.0;

/// The least size of a cell at which every row and column has its number.
const EVERY_LABEL: f64 = 18.0;

/// A board of square cells, which count from 0 at the top left.
#[derive(Debug, Clone, Copy)]
pub struct Grid {
    /// The side of a cell.
    pub cell: f64,
    /// How many columns there are.
    pub columns: usize,
    /// How many rows there are.
    pub rows: usize,
    /// The number of the first column and of the first row.
    first: usize,
}

impl Grid {
    /// A grid that is at most about `side_max` wide and high, with cells from `least` to `most`.
    ///
    /// `first` is the number that the first column and the first row bear; 0 is not written.
    pub fn new(
        [columns, rows]: [usize; 2],
        first: usize,
        side_max: f64,
        [least, most]: [f64; 2],
    ) -> Self {
        let fitting = (side_max / length(columns.max(rows))).floor();
        Self {
            cell: fitting.clamp(least, most),
            columns,
            rows,
            first,
        }
    }

    /// The top left corner of a cell.
    pub fn corner(&self, column: usize, row: usize) -> Place {
        [
            MARGIN[0] + self.cell * length(column),
            MARGIN[1] + self.cell * length(row),
        ]
    }

    /// The middle of a cell.
    pub fn centre(&self, column: usize, row: usize) -> Place {
        self.corner(column, row)
            .map(|value| value + self.cell / 2.0)
    }

    /// How much room the board takes with the numbers at its edges.
    pub fn size(&self) -> Place {
        let [right, bottom] = self.corner(self.columns, self.rows);
        [right + 2.0, bottom + 2.0]
    }

    /// The cell that a place lies in.
    #[cfg(test)]
    pub fn cell_at(&self, [x, y]: Place) -> Option<[usize; 2]> {
        let within = |at: f64, from: f64, to: f64| from <= at && at < to;
        let column = (0..self.columns)
            .find(|&column| within(x, self.corner(column, 0)[0], self.corner(column + 1, 0)[0]))?;
        let row = (0..self.rows)
            .find(|&row| within(y, self.corner(0, row)[1], self.corner(0, row + 1)[1]))?;
        Some([column, row])
    }

    /// A rectangle around whole cells, smaller by an inset on every side.
    pub fn around(
        &self,
        path: &mut Path,
        [column, row]: [usize; 2],
        [columns, rows]: [usize; 2],
        inset: f64,
    ) {
        let corner = self.corner(column, row).map(|value| value + inset);
        let side = |cells: usize| self.cell * length(cells) - 2.0 * inset;
        path.rect(corner, side(columns), side(rows));
    }

    /// The cells for which this holds, as one path of as few rectangles as rows allow.
    pub fn area(&self, holds: impl Fn(usize, usize) -> bool) -> Path {
        let mut path = Path::default();
        for row in 0..self.rows {
            for (from, to) in runs(self.columns, |column| holds(column, row)) {
                self.around(&mut path, [from, row], [to - from, 1], 0.0);
            }
        }
        path
    }

    /// The lines between cells that this tells apart; outside the board there is `None`.
    pub fn borders<K: PartialEq>(&self, key: impl Fn(usize, usize) -> Option<K>) -> Path {
        let mut path = Path::default();
        let key_at = |column: Option<usize>, row: Option<usize>| {
            let (column, row) = (column?, row?);
            (column < self.columns && row < self.rows)
                .then(|| key(column, row))
                .flatten()
        };
        // A line at `along` has one cell before it and one after it.
        for along in 0..=self.columns {
            let apart = |row: usize| {
                key_at(along.checked_sub(1), Some(row)) != key_at(Some(along), Some(row))
            };
            for (from, to) in runs(self.rows, apart) {
                path.line(self.corner(along, from), self.corner(along, to));
            }
        }
        for along in 0..=self.rows {
            let apart = |column: usize| {
                key_at(Some(column), along.checked_sub(1)) != key_at(Some(column), Some(along))
            };
            for (from, to) in runs(self.columns, apart) {
                path.line(self.corner(from, along), self.corner(to, along));
            }
        }
        path
    }

    /// Writes the numbers of columns and rows, each where there is room, else of every fifth.
    pub fn label(&self, canvas: &mut Canvas, last: [usize; 2]) {
        let shown = |number: usize, last: usize| {
            let near_end = number != last && number + 3 > last;
            let wanted = self.cell >= EVERY_LABEL
                || number == 1
                || number == last
                || (number.is_multiple_of(5) && !near_end);
            (1..=last).contains(&number) && wanted
        };
        for column in 0..self.columns {
            let number = self.first + column;
            if shown(number, last[0]) {
                let [x, _] = self.centre(column, 0);
                let place = [x, MARGIN[1] - 6.0];
                canvas.text("vd-column-number", place, LABEL_SIZE, &number.to_string());
            }
        }
        for row in 0..self.rows {
            let number = self.first + row;
            if shown(number, last[1]) {
                let [_, y] = self.centre(0, row);
                let place = [MARGIN[0] - 6.0, y + 0.35 * LABEL_SIZE];
                canvas.text("vd-row-number", place, LABEL_SIZE, &number.to_string());
            }
        }
    }
}

/// The maximal stretches of numbers below `end` for which this holds, each with its end.
fn runs(end: usize, holds: impl Fn(usize) -> bool) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut from = 0;
    while from < end {
        let run = (from..end).take_while(|&at| holds(at)).count();
        if run > 0 {
            found.push((from, from + run));
        }
        from += run + 1;
    }
    found
}

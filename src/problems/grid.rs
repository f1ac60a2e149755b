//! A board of square cells in a picture: where they are, their numbers along the edges, the outlines
//! of areas and the lines between them.

use std::fmt::Write as _;

/// A point in pixels.
pub type Place = [f64; 2];

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
    pub columns: usize,
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

    /// A place in a cell, in parts of its side from its top left corner.
    pub fn place(&self, [column, row]: [usize; 2], parts: Place) -> Place {
        let along = |number: usize, part: f64| self.cell * (length(number) + part);
        [
            px(MARGIN[0] + along(column, parts[0])),
            px(MARGIN[1] + along(row, parts[1])),
        ]
    }

    pub fn corner(&self, cell: [usize; 2]) -> Place {
        self.place(cell, [0.0; 2])
    }

    pub fn centre(&self, cell: [usize; 2]) -> Place {
        self.place(cell, [0.5; 2])
    }

    /// How much room the board takes with the numbers at its edges.
    pub fn size(&self) -> Place {
        self.corner([self.columns, self.rows])
            .map(|value| value + 2.0)
    }

    /// The cell that a place lies in.
    #[cfg(test)]
    pub fn cell_at(&self, [x, y]: Place) -> Option<[usize; 2]> {
        let holds = |at: f64, axis: usize, number: usize| {
            let [from, to] = [number, number + 1].map(|number| self.corner([number; 2])[axis]);
            from <= at && at < to
        };
        let column = (0..self.columns).find(|&column| holds(x, 0, column))?;
        let row = (0..self.rows).find(|&row| holds(y, 1, row))?;
        Some([column, row])
    }

    /// The outline of whole cells, smaller by an inset on every side.
    pub fn around(&self, cell: [usize; 2], [columns, rows]: [usize; 2], inset: f64) -> String {
        let [x, y] = self.corner(cell).map(|value| px(value + inset));
        let [width, height] =
            [columns, rows].map(|cells| px(self.cell * length(cells) - 2.0 * inset));
        format!("M{x} {y}h{width}v{height}h-{width}z")
    }

    /// The outlines of the cells for which this holds, of as few rectangles as rows allow.
    pub fn area(&self, holds: impl Fn(usize, usize) -> bool) -> String {
        let row = |row: usize| {
            let runs = runs(self.columns, |column| holds(column, row)).into_iter();
            runs.map(move |(from, to)| self.around([from, row], [to - from, 1], 0.0))
        };
        (0..self.rows).flat_map(row).collect()
    }

    /// The lines between cells that this tells apart; outside the board there is `None`.
    pub fn borders<K: PartialEq>(&self, key: impl Fn(usize, usize) -> Option<K>) -> String {
        let mut path = String::new();
        let mut line = |from: [usize; 2], to: [usize; 2]| {
            let [[x1, y1], [x2, y2]] = [from, to].map(|cell| self.corner(cell));
            // Writing to a string cannot fail.
            let _ = write!(path, "M{x1} {y1}L{x2} {y2}");
        };
        let key_at = |column: usize, row: usize| {
            let is_inside = column < self.columns && row < self.rows;
            is_inside.then(|| key(column, row)).flatten()
        };
        // A line at `along` has one cell before it and one after it; before the first there is none.
        for along in 0..=self.columns {
            let before = along.checked_sub(1).unwrap_or(self.columns);
            let apart = |row: usize| key_at(before, row) != key_at(along, row);
            for (from, to) in runs(self.rows, apart) {
                line([along, from], [along, to]);
            }
        }
        for along in 0..=self.rows {
            let before = along.checked_sub(1).unwrap_or(self.rows);
            let apart = |column: usize| key_at(column, before) != key_at(column, along);
            for (from, to) in runs(self.columns, apart) {
                line([from, along], [to, along]);
            }
        }
        path
    }

    /// The numbers of columns and rows up to these, each where there is room, else every fifth.
    pub fn labels(&self, last: [usize; 2]) -> String {
        let mut text = String::new();
        let shown = |number: usize, last: usize| {
            let near_end = number != last && number + 3 > last;
            let wanted = self.cell >= EVERY_LABEL
                || number == 1
                || number == last
                || (number.is_multiple_of(5) && !near_end);
            (1..=last).contains(&number) && wanted
        };
        let mut label = |class: &str, [x, y]: Place, number: usize| {
            // Writing to a string cannot fail.
            let _ = write!(
                text,
                "<text class=\"{class}\" x=\"{x}\" y=\"{y}\" font-size=\"{LABEL_SIZE}\">{number}</text>"
            );
        };
        let numbers = |count: usize, last: usize| {
            let all = (0..count).map(|at| (at, self.first + at));
            all.filter(move |&(_, number)| shown(number, last))
        };
        for (column, number) in numbers(self.columns, last[0]) {
            let [x, _] = self.centre([column, 0]);
            label("vd-column-number", [x, MARGIN[1] - 6.0], number);
        }
        for (row, number) in numbers(self.rows, last[1]) {
            let [_, y] = self.centre([0, row]);
            label(
                "vd-row-number",
                [MARGIN[0] - 6.0, px(y + 0.35 * LABEL_SIZE)],
                number,
            );
        }
        text
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

/// A length as it is written, with at most two decimals.
pub fn px(length: f64) -> f64 {
    // Adding nothing makes a plain zero of a negative one.
    (length * 100.0).round() / 100.0 + 0.0
}

/// The points of a line or of a filled shape.
pub fn points(places: &[Place]) -> String {
    let places: Vec<String> = places
        .iter()
        .map(|[x, y]| format!("{},{}", px(*x), px(*y)))
        .collect();
    places.join(" ")
}

/// A count as a length.
pub fn length(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}

/// Whether two places are at least so far apart.
pub fn are_apart(one: Place, other: Place, far: f64) -> bool {
    (one[0] - other[0]).hypot(one[1] - other[1]) >= far
}

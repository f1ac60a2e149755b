//! The solver: breadth first over the graph of runs, with the path as witness.
//!
//! A run is a maximal stretch of free cells in a row or in a column, and two runs are neighbours
//! where they cross. A path of k segments lies on k runs, each a neighbour of the one before; so the
//! least number of segments is that of the runs on a shortest chain from a run beside the one card to
//! a run beside the other, and the corners are their crossings.
//!
//! The graph does not depend on the query, so it is made once for a board. Every free cell is one
//! crossing: the neighbours of a run are the runs that the cells along it belong to the other way, a
//! slice of a table of cells. A query looks at each of these once in each orientation at most.

use std::fmt;
use std::ops::Range;

use super::board::{Board, Point, Query, SIDE_MAX};

/// A path from card to card: its corners, both cards included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Polyline {
    /// The first card, every corner, the second card.
    pub corners: Vec<Point>,
}

impl Polyline {
    /// The number of straight segments.
    pub fn segments(&self) -> usize {
        self.corners.len().saturating_sub(1)
    }
}

impl fmt::Display for Polyline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let corners: Vec<String> = self.corners.iter().map(Point::to_string).collect();
        f.write_str(&corners.join(" -> "))
    }
}

/// Answers the queries of one board.
#[derive(Debug, Clone)]
pub struct Search {
    runs: Runs,
    /// The query of which this is.
    query: u32,
    /// The query in which each run was last reached, and in which it was last beside the second card.
    reached: Vec<u32>,
    goal: Vec<u32>,
    /// The run before each on the way to it; itself where it begins.
    before: Vec<Run>,
    queue: Vec<Run>,
}

impl Search {
    /// Prepares a board.
    pub fn new(board: &Board) -> Self {
        let runs = Runs::of(board);
        let count = usize::from(runs.count());
        Self {
            runs,
            query: 0,
            reached: vec![0; count],
            goal: vec![0; count],
            before: vec![NO_RUN; count],
            queue: Vec::with_capacity(count),
        }
    }

    /// The fewest segments that join the two cards.
    pub fn segments(&mut self, query: Query) -> Option<usize> {
        self.chain(query).map(|chain| chain.len().max(1))
    }

    /// A path of the fewest segments that joins the two cards.
    pub fn path(&mut self, query: Query) -> Option<Polyline> {
        let chain = self.chain(query)?;
        let crossings = chain
            .windows(2)
            .map(|pair| self.runs.crossing(pair[0], pair[1]));
        let corners = std::iter::once(query.from).chain(crossings);
        let corners = corners.chain([query.to]).collect();
        Some(Polyline { corners })
    }

    /// A shortest chain of runs; none is needed between neighbouring cards.
    fn chain(&mut self, Query { from, to }: Query) -> Option<Vec<Run>> {
        if from.x.abs_diff(to.x) + from.y.abs_diff(to.y) == 1 {
            return Some(Vec::new());
        }
        self.query += 1;
        for run in self.runs.beside(to) {
            self.goal[usize::from(run)] = self.query;
        }
        let mut last = self.last_run(from)?;
        let mut chain = vec![last];
        while self.before[usize::from(last)] != last {
            last = self.before[usize::from(last)];
            chain.push(last);
        }
        chain.reverse();
        Some(chain)
    }

    /// The run beside the second card that is reached first from this one.
    fn last_run(&mut self, from: Point) -> Option<Run> {
        let Self {
            runs,
            query,
            reached,
            goal,
            before,
            queue,
        } = self;
        queue.clear();
        for run in runs.beside(from) {
            if goal[usize::from(run)] == *query {
                before[usize::from(run)] = run;
                return Some(run);
            }
            if reached[usize::from(run)] != *query {
                reached[usize::from(run)] = *query;
                before[usize::from(run)] = run;
                queue.push(run);
            }
        }
        let mut next = 0;
        while let Some(&run) = queue.get(next) {
            next += 1;
            for &crossed in runs.neighbours(run) {
                let index = usize::from(crossed);
                if reached[index] != *query {
                    reached[index] = *query;
                    before[index] = run;
                    if goal[index] == *query {
                        return Some(crossed);
                    }
                    queue.push(crossed);
                }
            }
        }
        None
    }
}

/// Rows and columns of the largest board with its ring.
const SPAN: usize = SIDE_MAX as usize + 2;

/// The number of a run; those of rows come before those of columns.
type Run = u16;

/// In place of a run: the cell holds a card.
const NO_RUN: Run = Run::MAX;

/// One mask per row, bit x for column x, or one per column, bit y for row y.
type Masks = [u128; SPAN];

/// The runs of one board.
#[derive(Debug, Clone)]
struct Runs {
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
    fn of(board: &Board) -> Self {
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
    fn count(&self) -> Run {
        Run::try_from(self.lines.len()).unwrap_or(NO_RUN)
    }

    /// The runs that cross this one.
    fn neighbours(&self, run: Run) -> &[Run] {
        &self.crossed[self.spans[usize::from(run)].clone()]
    }

    /// The runs along which a card can be left: of the row to its left and right, of the column
    /// above and below.
    fn beside(&self, card: Point) -> impl Iterator<Item = Run> {
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
    fn crossing(&self, one: Run, other: Run) -> Point {
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

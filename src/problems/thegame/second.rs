//! The second opinion: whole rows and columns swept as bit masks, one sweep a segment.
//!
//! It shares no code with [`super::solve`], only the board: no graph of runs, no trees, no chains, no search from both ends,
//! and nothing that one query leaves to the next.
//!
//! A cell is reached *along rows* in k segments if the k-th is horizontal, *along columns* if it is vertical.
//! The cells first reached along rows in k segments are the runs of free cells through those that were first reached
//! along columns in k - 1, and the other way round. Every run is swept once at most, and a sweep along columns
//! treats all columns of a row at once, so a query costs a few hundred word operations on an open board
//! and about one for each free cell in the worst maze.

use std::fmt::Write as _;

use super::board::{Board, Input, Point, Query, SIDE_MAX};

/// Rows and columns of the largest board with its ring.
const SPAN: usize = SIDE_MAX as usize + 2;

/// One mask a row, bit x for column x, ring included.
type Rows = [u128; SPAN];

/// Cells of one row that were reached together.
#[derive(Debug, Clone, Copy)]
struct Reached {
    y: usize,
    cells: u128,
}

/// What was reached in one orientation.
#[derive(Debug, Clone)]
struct Wave {
    /// Free cells that no sweep has reached yet; sweeps take whole runs out of it.
    open: Rows,
    /// All sweeps one after another; within a sweep the rows ascend.
    log: Vec<Reached>,
    /// Where in the log each sweep begins: sweep k is `log[starts[k]..starts[k + 1]]`.
    starts: Vec<usize>,
}

impl Wave {
    fn reset(&mut self, free: &Rows, from: Reached) {
        self.open = *free;
        self.log.clear();
        self.log.push(from);
        self.starts.clear();
        self.starts.extend([0, 1]);
    }

    /// The cells that sweep `k` reached; sweep 0 is the first card.
    fn sweep(&self, k: usize) -> &[Reached] {
        &self.log[self.starts[k]..self.starts[k + 1]]
    }

    fn has_reached(&self, point: Point) -> bool {
        self.open[usize::from(point.y)] >> point.x & 1 == 0
    }

    /// Ends a sweep; false where it reached nothing.
    fn close(&mut self) -> bool {
        self.starts.push(self.log.len());
        self.log.len() > self.starts[self.starts.len() - 2]
    }

    /// Sweeps along rows from the cells of `seeds`.
    fn along_rows(&mut self, seeds: &[Reached]) -> bool {
        for &Reached { y, cells } in seeds {
            let row = self.open[y];
            let mut left = cells & row;
            if left == 0 {
                continue;
            }
            let mut reached = 0;
            while left != 0 {
                let run = run_around(row, left.trailing_zeros());
                reached |= run;
                left &= !run;
            }
            self.open[y] = row & !reached;
            self.log.push(Reached { y, cells: reached });
        }
        self.close()
    }

    /// Sweeps along columns from the cells of `seeds`, all columns at once: down through the rows, then up.
    fn along_columns(&mut self, seeds: &[Reached]) -> bool {
        let mut fresh: Rows = [0; SPAN];
        let mut touched = 0_u128;
        for &Reached { y, cells } in seeds {
            fresh[y] = cells & self.open[y];
            touched |= u128::from(fresh[y] != 0) << y;
        }
        let mut ahead = touched;
        while ahead != 0 {
            let mut y = ahead.trailing_zeros() as usize;
            let mut carry = fresh[y];
            while carry != 0 {
                fresh[y] = carry;
                touched |= 1 << y;
                y += 1;
                if y == SPAN {
                    break;
                }
                carry = carry & self.open[y] | fresh[y];
            }
            ahead &= u128::MAX << y;
        }
        let mut ahead = touched;
        while ahead != 0 {
            let mut y = ahead.ilog2() as usize;
            let mut carry = fresh[y];
            while carry != 0 {
                fresh[y] = carry;
                touched |= 1 << y;
                let Some(above) = y.checked_sub(1) else {
                    return self.take(&fresh, touched);
                };
                y = above;
                carry = carry & self.open[y] | fresh[y];
            }
            ahead &= (1 << y) - 1;
        }
        self.take(&fresh, touched)
    }

    /// Books the touched rows of a sweep.
    fn take(&mut self, fresh: &Rows, mut touched: u128) -> bool {
        while touched != 0 {
            let y = touched.trailing_zeros() as usize;
            touched &= touched - 1;
            self.open[y] &= !fresh[y];
            self.log.push(Reached { y, cells: fresh[y] });
        }
        self.close()
    }
}

/// Answers the queries of one board.
#[derive(Debug, Clone)]
pub struct Sweeper {
    /// The cells without cards, ring included; during a query its two cards count as free.
    free: Rows,
    rows: Wave,
    columns: Wave,
}

impl Sweeper {
    /// Prepares a board.
    pub fn new(board: &Board) -> Self {
        let inside = (1_u128 << (board.width() + 2)) - 1;
        let mut free = [0; SPAN];
        for (row, y) in free.iter_mut().zip(0..board.height() + 2) {
            *row = inside & !board.row(y);
        }
        let wave = Wave {
            open: free,
            log: Vec::new(),
            starts: Vec::new(),
        };
        Self {
            free,
            rows: wave.clone(),
            columns: wave,
        }
    }

    /// The fewest segments that join the two cards.
    pub fn segments(&mut self, query: Query) -> Option<usize> {
        self.with_free_cards(query, |search| search.run(query))
    }

    /// Takes both cards off the board while `work` runs. A path through the first card would be better from there,
    /// and the search ends at the second, so neither is ever crossed.
    fn with_free_cards<T>(&mut self, query: Query, work: impl FnOnce(&mut Self) -> T) -> T {
        let cards = [query.from, query.to];
        let before = cards.map(|card| self.free[usize::from(card.y)]);
        for card in cards {
            self.free[usize::from(card.y)] |= 1 << card.x;
        }
        let result = work(self);
        for (card, row) in cards.into_iter().zip(before) {
            self.free[usize::from(card.y)] = row;
        }
        result
    }

    /// Sweeps until the second card is reached: in how many segments.
    fn run(&mut self, query: Query) -> Option<usize> {
        let from = Reached {
            y: usize::from(query.from.y),
            cells: 1 << query.from.x,
        };
        self.rows.reset(&self.free, from);
        self.columns.reset(&self.free, from);
        let mut segments = 0;
        loop {
            let along_rows = self.rows.along_rows(self.columns.sweep(segments));
            let along_columns = self.columns.along_columns(self.rows.sweep(segments));
            segments += 1;
            if self.rows.has_reached(query.to) || self.columns.has_reached(query.to) {
                return Some(segments);
            }
            if !along_rows && !along_columns {
                return None;
            }
        }
    }
}

/// The run of set bits around bit `x`, which is set.
fn run_around(row: u128, x: u32) -> u128 {
    let above = row & u128::MAX << x;
    // Adding the lowest bit of the upper part clears it up to the run's end.
    let upper = above & !above.wrapping_add(1 << x);
    let lower = !row & ((1 << x) - 1);
    let start = lower.checked_ilog2().map_or(0, |blocked| blocked + 1);
    upper | ((1 << x) - 1) & u128::MAX << start
}

/// What a right program prints.
pub(super) fn answer(input: &Input) -> Vec<u8> {
    let mut text = String::new();
    // Writing to a string cannot fail.
    for (index, board) in input.boards.iter().enumerate() {
        let _ = writeln!(text, "Board #{}:", index + 1);
        let mut sweeper = Sweeper::new(board);
        for (index, &query) in board.queries.iter().enumerate() {
            let _ = match sweeper.segments(query) {
                Some(segments) => writeln!(text, "Pair {}: {segments} segments.", index + 1),
                None => writeln!(text, "Pair {}: impossible.", index + 1),
            };
        }
        text.push('\n');
    }
    text.into_bytes()
}

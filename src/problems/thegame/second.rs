//! The second opinion: whole rows and columns swept as bit masks, one sweep per segment.
//!
//! It shares no code with [`super::solve`], only the board: no graph of runs, no trees, no chains,
//! no search from both ends, and nothing that one search leaves to the next. Queries from the same
//! card share one search.
//!
//! A cell is reached *along rows* in k segments if the k-th is horizontal, *along columns* if it is
//! vertical.
//! The cells first reached along rows in k segments are the runs of free cells through those that
//! were first reached along columns in k - 1, and the other way round. Every run is swept once at
//! most, and a sweep along columns treats all columns of a row at once, so a query costs a few
//! hundred word operations on an open board and about one for each free cell in the worst maze.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::board::{Board, Input, Point, SIDE_MAX};

/// Rows and columns of the largest board with its ring.
const SPAN: usize = SIDE_MAX as usize + 2;

/// One mask per row, bit x for column x, ring included.
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
    /// The rows of the sweep along columns that is under way; empty between sweeps.
    fresh: Rows,
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

    /// Ends a sweep; false if it reached nothing.
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

    /// Sweeps along columns from the cells of `seeds`, all columns at once: down through the rows,
    /// then up.
    fn along_columns(&mut self, seeds: &[Reached]) -> bool {
        let mut touched = 0_u128;
        for &Reached { y, cells } in seeds {
            self.fresh[y] = cells & self.open[y];
            touched |= u128::from(self.fresh[y] != 0) << y;
        }
        let mut ahead = touched;
        while ahead != 0 {
            let mut y = ahead.trailing_zeros() as usize;
            let mut carry = self.fresh[y];
            while carry != 0 {
                self.fresh[y] = carry;
                touched |= 1 << y;
                y += 1;
                if y == SPAN {
                    break;
                }
                carry = carry & self.open[y] | self.fresh[y];
            }
            ahead &= u128::MAX << y;
        }
        let mut ahead = touched;
        while ahead != 0 {
            let mut y = ahead.ilog2() as usize;
            let mut carry = self.fresh[y];
            while carry != 0 {
                self.fresh[y] = carry;
                touched |= 1 << y;
                let Some(above) = y.checked_sub(1) else {
                    return self.take(touched);
                };
                y = above;
                carry = carry & self.open[y] | self.fresh[y];
            }
            ahead &= (1 << y) - 1;
        }
        self.take(touched)
    }

    /// Books the touched rows of a sweep.
    fn take(&mut self, mut touched: u128) -> bool {
        while touched != 0 {
            let y = touched.trailing_zeros() as usize;
            touched &= touched - 1;
            let cells = std::mem::take(&mut self.fresh[y]);
            self.open[y] &= !cells;
            self.log.push(Reached { y, cells });
        }
        self.close()
    }
}

/// Answers the queries of one board.
#[derive(Debug, Clone)]
pub struct Sweeper {
    /// The cells without cards, ring included; during a search its first card counts as free.
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
            fresh: [0; SPAN],
            starts: Vec::new(),
        };
        Self {
            free,
            rows: wave.clone(),
            columns: wave,
        }
    }

    /// The fewest segments from one card to each of these others.
    ///
    /// A path that came back to the first card would be better from there, so it does no harm that
    /// it counts as free.
    pub fn segments(&mut self, from: Point, others: &[Point]) -> Vec<Option<usize>> {
        let (y, cells) = (usize::from(from.y), 1 << from.x);
        self.free[y] |= cells;
        let first = Reached { y, cells };
        self.rows.reset(&self.free, first);
        self.columns.reset(&self.free, first);
        let mut found = vec![None; others.len()];
        for segments in 1.. {
            let along_rows = self.rows.along_rows(self.columns.sweep(segments - 1));
            let along_columns = self.columns.along_columns(self.rows.sweep(segments - 1));
            for (found, &other) in found.iter_mut().zip(others) {
                if found.is_none() && self.meets(other) {
                    *found = Some(segments);
                }
            }
            if !along_rows && !along_columns || found.iter().all(Option::is_some) {
                break;
            }
        }
        self.free[y] &= !cells;
        found
    }

    /// Whether a sweep has come to a cell beside this card in the orientation that leads on to it.
    fn meets(&self, card: Point) -> bool {
        let reached = |wave: &Wave, x: u8, y: u8| {
            let y = usize::from(y);
            (self.free[y] & !wave.open[y]) >> x & 1 == 1
        };
        let Point { x, y } = card;
        reached(&self.rows, x - 1, y)
            || reached(&self.rows, x + 1, y)
            || reached(&self.columns, x, y - 1)
            || reached(&self.columns, x, y + 1)
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

/// The fewest segments for every query of a board.
fn fewest_segments(board: &Board) -> Vec<Option<usize>> {
    let mut of_card: BTreeMap<Point, Vec<usize>> = BTreeMap::new();
    for (index, query) in board.queries.iter().enumerate() {
        of_card.entry(query.from).or_default().push(index);
    }
    let mut sweeper = Sweeper::new(board);
    let mut answers = vec![None; board.queries.len()];
    for (card, indices) in of_card {
        let others: Vec<Point> = indices.iter().map(|&at| board.queries[at].to).collect();
        for (index, found) in indices.into_iter().zip(sweeper.segments(card, &others)) {
            answers[index] = found;
        }
    }
    answers
}

/// What a right program prints.
pub(super) fn answer(input: &Input) -> Vec<u8> {
    let mut text = String::new();
    // Writing to a string cannot fail.
    for (index, board) in input.boards.iter().enumerate() {
        let _ = writeln!(text, "Board #{}:", index + 1);
        for (index, segments) in fewest_segments(board).into_iter().enumerate() {
            let _ = match segments {
                Some(segments) => writeln!(text, "Pair {}: {segments} segments.", index + 1),
                None => writeln!(text, "Pair {}: impossible.", index + 1),
            };
        }
        text.push('\n');
    }
    text.into_bytes()
}

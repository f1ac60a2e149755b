//! The fast solver: whole rows and columns swept as bit masks, one sweep a segment.
//!
//! A cell is reached *along rows* in k segments if the k-th is horizontal, *along columns* if it is vertical.
//! The cells first reached along rows in k segments are the runs of free cells through those that were first reached
//! along columns in k - 1, and the other way round. Every run is swept once at most, and a sweep along columns
//! treats all columns of a row at once, so a query costs a few hundred word operations on an open board
//! and about one for each free cell in the worst maze.

use std::fmt;

use super::board::{Board, Point, Query, SIDE_MAX};

/// Rows and columns of the largest board with its ring.
const SPAN: usize = SIDE_MAX as usize + 2;

/// One mask a row, bit x for column x, ring included.
type Rows = [u128; SPAN];

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
        for (index, corner) in self.corners.iter().enumerate() {
            let arrow = if index == 0 { "" } else { " -> " };
            write!(f, "{arrow}{corner}")?;
        }
        Ok(())
    }
}

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
pub struct Search {
    /// The cells without cards, ring included; during a query its two cards count as free.
    free: Rows,
    rows: Wave,
    columns: Wave,
}

impl Search {
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
        self.with_free_cards(query, |search| Some(search.run(query)?.0))
    }

    /// A path of the fewest segments that joins the two cards.
    pub fn path(&mut self, query: Query) -> Option<Polyline> {
        self.with_free_cards(query, |search| {
            let (segments, last_along_row) = search.run(query)?;
            Some(search.trace(query, segments, last_along_row))
        })
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

    /// Sweeps until the second card is reached: in how many segments, and whether the last runs along a row.
    fn run(&mut self, query: Query) -> Option<(usize, bool)> {
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
            if self.rows.has_reached(query.to) {
                return Some((segments, true));
            }
            if self.columns.has_reached(query.to) {
                return Some((segments, false));
            }
            if !along_rows && !along_columns {
                return None;
            }
        }
    }

    /// Walks back from the second card: the corner before a segment lies on its run
    /// and was reached one sweep earlier in the other orientation.
    fn trace(&self, query: Query, segments: usize, last_along_row: bool) -> Polyline {
        let mut corners = vec![query.to];
        let mut at = query.to;
        let mut along_row = last_along_row;
        for sweep in (1..segments).rev() {
            at = if along_row {
                self.corner_in_row(at, self.columns.sweep(sweep))
            } else {
                self.corner_in_column(at, self.rows.sweep(sweep))
            };
            corners.push(at);
            along_row = !along_row;
        }
        corners.push(query.from);
        corners.reverse();
        Polyline { corners }
    }

    /// The nearest cell on the horizontal run of `at` that `sweep` reached.
    fn corner_in_row(&self, at: Point, sweep: &[Reached]) -> Point {
        let y = usize::from(at.y);
        let run = run_around(self.free[y], u32::from(at.x));
        let reached = sweep.iter().find(|reached| reached.y == y);
        let cells = reached.map_or(0, |reached| reached.cells) & run;
        let left = cells & ((1 << at.x) - 1);
        let right = cells & !((1 << at.x) - 1);
        let left = left.checked_ilog2().map(low_byte);
        let right = (right != 0).then(|| low_byte(right.trailing_zeros()));
        let nearest = [left, right].into_iter().flatten();
        let x = nearest.min_by_key(|x| x.abs_diff(at.x));
        assert!(x.is_some(), "a sweep along rows starts from a column");
        Point {
            x: x.unwrap_or(at.x),
            y: at.y,
        }
    }

    /// The nearest cell on the vertical run of `at` that `sweep` reached.
    fn corner_in_column(&self, at: Point, sweep: &[Reached]) -> Point {
        let y = usize::from(at.y);
        let is_free = |row: &u128| row >> at.x & 1 == 1;
        let above = self.free[..y].iter().rev().take_while(|row| is_free(row));
        let below = self.free[y + 1..].iter().take_while(|row| is_free(row));
        let run = y - above.count()..=y + below.count();
        let nearest = sweep
            .iter()
            .filter(|reached| reached.cells >> at.x & 1 == 1 && run.contains(&reached.y))
            .min_by_key(|reached| reached.y.abs_diff(y));
        assert!(nearest.is_some(), "a sweep along columns starts from a row");
        Point {
            x: at.x,
            y: nearest.map_or(at.y, |reached| u8::try_from(reached.y).unwrap_or(u8::MAX)),
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

/// A bit number of a row as a coordinate.
fn low_byte(bit: u32) -> u8 {
    u8::try_from(bit).unwrap_or(u8::MAX)
}

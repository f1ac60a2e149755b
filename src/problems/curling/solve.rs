//! The fast solver: iterative deepening over bit masks, cut by a relaxed distance to the goal, with
//! the throws as witness.
//!
//! Three facts make it fast.
//! - A slide along a row or a column is one mask and one count of zeros.
//! - The depth is exact: when n throws are tried, n - 1 are known not to be enough. So no throw but
//!   the last can meet the goal, and that one needs no search: it needs the goal in sight.
//! - A stone that rests on a cell with n throws left must be on one of the cells from which n throws
//!   can do it if every block may be there or gone as it suits the stone. Those cells are found
//!   beforehand, a row at a time.

use std::fmt;

use super::board::{Board, Cell, HEIGHT_MAX, THROWS_MAX, WIDTH_MAX};
use crate::domain::words;
use crate::util::words::amount;

/// The longer side of the largest board.
const SIDE_MAX: usize = if WIDTH_MAX > HEIGHT_MAX {
    WIDTH_MAX
} else {
    HEIGHT_MAX
};

words! {
    /// Where a stone is thrown.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Direction by word {
        /// To smaller columns.
        Left = "left",
        /// To larger columns.
        Right = "right",
        /// To smaller rows.
        Up = "up",
        /// To larger rows.
        Down = "down",
    }
}

/// One throw of a witness.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Throw {
    /// Where the stone is thrown.
    pub direction: Direction,
    /// Where it rested.
    pub from: Cell,
    /// Where it rests then, or the goal.
    pub to: Cell,
    /// The block that stopped it and vanished; `None` for the last throw, which ends on the goal.
    pub vanished: Option<Cell>,
}

impl Throw {
    /// How many cells the stone passes, the one where it ends included.
    pub fn cells(&self) -> usize {
        self.from.x.abs_diff(self.to.x) + self.from.y.abs_diff(self.to.y)
    }
}

impl fmt::Display for Throw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { from, to, .. } = self;
        let (direction, cells) = (self.direction.word(), amount(self.cells(), "cell"));
        write!(f, "{direction} from {from} over {cells} to ")?;
        match self.vanished {
            Some(block) => write!(f, "{to}; the block at {block} vanishes"),
            None => write!(f, "the goal at {to}"),
        }
    }
}

/// The shortest game on this board, or `None` if ten throws are not enough.
pub fn solve(board: &Board) -> Option<Vec<Throw>> {
    let mut search = Search::new(board);
    let start = board.start();
    for throws in 1..=THROWS_MAX {
        search.add_layer();
        if search.may_finish(start, throws) && search.finish(start, throws) {
            search.path.reverse();
            return Some(search.path);
        }
    }
    None
}

/// One bit for every cell, as rows.
type CellSet = [u32; SIDE_MAX];

struct Search {
    width: usize,
    height: usize,
    goal: Cell,
    /// The blocks that are left, by row and by column.
    rows: [u32; SIDE_MAX],
    columns: [u32; SIDE_MAX],
    /// The blocks of the whole board, by row and by column, for the relaxed distances.
    all_rows: [u32; SIDE_MAX],
    all_columns: [u32; SIDE_MAX],
    /// `layers[n - 1]`: the cells from which n throws may do it if blocks come and go as it suits
    /// the stone.
    layers: Vec<CellSet>,
    /// The game that was found, last throw first.
    path: Vec<Throw>,
}

impl Search {
    fn new(board: &Board) -> Self {
        let mut rows = [0; SIDE_MAX];
        rows[..board.height()].copy_from_slice(board.blocks());
        let columns = transposed(&rows);
        Self {
            width: board.width(),
            height: board.height(),
            goal: board.goal(),
            rows,
            columns,
            all_rows: rows,
            all_columns: columns,
            layers: Vec::with_capacity(THROWS_MAX),
            path: Vec::new(),
        }
    }

    /// Whether the relaxed distances leave hope to finish from here in exactly so many throws.
    fn may_finish(&self, at: Cell, throws: usize) -> bool {
        self.layers[throws - 1][at.y] >> at.x & 1 == 1
    }

    /// Adds the relaxed layer for one more throw.
    fn add_layer(&mut self) {
        let mut layer = [0; SIDE_MAX];
        match self.layers.last() {
            None => {
                let column = 1 << self.goal.x;
                layer[..self.height].fill(column);
                layer[self.goal.y] = ones(self.width) & !column;
            }
            Some(last) => {
                // The stone rests on a cell of the last layer if a block stands behind it.
                // A stone that comes from any cell before it may stop there, if the goal is not in
                // between.
                let along = relaxed_origins(last, &self.all_rows, self.goal, self.width);
                let goal = Cell::new(self.goal.y, self.goal.x);
                let last = transposed(last);
                let across = relaxed_origins(&last, &self.all_columns, goal, self.height);
                let across = transposed(&across);
                for (to, (a, b)) in layer.iter_mut().zip(along.into_iter().zip(across)) {
                    *to = a | b;
                }
            }
        }
        self.layers.push(layer);
    }

    /// Tries to finish from this cell in exactly so many throws, where fewer are known not to do.
    fn finish(&mut self, at: Cell, throws: usize) -> bool {
        if throws == 1 {
            return self.finish_in_one(at);
        }
        for direction in Direction::ALL {
            if let Some((to, block)) = self.slide(at, direction)
                && self.may_finish(to, throws - 1)
                && self.follow(at, direction, to, block, throws)
            {
                return true;
            }
        }
        false
    }

    /// Makes this throw, tries to finish after it, and takes it back; a throw that leads to the
    /// goal is noted.
    fn follow(
        &mut self,
        from: Cell,
        direction: Direction,
        to: Cell,
        block: Cell,
        throws: usize,
    ) -> bool {
        self.rows[block.y] ^= 1 << block.x;
        self.columns[block.x] ^= 1 << block.y;
        let found = self.finish(to, throws - 1);
        self.rows[block.y] ^= 1 << block.x;
        self.columns[block.x] ^= 1 << block.y;
        if found {
            self.path.push(Throw {
                direction,
                from,
                to,
                vanished: Some(block),
            });
        }
        found
    }

    /// Whether the goal is in sight: then the last throw is noted.
    fn finish_in_one(&mut self, at: Cell) -> bool {
        if !self.sees_goal(at) {
            return false;
        }
        self.path.push(Throw {
            direction: towards(at, self.goal),
            from: at,
            to: self.goal,
            vanished: None,
        });
        true
    }

    /// Whether no block stands between this cell and the goal in one row or column.
    fn sees_goal(&self, at: Cell) -> bool {
        let goal = self.goal;
        let (line, from, to) = if at.y == goal.y {
            (self.rows[at.y], at.x, goal.x)
        } else if at.x == goal.x {
            (self.columns[at.x], at.y, goal.y)
        } else {
            return false;
        };
        line & ones(from.max(to)) & !ones(from.min(to)) == 0
    }

    /// Where a stone thrown from here rests and which block stops it; `None` if it cannot be
    /// thrown or leaves the board.
    fn slide(&self, at: Cell, direction: Direction) -> Option<(Cell, Cell)> {
        let Cell { x, y } = at;
        Some(match direction {
            Direction::Left => {
                let block = before(self.rows[y], x)?;
                (Cell::new(block + 1, y), Cell::new(block, y))
            }
            Direction::Right => {
                let block = after(self.rows[y], x)?;
                (Cell::new(block - 1, y), Cell::new(block, y))
            }
            Direction::Up => {
                let block = before(self.columns[x], y)?;
                (Cell::new(x, block + 1), Cell::new(x, block))
            }
            Direction::Down => {
                let block = after(self.columns[x], y)?;
                (Cell::new(x, block - 1), Cell::new(x, block))
            }
        })
    }
}

/// The direction of a cell in the same row or column.
fn towards(from: Cell, to: Cell) -> Direction {
    match (from.y == to.y, from < to) {
        (true, false) => Direction::Left,
        (true, true) => Direction::Right,
        (false, false) => Direction::Up,
        (false, true) => Direction::Down,
    }
}

/// The nearest block of a line before this place, if it is not the neighbour.
fn before(line: u32, at: usize) -> Option<usize> {
    let block = (line & ones(at)).checked_ilog2()? as usize;
    (block + 1 < at).then_some(block)
}

/// The nearest block of a line after this place, if it is not the neighbour.
fn after(line: u32, at: usize) -> Option<usize> {
    let beyond = line >> at >> 1;
    let gap = beyond.trailing_zeros() as usize;
    (beyond != 0 && gap > 0).then_some(at + 1 + gap)
}

/// The lowest so many bits, fewer than 32.
const fn ones(count: usize) -> u32 {
    (1 << count) - 1
}

/// Rows made columns.
fn transposed(set: &CellSet) -> CellSet {
    let mut turned = [0; SIDE_MAX];
    for (y, &row) in set.iter().enumerate() {
        let mut rest = row;
        while rest != 0 {
            turned[rest.trailing_zeros() as usize] |= 1 << y;
            rest &= rest - 1;
        }
    }
    turned
}

/// The cells from which a throw along their row may end on one of these cells, whatever blocks have
/// vanished.
fn relaxed_origins(targets: &CellSet, blocks: &CellSet, goal: Cell, width: usize) -> CellSet {
    let mut origins = [0; SIDE_MAX];
    for (y, origins) in origins.iter_mut().enumerate() {
        // The goal would catch the stone: in its row, stone and stop are on the same side of it.
        let sides = if y == goal.y {
            [ones(goal.x), ones(width) & !ones(goal.x + 1)]
        } else {
            [ones(width), 0]
        };
        for side in sides {
            // Thrown right, a block stands after the stop, and the stone comes from any place
            // before the farthest one.
            let stops = targets[y] & side & (blocks[y] >> 1);
            if let Some(farthest) = stops.checked_ilog2() {
                *origins |= ones(farthest as usize) & side;
            }
            // Thrown left, the same mirrored.
            let stops = targets[y] & side & (blocks[y] << 1);
            if stops != 0 {
                *origins |= !ones(stops.trailing_zeros() as usize + 1) & side;
            }
        }
    }
    origins
}

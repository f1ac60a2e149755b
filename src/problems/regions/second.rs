//! The second opinion: cells united into regions two by two, and the distances between all regions
//! at once.
//!
//! It shares no code with [`super::solve`], only the board: the regions come from a union-find over
//! the cells, not from a flood fill, and the distance from Floyd and Warshall's table, not from a
//! breadth-first search; no chain is laid and no game played.
//! What both rest on is that the answer is the distance less one; the tests hold each against the
//! game itself.
//!
//! Its work is bounded by the board: 2,500 cells, and 50 regions to the third.

use super::board::Board;

/// Regions that no chain joins; the sum of two does not overflow.
const APART: usize = usize::MAX / 2;

/// Cells that belong together, each set as a tree that hangs on one of its cells.
struct Sets {
    parent: Vec<usize>,
}

impl Sets {
    /// The cell on which the set of this one hangs.
    fn top(&mut self, mut cell: usize) -> usize {
        while self.parent[cell] != cell {
            self.parent[cell] = self.parent[self.parent[cell]];
            cell = self.parent[cell];
        }
        cell
    }

    fn unite(&mut self, one: usize, other: usize) {
        let (one, other) = (self.top(one), self.top(other));
        self.parent[one.max(other)] = one.min(other);
    }
}

/// Every two cells that have a side in common, the upper or left one first.
fn sides(board: &Board) -> Vec<(usize, usize)> {
    let (rows, columns) = (board.rows(), board.columns());
    let mut pairs = Vec::with_capacity(2 * rows * columns);
    for row in 0..rows {
        for column in 0..columns {
            let cell = row * columns + column;
            if column + 1 < columns {
                pairs.push((cell, cell + 1));
            }
            if row + 1 < rows {
                pairs.push((cell, cell + columns));
            }
        }
    }
    pairs
}

/// The least number of moves.
fn least_moves(board: &Board) -> usize {
    let colours = board.cells();
    let sides = sides(board);
    let mut sets = Sets {
        parent: (0..colours.len()).collect(),
    };
    for &(one, other) in &sides {
        if colours[one] == colours[other] {
            sets.unite(one, other);
        }
    }
    let tops: Vec<usize> = (0..colours.len()).map(|cell| sets.top(cell)).collect();
    let mut regions = tops.clone();
    regions.sort_unstable();
    regions.dedup();
    let count = regions.len();
    let region = |cell: usize| regions.partition_point(|&top| top < tops[cell]);

    let mut distance = vec![vec![APART; count]; count];
    for (index, row) in distance.iter_mut().enumerate() {
        row[index] = 0;
    }
    for &(one, other) in &sides {
        let (one, other) = (region(one), region(other));
        if one != other {
            distance[one][other] = 1;
            distance[other][one] = 1;
        }
    }
    for by in 0..count {
        for from in 0..count {
            for to in 0..count {
                let around = distance[from][by] + distance[by][to];
                distance[from][to] = distance[from][to].min(around);
            }
        }
    }
    // The corners differ in colour, so they are in two regions.
    distance[region(0)][region(colours.len() - 1)] - 1
}

/// What a right program prints.
pub(super) fn answer(board: &Board) -> Vec<u8> {
    format!("{}\n", least_moves(board)).into_bytes()
}

//! The second opinion: a plain search that slides from cell to cell.
//!
//! It shares no code with [`super::solve`], only the board: no masks, no sweeps, no paths, and
//! nothing that one search leaves to the next. Queries from the same card share one search.
//!
//! A segment slides from a cell in both directions of its axis until it comes to a card or to a cell
//! that was reached along this axis before; every cell that it passes can be turned on. So a search
//! passes a cell once along its row and once along its column, and the largest input, with 20,000
//! queries from as many cards, takes some hundred million steps.

use std::collections::BTreeMap;

use super::board::{Board, Input, Point};
use super::rules::{PLAIN, laid_out};

/// The cells of a board, its ring and a frame around both, row by row.
struct Field {
    /// How far apart two rows are.
    stride: usize,
    /// Whether a path may pass; in the frame it may not.
    free: Vec<bool>,
}

impl Field {
    fn new(board: &Board) -> Self {
        let [width, height] = [board.width(), board.height()].map(usize::from);
        let stride = width + 4;
        let mut field = Self {
            stride,
            free: vec![false; stride * (height + 4)],
        };
        for y in 0..board.height() + 2 {
            for x in 0..board.width() + 2 {
                let point = Point { x, y };
                let place = field.place(point);
                field.free[place] = !board.has_card(point);
            }
        }
        field
    }

    fn place(&self, Point { x, y }: Point) -> usize {
        (usize::from(y) + 1) * self.stride + usize::from(x) + 1
    }

    /// The fewest segments from a card to where each cell stops a path.
    fn costs(&self, from: Point) -> Vec<Option<usize>> {
        let mut costs = vec![None; self.free.len()];
        let mut passed = [vec![false; self.free.len()], vec![false; self.free.len()]];
        let start = self.place(from);
        let mut turning = [vec![start], vec![start]];
        for segments in 1.. {
            let mut next = [Vec::new(), Vec::new()];
            for (axis, step) in [1, self.stride].into_iter().enumerate() {
                for &cell in &turning[axis] {
                    for step in [step, step.wrapping_neg()] {
                        let mut at = cell.wrapping_add(step);
                        while self.free[at] && !std::mem::replace(&mut passed[axis][at], true) {
                            next[1 - axis].push(at);
                            at = at.wrapping_add(step);
                        }
                        if !self.free[at] && costs[at].is_none() {
                            costs[at] = Some(segments);
                        }
                    }
                }
            }
            if next.iter().all(Vec::is_empty) {
                break;
            }
            turning = next;
        }
        costs
    }
}

/// The fewest segments for every query of a board.
pub(super) fn fewest_segments(board: &Board) -> Vec<Option<usize>> {
    let mut of_card: BTreeMap<Point, Vec<usize>> = BTreeMap::new();
    for (index, query) in board.queries.iter().enumerate() {
        of_card.entry(query.from).or_default().push(index);
    }
    let field = Field::new(board);
    let mut answers = vec![None; board.queries.len()];
    for (card, indices) in of_card {
        let costs = field.costs(card);
        for index in indices {
            answers[index] = costs[field.place(board.queries[index].to)];
        }
    }
    answers
}

/// What a right program prints.
pub(super) fn answer(input: &Input) -> Vec<u8> {
    let answers: Vec<_> = input.boards.iter().map(fewest_segments).collect();
    laid_out(&answers, PLAIN)
}

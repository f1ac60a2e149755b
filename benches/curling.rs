//! Bench: the curling solver against a plain depth-first search on the hardest boards known.
//!
//! The boards are the 100 of the family `worst`: 20 x 20, found by hill climbing, none with a game of ten throws.
//! The baseline is what a careful student writes: one board, changed and put back, ten throws at most, cut at the best game.
//! Both run on every board in full; nothing is capped. Ratios are baseline divided by value: higher is better for us.

mod common;

use std::hint::black_box;

use common::Row;
use verdictd::problems::curling::board::{Board, Cell, Square, THROWS_MAX};
use verdictd::problems::curling::{generate, solve};

/// How often a board is solved; its time is the median.
const RUNS: usize = 9;
/// The same for the plain search, which takes ten times as long.
const PLAIN_RUNS: usize = 3;

fn main() {
    let boards = generate::hardest();
    assert_eq!(boards.len(), 100, "the bench is about 100 boards");
    let mut ours = Vec::new();
    let mut plain = Vec::new();
    for board in &boards {
        let expected = plain_throws(board);
        let got = solve::solve(board).map(|throws| throws.len());
        assert_eq!(got, expected, "the two disagree on {board:?}");
        ours.push(common::median_us(RUNS, || {
            black_box(solve::solve(black_box(board)));
        }));
        plain.push(common::median_us(PLAIN_RUNS, || {
            black_box(plain_throws(black_box(board)));
        }));
    }
    let ratios: Vec<f64> = plain
        .iter()
        .zip(&ours)
        .map(|(plain, ours)| plain / ours)
        .collect();
    let largest = |values: &[f64]| values.iter().copied().fold(0.0, f64::max);
    common::print(&[
        row("100 hardest, all", ours.iter().sum(), plain.iter().sum()),
        row("100 hardest, median board", median(&ours), median(&plain)),
        row(
            "100 hardest, slowest board",
            largest(&ours),
            largest(&plain),
        ),
        Row {
            bench: "curling",
            row: "100 hardest, least ratio",
            value: ratios.iter().copied().fold(f64::INFINITY, f64::min),
            unit: "x",
            baseline: None,
            ratio: None,
        },
    ]);
}

fn row(name: &'static str, value_us: f64, baseline_us: f64) -> Row {
    Row {
        bench: "curling",
        row: name,
        value: value_us,
        unit: "us",
        baseline: Some(baseline_us),
        ratio: Some(baseline_us / value_us),
    }
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

/// The plain search.
struct Plain {
    width: usize,
    height: usize,
    cells: [[Square; 20]; 20],
    best: usize,
}

fn plain_throws(board: &Board) -> Option<usize> {
    let mut cells = [[Square::Free; 20]; 20];
    for cell in board.cells() {
        cells[cell.y][cell.x] = board.square(cell);
    }
    let mut plain = Plain {
        width: board.width(),
        height: board.height(),
        cells,
        best: THROWS_MAX + 1,
    };
    plain.play(board.start(), 1);
    (plain.best <= THROWS_MAX).then_some(plain.best)
}

impl Plain {
    fn play(&mut self, from: Cell, throws: usize) {
        if throws > THROWS_MAX || throws >= self.best {
            return;
        }
        for (dx, dy) in [(-1, 0), (1, 0), (0, -1), (0, 1)] {
            let mut at = from;
            loop {
                let x = at.x.wrapping_add_signed(dx);
                let y = at.y.wrapping_add_signed(dy);
                if x >= self.width || y >= self.height {
                    break;
                }
                match self.cells[y][x] {
                    Square::Goal => {
                        self.best = self.best.min(throws);
                        break;
                    }
                    Square::Block => {
                        if at != from {
                            self.cells[y][x] = Square::Free;
                            self.play(at, throws + 1);
                            self.cells[y][x] = Square::Block;
                        }
                        break;
                    }
                    Square::Free | Square::Start => at = Cell::new(x, y),
                }
            }
        }
    }
}

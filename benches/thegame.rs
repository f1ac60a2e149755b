//! Bench: 300 queries on each of several hard 75 x 75 boards, the solver against Dijkstra over (cell, direction) with a
//! binary heap. `ratio` is how many times faster the solver is. Both begin with the board as it was read, so what the
//! solver prepares is counted, and both give numbers; the row with paths adds the corners on the solver's side only.

mod common;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hint::black_box;

use common::Row;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use verdictd::problems::Problem as _;
use verdictd::problems::thegame::{Board, Input, Point, Query, SIDE_MAX, Search, TheGame, solve};

/// Queries a board.
const QUERIES: usize = 300;

/// Timings of each, of which the median counts.
const RUNS: usize = 7;

/// The boards: a name, and the family and seed to make it from or the percentage of cards.
const BOARDS: [(&str, Source); 10] = [
    ("spiral", Source::Family("worst-winding", 1)),
    ("serpentine", Source::Family("worst-winding", 2)),
    ("maze", Source::Family("worst-maze", 1)),
    ("stairs", Source::Family("worst-stairs", 1)),
    ("random 45 %", Source::Percent(45)),
    ("random 40 %", Source::Percent(40)),
    ("random 35 %", Source::Percent(35)),
    ("random 30 %", Source::Percent(30)),
    ("random 10 %", Source::Percent(10)),
    ("open 2 %", Source::Family("worst-open", 1)),
];

#[derive(Clone, Copy)]
enum Source {
    Family(&'static str, u64),
    Percent(u32),
}

fn main() {
    let mut rows = Vec::new();
    let (mut total_us, mut with_paths_us, mut baseline_total_us) = (0.0, 0.0, 0.0);
    for (name, source) in BOARDS {
        let input = Input {
            boards: vec![board_with_queries(source)],
        };
        let board = &input.boards[0];
        assert_same_answers(name, board);
        let value = common::median_us(RUNS, || {
            let mut search = Search::new(black_box(board));
            for &query in &board.queries {
                black_box(search.segments(query));
            }
        });
        with_paths_us += common::median_us(RUNS, || {
            black_box(solve(black_box(&input)));
        });
        let baseline = common::median_us(RUNS, || {
            let mut dijkstra = Dijkstra::new(black_box(board));
            for &query in &board.queries {
                black_box(dijkstra.segments(query));
            }
        });
        total_us += value;
        baseline_total_us += baseline;
        rows.push(row(name, value, baseline));
    }
    rows.push(row("all boards", total_us, baseline_total_us));
    rows.push(row(
        "all boards, with paths",
        with_paths_us,
        baseline_total_us,
    ));
    common::print(&rows);
}

fn row(name: &'static str, value: f64, baseline: f64) -> Row {
    Row {
        bench: "thegame",
        row: name,
        value,
        unit: "us",
        baseline: Some(baseline),
        ratio: Some(baseline / value),
    }
}

/// The board with [`QUERIES`] queries between cards drawn at random.
fn board_with_queries(source: Source) -> Board {
    let mut rng = ChaCha8Rng::seed_from_u64(300);
    let mut board = match source {
        Source::Family(family, seed) => TheGame
            .generate(family, seed)
            .and_then(|input| input.boards.into_iter().next())
            .unwrap_or_else(|| Board::empty(SIDE_MAX, SIDE_MAX)),
        Source::Percent(percent) => {
            let mut board = Board::empty(SIDE_MAX, SIDE_MAX);
            for cell in board.cells() {
                board.set_card(cell, rng.random_ratio(percent, 100));
            }
            board
        }
    };
    let cards = board.cards();
    board.queries.clear();
    while board.queries.len() < QUERIES {
        let two: Vec<Point> = cards.choose_multiple(&mut rng, 2).copied().collect();
        if let [from, to] = two[..] {
            board.queries.push(Query { from, to });
        }
    }
    board
}

/// A bench of two programs that disagree would mean nothing.
fn assert_same_answers(name: &str, board: &Board) {
    let mut search = Search::new(board);
    let mut dijkstra = Dijkstra::new(board);
    for &query in &board.queries {
        let ours = search.segments(query);
        let theirs = dijkstra.segments(query).map(|segments| segments as usize);
        assert_eq!(ours, theirs, "{name}: {query:?}");
    }
}

/// The baseline: least segments first, one state for each cell and direction, flat arrays that are used again.
struct Dijkstra {
    /// Cells in a row of the arrays: the board, its ring, and a frame that is never free.
    stride: usize,
    free: Vec<bool>,
    best: Vec<u32>,
    heap: BinaryHeap<Reverse<(u32, u32)>>,
}

impl Dijkstra {
    fn new(board: &Board) -> Self {
        let stride = usize::from(board.width()) + 4;
        let mut free = vec![false; stride * (usize::from(board.height()) + 4)];
        for y in 0..board.height() + 2 {
            for x in 0..board.width() + 2 {
                let index = (usize::from(y) + 1) * stride + usize::from(x) + 1;
                free[index] = !board.has_card(Point { x, y });
            }
        }
        Self {
            stride,
            best: vec![u32::MAX; free.len() * 4],
            free,
            heap: BinaryHeap::new(),
        }
    }

    fn index(&self, point: Point) -> usize {
        (usize::from(point.y) + 1) * self.stride + usize::from(point.x) + 1
    }

    fn segments(&mut self, query: Query) -> Option<u32> {
        let (start, goal) = (self.index(query.from), self.index(query.to));
        // Right, down, left, up; modulo the length of the arrays, a step back is a step forward.
        let length = self.free.len();
        let steps = [1, self.stride, length - 1, length - self.stride];
        self.best.fill(u32::MAX);
        self.heap.clear();
        for direction in 0..4 {
            self.offer(1, start * 4 + direction);
        }
        while let Some(Reverse((cost, state))) = self.heap.pop() {
            let state = state as usize;
            if cost > self.best[state] {
                continue;
            }
            let direction = state % 4;
            let mut ahead = state / 4 + steps[direction];
            if ahead >= length {
                ahead -= length;
            }
            if ahead == goal {
                return Some(cost);
            }
            if self.free[ahead] {
                self.offer(cost, ahead * 4 + direction);
                self.offer(cost + 1, ahead * 4 + (direction + 1) % 4);
                self.offer(cost + 1, ahead * 4 + (direction + 3) % 4);
            }
        }
        None
    }

    fn offer(&mut self, cost: u32, state: usize) {
        if cost < self.best[state] {
            self.best[state] = cost;
            let state = u32::try_from(state).unwrap_or(u32::MAX);
            self.heap.push(Reverse((cost, state)));
        }
    }
}

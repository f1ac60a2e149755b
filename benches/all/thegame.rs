//! 300 queries on each of several hard 75 x 75 boards: the solver against the usual algorithm.
//!
//! - A row for each board, and `all boards`: the numbers of segments, against Dijkstra with a binary
//!   heap, which starts again for each query.
//! - `all boards, answers`: whole answers, paths found on the solver's side only, against the
//!   package's second algorithm.
//!
//! All start with the parsed board, so the solver's preparation is counted. All must give
//! the same answers.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use verdictd::internals::Problem;
use verdictd::internals::thegame::{Board, Input, Point, Query, SIDE_MAX, Search, TheGame};

use crate::common::{Pair, Row, Size, median_time};

pub const NAME: &str = "thegame";

/// Queries per board.
const QUERIES: usize = 300;
const QUERIES_SMALL: usize = 10;
/// Number of timings of each; the median counts.
const RUNS: usize = 7;
/// The target for all boards.
const RATIO_MAX: f64 = 0.1;

/// The boards: a name, and the family and seed to make it from or the percentage of cards.
const BOARDS: [(&str, Source); 10] = [
    ("spiral", Source::Family("worst-winding", 1)),
    ("random 35 %", Source::Percent(35)),
    ("serpentine", Source::Family("worst-winding", 2)),
    ("maze", Source::Family("worst-maze", 1)),
    ("stairs", Source::Family("worst-stairs", 1)),
    ("random 45 %", Source::Percent(45)),
    ("random 40 %", Source::Percent(40)),
    ("random 30 %", Source::Percent(30)),
    ("random 10 %", Source::Percent(10)),
    ("open 2 %", Source::Family("worst-open", 1)),
];
const BOARDS_SMALL: usize = 2;

#[derive(Clone, Copy)]
enum Source {
    Family(&'static str, u64),
    Percent(u32),
}

pub fn rows(size: Size) -> Vec<Row> {
    let (boards, queries, runs) = size.pick(
        (BOARDS.len(), QUERIES, RUNS),
        (BOARDS_SMALL, QUERIES_SMALL, 1),
    );
    let mut rows = Vec::new();
    let [mut all, mut answers] = [(Duration::ZERO, Duration::ZERO); 2];
    let add = |sum: &mut Pair, pair: Pair| *sum = (sum.0 + pair.0, sum.1 + pair.1);
    for &(name, source) in &BOARDS[..boards] {
        let input = Input {
            boards: vec![board_with_queries(source, queries)],
        };
        let board = &input.boards[0];
        // Otherwise the bench would mean nothing.
        assert_eq!(search(board), with_heap(board), "{name}");
        assert!(answer(&input) == second_opinion(&input), "{name}");
        let pair = (
            median_time(runs, || search(board)),
            median_time(runs, || with_heap(board)),
        );
        add(&mut all, pair);
        let whole = (
            median_time(runs, || answer(&input)),
            median_time(runs, || second_opinion(&input)),
        );
        add(&mut answers, whole);
        rows.push(Row::times(NAME, name, pair));
    }
    rows.push(Row::times(NAME, "all boards", all).ratio_at_most(RATIO_MAX));
    rows.push(Row::times(NAME, "all boards, answers", answers));
    rows
}

/// The board with some queries between cards drawn at random.
fn board_with_queries(source: Source, queries: usize) -> Board {
    let mut rng = ChaCha8Rng::seed_from_u64(300);
    let mut board = match source {
        Source::Family(family, seed) => TheGame
            .generate(family, seed)
            .and_then(|input| input.boards.into_iter().next())
            .expect("a board of the family"),
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
    while board.queries.len() < queries {
        let two: Vec<Point> = cards.choose_multiple(&mut rng, 2).copied().collect();
        if let [from, to] = two[..] {
            board.queries.push(Query { from, to });
        }
    }
    board
}

fn search(board: &Board) -> Vec<Option<u32>> {
    let mut search = Search::new(board);
    let queries = board.queries.iter();
    let count = |segments: usize| u32::try_from(segments).expect("fewer than cells");
    queries
        .map(|&query| search.segments(query).map(count))
        .collect()
}

fn answer(input: &Input) -> Vec<u8> {
    TheGame.answer(input)
}

fn second_opinion(input: &Input) -> Vec<u8> {
    TheGame::EXTRAS.second_opinion.expect("a second algorithm")(input)
}

fn with_heap(board: &Board) -> Vec<Option<u32>> {
    let mut search = Dijkstra::new(board);
    board
        .queries
        .iter()
        .map(|&query| search.segments(query))
        .collect()
}

/// The board as the baseline sees it: cells in one array, with the ring and a frame that is never
/// free.
struct Grid {
    /// Cells in a row of the array.
    stride: usize,
    free: Vec<bool>,
}

impl Grid {
    fn new(board: &Board) -> Self {
        let stride = usize::from(board.width()) + 4;
        let mut grid = Self {
            stride,
            free: vec![false; stride * (usize::from(board.height()) + 4)],
        };
        for y in 0..board.height() + 2 {
            for x in 0..board.width() + 2 {
                let point = Point { x, y };
                let index = grid.index(point);
                grid.free[index] = !board.has_card(point);
            }
        }
        grid
    }

    fn index(&self, point: Point) -> usize {
        (usize::from(point.y) + 1) * self.stride + usize::from(point.x) + 1
    }

    /// The cell ahead of a state, which is a cell and a direction: right, down, left, up.
    fn ahead(&self, state: usize) -> usize {
        let cell = state / 4;
        match state % 4 {
            0 => cell + 1,
            1 => cell + self.stride,
            2 => cell - 1,
            _ => cell - self.stride,
        }
    }
}

/// Least segments first.
struct Dijkstra {
    grid: Grid,
    best: Vec<u32>,
    heap: BinaryHeap<Reverse<(u32, u32)>>,
}

impl Dijkstra {
    fn new(board: &Board) -> Self {
        let grid = Grid::new(board);
        Self {
            best: vec![u32::MAX; grid.free.len() * 4],
            grid,
            heap: BinaryHeap::new(),
        }
    }

    fn segments(&mut self, query: Query) -> Option<u32> {
        let (start, goal) = (self.grid.index(query.from), self.grid.index(query.to));
        self.best.fill(u32::MAX);
        self.heap.clear();
        for way in 0..4 {
            self.offer(1, start * 4 + way);
        }
        while let Some(Reverse((cost, state))) = self.heap.pop() {
            let state = state as usize;
            if cost > self.best[state] {
                continue;
            }
            let ahead = self.grid.ahead(state);
            if ahead == goal {
                return Some(cost);
            }
            if self.grid.free[ahead] {
                let way = state % 4;
                self.offer(cost, ahead * 4 + way);
                self.offer(cost + 1, ahead * 4 + (way + 1) % 4);
                self.offer(cost + 1, ahead * 4 + (way + 3) % 4);
            }
        }
        None
    }

    fn offer(&mut self, cost: u32, state: usize) {
        if cost < self.best[state] {
            self.best[state] = cost;
            self.heap.push(Reverse((cost, number(state))));
        }
    }
}

fn number(state: usize) -> u32 {
    u32::try_from(state).expect("a small board")
}

//! Seeded inputs: a mixed family, tiny and edge ones, one for each classic mistake, and the hardest
//! for time.

use std::ops::RangeInclusive;

use rand::Rng;
use rand::seq::{IndexedRandom, SliceRandom};
use rand_chacha::ChaCha8Rng;

use crate::problems::families::{self, Family, Law, Maker, maker, within};

use super::board::{Board, Input, Point, Query, SIDE_MAX};
use super::shapes;
use super::solve::Search;
use super::wrong::{Mistake, wrong_segments};

/// How many boards or queries are tried before a generator takes what it has.
const TRIES_MAX: usize = 400;

/// Queries on a board of the worst families. A right program, written plainly in a slow language,
/// needs up to 0.2 s for one of them; an exponential one does not get past the first.
const WORST_QUERIES: usize = 6;
/// Of these, on an open board, those to a card that is walled in: everything else is searched for
/// it.
const WALLED_QUERIES: usize = 2;

/// Queries on a lattice to the card that is walled in: a depth-first search that takes cells up again
/// needs three times the limit for them, a search that does not at most a quarter of it.
const LATTICE_QUERIES: usize = 12;
/// The same from that card, for searches that go backwards.
const LATTICE_QUERIES_BACK: usize = 6;

/// The families with their makers, the default one first.
#[rustfmt::skip]
const MAKERS: [Maker<Vec<Board>>; 18] = [
    maker("random", "boards of mixed sizes and densities", |rng| several(rng, 1..=4, random)),
    maker("small", "tiny boards, for brute force and for people", |rng| several(rng, 1..=2, small)),
    maker("edge", "single rows, columns and cells, full and nearly empty boards, no queries", edge),
    maker("narrow", "boards much wider than high or higher than wide", narrow),
    maker("trap", "queries that marking cells, or cells with directions, too early gets wrong", trap),
    maker("ring", "cards on the border, so that paths must leave the board", ring),
    maker("spaces", "rows that end in spaces and rows of spaces only", |rng| several(rng, 3..=3, spaces)),
    maker("neighbours", "cards side by side and in line", neighbours),
    maker("impossible", "cards that are walled in", |rng| several(rng, 3..=3, impossible)),
    maker("many", "many small boards, some without queries", |rng| several(rng, 100..=100, many)),
    maker("worst-open", "75 x 75 with few cards: everything is reachable, depth first never ends", worst_open),
    maker("worst-random", "75 x 75, 30 to 45 percent cards", worst_random),
    maker("worst-maze", "75 x 75, a maze of corridors one cell wide", worst_maze),
    maker("worst-winding", "75 x 75, a spiral or a serpentine", worst_winding),
    maker("worst-stairs", "75 x 75, diagonal stairs: thousands of segments", worst_stairs),
    maker("worst-lattice", "75 x 75, a lattice of cards with gaps: depth first gets everywhere again with fewer segments", worst_lattice),
    maker("corridor", "a corridor of any length, two cells wide, that leads nowhere: with each row there are twice as many paths", corridor).growing("cell", Law::Linear),
    maker("stairs", "a board of any size, diagonal stairs", stairs).growing("cell", Law::Linear),
];

/// The families, the default one first.
pub const FAMILIES: [Family; MAKERS.len()] = families::families(&MAKERS);

/// Makes an input of a family; `None` for a family that does not exist.
pub fn generate(family: &str, seed: u64) -> Option<Input> {
    let (maker, mut rng) = families::find(&MAKERS, family, seed)?;
    let boards = (maker.make)(&mut rng);
    Some(Input { boards })
}

/// A board of scattered cards; their share is in percent.
fn drawn(
    rng: &mut ChaCha8Rng,
    widths: RangeInclusive<u8>,
    heights: RangeInclusive<u8>,
    percents: RangeInclusive<u32>,
) -> Board {
    let (width, height) = (within(rng, widths), within(rng, heights));
    let percent = within(rng, percents);
    shapes::scattered(rng, width, height, percent)
}

/// The board with queries between cards drawn at random, if there are two cards.
fn asked(rng: &mut ChaCha8Rng, mut board: Board, queries: RangeInclusive<usize>) -> Board {
    let cards = board.cards();
    for _ in 0..within(rng, queries) {
        board.queries.extend(pick(rng, &cards));
    }
    board
}

/// So many boards.
fn several(
    rng: &mut ChaCha8Rng,
    counts: RangeInclusive<usize>,
    make: impl Fn(&mut ChaCha8Rng) -> Board,
) -> Vec<Board> {
    (0..within(rng, counts)).map(|_| make(rng)).collect()
}

/// Two different cards.
fn pick(rng: &mut ChaCha8Rng, cards: &[Point]) -> Option<Query> {
    let mut two = cards.choose_multiple(rng, 2);
    match (two.next(), two.next()) {
        (Some(&from), Some(&to)) if rng.random() => Some(Query { from, to }),
        (Some(&to), Some(&from)) => Some(Query { from, to }),
        _ => None,
    }
}

/// The board with queries of many segments: each the longest of `tries` drawn at random.
fn asked_long(rng: &mut ChaCha8Rng, mut board: Board, count: usize, tries: usize) -> Vec<Board> {
    let cards = board.cards();
    let mut search = Search::new(&board);
    for _ in 0..count {
        let drawn: Vec<Query> = (0..tries).filter_map(|_| pick(rng, &cards)).collect();
        let longest = drawn
            .into_iter()
            .max_by_key(|&query| search.segments(query));
        board.queries.extend(longest);
    }
    vec![board]
}

fn random(rng: &mut ChaCha8Rng) -> Board {
    let side = *[6, 12, 20].choose(rng).unwrap_or(&6);
    let board = drawn(rng, 1..=side, 1..=side, 10..=60);
    asked(rng, board, 0..=8)
}

fn small(rng: &mut ChaCha8Rng) -> Board {
    let board = drawn(rng, 1..=6, 1..=6, 20..=80);
    asked(rng, board, 1..=4)
}

fn edge(rng: &mut ChaCha8Rng) -> Vec<Board> {
    let long = rng.random_range(2..=SIDE_MAX);
    let mut boards = vec![
        Board::empty(1, 1),
        shapes::full(1, 1),
        shapes::full(long, 1),
        shapes::full(1, long),
        shapes::scattered(rng, SIDE_MAX, 1, 50),
        shapes::scattered(rng, 1, SIDE_MAX, 50),
        shapes::full(2, 2),
        shapes::full(rng.random_range(3..=9), rng.random_range(3..=9)),
        shapes::scattered(rng, SIDE_MAX, 2, 70),
        Board::empty(rng.random_range(1..=SIDE_MAX), rng.random_range(1..=9)),
    ];
    boards.shuffle(rng);
    let mut finished = |mut board: Board| {
        let (right, bottom) = (board.width(), board.height());
        let corners = [(1, 1), (right, 1), (1, bottom), (right, bottom)];
        if board.cards().is_empty() && rng.random() {
            for (x, y) in corners {
                board.set_card(Point { x, y }, true);
            }
        }
        asked(rng, board, 0..=4)
    };
    boards.into_iter().map(&mut finished).collect()
}

fn narrow(rng: &mut ChaCha8Rng) -> Vec<Board> {
    let mut make = |tall: bool| {
        let (long, short) = (rng.random_range(10..=40), rng.random_range(2..=5));
        let (width, height) = if tall { (short, long) } else { (long, short) };
        let board = drawn(rng, width..=width, height..=height, 40..=75);
        asked(rng, board, 8..=8)
    };
    vec![make(false), make(true)]
}

/// Boards whose corridors are narrow enough for a path of fewer steps to have more turns.
fn trap(rng: &mut ChaCha8Rng) -> Vec<Board> {
    Mistake::ALL
        .into_iter()
        .map(|mistake| trap_for(rng, mistake))
        .collect()
}

fn trap_for(rng: &mut ChaCha8Rng, mistake: Mistake) -> Board {
    let mut board = Board::empty(1, 1);
    for _ in 0..TRIES_MAX {
        board = drawn(rng, 6..=14, 6..=14, 30..=60);
        let cards = board.cards();
        let mut search = Search::new(&board);
        let turn = rng.random_range(0..4);
        let caught: Vec<Query> = (0..60)
            .filter_map(|_| pick(rng, &cards))
            .filter(|&query| search.segments(query) != wrong_segments(&board, query, mistake, turn))
            .take(4)
            .collect();
        let enough = caught.len() >= 3;
        board.queries = caught;
        if enough {
            break;
        }
    }
    board
}

fn ring(rng: &mut ChaCha8Rng) -> Vec<Board> {
    let mut make = |percent| {
        let mut board = drawn(rng, 3..=12, 3..=12, percent..=percent);
        let (width, height) = (board.width(), board.height());
        for cell in board.cells() {
            let on_border = [1, width].contains(&cell.x) || [1, height].contains(&cell.y);
            if on_border && rng.random_ratio(9, 10) {
                board.set_card(cell, true);
            }
        }
        asked(rng, board, 8..=8)
    };
    vec![make(85), make(95), make(100)]
}

fn spaces(rng: &mut ChaCha8Rng) -> Board {
    let mut board = drawn(rng, 4..=30, 3..=12, 45..=45);
    let width = board.width();
    for y in 1..=board.height() {
        let kept = *[0, width / 2, width - 1].choose(rng).unwrap_or(&0);
        for x in kept + 1..=width {
            board.set_card(Point { x, y }, false);
        }
    }
    asked(rng, board, 6..=6)
}

fn neighbours(rng: &mut ChaCha8Rng) -> Vec<Board> {
    let mut make = |percent| {
        let mut board = drawn(rng, 3..=15, 3..=15, percent..=percent);
        let cards = board.cards();
        for _ in 0..8 {
            let Some(&from) = cards.choose(rng) else {
                break;
            };
            let in_line = |card: &&Point| (card.x == from.x) != (card.y == from.y);
            let others: Vec<&Point> = cards.iter().filter(in_line).collect();
            let near = others.iter().min_by_key(|card| {
                (
                    card.x.abs_diff(from.x) + card.y.abs_diff(from.y),
                    rng.random::<u32>(),
                )
            });
            if let Some(&&to) = if rng.random() {
                near
            } else {
                others.choose(rng)
            } {
                board.queries.push(Query { from, to });
            }
        }
        board
    };
    vec![make(30), make(60), make(90)]
}

fn impossible(rng: &mut ChaCha8Rng) -> Board {
    let mut board = drawn(rng, 5..=20, 5..=20, 30..=30);
    let centre = Point {
        x: rng.random_range(2..board.width()),
        y: rng.random_range(2..board.height()),
    };
    shapes::wall_in(&mut board, centre);
    let mut cards = board.cards();
    cards.retain(|&card| card != centre);
    cards.shuffle(rng);
    for (from, to) in cards.iter().take(3).map(|&other| (centre, other)) {
        board.queries.push(Query { from, to });
        board.queries.push(Query { from: to, to: from });
    }
    asked(rng, board, 2..=2)
}

fn many(rng: &mut ChaCha8Rng) -> Board {
    let board = drawn(rng, 1..=5, 1..=5, 60..=60);
    asked(rng, board, 0..=3)
}

fn worst_open(rng: &mut ChaCha8Rng) -> Vec<Board> {
    let mut board = shapes::scattered(rng, SIDE_MAX, SIDE_MAX, 2);
    let centre = Point { x: 38, y: 38 };
    shapes::wall_in(&mut board, centre);
    let cards = board.cards();
    let others: Vec<Point> = cards
        .choose_multiple(rng, WALLED_QUERIES)
        .copied()
        .collect();
    let walled = others.into_iter().filter(|&other| other != centre);
    board
        .queries
        .extend(walled.map(|from| Query { from, to: centre }));
    asked_long(rng, board, WORST_QUERIES - WALLED_QUERIES, 8)
}

fn worst_random(rng: &mut ChaCha8Rng) -> Vec<Board> {
    let board = drawn(rng, SIDE_MAX..=SIDE_MAX, SIDE_MAX..=SIDE_MAX, 30..=45);
    asked_long(rng, board, WORST_QUERIES, 8)
}

fn worst_maze(rng: &mut ChaCha8Rng) -> Vec<Board> {
    let board = shapes::maze(rng, SIDE_MAX, SIDE_MAX);
    asked_long(rng, board, WORST_QUERIES, 8)
}

fn worst_winding(rng: &mut ChaCha8Rng) -> Vec<Board> {
    let board = if rng.random() {
        shapes::spiral(SIDE_MAX, SIDE_MAX)
    } else {
        shapes::serpentine(SIDE_MAX, SIDE_MAX)
    };
    asked_long(rng, board, WORST_QUERIES, 40)
}

fn worst_stairs(rng: &mut ChaCha8Rng) -> Vec<Board> {
    let board = shapes::stairs(SIDE_MAX, SIDE_MAX);
    asked_long(rng, board, WORST_QUERIES, 40)
}

fn worst_lattice(rng: &mut ChaCha8Rng) -> Vec<Board> {
    let (shift, period) = *[(2, 7), (3, 7), (4, 9)].choose(rng).unwrap_or(&(2, 7));
    let gaps = rng.random_range(10..=20);
    let mut board = Board::empty(SIDE_MAX, SIDE_MAX);
    for cell in board.cells() {
        let is_on = (u32::from(cell.x) + shift * u32::from(cell.y)).is_multiple_of(period);
        board.set_card(cell, is_on && !rng.random_ratio(gaps, 100));
    }
    let mut cards = board.cards();
    let centre = Point { x: 38, y: 38 };
    shapes::wall_in(&mut board, centre);
    cards.retain(|card| card.x.abs_diff(centre.x) > 1 || card.y.abs_diff(centre.y) > 1);
    cards.shuffle(rng);
    let to = |&from: &Point| Query { from, to: centre };
    let back = |&to: &Point| Query { from: centre, to };
    let queries = cards.iter().take(LATTICE_QUERIES).map(to);
    let others = cards.iter().rev().take(LATTICE_QUERIES_BACK).map(back);
    board.queries = queries.chain(others).collect();
    vec![board]
}

/// From a card at the top of the corridor to one outside of it: every path in it is in vain.
fn corridor(rng: &mut ChaCha8Rng) -> Vec<Board> {
    let height = rng.random_range(6..=SIDE_MAX);
    let mut board = shapes::full(4, height);
    for cell in board.cells() {
        let is_inside = (2..=3).contains(&cell.x) && (3..=height - 2).contains(&cell.y);
        board.set_card(cell, !is_inside);
    }
    board.queries.push(Query {
        from: Point { x: 2, y: 2 },
        to: Point { x: 4, y: height },
    });
    vec![board]
}

fn stairs(rng: &mut ChaCha8Rng) -> Vec<Board> {
    let side = rng.random_range(5..=SIDE_MAX);
    asked_long(rng, shapes::stairs(side, side), 1, 8)
}

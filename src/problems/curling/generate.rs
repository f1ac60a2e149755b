//! Seeded inputs: random ones, edges, one family for each classic mistake, and the hardest boards
//! for time.

use std::ops::RangeInclusive;

use rand::{Rng as _, SeedableRng as _, seq::SliceRandom as _};
use rand_chacha::ChaCha8Rng;

use super::board::{
    Board, Cell, DATASETS_MAX, HEIGHT_MAX, HEIGHT_MIN, Instance, Square, WIDTH_MAX, WIDTH_MIN,
};
use super::player::{self, Mistake};
use crate::problems::families::{self, Family, Law, Maker, maker};

/// The families with their makers, the default one first.
#[rustfmt::skip]
const MAKERS: [Maker<Vec<Board>>; 27] = [
    maker("random", "a few boards of all sizes and densities", |rng| boards(rng, 12, random)),
    maker("small", "a few boards of at most 5 x 5, to be played by hand", |rng| boards(rng, 6, |rng| drawn(rng, 2..=5, 1..=5, 0..=60))),
    maker("full", "100 boards of at most 12 x 12", full),
    maker("one-high", "boards of one row", |rng| boards(rng, 20, |rng| drawn(rng, 2..=20, 1..=1, 0..=80))),
    maker("two-wide", "boards two wide, with rows `0 0`", |rng| boards(rng, 20, two_wide)),
    maker("oblong", "boards much wider than high, or higher than wide", |rng| boards(rng, 10, oblong)),
    maker("open", "boards with few blocks or none", |rng| boards(rng, 10, |rng| drawn(rng, 2..=20, 1..=20, 0..=3))),
    maker("lines", "blocks in one line that take about ten throws", |rng| boards(rng, 10, line)),
    maker("deep", "boards whose shortest game is long", |rng| boards(rng, 4, deep)),
    maker("passing", "boards where the goal must count when it is only passed", |rng| telling(rng, &[Mistake::GoalOnlyAtRest])),
    maker("vanishing", "boards where blocks must vanish", |rng| telling(rng, &[Mistake::BlocksStay])),
    maker("neighbour", "boards where a block next to the stone must not be hit", |rng| telling(rng, &[Mistake::HitsNeighbour])),
    maker("place", "boards where the stone must stop before the block it hits", |rng| telling(rng, &[Mistake::TakesBlocksPlace])),
    maker("edge", "boards where the edge must not stop the stone", |rng| telling(rng, &[Mistake::EdgeStops])),
    maker("start", "boards where the start must be free once left", |rng| telling(rng, &[Mistake::StartStops])),
    maker("again", "boards that need two throws in the same direction", |rng| telling(rng, &[Mistake::NeverSameDirection])),
    maker("back", "boards that need a throw back", |rng| telling(rng, &[Mistake::NeverBack])),
    maker("revisit", "boards that need a rest on one cell twice", |rng| telling(rng, &[Mistake::NeverRestsTwice])),
    maker("shortest", "boards where the first game found is not the shortest", |rng| telling(rng, &[Mistake::FirstFound])),
    maker("put-back", "boards where blocks must be put back when a search goes back", |rng| telling(rng, &[Mistake::NotPutBack])),
    maker("ten", "boards where exactly ten throws must be allowed", ten),
    maker("slow", "a 20 x 20 board whose game tree has 20 to 80 thousand slides", |rng| vec![eased(rng, &SLOW_SLIDES)]),
    maker("hard", "a 20 x 20 board whose game tree has 200 to 250 thousand slides", |rng| vec![eased(rng, &HARD_SLIDES)]),
    maker("hopeless", "boards whose goal cannot be reached, with few games of ten throws and endless ones of more", hopeless),
    maker("worst", "the 100 hardest 20 x 20 boards known, turned and shuffled", worst),
    maker("thinned", "the hardest 20 x 20 board with some of its blocks: with a few more of them a game tree is twice as large", |rng| vec![thinned(rng)]).growing("block", Law::Constant),
    maker("cut-down", "a corner of the hardest board, of any size", |rng| vec![cut_down(rng)]).growing("cell", Law::Constant),
];

/// The families, the default one first.
pub const FAMILIES: [Family; MAKERS.len()] = families::families(&MAKERS);

/// The hardest boards that a long search found; see [`hardest`].
const HARDEST: &str = include_str!("hardest.txt");

/// How often a board is drawn anew until it has what its family promises.
const DRAWS_MAX: usize = 20_000;

/// Slides in the game tree of a board of the family `slow`.
const SLOW_SLIDES: RangeInclusive<u64> = 20_000..=80_000;
/// The same for `hard`: as many as a plain search in the slowest language makes in half of the time
/// limit.
const HARD_SLIDES: RangeInclusive<u64> = 200_000..=250_000;
/// The same for each of the boards of `hopeless`: few, and each allowed throw more makes twice as
/// many.
const HOPELESS_SLIDES: RangeInclusive<u64> = 8_000..=20_000;
const HOPELESS_BOARDS: usize = 8;
/// How many cells of a board are changed at a time on the way there.
const CHANGES: usize = 4;

/// Makes an input; `None` for an unknown family.
pub fn generate(family: &str, seed: u64) -> Option<Instance> {
    let (maker, mut rng) = families::find(&MAKERS, family, seed)?;
    let boards = (maker.make)(&mut rng);
    Some(Instance { boards })
}

/// From one up to so many boards.
fn boards(
    rng: &mut ChaCha8Rng,
    count_max: usize,
    mut draw: impl FnMut(&mut ChaCha8Rng) -> Board,
) -> Vec<Board> {
    let count = rng.random_range(1..=count_max);
    (0..count).map(|_| draw(rng)).collect()
}

/// A board with everything in its place by chance; the density of blocks is in percent.
fn drawn(
    rng: &mut ChaCha8Rng,
    widths: RangeInclusive<usize>,
    heights: RangeInclusive<usize>,
    percents: RangeInclusive<u32>,
) -> Board {
    let width = rng.random_range(widths);
    let height = rng.random_range(heights);
    let percent = rng.random_range(percents);
    let mut board = empty(rng, width, height);
    for cell in board.cells() {
        board.set_block(cell, rng.random_range(0..100) < percent);
    }
    board
}

/// A board of this size, which must be allowed, with start and goal and no blocks.
fn empty(rng: &mut ChaCha8Rng, width: usize, height: usize) -> Board {
    let width = width.clamp(WIDTH_MIN, WIDTH_MAX);
    let height = height.clamp(HEIGHT_MIN, HEIGHT_MAX);
    let cell = |index: usize| Cell::new(index % width, index / width);
    loop {
        let start = cell(rng.random_range(0..width * height));
        let goal = cell(rng.random_range(0..width * height));
        if let Some(board) = Board::new(width, height, start, goal) {
            return board;
        }
    }
}

fn full(rng: &mut ChaCha8Rng) -> Vec<Board> {
    let board = |_| drawn(rng, 2..=12, 1..=12, 0..=50);
    (0..DATASETS_MAX).map(board).collect()
}

fn random(rng: &mut ChaCha8Rng) -> Board {
    match rng.random_range(0..4) {
        0 => drawn(rng, 2..=20, 1..=20, 0..=60),
        1 => drawn(rng, 2..=6, 1..=6, 0..=70),
        _ => drawn(rng, 4..=12, 4..=12, 10..=45),
    }
}

fn two_wide(rng: &mut ChaCha8Rng) -> Board {
    let height = rng.random_range(1..=HEIGHT_MAX);
    let mut board = empty(rng, 2, height);
    let percent = rng.random_range(0..60);
    for cell in board.cells() {
        // Every third row stays `0 0`, where start and goal let it.
        board.set_block(cell, cell.y % 3 != 1 && rng.random_range(0..100) < percent);
    }
    board
}

fn oblong(rng: &mut ChaCha8Rng) -> Board {
    if rng.random_bool(0.5) {
        drawn(rng, 15..=20, 2..=6, 5..=45)
    } else {
        drawn(rng, 2..=6, 15..=20, 5..=45)
    }
}

/// The stone before a row or column of blocks, the goal behind them: one throw for each block and
/// one more.
fn line(rng: &mut ChaCha8Rng) -> Board {
    let upright = rng.random_bool(0.5);
    let backward = rng.random_bool(0.5);
    let blocks = rng.random_range(7..=11);
    let gap = rng.random_range(1..=3);
    let behind = rng.random_range(1..=3);
    let goal_at = gap + blocks + behind;
    let after = rng.random_range(0..(WIDTH_MAX - goal_at).min(4));
    let length = goal_at + 1 + after;
    let place = |at: usize| {
        let at = if backward { length - 1 - at } else { at };
        if upright {
            Cell::new(0, at)
        } else {
            Cell::new(at, 0)
        }
    };
    let (width, height) = if upright { (2, length) } else { (length, 1) };
    let Some(mut board) = Board::new(width, height, place(0), place(goal_at)) else {
        return empty(rng, width, height);
    };
    for at in 0..blocks {
        board.set_block(place(gap + 1 + at), true);
    }
    board
}

/// The longest of many draws.
fn deep(rng: &mut ChaCha8Rng) -> Board {
    let mut longest = (0, drawn(rng, 6..=14, 6..=14, 15..=45));
    for _ in 0..400 {
        let board = drawn(rng, 6..=14, 6..=14, 15..=45);
        let throws = player::answer(&board, None).flatten().unwrap_or(0);
        if throws > longest.0 {
            longest = (throws, board);
        }
    }
    longest.1
}

/// Ten boards on which one of these mistakes gives a wrong answer.
fn telling(rng: &mut ChaCha8Rng, wrong: &[Mistake]) -> Vec<Board> {
    let mut found = Vec::new();
    for _ in 0..DRAWS_MAX {
        let board = drawn(rng, 3..=9, 2..=9, 8..=45);
        if tells(&board, wrong) {
            found.push(board);
        }
        if found.len() == 10 {
            break;
        }
    }
    found
}

/// Whether one of these mistakes shows on this board.
fn tells(board: &Board, wrong: &[Mistake]) -> bool {
    let Some(right) = player::answer(board, None) else {
        return false;
    };
    wrong
        .iter()
        .any(|&mistake| player::answer(board, Some(mistake)).is_some_and(|answer| answer != right))
}

/// Lines of blocks that take ten or eleven throws, and one that takes nine.
fn ten(rng: &mut ChaCha8Rng) -> Vec<Board> {
    let mut found = Vec::new();
    for mistake in [Mistake::NineThrows, Mistake::ElevenThrows] {
        let mut boards: Vec<Board> = (0..200).map(|_| line(rng)).collect();
        boards.retain(|board| tells(board, &[mistake]));
        boards.truncate(4);
        found.append(&mut boards);
    }
    found.shuffle(rng);
    found
}

/// One of the hardest boards with cells changed until its game tree has so many slides.
fn eased(rng: &mut ChaCha8Rng, wanted: &RangeInclusive<u64>) -> Board {
    let hardest = hardest();
    loop {
        let at = rng.random_range(0..hardest.len());
        let mut board = turned(&hardest[at], rng.random_range(0..8));
        let mut slides = u64::MAX;
        while slides > *wanted.end() {
            for _ in 0..CHANGES {
                let cell = Cell::new(
                    rng.random_range(0..board.width()),
                    rng.random_range(0..board.height()),
                );
                board.set_block(cell, board.square(cell) == Square::Free);
            }
            slides = player::tree_slides(&board, wanted.end() + 1);
        }
        if wanted.contains(&slides) {
            return board;
        }
    }
}

/// Boards with blocks everywhere but near the corner with the goal: the stone only ever slides in
/// rows and columns of blocks, and the goal is in none of them.
fn hopeless(rng: &mut ChaCha8Rng) -> Vec<Board> {
    let mut found = Vec::new();
    while found.len() < HOPELESS_BOARDS {
        let near_goal = |cell: &Cell| cell.x < 2 || cell.y < 2;
        let start = Cell::new(
            rng.random_range(2..WIDTH_MAX),
            rng.random_range(2..HEIGHT_MAX),
        );
        let Some(mut board) = Board::new(WIDTH_MAX, HEIGHT_MAX, start, Cell::new(0, 0)) else {
            continue;
        };
        let percent = rng.random_range(15..=60);
        for cell in board.cells() {
            let is_block = !near_goal(&cell) && rng.random_range(0..100) < percent;
            board.set_block(cell, is_block);
        }
        let slides = player::tree_slides(&board, HOPELESS_SLIDES.end() + 1);
        if HOPELESS_SLIDES.contains(&slides) {
            found.push(turned(&board, rng.random_range(0..8)));
        }
    }
    found
}

fn worst(rng: &mut ChaCha8Rng) -> Vec<Board> {
    let mut boards = hardest();
    for board in &mut boards {
        *board = turned(board, rng.random_range(0..8));
    }
    boards.shuffle(rng);
    boards
}

/// The hardest board with so many of its blocks, the same ones first.
fn thinned(rng: &mut ChaCha8Rng) -> Board {
    let mut board = hardest().swap_remove(0);
    let is_block = |cell: &Cell| board.square(*cell) == Square::Block;
    let mut blocks: Vec<Cell> = board.cells().filter(is_block).collect();
    blocks.shuffle(&mut ChaCha8Rng::seed_from_u64(1));
    for &cell in &blocks[rng.random_range(1..=blocks.len())..] {
        board.set_block(cell, false);
    }
    board
}

fn cut_down(rng: &mut ChaCha8Rng) -> Board {
    let side = rng.random_range(2..=WIDTH_MAX.min(HEIGHT_MAX));
    let hardest = hardest().swap_remove(0);
    let last = Cell::new(side - 1, side - 1);
    let mut board = Board::new(side, side, Cell::new(0, 0), last).unwrap_or(hardest.clone());
    for cell in board.cells() {
        board.set_block(cell, hardest.square(cell) == Square::Block);
    }
    board
}

/// The hardest 20 x 20 boards known: none has a game of ten throws, and nearly every throw of a
/// plain search can go on.
///
/// They were found by hill climbing on the slides that a plain depth-first search and this crate's
/// solver make.
/// A line of the file is one board: start, goal, then five hexadecimal digits per row.
pub fn hardest() -> Vec<Board> {
    HARDEST.lines().filter_map(unpacked).collect()
}

fn unpacked(line: &str) -> Option<Board> {
    let mut words = line.split(' ');
    let mut number = || words.next()?.parse().ok();
    let start = Cell::new(number()?, number()?);
    let goal = Cell::new(number()?, number()?);
    let rows = words.next()?;
    let mut board = Board::new(WIDTH_MAX, HEIGHT_MAX, start, goal)?;
    for (y, digits) in rows.as_bytes().chunks(5).enumerate() {
        let row = u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
        for x in 0..WIDTH_MAX {
            board.set_block(Cell::new(x, y), row >> x & 1 == 1);
        }
    }
    Some(board)
}

/// The board mirrored and turned: one of eight ways for a square one.
fn turned(board: &Board, way: u32) -> Board {
    let (width, height) = (board.width(), board.height());
    let flipped = |at, side, bit| if way & bit == 0 { at } else { side - 1 - at };
    let moved = |cell: Cell| {
        let [x, y] = [flipped(cell.x, width, 1), flipped(cell.y, height, 2)];
        let is_turned = way & 4 != 0 && width == height;
        if is_turned {
            Cell::new(y, x)
        } else {
            Cell::new(x, y)
        }
    };
    let Some(mut turned) = Board::new(width, height, moved(board.start()), moved(board.goal()))
    else {
        return board.clone();
    };
    for cell in board.cells() {
        turned.set_block(moved(cell), board.square(cell) == Square::Block);
    }
    turned
}

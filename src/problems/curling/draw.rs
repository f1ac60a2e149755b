//! The picture of a dataset: the board, and the throws of a shortest game with the blocks that
//! vanish.

use askama::Template;

use super::board::{Board, Cell, Square, THROWS_MAX};
use super::solve::{Direction, Throw};
use crate::problems::drawing::{Drawing, badge};
use crate::problems::grid::{Grid, Place, are_apart, length, points, px};
use crate::util::words::amount;

/// The longest side of a board, and the least and the largest cell, in pixels.
const SIDE: f64 = 640.0;
const CELL: [f64; 2] = [32.0, 48.0];

/// Sizes in parts of a cell.
const LETTER: f64 = 0.32;
const RING: f64 = 0.36;
const HEAD: f64 = 0.28;
const HEAD_HALF: f64 = 0.15;
const BADGE: f64 = 0.25;

/// How far throws along the same cells are apart, in parts of a cell, and how far all of them
/// together.
const LANE: f64 = 0.16;
const LANES: f64 = 0.64;

/// The signs of the legend, each with its words.
#[rustfmt::skip]
const SIGNS: [(&str, &str); 5] = [
    ("S: the stone at the start", r#"<circle class="vd-start" cx="16" cy="8" r="7"/><text class="vd-letter" x="4" y="11.85" font-size="11">S</text>"#),
    ("G: the goal", r#"<circle class="vd-goal" cx="16" cy="8" r="7"/><circle class="vd-goal-ring" cx="16" cy="8" r="3.5"/><text class="vd-letter" x="4" y="11.85" font-size="11">G</text>"#),
    ("a block", r#"<rect class="vd-block" x="8" y="0" width="16" height="16"/>"#),
    ("×1: a block that vanishes after throw 1", r#"<rect class="vd-vanished" x="6" y="0" width="18" height="16"/><text class="vd-small" x="8" y="13" font-size="10">×1</text>"#),
    ("throw 1", r#"<line class="vd-way" x1="0" y1="8" x2="18" y2="8"/><polygon class="vd-head" points="25,8 17,4 17,12"/><circle class="vd-badge" cx="9" cy="8" r="6.5"/><text class="vd-badge-text" x="9" y="10.73" font-size="7.8">1</text>"#),
];

/// The board as it is painted.
#[derive(Template)]
#[template(path = "problems/curling/draw.svg")]
struct Painted {
    labels: String,
    ground: String,
    lines: String,
    blocks: String,
    frame: String,
    start: Place,
    goal: Place,
    ring: f64,
    letters: [(&'static str, Place); 2],
    letter_size: f64,
    vanished: Vec<Vanished>,
    arrows: Vec<Arrow>,
    badges: String,
}

/// A block that vanishes: what was painted as a block is a free cell again, with the number of the
/// throw that it stops.
struct Vanished {
    throw: usize,
    cell: String,
    outline: String,
    at: Place,
}

struct Arrow {
    from: Place,
    /// Where the line ends, behind the tip.
    neck: Place,
    head: String,
}

/// Where the cells of a board are.
pub fn grid_of(board: &Board) -> Grid {
    Grid::new([board.width(), board.height()], 1, SIDE, CELL)
}

/// Draws one board.
pub fn draw(board: &Board, game: Option<&[Throw]>, prefix: &str) -> Drawing {
    let throws = game.unwrap_or_default();
    let count = amount(throws.len(), "throw");
    let (headline, words) = match game {
        Some(_) => (
            count.clone(),
            format!("The least number: {count}. One way is drawn."),
        ),
        None => (
            format!("not within {THROWS_MAX} throws"),
            format!(
                "No game of at most {THROWS_MAX} throws ends on the goal, so the answer is -1."
            ),
        ),
    };
    let mut drawing = Drawing::new(prefix, "Curling", &headline);
    drawing.describe(in_words(board));
    drawing.tell(words);
    for (number, throw) in (1..).zip(throws) {
        drawing.describe(format!("{number}. {throw}"));
    }
    let grid = grid_of(board);
    drawing.board(grid.size(), &painted(board, throws, &grid));
    let vanishing = throws
        .iter()
        .filter(|throw| throw.vanished.is_some())
        .count();
    let shown = [
        true,
        true,
        board.block_count() > vanishing,
        vanishing > 0,
        !throws.is_empty(),
    ];
    for ((words, sign), _) in SIGNS.iter().zip(shown).filter(|(_, is_shown)| *is_shown) {
        drawing.explain(words, (*sign).to_owned());
    }
    drawing
}

/// The board for a screen reader.
fn in_words(board: &Board) -> String {
    format!(
        "A board of {} and {} with {}; the stone rests at {}, the goal is at {}.",
        amount(board.height(), "row"),
        amount(board.width(), "column"),
        amount(board.block_count(), "block"),
        board.start(),
        board.goal(),
    )
}

fn painted(board: &Board, throws: &[Throw], grid: &Grid) -> Painted {
    let at = |cell: Cell| [cell.x, cell.y];
    let is_block = |cell: &Cell| board.square(*cell) == Square::Block;
    let blocks = board.cells().filter(is_block);
    let [start, goal] = [board.start(), board.goal()].map(at);
    let letter = |letter, cell| {
        let [x, y] = grid.place(cell, [0.2, 0.2 + 0.35 * LETTER]);
        (letter, [x, y])
    };
    let vanished = (1..).zip(throws).filter_map(|(throw, thrown)| {
        let cell = at(thrown.vanished?);
        Some(Vanished {
            throw,
            cell: grid.around(cell, [1, 1], 1.5),
            outline: grid.around(cell, [1, 1], 3.5),
            at: grid.place(cell, [0.16, 0.86]),
        })
    });
    let ways = ways(throws, grid);
    Painted {
        labels: grid.labels([grid.columns, grid.rows]),
        ground: grid.area(|_, _| true),
        lines: grid.borders(|x, y| Some((x, y))),
        blocks: blocks
            .map(|cell| grid.around(at(cell), [1, 1], 2.0))
            .collect(),
        frame: grid.borders(|_, _| Some(())),
        start: grid.centre(start),
        goal: grid.centre(goal),
        ring: px(RING * grid.cell),
        letters: [letter("S", start), letter("G", goal)],
        letter_size: px(LETTER * grid.cell),
        vanished: vanished.collect(),
        arrows: throws
            .iter()
            .zip(&ways)
            .map(|(throw, way)| arrow(throw, *way, grid))
            .collect(),
        badges: badges(&ways, grid),
    }
}

/// Where each throw begins and ends, side by side where they go along the same cells.
fn ways(throws: &[Throw], grid: &Grid) -> Vec<[Place; 2]> {
    let lanes = lanes(throws);
    let outer = lanes.iter().copied().max().unwrap_or(0);
    let spacing = grid.cell * LANE.min(LANES / length(outer.max(1)));
    let ends = |(index, (throw, lane)): (usize, (&Throw, usize))| {
        let side = if lane % 2 == 1 { 1.0 } else { -1.0 };
        let aside = side * spacing * length(lane.div_ceil(2));
        ends(throw, index == 0, aside, grid)
    };
    throws.iter().zip(lanes).enumerate().map(ends).collect()
}

fn arrow(throw: &Throw, [from, to]: [Place; 2], grid: &Grid) -> Arrow {
    let [dx, dy] = towards(throw.direction).map(|step| step * grid.cell);
    let back = |part: f64, aside: f64| {
        [
            px(to[0] - part * dx + aside * dy),
            px(to[1] - part * dy - aside * dx),
        ]
    };
    Arrow {
        from,
        neck: back(HEAD * 0.8, 0.0),
        head: points(&[to, back(HEAD, HEAD_HALF), back(HEAD, -HEAD_HALF)]),
    }
}

/// The numbers of the throws, over all of them.
fn badges(ways: &[[Place; 2]], grid: &Grid) -> String {
    let radius = BADGE * grid.cell;
    let mut taken: Vec<Place> = Vec::new();
    let mut badges = String::new();
    for (number, &[from, to]) in (1..).zip(ways) {
        let place = free_place(from, to, &taken, 2.0 * radius);
        taken.push(place);
        badges += &badge("vd-badge", place, radius, &number.to_string());
    }
    badges
}

/// Where the arrow of a throw begins and ends: beside those of earlier throws along the same cells.
fn ends(throw: &Throw, is_first: bool, aside: f64, grid: &Grid) -> [Place; 2] {
    let [dx, dy] = towards(throw.direction);
    let moved = |cell: Cell| {
        let [x, y] = grid.centre([cell.x, cell.y]);
        // Whichever way a stone goes along a row, a lane is on the same side of it.
        [x + aside * dy.abs(), y + aside * dx.abs()]
    };
    let [mut from, mut to] = [moved(throw.from), moved(throw.to)];
    // The rings of start and goal stay in sight.
    let ring = RING * grid.cell;
    if is_first {
        from = [from[0] + ring * dx, from[1] + ring * dy];
    }
    if throw.vanished.is_none() {
        to = [to[0] - ring * dx / 2.0, to[1] - ring * dy / 2.0];
    }
    [from.map(px), to.map(px)]
}

/// The lane of each throw: the first that no earlier one along the same cells has.
fn lanes(throws: &[Throw]) -> Vec<usize> {
    let mut lanes: Vec<usize> = Vec::with_capacity(throws.len());
    for throw in throws {
        let earlier = throws.iter().zip(&lanes);
        let taken: Vec<usize> = earlier
            .filter(|(earlier, _)| overlap(earlier, throw))
            .map(|(_, &lane)| lane)
            .collect();
        let free = (0..THROWS_MAX).find(|lane| !taken.contains(lane));
        lanes.push(free.unwrap_or(0));
    }
    lanes
}

/// Whether two throws go along the same cells.
fn overlap(one: &Throw, other: &Throw) -> bool {
    // Whether it goes along a row, which row or column, and from where to where in it.
    let way = |Throw { from, to, .. }: &Throw| {
        let along_row = from.y == to.y;
        let (line, a, b) = if along_row {
            (from.y, from.x, to.x)
        } else {
            (from.x, from.y, to.y)
        };
        ((along_row, line), a.min(b), a.max(b))
    };
    let ((line, from, to), (other_line, other_from, other_to)) = (way(one), way(other));
    line == other_line && from.max(other_from) < to.min(other_to)
}

/// A place on the way that is at least so far from the places that are taken; the middle where
/// there is none.
fn free_place(from: Place, to: Place, taken: &[Place], far: f64) -> Place {
    let at = |part: f64| [0, 1].map(|axis| px(from[axis] + part * (to[axis] - from[axis])));
    let mut places = [0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8].map(at).into_iter();
    let free = places.find(|place| taken.iter().all(|other| are_apart(*place, *other, far)));
    free.unwrap_or_else(|| at(0.5))
}

fn towards(direction: Direction) -> [f64; 2] {
    match direction {
        Direction::Left => [-1.0, 0.0],
        Direction::Right => [1.0, 0.0],
        Direction::Up => [0.0, -1.0],
        Direction::Down => [0.0, 1.0],
    }
}

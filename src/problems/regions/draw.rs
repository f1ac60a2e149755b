//! The picture of a board: its regions, those of the two players, the chain between them, the moves
//! along it.

use std::collections::VecDeque;

use askama::Template;

use super::Board;
use super::board::COLOUR_MAX;
use super::map::{Map, beside};
use super::solve::{Link, Move, Player, Solution};
use crate::problems::drawing::{Drawing, badge, hatch, tag};
use crate::problems::grid::{Grid, Place, points, px};
use crate::util::words::amount;

/// The longest side of a board, and the least and the largest cell, in pixels.
const SIDE: f64 = 660.0;
const CELL: [f64; 2] = [13.0, 44.0];

/// The size of a digit in parts of a cell: 7 pixels and more.
const DIGIT: f64 = 0.58;

/// The least and the largest radius of a move's number.
const BADGE: [f64; 2] = [6.5, 12.0];

/// The distance of the lines over a player's region.
const HATCH: f64 = 8.0;

/// The signs of the legend, each with its words.
#[rustfmt::skip]
const SIGNS: [(&str, &str); 4] = [
    ("A: the first player's region", r#"<rect class="vd-first-edge" x="2" y="2" width="22" height="12"/><circle class="vd-first" cx="13" cy="8" r="7"/><text class="vd-badge-text" x="13" y="10.94" font-size="8.4">A</text>"#),
    ("B: the second player's region", r#"<rect class="vd-second-edge" x="2" y="2" width="22" height="12"/><rect class="vd-second" x="6.5" y="1.5" width="13" height="13" rx="1.63"/><text class="vd-badge-text" x="13" y="10.73" font-size="7.8">B</text>"#),
    ("digits: colours; lines: borders of regions", r#"<rect class="vd-colour-1" x="0" y="0" width="13" height="16"/><rect class="vd-colour-2" x="13" y="0" width="13" height="16"/><line class="vd-border" x1="13" y1="0" x2="13" y2="16"/><text class="vd-digit" x="6.5" y="11.5" font-size="10">1</text><text class="vd-digit" x="19.5" y="11.5" font-size="10">2</text>"#),
    // The first move is always the first player's.
    ("1: the region that move 1 takes", r#"<line class="vd-chain" x1="0" y1="8" x2="26" y2="8"/><circle class="vd-first" cx="13" cy="8" r="7"/><text class="vd-badge-text" x="13" y="10.94" font-size="8.4">1</text>"#),
];

/// The board as it is painted.
#[derive(Template)]
#[template(path = "problems/regions/draw.svg")]
struct Painted {
    id: String,
    /// A tile for each colour has its digit; it is as large as a cell.
    colours: Vec<Colour>,
    origin: Place,
    cell: f64,
    digit_at: Place,
    digit_size: f64,
    hatches: String,
    labels: String,
    owned: [Owned; 2],
    borders: String,
    way: String,
    signs: String,
}

struct Colour {
    digit: u8,
    area: String,
}

/// What belongs to a player.
struct Owned {
    player: &'static str,
    area: String,
    edge: String,
}

/// Where the cells of a board are.
pub(super) fn grid_of(board: &Board) -> Grid {
    Grid::new([board.columns(), board.rows()], 1, SIDE, CELL)
}

/// Draws a board.
pub(super) fn draw(board: &Board, solution: &Solution, prefix: &str) -> Drawing {
    let map = board.map();
    let moves = solution.moves.len();
    let count = amount(moves, "move");
    let mut drawing = Drawing::new(prefix, "Coloured Regions", &count);
    drawing.describe(format!(
        "A board of {} rows and {} columns with {} regions. A owns the top left cell, B the bottom right one.",
        board.rows(),
        board.columns(),
        map.first_cell.len(),
    ));
    if moves == 0 {
        drawing.tell("The regions of A and B touch at the start, so the answer is 0.".to_owned());
    } else {
        drawing.tell(format!(
            "The least number: {count}. The line is a shortest chain of regions from A to B."
        ));
        let steps: Vec<String> = (1..).zip(&solution.moves).map(in_short).collect();
        drawing.tell(format!("Moves: {}.", steps.join(", ")));
    }
    for (number, step) in (1..).zip(&solution.moves) {
        let name = name_of(step.player);
        let Move { colour, takes, .. } = step;
        drawing.describe(format!(
            "{number}. {name} paints {colour} and takes the region at {takes}."
        ));
    }
    let grid = grid_of(board);
    let painted = painted(board, (&map, solution), &grid, &drawing.id);
    drawing.board(grid.size(), &painted);
    let shown = if moves == 0 { 3 } else { 4 };
    for (words, sign) in &SIGNS[..shown] {
        drawing.explain(words, (*sign).to_owned());
    }
    drawing
}

fn painted(board: &Board, (map, solution): (&Map, &Solution), grid: &Grid, id: &str) -> Painted {
    let at = |x: usize, y: usize| y * board.columns() + x;
    let region = |x: usize, y: usize| map.region_of[at(x, y)];
    let owned = |player, corner: usize| {
        let is_owned = |x: usize, y: usize| region(x, y) == map.region_of[corner];
        Owned {
            player,
            area: grid.area(is_owned),
            edge: grid.borders(|x, y| is_owned(x, y).then_some(())),
        }
    };
    let colour = |digit| Colour {
        digit,
        area: grid.area(|x, y| board.cells()[at(x, y)] == digit),
    };
    let origin = grid.corner([0, 0]);
    let last = board.cells().len() - 1;
    let way = way(board, map, &solution.chain);
    let centre = |cell: usize| grid.centre([cell % board.columns(), cell / board.columns()]);
    let radius = (0.45 * grid.cell).clamp(BADGE[0], BADGE[1]);
    let mut signs = sign(Player::First, centre(0), radius, "A");
    signs += &sign(Player::Second, centre(last), radius, "B");
    for (number, step) in (1..).zip(&solution.moves) {
        let is_taken = |cell: &&usize| map.region_of[**cell] == step.takes.region;
        let cells: Vec<&usize> = way.iter().filter(is_taken).collect();
        if let Some(&&middle) = cells.get(cells.len() / 2) {
            signs += &sign(step.player, centre(middle), radius, &format!("{number}"));
        }
    }
    let way: Vec<Place> = way.into_iter().map(centre).collect();
    Painted {
        id: id.to_owned(),
        colours: (1..=COLOUR_MAX).map(colour).collect(),
        origin,
        cell: grid.cell,
        digit_at: [0.5, 0.5 + 0.35 * DIGIT].map(|part| px(part * grid.cell)),
        digit_size: px(DIGIT * grid.cell),
        hatches: hatch(id, ("first", "vd-first-hatch"), origin, HATCH, true)
            + &hatch(id, ("second", "vd-second-hatch"), origin, HATCH, false),
        labels: grid.labels([grid.columns, grid.rows]),
        owned: [owned("first", 0), owned("second", last)],
        borders: grid.borders(|x, y| Some(region(x, y))),
        way: points(&way),
        signs,
    }
}

/// A move in a few characters.
fn in_short((number, step): (usize, &Move)) -> String {
    format!("{number}. {} paints {}", name_of(step.player), step.colour)
}

fn name_of(player: Player) -> &'static str {
    match player {
        Player::First => "A",
        Player::Second => "B",
    }
}

/// A round sign for what the first player does, a square one for the second.
fn sign(player: Player, at: Place, radius: f64, text: &str) -> String {
    match player {
        Player::First => badge("vd-first", at, radius, text),
        Player::Second => tag("vd-second", at, radius, text),
    }
}

/// A shortest way over cells from the first player's region to the second's, within the regions of
/// the chain.
///
/// A region of a shortest chain touches only the one before and the one after it, so the way takes
/// them in turn.
fn way(board: &Board, map: &Map, chain: &[Link]) -> Vec<usize> {
    let regions: Vec<usize> = chain.iter().map(|link| link.region).collect();
    let (Some(&first), Some(&last)) = (regions.first(), regions.last()) else {
        return Vec::new();
    };
    let cells = map.region_of.len();
    let mut before: Vec<Option<usize>> = vec![None; cells];
    let mut queue: VecDeque<usize> = (0..cells)
        .filter(|&cell| map.region_of[cell] == first)
        .collect();
    for &cell in &queue {
        before[cell] = Some(cell);
    }
    while let Some(cell) = queue.pop_front() {
        if map.region_of[cell] == last {
            return back(cell, &before);
        }
        for next in beside(cell, board.columns(), cells) {
            if before[next].is_none() && regions.contains(&map.region_of[next]) {
                before[next] = Some(cell);
                queue.push_back(next);
            }
        }
    }
    Vec::new()
}

/// The way to a cell, from the cell that has none before it.
fn back(mut cell: usize, before: &[Option<usize>]) -> Vec<usize> {
    let mut way = vec![cell];
    while let Some(earlier) = before[cell]
        && earlier != cell
    {
        way.push(earlier);
        cell = earlier;
    }
    way.reverse();
    way
}

//! The picture of a board: its regions, those of the two players, the chain between them, the moves
//! along it.

use std::collections::VecDeque;

use super::Board;
use super::map::{Map, beside};
use super::solve::{Link, Move, Player, Solution};
use crate::problems::Drawing;
use crate::problems::svg::{Canvas, Grid, Place};
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

/// For each colour the name of its pattern and the class of its ground.
const COLOURS: [(&str, &str); 6] = [
    ("c1", "vd-colour-1"),
    ("c2", "vd-colour-2"),
    ("c3", "vd-colour-3"),
    ("c4", "vd-colour-4"),
    ("c5", "vd-colour-5"),
    ("c6", "vd-colour-6"),
];

/// Where the cells of a board are.
pub(super) fn grid_of(board: &Board) -> Grid {
    Grid::new([board.columns(), board.rows()], 1, SIDE, CELL)
}

/// Draws a board.
pub(super) fn draw(board: &Board, solution: &Solution, drawing: &mut Drawing) {
    let grid = grid_of(board);
    let map = board.map();
    say(board, &map, solution, drawing);
    define_patterns(&grid, drawing);
    let way = way(board, &map, &solution.chain);
    let canvas = drawing.board(grid.size());
    paint_colours(board, &grid, canvas);
    paint_players(board, &map, &grid, canvas);
    let points: Vec<Place> = way.iter().map(|&cell| centre(board, &grid, cell)).collect();
    canvas.polyline("vd-casing", &points);
    canvas.polyline("vd-chain", &points);
    let radius = (0.45 * grid.cell).clamp(BADGE[0], BADGE[1]);
    let last = board.cells().len() - 1;
    canvas.badge("vd-first", centre(board, &grid, 0), radius, "A");
    canvas.tag("vd-second", centre(board, &grid, last), radius, "B");
    for (number, step) in (1..).zip(&solution.moves) {
        let taken = step.takes.region;
        let cells: Vec<usize> = way
            .iter()
            .copied()
            .filter(|&cell| map.region_of[cell] == taken)
            .collect();
        if let Some(&middle) = cells.get(cells.len() / 2) {
            let at = centre(board, &grid, middle);
            paint_number(step.player, at, radius, &format!("{number}"), canvas);
        }
    }
    explain(solution, drawing);
}

/// What there is to say.
fn say(board: &Board, map: &Map, solution: &Solution, drawing: &mut Drawing) {
    let moves = solution.moves.len();
    let count = amount(moves, "move");
    drawing.entitle("Coloured Regions", count.clone());
    drawing.describe(&format!(
        "A board of {} rows and {} columns with {} regions. A owns the top left cell, B the bottom right one.",
        board.rows(),
        board.columns(),
        map.first_cell.len(),
    ));
    if moves == 0 {
        drawing.tell("The regions of A and B touch at the start, so the answer is 0.".to_owned());
        return;
    }
    drawing.tell(format!(
        "The least number: {count}. The line is a shortest chain of regions from A to B."
    ));
    let steps: Vec<String> = (1..).zip(&solution.moves).map(in_short).collect();
    drawing.tell(format!("Moves: {}.", steps.join(", ")));
    for (number, step) in (1..).zip(&solution.moves) {
        let name = name_of(step.player);
        let Move { colour, takes, .. } = step;
        drawing.describe(&format!(
            "{number}. {name} paints {colour} and takes the region at {takes}."
        ));
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
fn paint_number(player: Player, at: Place, radius: f64, text: &str, canvas: &mut Canvas) {
    match player {
        Player::First => canvas.badge("vd-first", at, radius, text),
        Player::Second => canvas.tag("vd-second", at, radius, text),
    }
}

fn centre(board: &Board, grid: &Grid, cell: usize) -> Place {
    grid.centre(cell % board.columns(), cell / board.columns())
}

/// A tile for each colour with its digit, and the lines over the players' regions.
fn define_patterns(grid: &Grid, drawing: &mut Drawing) {
    let origin = grid.corner(0, 0);
    for (digit, (name, class)) in (1..).zip(COLOURS) {
        drawing.pattern(name, origin, grid.cell, |canvas| {
            canvas.rect(class, [0.0, 0.0], grid.cell, grid.cell);
            let middle = [grid.cell / 2.0; 2];
            let size = DIGIT * grid.cell;
            canvas.centred("vd-digit", middle, size, &format!("{digit}"));
        });
    }
    drawing.hatch("first", origin, HATCH, "vd-first-hatch", true);
    drawing.hatch("second", origin, HATCH, "vd-second-hatch", false);
}

fn paint_colours(board: &Board, grid: &Grid, canvas: &mut Canvas) {
    grid.label(canvas, [grid.columns, grid.rows]);
    for (colour, (pattern, _)) in (1..).zip(COLOURS) {
        let area = grid.area(|x, y| board.cells()[y * board.columns() + x] == colour);
        canvas.patterned("vd-area", &area, pattern);
    }
}

/// Borders between regions, and what belongs to the players.
fn paint_players(board: &Board, map: &Map, grid: &Grid, canvas: &mut Canvas) {
    let region = |x: usize, y: usize| map.region_of[y * board.columns() + x];
    let first = map.region_of[0];
    let second = map.region_of[map.region_of.len() - 1];
    let is_first = |x: usize, y: usize| region(x, y) == first;
    let is_second = |x: usize, y: usize| region(x, y) == second;
    canvas.patterned("vd-owned", &grid.area(is_first), "first");
    canvas.patterned("vd-owned", &grid.area(is_second), "second");
    canvas.path("vd-border", &grid.borders(|x, y| Some(region(x, y))));
    let edge = grid.borders(|x, y| is_first(x, y).then_some(()));
    canvas.path("vd-first-edge", &edge);
    let edge = grid.borders(|x, y| is_second(x, y).then_some(()));
    canvas.path("vd-second-edge", &edge);
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

fn explain(solution: &Solution, drawing: &mut Drawing) {
    drawing.explain("A: the first player's region", |canvas| {
        canvas.rect("vd-first-edge", [2.0, 2.0], 22.0, 12.0);
        canvas.badge("vd-first", [13.0, 8.0], 7.0, "A");
    });
    drawing.explain("B: the second player's region", |canvas| {
        canvas.rect("vd-second-edge", [2.0, 2.0], 22.0, 12.0);
        canvas.tag("vd-second", [13.0, 8.0], 6.5, "B");
    });
    drawing.explain("digits: colours; lines: borders of regions", |canvas| {
        canvas.rect("vd-colour-1", [0.0, 0.0], 13.0, 16.0);
        canvas.rect("vd-colour-2", [13.0, 0.0], 13.0, 16.0);
        canvas.line("vd-border", [13.0, 0.0], [13.0, 16.0]);
        canvas.centred("vd-digit", [6.5, 8.0], 10.0, "1");
        canvas.centred("vd-digit", [19.5, 8.0], 10.0, "2");
    });
    if let Some(step) = solution.moves.first() {
        drawing.explain("1: the region that move 1 takes", |canvas| {
            canvas.line("vd-chain", [0.0, 8.0], [26.0, 8.0]);
            paint_number(step.player, [13.0, 8.0], 7.0, "1", canvas);
        });
    }
}

//! The picture of a dataset: the board, and the throws of a shortest game with the blocks that
//! vanish.

use super::board::{Board, Cell, Square, THROWS_MAX};
use super::solve::{Direction, Throw};
use crate::problems::Drawing;
use crate::problems::svg::{Canvas, Grid, Path, Place, length};
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

/// Where the cells of a board are.
pub fn grid_of(board: &Board) -> Grid {
    Grid::new([board.width(), board.height()], 1, SIDE, CELL)
}

/// Draws one board.
pub fn draw(board: &Board, game: Option<&[Throw]>, drawing: &mut Drawing) {
    let grid = grid_of(board);
    let throws = game.unwrap_or_default();
    drawing.describe(&in_words(board));
    if let Some(throws) = game {
        let count = amount(throws.len(), "throw");
        drawing.entitle("Curling", count.clone());
        drawing.tell(format!("The least number: {count}. One way is drawn."));
        for (index, throw) in throws.iter().enumerate() {
            drawing.describe(&format!("{}. {throw}", index + 1));
        }
    } else {
        drawing.entitle("Curling", format!("not within {THROWS_MAX} throws"));
        drawing.tell(format!(
            "No game of at most {THROWS_MAX} throws ends on the goal, so the answer is -1."
        ));
    }
    let canvas = drawing.board(grid.size());
    paint_board(board, &grid, canvas);
    paint_vanished(throws, &grid, canvas);
    paint_throws(throws, &grid, canvas);
    explain(board, throws, drawing);
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

fn paint_board(board: &Board, grid: &Grid, canvas: &mut Canvas) {
    let [columns, rows] = [grid.columns, grid.rows];
    grid.label(canvas, [columns, rows]);
    canvas.path("vd-board", &grid.area(|_, _| true));
    canvas.path("vd-lines", &grid.borders(|x, y| Some((x, y))));
    let mut blocks = Path::default();
    for cell in board.cells() {
        if board.square(cell) == Square::Block {
            grid.around(&mut blocks, [cell.x, cell.y], [1, 1], 2.0);
        }
    }
    canvas.path("vd-block", &blocks);
    canvas.path("vd-frame", &grid.borders(|_, _| Some(())));
    for (cell, letter) in [(board.start(), "S"), (board.goal(), "G")] {
        let centre = grid.centre(cell.x, cell.y);
        if letter == "S" {
            canvas.circle("vd-start", centre, RING * grid.cell);
        } else {
            canvas.circle("vd-goal", centre, RING * grid.cell);
            canvas.circle("vd-goal-ring", centre, RING * grid.cell / 2.0);
        }
        let corner = grid.corner(cell.x, cell.y).map(|at| at + 0.2 * grid.cell);
        canvas.centred("vd-letter", corner, LETTER * grid.cell, letter);
    }
}

/// Marks each block that vanishes with the number of the throw that it stops.
fn paint_vanished(throws: &[Throw], grid: &Grid, canvas: &mut Canvas) {
    for (number, throw) in (1..).zip(throws) {
        let Some(Cell { x, y }) = throw.vanished else {
            continue;
        };
        let mut cell = Path::default();
        grid.around(&mut cell, [x, y], [1, 1], 1.5);
        // What was painted as a block is a free cell again.
        canvas.path("vd-board", &cell);
        let mut outline = Path::default();
        grid.around(&mut outline, [x, y], [1, 1], 3.5);
        canvas.path("vd-vanished", &outline);
        let [left, top] = grid.corner(x, y);
        let place = [left + 0.16 * grid.cell, top + 0.86 * grid.cell];
        let size = LETTER * grid.cell;
        canvas.text("vd-small", place, size, &format!("×{number}"));
    }
}

/// Paints each throw as an arrow, and then the numbers over all of them.
fn paint_throws(throws: &[Throw], grid: &Grid, canvas: &mut Canvas) {
    let mut badges: Vec<Place> = Vec::new();
    let lanes = lanes(throws);
    let outer = lanes.iter().copied().max().unwrap_or(0);
    let spacing = grid.cell * LANE.min(LANES / length(outer.max(1)));
    let ways: Vec<[Place; 2]> = (0..)
        .zip(throws.iter().zip(lanes))
        .map(|(index, (throw, lane))| {
            let side = if lane % 2 == 1 { 1.0 } else { -1.0 };
            let aside = side * spacing * length(lane.div_ceil(2));
            ends(throw, index == 0, aside, grid)
        })
        .collect();
    for (throw, &[from, to]) in throws.iter().zip(&ways) {
        let towards = towards(throw.direction);
        let back = |part: f64, aside: f64| {
            let [dx, dy] = towards.map(|step| step * grid.cell);
            [
                to[0] - part * dx + aside * dy,
                to[1] - part * dy - aside * dx,
            ]
        };
        let neck = back(HEAD * 0.8, 0.0);
        canvas.line("vd-casing", from, neck);
        canvas.line("vd-way", from, neck);
        let head = [to, back(HEAD, HEAD_HALF), back(HEAD, -HEAD_HALF)];
        canvas.polygon("vd-head", &head);
    }
    for &[from, to] in &ways {
        badges.push(free_place(from, to, &badges, 2.0 * BADGE * grid.cell));
    }
    for (number, &place) in (1..).zip(&badges) {
        let radius = BADGE * grid.cell;
        canvas.badge("vd-badge", place, radius, &format!("{number}"));
    }
}

/// Where the arrow of a throw begins and ends: beside those of earlier throws along the same cells.
fn ends(throw: &Throw, is_first: bool, aside: f64, grid: &Grid) -> [Place; 2] {
    let [dx, dy] = towards(throw.direction);
    let moved = |cell: Cell| {
        let [x, y] = grid.centre(cell.x, cell.y);
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
    [from, to]
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
    let at = |part: f64| {
        [
            from[0] + part * (to[0] - from[0]),
            from[1] + part * (to[1] - from[1]),
        ]
    };
    [0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8]
        .into_iter()
        .map(at)
        .find(|[x, y]| {
            taken
                .iter()
                .all(|other| (other[0] - x).hypot(other[1] - y) >= far)
        })
        .unwrap_or_else(|| at(0.5))
}

fn towards(direction: Direction) -> [f64; 2] {
    match direction {
        Direction::Left => [-1.0, 0.0],
        Direction::Right => [1.0, 0.0],
        Direction::Up => [0.0, -1.0],
        Direction::Down => [0.0, 1.0],
    }
}

fn explain(board: &Board, throws: &[Throw], drawing: &mut Drawing) {
    drawing.explain("S: the stone at the start", |canvas| {
        canvas.circle("vd-start", [16.0, 8.0], 7.0);
        canvas.centred("vd-letter", [4.0, 8.0], 11.0, "S");
    });
    drawing.explain("G: the goal", |canvas| {
        canvas.circle("vd-goal", [16.0, 8.0], 7.0);
        canvas.circle("vd-goal-ring", [16.0, 8.0], 3.5);
        canvas.centred("vd-letter", [4.0, 8.0], 11.0, "G");
    });
    let vanished = throws.iter().filter(|throw| throw.vanished.is_some());
    let vanished = vanished.count();
    if board.block_count() > vanished {
        drawing.explain("a block", |canvas| {
            canvas.rect("vd-block", [8.0, 0.0], 16.0, 16.0);
        });
    }
    if vanished > 0 {
        drawing.explain("×1: a block that vanishes after throw 1", |canvas| {
            canvas.rect("vd-vanished", [6.0, 0.0], 18.0, 16.0);
            canvas.text("vd-small", [8.0, 13.0], 10.0, "×1");
        });
    }
    if !throws.is_empty() {
        drawing.explain("throw 1", |canvas| {
            canvas.line("vd-way", [0.0, 8.0], [18.0, 8.0]);
            canvas.polygon("vd-head", &[[25.0, 8.0], [17.0, 4.0], [17.0, 12.0]]);
            canvas.badge("vd-badge", [9.0, 8.0], 6.5, "1");
        });
    }
}

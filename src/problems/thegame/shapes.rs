//! Boards to generate from: scattered cards, mazes, and the regular shapes that make paths long.

use rand::Rng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

use super::board::{Board, DIRECTIONS, Point};

/// A board where every cell holds a card with this chance in percent.
pub fn scattered(rng: &mut ChaCha8Rng, width: u8, height: u8, percent: u32) -> Board {
    let mut board = Board::empty(width, height);
    for cell in board.cells() {
        board.set_card(cell, rng.random_ratio(percent.min(100), 100));
    }
    board
}

/// A board full of cards.
pub fn full(width: u8, height: u8) -> Board {
    let mut board = Board::empty(width, height);
    for cell in board.cells() {
        board.set_card(cell, true);
    }
    board
}

/// Whether the cell is on the board and not on its border.
fn is_interior(board: &Board, point: Point) -> bool {
    (2..board.width()).contains(&point.x) && (2..board.height()).contains(&point.y)
}

/// A closed maze of corridors one cell wide with exactly one way between any two of its cells.
pub fn maze(rng: &mut ChaCha8Rng, width: u8, height: u8) -> Board {
    let mut board = full(width, height);
    let start = Point { x: 2, y: 2 };
    if !is_interior(&board, start) {
        return board;
    }
    board.set_card(start, false);
    let mut trail = vec![start];
    while let Some(&at) = trail.last() {
        let ways: Vec<(Point, Point)> = DIRECTIONS
            .iter()
            .filter_map(|&way| Some((at.step(way, 1)?, at.step(way, 2)?)))
            .filter(|&(_, room)| is_interior(&board, room) && board.has_card(room))
            .collect();
        if let Some(&(door, room)) = ways.choose(rng) {
            board.set_card(door, false);
            board.set_card(room, false);
            trail.push(room);
        } else {
            trail.pop();
        }
    }
    board
}

/// A closed corridor that winds inwards.
pub fn spiral(width: u8, height: u8) -> Board {
    let mut board = full(width, height);
    let mut at = Point { x: 2, y: 2 };
    if !is_interior(&board, at) {
        return board;
    }
    board.set_card(at, false);
    let mut ways = DIRECTIONS.iter().cycle().skip(1);
    let mut way = (1, 0);
    let mut turns = 0;
    // Three turns without a step: the corridor has come to its end.
    while turns < 3 {
        let next = at.step(way, 1).filter(|&next| is_interior(&board, next));
        let beyond = at
            .step(way, 2)
            .filter(|&beyond| is_interior(&board, beyond));
        let next = next.filter(|&next| board.has_card(next));
        let keeps_apart = beyond.is_none_or(|beyond| board.has_card(beyond));
        if let Some(next) = next.filter(|_| keeps_apart) {
            board.set_card(next, false);
            at = next;
            turns = 0;
        } else {
            way = *ways.next().unwrap_or(&way);
            turns += 1;
        }
    }
    board
}

/// A closed corridor that runs along every second row, to and fro.
pub fn serpentine(width: u8, height: u8) -> Board {
    let mut board = full(width, height);
    for cell in board.cells().filter(|cell| cell.y % 2 == 0) {
        board.set_card(cell, !is_interior(&board, cell));
    }
    for y in (3..height.saturating_sub(1)).step_by(2) {
        let x = if y % 4 == 3 {
            width.saturating_sub(1)
        } else {
            2
        };
        let gap = Point { x, y };
        board.set_card(gap, !is_interior(&board, gap));
    }
    board
}

/// A closed corridor of diagonal stairs, to and fro: about as many segments as a board can ask for.
pub fn stairs(width: u8, height: u8) -> Board {
    let mut board = full(width, height);
    let diagonal = |cell: Point| i32::from(cell.x) - i32::from(cell.y);
    let wall = |cell: Point| diagonal(cell).rem_euclid(3) == 2;
    for cell in board.cells().filter(|&cell| !wall(cell)) {
        board.set_card(cell, !is_interior(&board, cell));
    }
    // Every second wall between two stairs opens at its upper end, the others at their lower end.
    for number in -i32::from(height)..=i32::from(width) {
        let mut cells = board
            .cells()
            .filter(|&cell| is_interior(&board, cell) && diagonal(cell) == number && wall(cell));
        let upper = number.div_euclid(3) % 2 == 0;
        let end = if upper { cells.next() } else { cells.last() };
        if let Some(end) = end {
            board.set_card(end, false);
        }
    }
    board
}

/// Puts a frame of cards around a cell, so that nothing outside can reach it.
pub fn wall_in(board: &mut Board, centre: Point) {
    for way in DIRECTIONS {
        if let Some(wall) = centre.step(way, 1) {
            board.set_card(wall, true);
        }
    }
    board.set_card(centre, true);
}

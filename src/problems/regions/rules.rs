//! The rules and the format of the statement as wrong programs read them, and the bounds of what an
//! input has.

use std::collections::VecDeque;

use super::board::{Board, COLOUR_MAX, SIDE_MAX};
use super::map::{self, REGIONS_MAX};
use super::solve::solve;
use crate::problems::mutants::{Mutant, Quantity, mutant, quantity, with_turned_head};

/// The cells that lie beside one, by some reading of the rules.
type Beside = fn(&Board, usize) -> Vec<usize>;

fn sides(board: &Board, cell: usize) -> Vec<usize> {
    map::beside(cell, board.columns(), board.cells().len()).collect()
}

fn corners_too(board: &Board, cell: usize) -> Vec<usize> {
    let (row, column) = (cell / board.columns(), cell % board.columns());
    let rows = row.saturating_sub(1)..=(row + 1).min(board.rows() - 1);
    let columns = column.saturating_sub(1)..=(column + 1).min(board.columns() - 1);
    let all = rows.flat_map(|row| columns.clone().map(move |column| (row, column)));
    all.map(|(row, column)| row * board.columns() + column)
        .filter(|&other| other != cell)
        .collect()
}

/// As in an array without rows: the last cell of a row lies beside the first of the next.
fn rows_go_on(board: &Board, cell: usize) -> Vec<usize> {
    let columns = board.columns();
    let before = [cell.checked_sub(1), cell.checked_sub(columns)];
    let all = before
        .into_iter()
        .flatten()
        .chain([cell + 1, cell + columns]);
    all.filter(|&cell| cell < board.cells().len()).collect()
}

fn right_and_down(board: &Board, cell: usize) -> Vec<usize> {
    let mut beside = sides(board, cell);
    beside.retain(|&other| other > cell);
    beside
}

fn right_and_left(board: &Board, cell: usize) -> Vec<usize> {
    let mut beside = sides(board, cell);
    beside.retain(|other| other / board.columns() == cell / board.columns());
    beside
}

/// The region of every cell, in the order of first cells.
fn regions(board: &Board, join: Beside) -> Vec<usize> {
    map::flooded(board.cells(), |cell| join(board, cell)).0
}

/// Steps from region to region, from that of the top left cell.
fn steps(board: &Board, region_of: &[usize], touch: Beside) -> Vec<Option<usize>> {
    let count = region_of.iter().max().map_or(0, |last| last + 1);
    let mut steps = vec![None; count];
    steps[0] = Some(0);
    let mut queue = VecDeque::from([0]);
    while let Some(from) = queue.pop_front() {
        for cell in (0..region_of.len()).filter(|&cell| region_of[cell] == from) {
            for next in touch(board, cell) {
                if steps[region_of[next]].is_none() {
                    steps[region_of[next]] = steps[from].map(|steps| steps + 1);
                    queue.push_back(region_of[next]);
                }
            }
        }
    }
    steps
}

fn line(moves: usize) -> Vec<u8> {
    format!("{moves}\n").into_bytes()
}

/// What is printed where the other region is so many steps away.
fn less_one(steps: Option<usize>) -> Vec<u8> {
    steps.map_or(b"-1\n".to_vec(), |steps| line(steps.saturating_sub(1)))
}

/// The distance less one, where cells join a region and regions are adjacent in these ways.
fn by(board: &Board, join: Beside, touch: Beside) -> Vec<u8> {
    let region_of = regions(board, join);
    let steps = steps(board, &region_of, touch);
    less_one(steps[region_of[region_of.len() - 1]])
}

/// The distance less one to the region that this picks of all, from those of the cells and how far
/// each region is.
fn to(board: &Board, pick: impl Fn(&[usize], &[Option<usize>]) -> Option<usize>) -> Vec<u8> {
    let region_of = regions(board, sides);
    less_one(pick(&region_of, &steps(board, &region_of, sides)))
}

fn moves(board: &Board) -> usize {
    solve(board).moves.len()
}

/// The regions on a way of as few cells as possible, as few as there can be.
fn shortest_in_cells(board: &Board) -> Vec<u8> {
    let mut best: Vec<Option<(usize, usize)>> = vec![None; board.cells().len()];
    best[0] = Some((0, 0));
    let mut queue = VecDeque::from([0]);
    while let Some(cell) = queue.pop_front() {
        let Some((length, borders)) = best[cell] else {
            continue;
        };
        for next in sides(board, cell) {
            let border = usize::from(board.cells()[next] != board.cells()[cell]);
            let offered = (length + 1, borders + border);
            match best[next] {
                None => queue.push_back(next),
                Some(known) if offered < known => {}
                Some(_) => continue,
            }
            best[next] = Some(offered);
        }
    }
    less_one(best[best.len() - 1].map(|(_, borders)| borders))
}

/// All cells of a colour are one region.
fn colours_are_regions(board: &Board) -> Vec<u8> {
    let mut met = board.cells().to_vec();
    met.sort_by_key(|colour| board.cells().iter().position(|other| other == colour));
    met.dedup();
    let number = |colour: &u8| met.iter().position(|other| other == colour).unwrap_or(0);
    let region_of: Vec<usize> = board.cells().iter().map(number).collect();
    let steps = steps(board, &region_of, sides);
    less_one(steps[region_of[region_of.len() - 1]])
}

/// Regions of the first player's colour are theirs from the start and cost no move.
fn own_colour_is_free(board: &Board) -> Vec<u8> {
    let cells = board.cells();
    let mut best = vec![usize::MAX; cells.len()];
    best[0] = 0;
    let mut queue = VecDeque::from([0]);
    while let Some(cell) = queue.pop_front() {
        for next in sides(board, cell) {
            let is_border = cells[next] != cells[cell] && cells[next] != cells[0];
            let cost = best[cell] + usize::from(is_border);
            if cost < best[next] {
                best[next] = cost;
                if is_border {
                    queue.push_back(next);
                } else {
                    queue.push_front(next);
                }
            }
        }
    }
    less_one(best.last().copied())
}

/// The board as it is read by a program that takes the first number for the columns.
fn sides_swapped(board: &Board) -> Vec<u8> {
    let swapped = Board::new(board.columns(), board.rows(), board.cells().to_vec(), false);
    // A board that is no valid one any more may be answered in any way.
    line(moves(swapped.as_ref().unwrap_or(board)))
}

#[rustfmt::skip]
pub(super) const MUTANTS: [Mutant<Board>; 19] = [
    mutant("corners-join", "Cells of one colour that touch at a corner belong to one region.", |board| by(board, corners_too, sides)),
    mutant("corners-touch", "Regions that touch at a corner only are adjacent.", |board| by(board, sides, corners_too)),
    mutant("rows-go-on", "The last cell of a row lies beside the first cell of the next row.", |board| by(board, rows_go_on, rows_go_on)),
    mutant("only-right-and-down", "The way from region to region goes right and down only.", |board| by(board, sides, right_and_down)),
    mutant("regions-go-right-and-down", "A region reaches from its first cell to the right and down only.", |board| by(board, right_and_down, sides)),
    mutant("regions-end-with-the-row", "Cells of one colour join a region within their row only.", |board| by(board, right_and_left, sides)),
    mutant("end-by-number", "The second player's region is the one with the largest number.", |board| to(board, |_, steps| steps[steps.len() - 1])),
    mutant("end-at-the-top-right", "The second player's region is that of the top right cell.", |board| to(board, |regions, steps| steps[regions[board.columns() - 1]])),
    mutant("end-at-the-bottom-left", "The second player's region is that of the bottom left cell.", |board| to(board, |regions, steps| steps[regions[regions.len() - board.columns()]])),
    mutant("colours-are-regions", "All cells of one colour are one region, wherever they lie.", colours_are_regions),
    mutant("own-colour-is-free", "A region of the first player's colour is joined without a move.", own_colour_is_free),
    mutant("cells-are-regions", "Every cell on the way costs a move, whatever its region.", |board| line(board.rows() + board.columns() - 3)),
    mutant("shortest-way-in-cells", "Regions are counted on a way of as few cells as possible.", shortest_in_cells),
    mutant("distance", "The game ends when the regions are one, not when they touch.", |board| line(moves(board) + 1)),
    mutant("at-least-one-move", "There is at least one move, also where the regions touch at the start.", |board| line(moves(board).max(1))),
    mutant("rounds", "Rounds of both players are counted, not moves.", |board| line(moves(board).div_ceil(2))),
    mutant("whole-rounds", "The second player always has the last move.", |board| line(moves(board).next_multiple_of(2))),
    mutant("whole-board", "The game ends when no region is left to be taken.", |board| to(board, |_, steps| steps.iter().flatten().max().copied())),
    mutant("sides-swapped", "The first number is that of the columns, the second that of the rows.", sides_swapped),
];

/// The board with or without spaces between its digits.
fn spaced(board: &Board, spaced: bool) -> Vec<u8> {
    let cells = board.cells().to_vec();
    let other = Board::new(board.rows(), board.columns(), cells, spaced);
    other.as_ref().unwrap_or(board).render()
}

#[rustfmt::skip]
pub(super) const MISREAD: [Mutant<Board>; 3] = [
    mutant("sides-swapped", "Rows and columns are read in the wrong order.", |board| with_turned_head(&board.render())),
    mutant("digits-apart", "Digits are read only where spaces stand between them.", |board| spaced(board, true)),
    mutant("digits-together", "Digits are read only where no spaces stand between them.", |board| spaced(board, false)),
];

fn colours(board: &Board) -> usize {
    (1..=COLOUR_MAX)
        .filter(|colour| board.cells().contains(colour))
        .count()
}

#[rustfmt::skip]
pub(super) const QUANTITIES: [Quantity<Board>; 6] = [
    quantity("rows", 1..=SIDE_MAX, |board| vec![board.rows()]),
    quantity("columns", 1..=SIDE_MAX, |board| vec![board.columns()]),
    quantity("cells", 2..=SIDE_MAX * SIDE_MAX, |board| vec![board.cells().len()]),
    quantity("colours", 2..=COLOUR_MAX as usize, |board| vec![colours(board)]),
    quantity("regions", 2..=REGIONS_MAX, |board| vec![board.map().first_cell.len()]),
    quantity("moves", 0..=REGIONS_MAX - 2, |board| vec![moves(board)]),
];

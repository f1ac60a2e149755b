//! The rules of the statement, each bent in one way, and the bounds of what an input has.

use std::collections::VecDeque;

use super::board::{Board, COLOUR_MAX, SIDE_MAX};
use super::map::REGIONS_MAX;
use super::solve::solve;
use crate::problems::{Bent, Quantity};

/// The cells that lie beside one, by some reading of the rules.
type Beside = fn(&Board, usize) -> Vec<usize>;

fn sides(board: &Board, cell: usize) -> Vec<usize> {
    super::map::beside(cell, board.columns(), board.cells().len()).collect()
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
    let cells = board.cells().len();
    let columns = board.columns();
    let around = [
        cell.checked_sub(1),
        Some(cell + 1),
        cell.checked_sub(columns),
        Some(cell + columns),
    ];
    around
        .into_iter()
        .flatten()
        .filter(|&cell| cell < cells)
        .collect()
}

fn right_and_down(board: &Board, cell: usize) -> Vec<usize> {
    sides(board, cell)
        .into_iter()
        .filter(|&other| other > cell)
        .collect()
}

fn right_and_left(board: &Board, cell: usize) -> Vec<usize> {
    let row = cell / board.columns();
    let beside = sides(board, cell).into_iter();
    beside
        .filter(|other| other / board.columns() == row)
        .collect()
}

/// The region of every cell, in the order of first cells.
fn regions(board: &Board, beside: Beside) -> Vec<usize> {
    let mut region_of = vec![usize::MAX; board.cells().len()];
    let mut count = 0;
    for first in 0..region_of.len() {
        if region_of[first] != usize::MAX {
            continue;
        }
        let mut pending = vec![first];
        region_of[first] = count;
        while let Some(cell) = pending.pop() {
            for next in beside(board, cell) {
                if region_of[next] == usize::MAX && board.cells()[next] == board.cells()[first] {
                    region_of[next] = count;
                    pending.push(next);
                }
            }
        }
        count += 1;
    }
    region_of
}

/// Steps from region to region, from that of the top left cell.
fn steps(board: &Board, region_of: &[usize], beside: Beside) -> Vec<Option<usize>> {
    let count = region_of.iter().max().map_or(0, |last| last + 1);
    let mut steps = vec![None; count];
    steps[0] = Some(0);
    let mut queue = VecDeque::from([0]);
    while let Some(from) = queue.pop_front() {
        for cell in (0..region_of.len()).filter(|&cell| region_of[cell] == from) {
            for next in beside(board, cell) {
                if steps[region_of[next]].is_none() {
                    steps[region_of[next]] = steps[from].map(|steps| steps + 1);
                    queue.push_back(region_of[next]);
                }
            }
        }
    }
    steps
}

fn line(moves: Option<usize>) -> Vec<u8> {
    match moves {
        Some(moves) => format!("{moves}\n").into_bytes(),
        None => b"-1\n".to_vec(),
    }
}

/// The distance less one, where cells join a region and regions are adjacent in these ways.
fn by(board: &Board, join: Beside, touch: Beside) -> Vec<u8> {
    let region_of = regions(board, join);
    let steps = steps(board, &region_of, touch);
    line(steps[region_of[region_of.len() - 1]].map(|steps| steps.saturating_sub(1)))
}

/// The distance less one to the region of this cell.
fn to_cell(board: &Board, cell: usize) -> Vec<u8> {
    let region_of = regions(board, sides);
    let steps = steps(board, &region_of, sides);
    line(steps[region_of[cell]].map(|steps| steps.saturating_sub(1)))
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
    let borders = best[best.len() - 1].map(|(_, borders)| borders);
    line(borders.map(|borders| borders.saturating_sub(1)))
}

/// All cells of a colour are one region.
fn colours_are_regions(board: &Board) -> Vec<u8> {
    let region_of: Vec<usize> = {
        let mut met: Vec<u8> = Vec::new();
        let cells = board.cells().iter();
        cells
            .map(|colour| {
                met.iter()
                    .position(|known| known == colour)
                    .unwrap_or_else(|| {
                        met.push(*colour);
                        met.len() - 1
                    })
            })
            .collect()
    };
    let steps = steps(board, &region_of, sides);
    line(steps[region_of[region_of.len() - 1]].map(|steps| steps.saturating_sub(1)))
}

/// Regions of the first player's colour are his from the start and cost no move.
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
    line(Some(best[best.len() - 1].saturating_sub(1)))
}

/// Each cell that is passed costs a move, whatever its region.
fn cells_are_regions(board: &Board) -> Vec<u8> {
    line(Some(board.rows() + board.columns() - 3))
}

/// The board as it is read by a program that takes the first number for the columns.
fn sides_swapped(board: &Board) -> Vec<u8> {
    let swapped = Board::new(board.columns(), board.rows(), board.cells().to_vec(), false);
    // A board that is no valid one any more may be answered in any way.
    swapped.map_or_else(
        || line(Some(moves(board))),
        |board| line(Some(moves(&board))),
    )
}

/// The game goes on until everything belongs to the players.
fn whole_board(board: &Board) -> Vec<u8> {
    let region_of = regions(board, sides);
    let steps = steps(board, &region_of, sides);
    line(
        steps
            .into_iter()
            .flatten()
            .max()
            .map(|steps| steps.saturating_sub(1)),
    )
}

pub(super) const BENT: [Bent<Board>; 19] = [
    Bent {
        name: "corners-join",
        summary: "Cells of one colour that touch at a corner belong to one region.",
        answer: |board| by(board, corners_too, sides),
    },
    Bent {
        name: "corners-touch",
        summary: "Regions that touch at a corner only are adjacent.",
        answer: |board| by(board, sides, corners_too),
    },
    Bent {
        name: "rows-go-on",
        summary: "The last cell of a row lies beside the first cell of the next row.",
        answer: |board| by(board, rows_go_on, rows_go_on),
    },
    Bent {
        name: "only-right-and-down",
        summary: "The way from region to region goes right and down only.",
        answer: |board| by(board, sides, right_and_down),
    },
    Bent {
        name: "regions-go-right-and-down",
        summary: "A region reaches from its first cell to the right and down only.",
        answer: |board| by(board, right_and_down, sides),
    },
    Bent {
        name: "regions-end-with-the-row",
        summary: "Cells of one colour join a region within their row only.",
        answer: |board| by(board, right_and_left, sides),
    },
    Bent {
        name: "end-by-number",
        summary: "The second player's region is the one with the largest number.",
        answer: |board| {
            let region_of = regions(board, sides);
            let steps = steps(board, &region_of, sides);
            line(steps[steps.len() - 1].map(|steps| steps.saturating_sub(1)))
        },
    },
    Bent {
        name: "end-at-the-top-right",
        summary: "The second player's region is that of the top right cell.",
        answer: |board| to_cell(board, board.columns() - 1),
    },
    Bent {
        name: "end-at-the-bottom-left",
        summary: "The second player's region is that of the bottom left cell.",
        answer: |board| to_cell(board, board.cells().len() - board.columns()),
    },
    Bent {
        name: "colours-are-regions",
        summary: "All cells of one colour are one region, wherever they lie.",
        answer: colours_are_regions,
    },
    Bent {
        name: "own-colour-is-free",
        summary: "A region of the first player's colour is joined without a move.",
        answer: own_colour_is_free,
    },
    Bent {
        name: "cells-are-regions",
        summary: "Every cell on the way costs a move, whatever its region.",
        answer: cells_are_regions,
    },
    Bent {
        name: "shortest-way-in-cells",
        summary: "Regions are counted on a way of as few cells as possible.",
        answer: shortest_in_cells,
    },
    Bent {
        name: "distance",
        summary: "The game ends when the regions are one, not when they touch.",
        answer: |board| line(Some(moves(board) + 1)),
    },
    Bent {
        name: "at-least-one-move",
        summary: "There is at least one move, also where the regions touch at the start.",
        answer: |board| line(Some(moves(board).max(1))),
    },
    Bent {
        name: "rounds",
        summary: "Rounds of both players are counted, not moves.",
        answer: |board| line(Some(moves(board).div_ceil(2))),
    },
    Bent {
        name: "whole-rounds",
        summary: "The second player always has the last move.",
        answer: |board| line(Some(moves(board).next_multiple_of(2))),
    },
    Bent {
        name: "whole-board",
        summary: "The game ends when no region is left to be taken.",
        answer: whole_board,
    },
    Bent {
        name: "sides-swapped",
        summary: "The first number is that of the columns, the second that of the rows.",
        answer: sides_swapped,
    },
];

pub(super) const QUANTITIES: [Quantity<Board>; 6] = [
    Quantity {
        name: "rows",
        bounds: 1..=SIDE_MAX,
        beyond: None,
        values: |board| vec![board.rows()],
    },
    Quantity {
        name: "columns",
        bounds: 1..=SIDE_MAX,
        beyond: None,
        values: |board| vec![board.columns()],
    },
    Quantity {
        name: "cells",
        bounds: 2..=SIDE_MAX * SIDE_MAX,
        beyond: None,
        values: |board| vec![board.cells().len()],
    },
    Quantity {
        name: "colours",
        bounds: 2..=COLOUR_MAX as usize,
        beyond: None,
        values: |board| {
            let mut colours = board.cells().to_vec();
            colours.sort_unstable();
            colours.dedup();
            vec![colours.len()]
        },
    },
    Quantity {
        name: "regions",
        bounds: 2..=REGIONS_MAX,
        beyond: None,
        values: |board| vec![board.map().first_cell.len()],
    },
    Quantity {
        name: "moves",
        bounds: 0..=REGIONS_MAX - 2,
        beyond: None,
        values: |board| vec![moves(board)],
    },
];

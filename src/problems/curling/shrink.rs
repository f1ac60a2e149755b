//! Simpler inputs: fewer datasets, then smaller boards, then fewer blocks, all of them valid.

use super::board::{Board, Instance, Square};
use crate::problems::SHRINK_CANDIDATES_MAX;

/// Valid inputs one step simpler, the boldest first.
pub fn candidates(instance: &Instance) -> Vec<Instance> {
    let mut simpler = fewer_boards(instance);
    // Smaller boards of every dataset come before fewer blocks of any.
    for change in [smaller_boards, fewer_blocks] {
        for (index, board) in instance.boards.iter().enumerate() {
            for smaller in change(board) {
                if simpler.len() == SHRINK_CANDIDATES_MAX {
                    return simpler;
                }
                let mut changed = instance.clone();
                changed.boards[index] = smaller;
                simpler.push(changed);
            }
        }
    }
    simpler
}

/// One dataset alone, one half of them, all but one.
fn fewer_boards(instance: &Instance) -> Vec<Instance> {
    let boards = &instance.boards;
    let mut fewer = Vec::new();
    let of = |boards: &[Board]| Instance {
        boards: boards.to_vec(),
    };
    if boards.len() > 1 {
        fewer.extend(boards.iter().map(|board| of(std::slice::from_ref(board))));
    }
    if boards.len() > 3 {
        let (first, second) = boards.split_at(boards.len() / 2);
        fewer.extend([of(first), of(second)]);
    }
    // With two of them, all but one is one alone.
    if boards.len() != 2 {
        for index in 0..boards.len() {
            let mut rest = instance.clone();
            rest.boards.remove(index);
            fewer.push(rest);
        }
    }
    fewer
}

/// Without a run of rows or columns at either side, and without one in the middle.
fn smaller_boards(board: &Board) -> Vec<Board> {
    let (width, height) = (board.width(), board.height());
    let (columns, rows) = ((1_u32 << width) - 1, (1_u32 << height) - 1);
    let without_rows = cuts(height).map(|gone| board.cut(columns, rows & !gone));
    let without_columns = cuts(width).map(|gone| board.cut(columns & !gone, rows));
    without_rows.chain(without_columns).flatten().collect()
}

/// Masks of what to leave out of a side: one half, the other half, each line.
fn cuts(side: usize) -> impl Iterator<Item = u32> {
    let low = (1_u32 << (side / 2)) - 1;
    let all = (1_u32 << side) - 1;
    let halves = (side > 3).then_some([low, all & !low]);
    halves
        .into_iter()
        .flatten()
        .chain((0..side).map(|line| 1 << line))
}

/// Without all blocks, without those of a row, without each.
fn fewer_blocks(board: &Board) -> Vec<Board> {
    let total = board.block_count();
    let all = (total > 1).then(|| without(board, |_, _| true));
    let rows = (0..board.height())
        .filter(|&row| (2..total).contains(&(board.blocks()[row].count_ones() as usize)))
        .map(|row| without(board, |y, _| y == row));
    let each = board
        .cells()
        .filter(|&cell| board.square(cell) == Square::Block)
        .map(|cell| without(board, |y, x| (y, x) == (cell.y, cell.x)));
    all.into_iter().chain(rows).chain(each).collect()
}

/// The board without the blocks at the rows and columns that are named.
fn without(board: &Board, gone: impl Fn(usize, usize) -> bool) -> Board {
    let mut emptier = board.clone();
    for cell in board.cells().filter(|cell| gone(cell.y, cell.x)) {
        emptier.set_block(cell, false);
    }
    emptier
}

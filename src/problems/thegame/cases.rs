//! The cases of an input: one query of one board each, and each board without queries.
//!
//! The heading of a board belongs to its first query, the empty line after it to its last one.

use std::ops::Range;

use super::board::{Board, Input};

/// The lines of the answer that belong to each case, from 1.
pub fn lines(input: &Input) -> Vec<Range<usize>> {
    let mut cases = Vec::new();
    let mut next = 1;
    for board in &input.boards {
        let count = cases_of(board);
        for case in 0..count {
            let heading = usize::from(case == 0);
            let empty_line = usize::from(case + 1 == count);
            let own = usize::from(!board.queries.is_empty());
            let end = next + heading + own + empty_line;
            cases.push(next..end);
            next = end;
        }
    }
    cases
}

/// The name of this case (from 0) and the input that has it alone.
pub fn cut(input: &Input, case: usize) -> Option<(String, Input)> {
    let mut left = case;
    for (number, board) in (1..).zip(&input.boards) {
        let count = cases_of(board);
        if left >= count {
            left -= count;
            continue;
        }
        let title = match board.queries.get(left) {
            Some(_) => format!("board {number}, query {}", left + 1),
            None => format!("board {number}, which has no query"),
        };
        let mut alone = board.clone();
        alone.queries = board.queries.get(left).copied().into_iter().collect();
        let boards = vec![alone];
        return Some((title, Input { boards }));
    }
    None
}

/// The input up to and with so many cases.
pub fn prefix(input: &Input, cases: usize) -> Option<Input> {
    let mut left = cases;
    let mut boards = Vec::new();
    for board in &input.boards {
        if left == 0 {
            break;
        }
        let mut begun = board.clone();
        begun.queries.truncate(left);
        left = left.saturating_sub(cases_of(board));
        boards.push(begun);
    }
    (left == 0 && !boards.is_empty()).then_some(Input { boards })
}

/// How many cases a board is.
fn cases_of(board: &Board) -> usize {
    board.queries.len().max(1)
}

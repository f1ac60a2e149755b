//! Parts of an input and simpler inputs: its cases, one step simpler, and every small board.

use std::ops::Range;

use super::board::{Board, Input, Point, Query, SIDE_MAX};
use crate::problems::smaller::{
    candidates_max, crops, pairs, shapes, shorter, simpler_in, spans, subsets,
};

/// The most cells of which every board is tried.
const CELLS_MAX: usize = 16;
/// The most cells of which every board with two queries is tried.
const TWICE_CELLS_MAX: usize = 5;
/// The most cells of a board that is there for what a program carries from it to the next one.
const BEFORE_CELLS_MAX: usize = 3;
/// The most cells of which every board is tried after such a one.
const AFTER_CELLS_MAX: usize = 6;

/// The lines of the answer that belong to each case, from 1. A case is one query of one board, or a
/// board without queries.
///
/// The heading of a board belongs to its first query, the empty line after it to its last one.
pub(super) fn cases(input: &Input) -> Vec<Range<usize>> {
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
pub(super) fn cut(input: &Input, case: usize) -> Option<(String, Input)> {
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
        return Some((title, alone.into()));
    }
    None
}

/// The input up to and with so many cases.
pub(super) fn prefix(input: &Input, cases: usize) -> Option<Input> {
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

/// Inputs one step simpler: fewer boards, queries, rows, columns or cards, the boldest cuts first.
///
/// Every candidate has fewer boards, cells, queries or cards and not more of the others, so
/// shrinking step by step comes to an end.
pub(super) fn candidates(input: &Input) -> Vec<Input> {
    let bytes = input.boards.iter().map(Board::text_bytes).sum();
    shorter(&input.boards)
        .chain(simpler_in(&input.boards, simpler))
        .take(candidates_max(bytes))
        .map(|boards| Input { boards })
        .collect()
}

/// The board one step simpler: queries, then rows and columns, then cards.
fn simpler(board: &Board) -> impl Iterator<Item = Board> + use<> {
    let [asked, whole, full] = [board.clone(), board.clone(), board.clone()];
    let queries: Vec<_> = shorter(&board.queries).collect();
    let fewer_queries = queries.into_iter().map(move |queries| {
        let mut fewer = asked.clone();
        fewer.queries = queries;
        fewer
    });
    let smaller = crops(board.width().into(), board.height().into())
        .filter_map(move |(columns, rows)| cropped(&whole, &columns, &rows));
    let named: Vec<Point> = board
        .queries
        .iter()
        .flat_map(|query| [query.from, query.to])
        .collect();
    let mut idle = board.cards();
    idle.retain(|card| !named.contains(card));
    let fewer_cards = spans(idle.len()).map(move |gone| {
        let mut fewer = full.clone();
        for &card in &idle[gone] {
            fewer.set_card(card, false);
        }
        fewer
    });
    fewer_queries.chain(smaller).chain(fewer_cards)
}

/// The board cut down to these columns and rows, with the queries whose cards are left; `None` if
/// nothing is left.
fn cropped(board: &Board, columns: &[usize], rows: &[usize]) -> Option<Board> {
    let side = |kept: &[usize]| u8::try_from(kept.len()).ok().filter(|&side| side > 0);
    let place = |kept: &[usize], number: u8| {
        let index = kept.iter().position(|&at| at + 1 == usize::from(number))?;
        u8::try_from(index + 1).ok()
    };
    let moved = |card: Point| {
        Some(Point {
            x: place(columns, card.x)?,
            y: place(rows, card.y)?,
        })
    };
    let mut smaller = Board::empty(side(columns)?, side(rows)?);
    for card in board.cards().into_iter().filter_map(moved) {
        smaller.set_card(card, true);
    }
    let queries = board.queries.iter().filter_map(|query| {
        Some(Query {
            from: moved(query.from)?,
            to: moved(query.to)?,
        })
    });
    smaller.queries = queries.collect();
    Some(smaller)
}

/// The boards of so many cells, each with one query: each size, each pair of cards, each set of other
/// cards.
pub(super) fn small(cells: usize) -> Option<impl Iterator<Item = Board>> {
    let boards = (cells <= CELLS_MAX).then(|| empty_boards(cells))?;
    Some(boards.flat_map(move |empty| {
        let places: Vec<Point> = empty.cells().collect();
        pairs(cells).flat_map(move |(from, to)| {
            let (from, to) = (places[from], places[to]);
            let mut pair = empty.clone();
            pair.set_card(from, true);
            pair.set_card(to, true);
            pair.queries = vec![Query { from, to }];
            let others = places.iter().filter(|&&place| place != from && place != to);
            let others: Vec<Point> = others.copied().collect();
            subsets(others.len()).map(move |cards| {
                let mut board = pair.clone();
                for (bit, &card) in others.iter().enumerate() {
                    board.set_card(card, cards >> bit & 1 == 1);
                }
                board
            })
        })
    }))
}

/// The boards of so many cells with two queries, one of them perhaps twice.
pub(super) fn asked_twice(cells: usize) -> impl Iterator<Item = Board> {
    let boards = (cells <= TWICE_CELLS_MAX).then(|| small(cells)).flatten();
    boards.into_iter().flatten().flat_map(|board| {
        let cards = board.cards();
        pairs(cards.len()).map(move |(from, to)| {
            let mut twice = board.clone();
            let (from, to) = (cards[from], cards[to]);
            twice.queries.push(Query { from, to });
            twice
        })
    })
}

/// Two boards that have so many cells together: a row or a column with one card at its end, and a
/// board on which every pair of cards is asked.
pub(super) fn carrying(cells: usize) -> impl Iterator<Item = Input> {
    let splits = (1..=BEFORE_CELLS_MAX.min(cells)).map(move |before| (before, cells - before));
    let splits = splits.filter(|(_, after)| (2..=AFTER_CELLS_MAX).contains(after));
    splits.flat_map(|(before, after)| {
        lines_with_a_card(before).flat_map(move |first| {
            asked_everything(after).map(move |second| Input {
                boards: vec![first.clone(), second],
            })
        })
    })
}

/// The empty boards of so many cells.
fn empty_boards(cells: usize) -> impl Iterator<Item = Board> {
    let side_max = usize::from(SIDE_MAX);
    shapes(cells, side_max, side_max).filter_map(|(width, height)| {
        let [width, height] = [width, height].map(|side| u8::try_from(side).ok());
        Some(Board::empty(width?, height?))
    })
}

fn lines_with_a_card(cells: usize) -> impl Iterator<Item = Board> {
    let lines = empty_boards(cells).filter(|board| board.width() == 1 || board.height() == 1);
    lines.map(|mut board| {
        let end = Point {
            x: board.width(),
            y: board.height(),
        };
        board.set_card(end, true);
        board
    })
}

fn asked_everything(cells: usize) -> impl Iterator<Item = Board> {
    empty_boards(cells).flat_map(move |empty| {
        let places: Vec<Point> = empty.cells().collect();
        subsets(cells)
            .filter(|set| set.count_ones() > 1)
            .map(move |set| {
                let mut board = empty.clone();
                let is_card = |bit: &usize| set >> bit & 1 == 1;
                let cards: Vec<Point> = (0..cells).filter(is_card).map(|bit| places[bit]).collect();
                for &card in &cards {
                    board.set_card(card, true);
                }
                let asked = pairs(cards.len()).filter(|(from, to)| from < to);
                let asked = asked.map(|(from, to)| Query {
                    from: cards[from],
                    to: cards[to],
                });
                board.queries = asked.collect();
                board
            })
    })
}

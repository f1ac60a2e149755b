//! Inputs one step simpler: fewer boards, queries, rows, columns or cards, the boldest cuts first.
//!
//! Every candidate has fewer boards, cells, queries or cards and not more of the others,
//! so shrinking step by step comes to an end.

use crate::problems::SHRINK_CANDIDATES_MAX;

use super::board::{Board, Input, Point, Query};

/// The most bytes of text that all candidates together stand for.
const SHRINK_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Candidates offered however large the input is.
const SHRINK_CANDIDATES_MIN: usize = 8;

/// Valid inputs one step simpler than this one.
pub fn candidates(input: &Input) -> Vec<Input> {
    let bytes: usize = input.boards.iter().map(Board::text_bytes).sum();
    let limit =
        (SHRINK_BYTES_MAX / bytes.max(1)).clamp(SHRINK_CANDIDATES_MIN, SHRINK_CANDIDATES_MAX);
    let fewer_boards = spans(input.boards.len()).map(|(from, to)| Input {
        boards: without(&input.boards, from, to),
    });
    let simpler_board = (0..input.boards.len()).flat_map(|index| {
        simpler(&input.boards[index]).map(move |board| {
            let mut simpler = input.clone();
            simpler.boards[index] = board;
            simpler
        })
    });
    fewer_boards.chain(simpler_board).take(limit).collect()
}

/// Spans to leave out of `length` things: halves, quarters and so on down to single ones.
fn spans(length: usize) -> impl Iterator<Item = (usize, usize)> {
    std::iter::successors(Some(length.div_ceil(2)), |&size| {
        (size > 1).then(|| size.div_ceil(2))
    })
    .filter(|&size| size > 0)
    .flat_map(move |size| {
        (0..length)
            .step_by(size)
            .map(move |from| (from, (from + size).min(length)))
    })
}

/// The things outside a span.
fn without<T: Clone>(things: &[T], from: usize, to: usize) -> Vec<T> {
    [&things[..from], &things[to..]].concat()
}

/// The board one step simpler: queries, then rows and columns, then cards.
fn simpler(board: &Board) -> impl Iterator<Item = Board> {
    let queries = spans(board.queries.len()).map(|(from, to)| {
        let mut fewer = board.clone();
        fewer.queries = without(&board.queries, from, to);
        fewer
    });
    let (width, height) = (board.width(), board.height());
    let rows = spans(usize::from(height)).filter_map(move |(from, to)| {
        let kept = outside(height, from, to);
        cut(board, &(1..=width).collect::<Vec<u8>>(), &kept)
    });
    let columns = spans(usize::from(width)).filter_map(move |(from, to)| {
        let kept = outside(width, from, to);
        cut(board, &kept, &(1..=height).collect::<Vec<u8>>())
    });
    let asked = |card: Point| {
        let names = |query: &Query| query.from == card || query.to == card;
        board.queries.iter().any(names)
    };
    let idle: Vec<Point> = board
        .cards()
        .into_iter()
        .filter(|&card| !asked(card))
        .collect();
    let cards = spans(idle.len()).map(move |(from, to)| {
        let mut fewer = board.clone();
        for &card in &idle[from..to] {
            fewer.set_card(card, false);
        }
        fewer
    });
    queries.chain(rows).chain(columns).chain(cards)
}

/// The numbers from 1 to `side` without those of a span that counts from 0.
fn outside(side: u8, from: usize, to: usize) -> Vec<u8> {
    (1..=side)
        .filter(|&number| !(from..to).contains(&(usize::from(number) - 1)))
        .collect()
}

/// The board cut down to these columns and rows, with the queries whose cards are left; `None`
/// where nothing is left.
fn cut(board: &Board, columns: &[u8], rows: &[u8]) -> Option<Board> {
    let width = u8::try_from(columns.len())
        .ok()
        .filter(|&width| width > 0)?;
    let height = u8::try_from(rows.len()).ok().filter(|&height| height > 0)?;
    let mut smaller = Board::empty(width, height);
    for cell in smaller.cells() {
        let old = Point {
            x: columns[usize::from(cell.x) - 1],
            y: rows[usize::from(cell.y) - 1],
        };
        smaller.set_card(cell, board.has_card(old));
    }
    let moved = |old: Point| {
        Some(Point {
            x: place(columns, old.x)?,
            y: place(rows, old.y)?,
        })
    };
    smaller.queries = board
        .queries
        .iter()
        .filter_map(|query| {
            Some(Query {
                from: moved(query.from)?,
                to: moved(query.to)?,
            })
        })
        .collect();
    Some(smaller)
}

/// Where a number stands among those kept, from 1.
fn place(kept: &[u8], number: u8) -> Option<u8> {
    let index = kept.iter().position(|&other| other == number)?;
    u8::try_from(index + 1).ok()
}

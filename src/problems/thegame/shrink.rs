//! Inputs one step simpler: fewer boards, queries, rows, columns or cards, the boldest cuts first.
//!
//! Every candidate has fewer boards, cells, queries or cards and not more of the others,
//! so shrinking step by step comes to an end.

use super::board::{Board, Input, Point, Query};
use crate::problems::shrink::{candidates_max, crops, shorter, simpler_in, spans};

/// Valid inputs one step simpler than this one.
pub fn candidates(input: &Input) -> Vec<Input> {
    let bytes = input.boards.iter().map(Board::text_bytes).sum();
    shorter(&input.boards)
        .chain(simpler_in(&input.boards, simpler))
        .take(candidates_max(bytes))
        .map(|boards| Input { boards })
        .collect()
}

/// The board one step simpler: queries, then rows and columns, then cards.
fn simpler(board: &Board) -> impl Iterator<Item = Board> + use<> {
    let mut fewer_queries: Vec<Board> = Vec::new();
    for queries in shorter(&board.queries) {
        let mut fewer = board.clone();
        fewer.queries = queries;
        fewer_queries.push(fewer);
    }
    let asked = |card: &Point| {
        let names = |query: &Query| query.from == *card || query.to == *card;
        board.queries.iter().any(names)
    };
    let mut idle = board.cards();
    idle.retain(|card| !asked(card));
    let [whole, full] = [board.clone(), board.clone()];
    let smaller = crops(board.width().into(), board.height().into())
        .filter_map(move |(columns, rows)| cut(&whole, &columns, &rows));
    let fewer_cards = spans(idle.len()).map(move |gone| {
        let mut fewer = full.clone();
        for &card in &idle[gone] {
            fewer.set_card(card, false);
        }
        fewer
    });
    fewer_queries.into_iter().chain(smaller).chain(fewer_cards)
}

/// The board cut down to these columns and rows, with the queries whose cards are left; `None` if
/// nothing is left.
fn cut(board: &Board, columns: &[usize], rows: &[usize]) -> Option<Board> {
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

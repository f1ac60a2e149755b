//! Every small board with one query: each size, each pair of cards, each set of other cards. And
//! the smallest boards with two queries.

use super::board::{Board, Point, Query, SIDE_MAX};
use crate::problems::small::{pairs, shapes, subsets};

/// The most cells of which every board is tried.
const CELLS_MAX: usize = 16;

/// The most cells of which every board with two queries is tried.
const TWICE_CELLS_MAX: usize = 5;

/// The boards of so many cells with two queries, one of them perhaps twice.
pub(super) fn asked_twice(cells: usize) -> impl Iterator<Item = Board> {
    let boards = (cells <= TWICE_CELLS_MAX).then(|| boards(cells)).flatten();
    boards.into_iter().flatten().flat_map(|board| {
        let cards = board.cards();
        let second = move |(from, to)| Query {
            from: cards[from],
            to: cards[to],
        };
        let queries = pairs(board.cards().len()).map(second);
        queries.map(move |query| {
            let mut twice = board.clone();
            twice.queries.push(query);
            twice
        })
    })
}

/// The boards of so many cells, each with one query.
pub(super) fn boards(cells: usize) -> Option<impl Iterator<Item = Board>> {
    let side_max = usize::from(SIDE_MAX);
    let sizes = (cells <= CELLS_MAX).then(|| shapes(cells, side_max, side_max))?;
    let empty = |(width, height)| {
        let [width, height] = [width, height].map(|side| u8::try_from(side).ok());
        Some(Board::empty(width?, height?))
    };
    Some(sizes.filter_map(empty).flat_map(move |empty| {
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

//! What is drawn is the witness: the line is the path, the hatched area is all that can be reached.

use std::collections::BTreeSet;

use super::super::board::{Board, Point};
use super::super::draw::grid_of;
use super::super::{Search, board, generate};
use crate::problems::find;
use crate::problems::tests::reading::{
    cell, cells_of_path, cells_of_polyline, drawn, on_board, parse, sentences,
};

fn cell_of(point: Point) -> [usize; 2] {
    [point.x, point.y].map(usize::from)
}

/// Draws a query by itself and compares the picture with the solution; says whether there is a
/// path.
fn check(board: &Board, query: usize, what: &str) -> bool {
    let mut board = board.clone();
    let query = board.queries[query];
    board.queries = vec![query];
    let alone = board::render(&board.clone().into());
    let path = Search::new(&board).path(query);
    let pictures = find("thegame").unwrap().draw(&alone, None, "t").unwrap();
    let document = parse(&pictures[0].svg);
    let grid = grid_of(&board);
    let cards: BTreeSet<_> = board.cards().into_iter().map(cell_of).collect();
    let ways = drawn(&document, "vd-way", |line| cells_of_polyline(&grid, line));
    let area = drawn(&document, "vd-area", |path| cells_of_path(&grid, path));
    let area: BTreeSet<[usize; 2]> = area.into_iter().flatten().collect();
    let Some(path) = path else {
        assert!(ways.is_empty() && sentences(&document).contains("No path joins them"));
        let free =
            |[x, y]: [usize; 2]| x < grid.columns && y < grid.rows && !cards.contains(&[x, y]);
        assert_eq!(area, reached(cell_of(query.from), free), "{what}");
        return false;
    };
    let corners: Vec<_> = path.corners.iter().copied().map(cell_of).collect();
    assert_eq!(ways, std::slice::from_ref(&corners), "{what}");
    assert!(area.is_empty(), "{what}");
    let said = format!("The fewest segments: {}.", path.segments());
    assert!(sentences(&document).contains(&said), "{what}");
    for badge in on_board(&document, "vd-badge") {
        let text = badge.next_sibling().and_then(|text| text.text()).unwrap();
        let number: usize = text.parse().unwrap();
        assert_eq!(cell(&grid, &badge, "cx", "cy"), corners[number], "{what}");
    }
    true
}

/// All that can be reached from a card.
fn reached(card: [usize; 2], free: impl Fn([usize; 2]) -> bool) -> BTreeSet<[usize; 2]> {
    let mut known = BTreeSet::new();
    let mut pending = vec![card];
    while let Some([x, y]) = pending.pop() {
        let (left, above) = (x.wrapping_sub(1), y.wrapping_sub(1));
        for next in [[left, y], [x, above], [x + 1, y], [x, y + 1]] {
            if next != card && free(next) && known.insert(next) {
                pending.push(next);
            }
        }
    }
    known
}

#[test]
fn the_line_is_the_path_of_the_witness_and_the_area_is_what_can_be_reached() {
    let mut found = [0, 0];
    for family in ["small", "edge", "ring", "impossible", "worst-maze"] {
        for seed in 0..3 {
            let input = generate::generate(family, seed).unwrap();
            for board in input.boards.iter().take(3) {
                for query in 0..board.queries.len().min(4) {
                    let is_joined = check(board, query, &format!("{family} {seed}"));
                    found[usize::from(is_joined)] += 1;
                }
            }
        }
    }
    let [impossible, joined] = found;
    assert!(joined > 30 && impossible > 10, "{found:?}");
}

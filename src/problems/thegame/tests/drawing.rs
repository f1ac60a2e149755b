//! What is drawn is the witness: the line is the path, the hatched area is all that can be reached.

use std::collections::BTreeSet;

use super::super::board::{Board, Input, Point};
use super::super::draw::grid_of;
use super::super::{Search, board, generate};
use crate::problems::find;
use crate::problems::tests::reading::{
    cell, cells_of_path, cells_of_polyline, on_board, parse, sentences,
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
    let alone = Input {
        boards: vec![board.clone()],
    };
    let path = Search::new(&board).path(query);
    let pictures = find("thegame")
        .unwrap()
        .draw(&board::render(&alone), None, "t")
        .unwrap();
    let document = parse(&pictures[0].svg);
    let grid = grid_of(&board);
    let cards: BTreeSet<[usize; 2]> = on_board(&document, "vd-card")
        .iter()
        .flat_map(|path| cells_of_path(&grid, path))
        .collect();
    let expected: BTreeSet<_> = board.cards().into_iter().map(cell_of).collect();
    assert_eq!(cards, expected, "{what}");
    let ways: Vec<_> = on_board(&document, "vd-way")
        .iter()
        .map(|line| cells_of_polyline(&grid, line))
        .collect();
    let area: BTreeSet<[usize; 2]> = on_board(&document, "vd-area")
        .iter()
        .flat_map(|path| cells_of_path(&grid, path))
        .collect();
    let Some(path) = path else {
        assert!(ways.is_empty() && sentences(&document).contains("No path joins them"));
        let free = |cell: [usize; 2]| !expected.contains(&cell);
        assert_reached(
            &area,
            cell_of(query.from),
            [grid.columns, grid.rows],
            free,
            what,
        );
        return false;
    };
    let corners: Vec<_> = path.corners.iter().copied().map(cell_of).collect();
    assert_eq!(ways, std::slice::from_ref(&corners), "{what}");
    assert!(area.is_empty(), "{what}");
    let said = format!("The fewest segments: {}.", path.segments());
    assert!(sentences(&document).contains(&said), "{what}");
    let dots: Vec<_> = on_board(&document, "vd-corner")
        .iter()
        .map(|dot| cell(&grid, dot, "cx", "cy"))
        .collect();
    assert_eq!(dots, corners[1..corners.len() - 1], "{what}");
    for badge in on_board(&document, "vd-badge") {
        let text = badge.next_sibling().and_then(|text| text.text()).unwrap();
        let number: usize = text.parse().unwrap();
        assert_eq!(cell(&grid, &badge, "cx", "cy"), corners[number], "{what}");
    }
    true
}

/// Asserts that an area is free, hangs together with a card, and has no free neighbour.
fn assert_reached(
    area: &BTreeSet<[usize; 2]>,
    card: [usize; 2],
    [columns, rows]: [usize; 2],
    free: impl Fn([usize; 2]) -> bool,
    what: &str,
) {
    let beside = |[x, y]: [usize; 2]| {
        [
            [x.wrapping_sub(1), y],
            [x, y.wrapping_sub(1)],
            [x + 1, y],
            [x, y + 1],
        ]
        .into_iter()
        .filter(move |&[x, y]| x < columns && y < rows)
    };
    let mut known = BTreeSet::from([card]);
    let mut pending = vec![card];
    while let Some(cell) = pending.pop() {
        for next in beside(cell).filter(|&next| free(next)) {
            assert!(area.contains(&next), "{what}: {next:?} can be reached");
            if known.insert(next) {
                pending.push(next);
            }
        }
    }
    known.remove(&card);
    assert_eq!(*area, known, "{what}");
}

#[test]
fn the_line_is_the_path_of_the_witness_and_the_area_is_what_can_be_reached() {
    let (mut joined, mut impossible) = (0, 0);
    for family in [
        "small",
        "random",
        "edge",
        "narrow",
        "ring",
        "impossible",
        "neighbours",
        "worst-winding",
        "worst-maze",
    ] {
        for seed in 0..3 {
            let input = generate::generate(family, seed).unwrap();
            for board in input.boards.iter().take(3) {
                for query in 0..board.queries.len().min(4) {
                    if check(board, query, &format!("{family} {seed}")) {
                        joined += 1;
                    } else {
                        impossible += 1;
                    }
                }
            }
        }
    }
    assert!(joined > 50 && impossible > 10, "{joined}, {impossible}");
}

#[test]
fn every_corner_has_its_number_where_there_is_room() {
    let input = b"5 4\nXXXXX\nX   X\nXXX X\n XXX \n2 3 5 3\n0 0 0 0\n0 0\n";
    let pictures = find("thegame").unwrap().draw(input, None, "t").unwrap();
    let document = parse(&pictures[0].svg);
    assert_eq!(on_board(&document, "vd-badge").len(), 3);
}

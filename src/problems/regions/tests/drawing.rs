//! What is drawn is the board and the witness: colours, regions, the chain, the moves along it.

use super::super::draw::grid_of;
use super::super::generate::{FAMILIES, generate};
use super::*;
use crate::problems::Task;
use crate::problems::tests::reading::{cells_of_polyline, number, on_board, parse};

fn check(board: &Board, what: &str) {
    let solution = solve(board);
    let pictures = Regions.draw(text(board).as_bytes(), None, "t").unwrap();
    let document = parse(&pictures[0].svg);
    let grid = grid_of(board);
    let map = board.map();
    let region = |[x, y]: [usize; 2]| map.region_of[y * board.columns() + x];

    // The line goes from cell to neighbour through the regions of the chain in turn.
    let line = cells_of_polyline(&grid, &on_board(&document, "vd-chain")[0]);
    for pair in line.windows(2) {
        let steps = pair[0][0].abs_diff(pair[1][0]) + pair[0][1].abs_diff(pair[1][1]);
        assert_eq!(steps, 1, "{what}");
    }
    let mut regions: Vec<usize> = line.into_iter().map(region).collect();
    regions.dedup();
    let chain = solution.chain.iter();
    let chain = chain.map(|link| region([link.column - 1, link.row - 1]));
    assert_eq!(regions, chain.collect::<Vec<_>>(), "{what}");

    // Each number stands on the region that its move takes, in the sign of its player.
    let mut signs = Vec::new();
    for (class, player) in [("vd-first", Player::First), ("vd-second", Player::Second)] {
        for sign in on_board(&document, class) {
            let label = sign.next_sibling().and_then(|text| text.text()).unwrap();
            let place = match player {
                Player::First => [number(&sign, "cx"), number(&sign, "cy")],
                Player::Second => {
                    ["x", "y"].map(|at| number(&sign, at) + number(&sign, "width") / 2.0)
                }
            };
            let at = grid.cell_at(place).unwrap();
            match (label, player) {
                ("A", Player::First) => assert_eq!(at, [0, 0]),
                ("B", Player::Second) => assert_eq!(at, [board.columns() - 1, board.rows() - 1]),
                _ => signs.push((label.parse::<usize>().unwrap(), player, at)),
            }
        }
    }
    signs.sort_by_key(|(number, ..)| *number);
    assert_eq!(signs.len(), solution.moves.len(), "{what}");
    for (step, (number, player, at)) in solution.moves.iter().zip(signs) {
        assert_eq!(step.player, player, "{what} move {number}");
        let takes = region([step.takes.column - 1, step.takes.row - 1]);
        assert_eq!(region(at), takes, "{what} move {number}");
    }
}

#[test]
fn the_picture_is_the_board_and_the_witness() {
    for family in FAMILIES {
        for seed in 0..4 {
            let board = generate(family.name, seed).expect("a known family");
            check(&board, &format!("{} {seed}", family.name));
        }
    }
}

#[test]
fn fifty_regions_in_a_row_have_all_their_numbers() {
    let digits = "12".repeat(25);
    check(&board(&format!("1 50\n{digits}\n")), "a row");
    let column: String = digits.chars().flat_map(|digit| [digit, '\n']).collect();
    check(&board(&format!("50 1\n{column}")), "a column");
}

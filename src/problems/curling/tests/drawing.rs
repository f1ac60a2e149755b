//! What is drawn is the witness: each arrow is a throw, each mark a block that vanishes.

use roxmltree::Node;

use super::super::board::{Cell, Instance};
use super::super::draw::grid_of;
use super::super::{generate, solve};
use crate::problems::find;
use crate::problems::tests::reading::{
    cell, cells_of_path, drawn, number, on_board, parse, sentences,
};

/// Draws each board of an instance by itself and compares the picture with the solution.
fn check(instance: &Instance, what: &str) -> usize {
    let mut drawn_throws = 0;
    for board in &instance.boards {
        let alone = Instance::from(board.clone()).render();
        let game = solve::solve(board);
        let pictures = find("curling").unwrap().draw(&alone, None, "t").unwrap();
        let document = parse(&pictures[0].svg);
        let grid = grid_of(board);
        let throws = game.clone().unwrap_or_default();
        let at = |[x, y]: [usize; 2]| Cell::new(x, y);
        let ways = drawn(&document, "vd-way", |line| {
            [("x1", "y1"), ("x2", "y2")].map(|(x, y)| at(cell(&grid, line, x, y)))
        });
        let expected: Vec<[Cell; 2]> = throws.iter().map(|throw| [throw.from, throw.to]).collect();
        assert_eq!(ways, expected, "{what}\n{board:?}");
        assert_side_by_side(&on_board(&document, "vd-way"), what);
        let badges = on_board(&document, "vd-badge").len();
        assert_eq!(badges, throws.len(), "{what}");
        let vanished = drawn(&document, "vd-vanished", |path| cells_of_path(&grid, path));
        let vanished: Vec<Cell> = vanished.into_iter().flatten().map(at).collect();
        let expected: Vec<Cell> = throws.iter().filter_map(|throw| throw.vanished).collect();
        assert_eq!(vanished, expected, "{what}");
        let hopeless = sentences(&document).contains("the answer is -1");
        assert_eq!(hopeless, game.is_none(), "{what}");
        drawn_throws += throws.len();
    }
    drawn_throws
}

/// Asserts that no arrow lies on another.
fn assert_side_by_side(ways: &[Node<'_, '_>], what: &str) {
    let span = |line: &Node<'_, '_>, from: &str, to: &str| {
        let (from, to) = (number(line, from), number(line, to));
        (from.min(to), from.max(to))
    };
    // How much two spans have in common; a line across has no span.
    let common = |one: (f64, f64), other: (f64, f64)| one.1.min(other.1) - one.0.max(other.0);
    for (index, one) in ways.iter().enumerate() {
        for other in &ways[..index] {
            let [along_x, along_y] = [("x1", "x2"), ("y1", "y2")]
                .map(|(from, to)| common(span(one, from, to), span(other, from, to)));
            let covers = (along_x > 1.0 && along_y.abs() < 1.0 && along_y >= 0.0)
                || (along_y > 1.0 && along_x.abs() < 1.0 && along_x >= 0.0);
            assert!(!covers, "{what}: {one:?} lies on {other:?}");
        }
    }
}

#[test]
fn the_arrows_are_the_throws_of_the_witness() {
    let mut drawn = 0;
    for family in ["random", "vanishing", "again", "back", "revisit", "ten"] {
        for seed in 0..2 {
            let mut instance = generate::generate(family, seed).unwrap();
            instance.boards.truncate(12);
            drawn += check(&instance, &format!("{family} {seed}"));
        }
    }
    assert!(drawn > 200, "only {drawn} throws");
}

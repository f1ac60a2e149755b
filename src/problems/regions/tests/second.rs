//! The second opinion against the solver and the game itself, and against programs that get a rule
//! wrong.

use super::super::generate::generate;
use super::super::*;
use super::brute::least_moves;
use super::{all_boards, board, text};

fn second(board: &Board) -> String {
    String::from_utf8(super::super::second::answer(board)).expect("an answer is ASCII")
}

#[test]
fn agrees_with_the_game_itself_on_small_boards() {
    for seed in 0..3_000 {
        let board = generate("small", seed).expect("a known family");
        let expected = format!("{}\n", least_moves(&board));
        assert_eq!(second(&board), expected, "seed {seed}\n{}", text(&board));
    }
}

#[test]
fn agrees_with_the_solver_on_every_family() {
    for (family, seed, board) in all_boards() {
        let expected = Regions.answer(&board);
        let got = super::super::second::answer(&board);
        assert_eq!(got, expected, "{family} {seed}\n{}", text(&board));
    }
}

/// A way to misread the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mistake {
    /// Cells that share only a corner count as adjacent.
    Corners,
    /// Every cell counts as a region of its own.
    CellsForRegions,
    /// All regions of one colour count as one.
    ColoursForRegions,
    /// The goal is to own the other's region, not to touch it.
    OneMoreMove,
}

/// What a program with this mistake prints: steps between cells are lowered until nothing changes.
fn wrong(board: &Board, mistake: Mistake) -> String {
    let (columns, cells) = (board.columns(), board.cells());
    let beside = |one: usize, other: usize| {
        let rows = (one / columns).abs_diff(other / columns);
        let across = (one % columns).abs_diff(other % columns);
        rows + across == 1 || mistake == Mistake::Corners && rows == 1 && across == 1
    };
    let cost = |one: usize, other: usize| {
        let same = cells[one] == cells[other];
        match mistake {
            Mistake::ColoursForRegions if same => Some(0),
            _ if !beside(one, other) => None,
            Mistake::CellsForRegions => Some(1),
            _ => Some(usize::from(!same)),
        }
    };
    let mut steps = vec![usize::MAX / 2; cells.len()];
    steps[0] = 0;
    let mut before = Vec::new();
    while before != steps {
        before.clone_from(&steps);
        for one in 0..cells.len() {
            for other in 0..cells.len() {
                if let Some(cost) = cost(one, other) {
                    steps[other] = steps[other].min(steps[one] + cost);
                }
            }
        }
    }
    let distance = steps[cells.len() - 1];
    let less = usize::from(mistake != Mistake::OneMoreMove);
    format!("{}\n", distance - less)
}

#[test]
fn differs_from_every_known_mistake() {
    for (mistake, family) in [
        (Mistake::Corners, "small"),
        (Mistake::CellsForRegions, "small"),
        (Mistake::ColoursForRegions, "small"),
        (Mistake::OneMoreMove, "touching"),
    ] {
        let noticed = (0..40).any(|seed| {
            let board = generate(family, seed).expect("a known family");
            second(&board) != wrong(&board, mistake)
        });
        assert!(noticed, "{mistake:?} is not noticed");
    }
    // Where a mistake does not matter the wrong program is right: what is noticed above is the
    // mistake.
    let row = board("1 4\n1234\n");
    for mistake in [Mistake::Corners, Mistake::CellsForRegions] {
        assert_eq!(second(&row), wrong(&row, mistake), "{mistake:?}");
    }
}

//! Tests of the problem as a whole: solver against brute force, witnesses, parser, normalisation.

use proptest::prelude::*;
use rand::Rng as _;
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;

use super::board::{Board, Cell, Instance, Square};
use super::{Curling, Solution, brute};
use crate::problems::{Normalisation, Problem, Task};

/// Compares one board with the brute force and has the referee replay the witness.
fn check(board: &Board, what: &str) -> Option<usize> {
    let instance = Instance {
        boards: vec![board.clone()],
    };
    let Solution { games } = Curling.solve(&instance);
    let shown = || String::from_utf8(instance.render()).unwrap();
    let expected = brute::least_throws(board);
    let got = games[0].as_ref().map(Vec::len);
    assert_eq!(got, expected, "{what}\n{}", shown());
    if let Some(throws) = &games[0] {
        let verdict = brute::referee(board, throws);
        assert_eq!(verdict, Ok(()), "{what}\n{}\n{throws:?}", shown());
    }
    got
}

/// A board of at most this size, drawn without the generator's families.
fn draw(seed: u64, side_max: usize, percent_max: u32) -> Board {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    loop {
        let width = rng.random_range(2..=side_max);
        let height = rng.random_range(1..=side_max);
        let mut cell = || Cell::new(rng.random_range(0..width), rng.random_range(0..height));
        let (start, goal) = (cell(), cell());
        let Some(mut board) = Board::new(width, height, start, goal) else {
            continue;
        };
        let percent = rng.random_range(0..=percent_max);
        for cell in board.cells() {
            board.set_block(cell, rng.random_range(0..100) < percent);
        }
        return board;
    }
}

#[test]
fn solver_agrees_with_brute_force_on_small_boards() {
    let mut seen = [0_u32; 11];
    for seed in 0..20_000 {
        let answer = check(&draw(seed, 6, 70), &format!("seed {seed}"));
        seen[answer.unwrap_or(0)] += 1;
    }
    // The comparison means little unless short and long games and hopeless boards all occur.
    eprintln!("{seen:?}");
    assert!(seen[..8].iter().all(|&count| count > 0), "{seen:?}");
}

#[test]
fn solver_agrees_with_brute_force_on_larger_boards() {
    for seed in 0..600 {
        check(&draw(seed, 10, 50), &format!("seed {seed}"));
    }
    for seed in 0..60 {
        check(&draw(seed, 20, 14), &format!("seed {seed}"));
    }
}

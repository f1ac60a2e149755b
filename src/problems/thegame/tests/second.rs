//! The second opinion against the solver and brute force, and against searches that are wrong on
//! purpose.

use std::fmt::Write as _;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::problems::Problem;
use crate::util::tests::trials::seeds;

use super::super::board::{Board, Input, QUERIES_MAX, Query};
use super::super::wrong::{Mistake, wrong_segments};
use super::super::{TheGame, generate, second as other};
use super::brute::fewest_segments;

/// What a program prints that finds so many segments for each query.
fn printed(input: &Input, segments: impl Fn(&Board, Query) -> Option<usize>) -> String {
    let mut text = String::new();
    for (number, board) in (1..).zip(&input.boards) {
        let _ = writeln!(text, "Board #{number}:");
        for (number, &query) in (1..).zip(&board.queries) {
            let _ = match segments(board, query) {
                Some(segments) => writeln!(text, "Pair {number}: {segments} segments."),
                None => writeln!(text, "Pair {number}: impossible."),
            };
        }
        text.push('\n');
    }
    text
}

fn second(input: &Input) -> String {
    String::from_utf8(other::answer(input)).unwrap()
}

fn reference(input: &Input) -> String {
    String::from_utf8(TheGame.answer(input)).unwrap()
}

#[test]
fn agrees_with_brute_force_on_tiny_boards() {
    for seed in 0..2_000 {
        let input = generate::generate("small", seed).unwrap();
        let expected = printed(&input, |board, query| {
            fewest_segments(board, query).map(|segments| segments as usize)
        });
        assert_eq!(second(&input), expected, "seed {seed}");
    }
}

#[test]
fn agrees_with_the_solver_on_every_family() {
    for family in generate::FAMILIES {
        for seed in seeds(10) {
            let input = generate::generate(family.name, seed).unwrap();
            assert_eq!(second(&input), reference(&input), "{} {seed}", family.name);
        }
    }
}

/// A quarter of the most queries that there can be, no two on one board from the same card: nothing is
/// shared between them.
fn many_queries(family: &str) -> Input {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut boards = Vec::new();
    let mut left = QUERIES_MAX / 4;
    for seed in 0.. {
        if left == 0 {
            break;
        }
        let mut board = generate::generate(family, seed).unwrap().boards.remove(0);
        let mut cards = board.cards();
        cards.shuffle(&mut rng);
        let pairs = cards.chunks_exact(2).take(left);
        board.queries = pairs
            .map(|two| Query {
                from: two[0],
                to: two[1],
            })
            .collect();
        left -= board.queries.len();
        boards.push(board);
    }
    Input { boards }
}

#[test]
fn agrees_with_the_solver_on_the_largest_inputs() {
    for family in [
        "worst-open",
        "worst-random",
        "worst-maze",
        "worst-winding",
        "worst-stairs",
    ] {
        let input = many_queries(family);
        assert!(second(&input) == reference(&input), "{family}");
    }
}

#[test]
fn differs_from_every_known_mistake() {
    for (index, mistake) in Mistake::ALL.into_iter().enumerate() {
        let noticed = (0..20)
            .filter(|&seed| {
                let mut input = generate::generate("trap", seed).unwrap();
                // Each board of the family is aimed at one mistake.
                input.boards = vec![input.boards.swap_remove(index)];
                let right = second(&input);
                (0..4).any(|turn| {
                    let wrong = printed(&input, |board, query| {
                        wrong_segments(board, query, mistake, turn)
                    });
                    wrong != right
                })
            })
            .count();
        assert!(noticed >= 18, "{mistake:?} is noticed in {noticed} of 20");
    }
}

//! Solver, second opinion and witness, all against the independent brute force.

mod brute;
mod drawing;

use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use super::board::{Board, Cell, DATASETS_MAX, Instance};
use super::{generate, player, solve};
use crate::problems::find;
use crate::util::tests::trials::seeds;

/// Compares both algorithms on one board with the brute force, and has the referee replay the
/// witness.
fn check(board: &Board, what: &str) -> Option<usize> {
    let expected = brute::least_throws(board);
    let game = solve::solve(board);
    assert_eq!(game.as_ref().map(Vec::len), expected, "{what}\n{board:?}");
    let second = player::second_opinion(&board.clone().into());
    let line = expected.map_or("-1\n".to_owned(), |throws| format!("{throws}\n"));
    assert_eq!(second, line.as_bytes(), "{what}\n{board:?}");
    if let Some(throws) = game {
        let verdict = brute::referee(board, &throws);
        assert_eq!(verdict, Ok(()), "{what}\n{board:?}\n{throws:?}");
    }
    expected
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
fn both_algorithms_agree_with_brute_force() {
    let mut seen = [0_u32; 11];
    for (boards, side_max, percent_max) in [(12_000, 6, 70), (2_000, 10, 50), (300, 20, 30)] {
        for seed in seeds(boards) {
            let board = draw(seed, side_max, percent_max);
            let answer = check(&board, &format!("seed {seed} up to {side_max}"));
            seen[answer.unwrap_or(0)] += 1;
        }
    }
    // The comparison means little unless short and long games and hopeless boards all occur.
    assert!(seen[..9].iter().all(|&count| count > 0), "{seen:?}");
}

#[test]
fn known_games() {
    let task = find("curling").unwrap();
    for (input, answer) in [
        ("0 0\n", ""),
        // Rows of two zeros are rows.
        ("2 4\n0 0\n2 0\n0 0\n3 0\n2 1\n3 2\n0 0\n", "1\n1\n"),
    ] {
        assert_eq!(task.answer(input.as_bytes()).unwrap(), answer.as_bytes());
    }
    let games = b"2 1\n3 2\n6 1\n1 1 2 1 1 3\n6 1\n1 0 2 1 1 3\n0 0\n";
    let witness = task.witness(games).unwrap().unwrap();
    for line in [
        "dataset 1 (2 x 1): 1 throw\n  1. left from row 1, column 2 over 1 cell to the goal at row 1, column 1\n",
        "dataset 2 (6 x 1): no game of at most 10 throws ends on the goal\n",
        "  1. left from row 1, column 3 over 1 cell to row 1, column 2; the block at row 1, column 1 vanishes\n",
    ] {
        assert!(witness.contains(line), "{witness}");
    }
}

#[test]
fn the_hundred_and_first_dataset_is_refused() {
    let hundred = "2 1\n2 3\n".repeat(DATASETS_MAX);
    let valid = Instance::parse(format!("{hundred}0 0\n").as_bytes()).unwrap();
    assert_eq!(valid.input.boards.len(), DATASETS_MAX);
    let error = Instance::parse(format!("{hundred}2 1\n2 3\n0 0\n").as_bytes()).unwrap_err();
    assert_eq!((error.line, error.column), (201, 1));
    let words = "only the last line `0 0` may follow dataset 100";
    assert!(error.reason.contains(words), "{error}");
}

#[test]
fn boards_without_a_game_are_given_up_soon_with_the_bound_of_ten_throws() {
    for board in generate::generate("hopeless", 1).unwrap().boards {
        assert_eq!(solve::solve(&board), None);
        assert!(player::tree_slides(&board, 1_000_000) <= 20_000);
    }
}

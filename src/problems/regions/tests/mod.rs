//! Solver and second opinion against the game itself.
//!
//! A failure prints the seed and the input.

mod brute;
mod drawing;
mod reading;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::util::tests::trials::seeds;

use super::generate::{FAMILIES, generate};
use super::solve::Player;
use super::*;
use brute::{least_moves, referee};

fn board(text: &str) -> Board {
    Regions.parse(text.as_bytes()).expect("valid").input
}

fn moves(board: &Board) -> usize {
    solve(board).moves.len()
}

fn text(board: &Board) -> String {
    String::from_utf8(Regions.render(board)).expect("a board is ASCII")
}

/// A board of one of these sides, of three to six colours.
fn draw(seed: u64, sides: &[(usize, usize)]) -> Option<Board> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (rows, columns) = sides[rng.random_range(0..sides.len())];
    let colours = rng.random_range(3..=6);
    let cells = (0..rows * columns).map(|_| rng.random_range(1..=colours));
    Board::new(rows, columns, cells.collect(), false)
}

#[test]
fn the_answers_are_those_of_the_game_itself() {
    let small = seeds(1_500).filter_map(|seed| generate("small", seed));
    let narrow = [(1, 9), (9, 1), (2, 6), (6, 2), (3, 4)];
    for board in small.chain(seeds(600).filter_map(|seed| draw(seed, &narrow))) {
        let solution = solve(&board);
        let expected = least_moves(&board);
        assert_eq!(solution.moves.len(), expected, "{}", text(&board));
        let line = format!("{expected}\n").into_bytes();
        assert_eq!(second::answer(&board), line, "{}", text(&board));
        assert_eq!(referee(&board, &solution), Ok(()), "{}", text(&board));
    }
}

#[test]
fn every_witness_is_a_game_that_a_referee_accepts() {
    for family in FAMILIES {
        for seed in seeds(20) {
            let board = generate(family.name, seed).unwrap();
            let verdict = referee(&board, &solve(&board));
            assert_eq!(verdict, Ok(()), "{} {seed}\n{}", family.name, text(&board));
        }
    }
}

#[test]
fn the_witness_is_for_a_person() {
    let board = board("4 3\n1 2 2\n2 2 1\n1 4 3\n1 3 2\n");
    let witness = solve(&board).to_string();
    let expected = "\
A shortest chain of adjacent regions, each by its first cell:
  row 1, column 1 (colour 1)
  row 1, column 2 (colour 2)
  row 2, column 3 (colour 1)
  row 3, column 3 (colour 3)
  row 4, column 3 (colour 2)
They touch after 3 moves:
  1. the first player paints colour 2 and takes row 1, column 2 (colour 2)
  2. the second player paints colour 3 and takes row 3, column 3 (colour 3)
  3. the first player paints colour 1 and takes row 2, column 3 (colour 1)
";
    assert_eq!(witness, expected);
}

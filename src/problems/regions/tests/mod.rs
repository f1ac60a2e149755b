//! The solver against the game itself, the generators, and the shrinker.
//!
//! A failure prints the seed and the input.

mod brute;
mod drawing;
mod reading;
mod second;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::board::{COLOUR_MAX, SIDE_MAX};
use super::generate::{FAMILIES, generate};
use super::map::REGIONS_MAX;
use super::smaller::candidates;
use super::solve::{Player, Solution};
use super::*;
use crate::problems::smaller::SHRINK_CANDIDATES_MAX;
use crate::util::tests::trials::seeds;
use brute::{least_moves, referee};

const SEEDS: u64 = 60;

fn board(text: &str) -> Board {
    Regions.parse(text.as_bytes()).expect("valid").input
}

fn moves(board: &Board) -> usize {
    solve(board).moves.len()
}

fn text(board: &Board) -> String {
    String::from_utf8(Regions.render(board)).expect("a board is ASCII")
}

/// What every candidate has less of than the board it came from, compared in order: cells, regions,
/// the sum of the colours, spaces between the digits.
fn measure(board: &Board) -> (usize, usize, usize, bool) {
    let colours = board.cells().iter().map(|&colour| usize::from(colour));
    (
        board.cells().len(),
        board.map().first_cell.len(),
        colours.sum(),
        board.spaced(),
    )
}

/// Every family with every seed.
fn all_boards() -> impl Iterator<Item = (&'static str, u64, Board)> {
    FAMILIES.iter().flat_map(|family| {
        (0..SEEDS).map(|seed| {
            let board = generate(family.name, seed).expect("a known family");
            (family.name, seed, board)
        })
    })
}

#[test]
fn the_answer_is_that_of_the_game_itself() {
    for seed in 0..6_000 {
        let board = generate("small", seed).expect("a known family");
        let solution = solve(&board);
        assert_eq!(
            solution.moves.len(),
            least_moves(&board),
            "seed {seed}\n{}",
            text(&board)
        );
        referee(&board, &solution).unwrap_or_else(|fault| panic!("seed {seed}: {fault}"));
    }
}

#[test]
fn the_answer_is_that_of_the_game_on_long_and_narrow_boards() {
    for seed in 0..1_500 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (rows, columns) = [(1, 9), (9, 1), (2, 6), (6, 2), (3, 4)][rng.random_range(0..5)];
        let colours = rng.random_range(3..=6);
        let cells = (0..rows * columns)
            .map(|_| rng.random_range(1..=colours))
            .collect();
        let Some(board) = Board::new(rows, columns, cells, false) else {
            continue;
        };
        assert_eq!(
            moves(&board),
            least_moves(&board),
            "seed {seed}\n{}",
            text(&board)
        );
    }
}

#[test]
fn every_witness_is_a_game_that_a_referee_accepts() {
    for (family, seed, board) in all_boards() {
        let solution = solve(&board);
        if let Err(fault) = referee(&board, &solution) {
            panic!("{family} {seed}: {fault}\n{}", text(&board));
        }
    }
}

#[test]
fn the_referee_refuses_what_is_not_a_shortest_game() {
    let board = board("4 3\n122\n221\n143\n132\n");
    let solution = solve(&board);
    assert_eq!(referee(&board, &solution), Ok(()));
    let spoil = |change: fn(&mut Solution)| {
        let mut spoilt = solution.clone();
        change(&mut spoilt);
        referee(&board, &spoilt).expect_err("a spoilt game")
    };
    assert_eq!(
        spoil(|game| game.moves.truncate(2)),
        "the regions do not touch at the end"
    );
    assert_eq!(
        spoil(|game| game.moves.push(game.moves[1])),
        "move 4: the game is over"
    );
    assert_eq!(
        spoil(|game| game.moves.swap(0, 1)),
        "move 1: it is the other player's turn"
    );
    assert!(spoil(|game| game.moves[0].colour = 6).contains("is not taken"));
    assert!(spoil(|game| game.chain.retain(|link| link.colour != 3)).contains("are not adjacent"));
    assert!(spoil(|game| game.chain[1].colour = 6).contains("the colour of"));
    assert!(spoil(|game| game.chain.truncate(4)).contains("the chain does not lead"));
}

#[test]
fn answers_that_are_known() {
    for (text, answer) in [
        ("4 3\n1 2 2\n2 2 1\n1 4 3\n1 3 2\n", 3),
        ("1 2\n12\n", 0),
        ("2 1\n1\n2\n", 0),
        ("1 3\n1 2 3\n", 1),
        ("1 4\n1234\n", 2),
        ("2 2\n12\n31\n3 3\n", usize::MAX),
        ("2 2\n13\n32\n", 1),
        ("3 3\n111\n121\n113\n", 0),
        ("3 3\n121\n212\n123\n", 3),
    ] {
        match Regions.parse(text.as_bytes()) {
            Ok(parsed) => assert_eq!(moves(&parsed.input), answer, "{text}"),
            Err(_) => assert_eq!(answer, usize::MAX, "{text}"),
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

#[test]
fn every_family_is_what_it_says() {
    for (family, seed, board) in all_boards() {
        let regions = board.map().first_cell.len();
        let sides = [board.rows(), board.columns()];
        let distinct = (1..=COLOUR_MAX)
            .filter(|colour| board.cells().contains(colour))
            .count();
        let holds = match family {
            "random" => sides.iter().all(|&side| side <= 12),
            "small" => sides.iter().all(|&side| side <= 4),
            "fifty" => regions == REGIONS_MAX,
            "touching" => moves(&board) == 0,
            "thin" => sides.iter().any(|&side| side <= 2) && sides[0] != sides[1],
            "colours" => distinct <= 3,
            "blocks" => regions >= 4,
            "winding" => regions >= 10,
            "giant" => sides == [SIDE_MAX; 2],
            "worst-layers" => moves(&board) == regions - 2,
            "worst-bricks" => regions > 40,
            "worst-lanes" => regions > 48 && moves(&board) >= 14,
            "worst-dead-ends" => regions > 40 && moves(&board) >= 16,
            "single-cells" => regions == board.cells().len() && sides[1] == 5,
            "quarters" => regions == 4 && sides[0] == sides[1],
            _ => false,
        };
        assert!(holds, "{family} {seed}\n{}", text(&board));
    }
}

#[test]
fn the_families_reach_their_extremes() {
    let most = |family: &str| {
        let boards = (0..SEEDS * 4).filter_map(|seed| generate(family, seed));
        boards.map(|board| moves(&board)).max()
    };
    assert!(most("worst-layers") > Some(44));
    assert!(most("worst-bricks") > Some(11));
    let spaced = all_boards().filter(|(_, _, board)| board.spaced()).count();
    assert!((100..400).contains(&spaced), "{spaced}");
    assert_eq!(generate("no such family", 1), None);
}

#[test]
fn a_seed_makes_the_same_board_for_ever() {
    assert_eq!(text(&generate("small", 7).expect("known")), PINNED_SMALL);
    for (family, seed, board) in all_boards() {
        assert_eq!(generate(family, seed), Some(board));
    }
}

const PINNED_SMALL: &str = "1 3\n2 2 1\n";

#[test]
fn candidates_are_valid_and_strictly_simpler() {
    for (family, seed, board) in all_boards().filter(|(_, seed, _)| seeds(1).contains(seed)) {
        let found = candidates(&board);
        assert!(found.len() <= SHRINK_CANDIDATES_MAX);
        for candidate in found {
            let parsed = Regions.parse(&Regions.render(&candidate));
            assert_eq!(
                parsed.map(|it| it.input).as_ref(),
                Ok(&candidate),
                "{family} {seed}"
            );
            assert!(measure(&candidate) < measure(&board), "{family} {seed}");
        }
    }
}

#[test]
fn greedy_shrinking_ends_at_a_tiny_board_that_still_fails() {
    for (family, seed, mut board) in all_boards().filter(|(_, seed, _)| *seed < 4) {
        let fails = |board: &Board| moves(board) >= 2;
        if !fails(&board) {
            continue;
        }
        while let Some(simpler) = candidates(&board).into_iter().find(fails) {
            board = simpler;
        }
        assert!(
            board.cells().len() <= 9,
            "{family} {seed}\n{}",
            text(&board)
        );
        assert!(board.cells().iter().all(|&colour| colour <= 3) && !board.spaced());
    }
    assert_eq!(candidates(&board("1 2\n12\n")).len(), 0);
}

//! The solver of the coloured regions against the package's second algorithm, on boards of every
//! family and all allowed sizes.
//!
//! Both start with the parsed board and end with the answer's bytes; the solver also finds
//! the game that it counts.

use verdictd::internals::Problem;
use verdictd::internals::regions::{Board, Regions};

use crate::common::{Row, Size, in_turns};

pub const NAME: &str = "regions";

/// Number of timings; the median counts.
const RUNS: usize = 21;
/// Boards of each family.
const SEEDS: u64 = 20;
/// A row of its own: the most regions that a board may have.
const MOST_REGIONS: &str = "fifty";

pub fn rows(size: Size) -> Vec<Row> {
    let (runs, seeds) = size.pick((RUNS, SEEDS), (1, 2));
    let all: Vec<Vec<Board>> = Regions::FAMILIES
        .iter()
        .map(|family| boards(family.name, seeds))
        .collect();
    assert!(
        all.iter().flatten().any(|board| answer(board) != b"0\n"),
        "some boards take moves"
    );
    vec![
        row("all families", &all.concat(), runs),
        row("fifty regions", &boards(MOST_REGIONS, seeds), runs),
    ]
}

fn boards(family: &str, seeds: u64) -> Vec<Board> {
    (0..seeds)
        .map(|seed| {
            Regions
                .generate(family, seed)
                .expect("a board of the family")
        })
        .collect()
}

fn answer(board: &Board) -> Vec<u8> {
    Regions.answer(board)
}

fn second_opinion(board: &Board) -> Vec<u8> {
    Regions::EXTRAS.second_opinion.expect("a second algorithm")(board)
}

fn row(name: &str, boards: &[Board], runs: usize) -> Row {
    for board in boards {
        let second = second_opinion(board);
        assert_eq!(answer(board), second, "the two disagree on {board:?}");
    }
    let pair = in_turns(
        runs,
        || boards.iter().map(answer).collect::<Vec<_>>(),
        || boards.iter().map(second_opinion).collect::<Vec<_>>(),
    );
    Row::times(NAME, name, pair)
}

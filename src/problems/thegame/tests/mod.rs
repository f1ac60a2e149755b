//! The solver against brute force, the second opinion and the referee, the shapes, the
//! families and the shrink candidates.

mod brute;
mod drawing;
mod package;
mod reading;
mod second;

use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::problems::find;
use crate::problems::smaller::SHRINK_CANDIDATES_MAX;
use crate::util::tests::trials::seeds;

use super::Search;
use super::board::{Board, Input, Point, Query, SIDE_MAX};
use super::wrong::{Mistake, wrong_segments};
use super::{board, generate, second as other, shapes, smaller};
use brute::{fault_of, fewest_segments};

/// The example of the statement.
const SAMPLE: &str = "5 4\nXXXXX\nX   X\nXXX X\n XXX \n2 3 5 3\n1 3 4 4\n2 3 3 4\n0 0 0 0\n0 0\n";

fn text(input: &Input) -> String {
    String::from_utf8_lossy(&board::render(input)).into_owned()
}

fn answer(input: &str) -> String {
    String::from_utf8(find("thegame").unwrap().answer(input.as_bytes()).unwrap()).unwrap()
}

/// Solves with the fast solver, has the referee walk every path, compares with the other direction
/// and with the second opinion, and with brute force where told to.
#[track_caller]
fn check(family: &str, seed: u64, against_brute_force: bool) -> usize {
    let input = generate::generate(family, seed).unwrap();
    check_input(&input, against_brute_force, &format!("{family} {seed}"))
}

/// The same for any input; `name` goes into messages.
#[track_caller]
fn check_input(input: &Input, against_brute_force: bool, name: &str) -> usize {
    let mut queries = 0;
    for board in &input.boards {
        let mut search = Search::new(board);
        let others = other::fewest_segments(board);
        for (&query, second) in board.queries.iter().zip(others) {
            let path = search.path(query);
            let context = || format!("{name}, {query:?}\n{}", text(input));
            if let Some(path) = &path {
                assert_eq!(fault_of(board, query, path), None, "{path}, {}", context());
            }
            let found = path
                .as_ref()
                .map(|path| u32::try_from(path.segments()).unwrap());
            let back = Query {
                from: query.to,
                to: query.from,
            };
            let there = path.as_ref().map(super::Polyline::segments);
            assert_eq!(search.segments(back), there, "{}", context());
            assert_eq!(second, there, "{}", context());
            if against_brute_force {
                assert_eq!(found, fewest_segments(board, query), "{}", context());
            }
            queries += 1;
        }
    }
    queries
}

#[test]
fn the_solver_agrees_with_brute_force_on_tiny_boards() {
    let queries: usize = (0..4000).map(|seed| check("small", seed, true)).sum();
    assert!(queries > 10_000, "only {queries} queries");
}

#[test]
fn the_solver_agrees_with_brute_force_on_every_family_of_moderate_size() {
    for family in [
        "random",
        "edge",
        "narrow",
        "trap",
        "ring",
        "spaces",
        "neighbours",
        "impossible",
        "many",
    ] {
        let queries: usize = seeds(16).map(|seed| check(family, seed, true)).sum();
        assert!(queries > 20, "{family}: only {queries} queries");
    }
}

#[test]
fn the_solver_agrees_with_brute_force_on_the_largest_boards() {
    for family in [
        "worst-open",
        "worst-random",
        "worst-maze",
        "worst-winding",
        "worst-stairs",
    ] {
        let mut input = generate::generate(family, 1).unwrap();
        // Brute force takes its time here.
        input.boards[0].queries.truncate(1);
        assert_eq!(check_input(&input, true, family), 1);
    }
}

#[test]
fn the_referee_confirms_every_path_on_the_largest_boards() {
    for family in [
        "worst-open",
        "worst-random",
        "worst-maze",
        "worst-winding",
        "worst-stairs",
    ] {
        for seed in 0..20 {
            check(family, seed, false);
        }
    }
}

/// Shapes with a few walls knocked out have long cycles, and trees and chains in every position to
/// the cards.
#[test]
fn the_solver_agrees_with_the_second_opinion_on_shapes_with_holes() {
    for seed in 0..40 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (width, height) = (rng.random_range(5..=40), rng.random_range(5..=40));
        let mut board = match seed % 4 {
            0 => shapes::maze(&mut rng, width, height),
            1 => shapes::stairs(width, height),
            2 => shapes::serpentine(width, height),
            _ => shapes::spiral(width, height),
        };
        let holes = rng.random_range(0..=12);
        for &hole in board.cards().choose_multiple(&mut rng, holes) {
            board.set_card(hole, false);
        }
        let cards = board.cards();
        for _ in 0..200 {
            let two: Vec<&Point> = cards.choose_multiple(&mut rng, 2).collect();
            board.queries.push(Query {
                from: *two[0],
                to: *two[1],
            });
        }
        let input = Input {
            boards: vec![board],
        };
        check_input(&input, false, &format!("holes {seed}"));
    }
}

#[test]
fn the_referee_finds_faults() {
    let input = board::parse(SAMPLE.as_bytes()).unwrap().input;
    let board = &input.boards[0];
    let query = board.queries[0];
    let fault = |corners: &[(u8, u8)]| {
        let corners = corners.iter().map(|&(x, y)| Point { x, y }).collect();
        fault_of(board, query, &super::Polyline { corners }).unwrap_or_default()
    };
    assert_eq!(fault(&[(2, 3), (2, 2), (4, 2), (4, 3), (5, 3)]), "");
    assert!(fault(&[(2, 3), (5, 3)]).contains("touches the card at (3, 3)"));
    assert!(fault(&[(2, 3), (2, 2)]).contains("does not lead"));
    assert!(fault(&[(2, 3), (3, 2), (5, 3)]).contains("not a straight segment"));
    assert!(fault(&[(2, 3), (2, 2), (3, 2), (4, 2), (4, 3), (5, 3)]).contains("no turn"));
    assert!(fault(&[(2, 3), (7, 3), (7, 4), (5, 4), (5, 3)]).contains("beyond the ring"));
}

#[test]
fn the_sample_is_answered_in_the_decided_layout() {
    let expected = "Board #1:\nPair 1: 4 segments.\nPair 2: 3 segments.\nPair 3: impossible.\n\n";
    assert_eq!(answer(SAMPLE), expected);
}

#[test]
fn the_witness_shows_the_corners() {
    let shown = find("thegame").unwrap().witness(SAMPLE.as_bytes()).unwrap();
    let expected = "Board #1:\n\
        Pair 1: 4 segments: (2, 3) -> (2, 2) -> (4, 2) -> (4, 3) -> (5, 3)\n\
        Pair 2: 3 segments: (1, 3) -> (1, 5) -> (4, 5) -> (4, 4)\n\
        Pair 3: impossible.\n\n";
    assert_eq!(shown.as_deref(), Some(expected));
}

#[test]
fn boards_without_queries_and_no_boards_are_answered() {
    assert_eq!(answer("0 0\n"), "");
    assert_eq!(
        answer("1 1\n \n0 0 0 0\n1 1\nX\n0 0 0 0\n0 0\n"),
        "Board #1:\n\nBoard #2:\n\n"
    );
}

#[test]
fn neighbours_and_lines_cost_one_segment() {
    let board = "5 1\nXX  X\n1 1 2 1\n2 1 1 1\n2 1 5 1\n1 1 5 1\n0 0 0 0\n0 0\n";
    let expected = "Board #1:\nPair 1: 1 segments.\nPair 2: 1 segments.\nPair 3: 1 segments.\nPair 4: 3 segments.\n\n";
    assert_eq!(answer(board), expected);
}

/// Boards on which programs that mark a cell, or a cell with its direction, at first reach are
/// known to fail.
#[test]
fn boards_that_catch_early_marking_have_four_segments() {
    let first = "8 8\nXXXXXXXX\nXX     X\nX XXXX X\nX  XXX X\nXX   X X\nXXXX X X\nXXXX   X\nXXXXXXXX\n2 2 5 4\n0 0 0 0\n0 0\n";
    let second = "8 9\nXXXXXXXX\nXX     X\nX XXXX X\nX XXXX X\nX  X X X\nXX   X X\nXXXX X X\nXXXX   X\nXXXXXXXX\n2 2 5 4\n0 0 0 0\n0 0\n";
    for input in [first, second] {
        assert_eq!(answer(input), "Board #1:\nPair 1: 4 segments.\n\n");
    }
}

#[test]
fn trap_boards_catch_each_mistake() {
    for (index, mistake) in Mistake::ALL.into_iter().enumerate() {
        let caught = (0..20)
            .filter(|&seed| {
                let input = generate::generate("trap", seed).unwrap();
                let board = &input.boards[index];
                let mut search = Search::new(board);
                board.queries.iter().any(|&query| {
                    (0..4).any(|turn| {
                        search.segments(query) != wrong_segments(board, query, mistake, turn)
                    })
                })
            })
            .count();
        assert!(caught >= 18, "{mistake:?} is caught by {caught} of 20");
    }
}

#[test]
fn families_give_valid_inputs_and_the_same_for_the_same_seed() {
    for family in generate::FAMILIES {
        for seed in 0..5 {
            let input = generate::generate(family.name, seed).unwrap();
            let bytes = board::render(&input);
            let parsed = board::parse(&bytes).unwrap();
            assert_eq!(parsed.input, input, "{} {seed}", family.name);
            assert_eq!(parsed.notes, [], "{} {seed}", family.name);
            assert_eq!(generate::generate(family.name, seed).unwrap(), input);
        }
        let two = [1, 2].map(|seed| generate::generate(family.name, seed));
        assert_ne!(two[0], two[1], "{}: the seed changes nothing", family.name);
    }
    assert_eq!(generate::generate("no such family", 0), None);
    assert_eq!(generate::FAMILIES[0].name, "random");
}

#[test]
fn long_shapes_are_long() {
    let longest = |board: &Board, from: Point| {
        let mut search = Search::new(board);
        let others = board.cards().into_iter().filter(|&to| to != from);
        let segments = others.filter_map(|to| search.segments(Query { from, to }));
        segments.max().unwrap_or(0)
    };
    let (near, far) = (Point { x: 1, y: 2 }, Point { x: 75, y: 4 });
    assert!(longest(&shapes::spiral(SIDE_MAX, SIDE_MAX), near) >= 70);
    assert!(longest(&shapes::serpentine(SIDE_MAX, SIDE_MAX), near) >= 70);
    assert!(longest(&shapes::stairs(SIDE_MAX, SIDE_MAX), far) >= 3000);
}

/// What every shrink step must lower.
fn size(input: &Input) -> usize {
    let of_board =
        |board: &Board| 1 + board.cells().count() + board.cards().len() + board.queries.len();
    input.boards.iter().map(of_board).sum()
}

#[test]
fn shrink_candidates_are_valid_and_simpler() {
    for family in generate::FAMILIES {
        let input = generate::generate(family.name, 7).unwrap();
        let candidates = smaller::candidates(&input);
        assert!(!candidates.is_empty(), "{}", family.name);
        assert!(candidates.len() <= SHRINK_CANDIDATES_MAX);
        let sample = candidates.len().div_ceil(200);
        for candidate in candidates.iter().step_by(sample) {
            assert!(
                size(candidate) < size(&input),
                "{}\n{}",
                family.name,
                text(candidate)
            );
            let parsed = board::parse(&board::render(candidate)).unwrap();
            assert_eq!(&parsed.input, candidate);
        }
    }
    assert_eq!(smaller::candidates(&Input { boards: Vec::new() }), []);
}

#[test]
fn greedy_shrinking_finds_a_minimal_board() {
    let has_long_path = |input: &Input| {
        input.boards.iter().any(|board| {
            let mut search = Search::new(board);
            let mut queries = board.queries.iter();
            queries.any(|&query| search.segments(query) == Some(4))
        })
    };
    let mut input = generate::generate("ring", 1).unwrap();
    assert!(has_long_path(&input), "{}", text(&input));
    while let Some(simpler) = smaller::candidates(&input).into_iter().find(has_long_path) {
        input = simpler;
    }
    assert_eq!(input.boards.len(), 1, "{}", text(&input));
    assert_eq!(input.boards[0].queries.len(), 1, "{}", text(&input));
    assert!(size(&input) <= 30, "{}", text(&input));
}

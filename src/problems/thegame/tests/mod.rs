//! The solver against brute force, the second opinion and the referee.

mod brute;
mod drawing;
mod reading;

use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::problems::find;
use crate::util::tests::trials::seeds;

use super::Search;
use super::board::{Input, Point, Query};
use super::{board, generate, second as other, shapes};
use brute::{fault_of, fewest_segments};

/// The example of the statement.
const SAMPLE: &str = "5 4\nXXXXX\nX   X\nXXX X\n XXX \n2 3 5 3\n1 3 4 4\n2 3 3 4\n0 0 0 0\n0 0\n";

fn text(input: &Input) -> String {
    String::from_utf8_lossy(&board::render(input)).into_owned()
}

/// Solves, has the referee walk every path, compares with the other direction and with the second
/// opinion, and with brute force where told to.
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
        for (&query, second) in board.queries.iter().zip(other::fewest_segments(board)) {
            let context = || format!("{name}, {query:?}\n{}", text(input));
            let path = search.path(query);
            let fault = path.as_ref().and_then(|path| fault_of(board, query, path));
            assert_eq!(fault, None, "{path:?}, {}", context());
            let found = path.map(|path| path.segments());
            let (from, to) = (query.to, query.from);
            assert_eq!(search.segments(Query { from, to }), found, "{}", context());
            assert_eq!(second, found, "{}", context());
            if against_brute_force {
                let fewest = fewest_segments(board, query).map(|segments| segments as usize);
                assert_eq!(found, fewest, "{}", context());
            }
            queries += 1;
        }
    }
    queries
}

#[test]
fn the_solver_agrees_with_brute_force_on_boards_of_moderate_size() {
    let families = "small random edge narrow trap ring spaces neighbours impossible many";
    for family in families.split(' ') {
        let many = if family == "small" { 1_000 } else { 6 };
        let queries: usize = seeds(many).map(|seed| check(family, seed, true)).sum();
        assert!(queries > 20, "{family}: only {queries} queries");
    }
}

#[test]
fn the_referee_confirms_every_path_on_the_largest_boards() {
    for shape in ["open", "random", "maze", "winding", "stairs"] {
        let family = format!("worst-{shape}");
        for seed in seeds(4) {
            check(&family, seed, false);
        }
        let mut input = generate::generate(&family, 1).unwrap();
        // Brute force takes its time here.
        input.boards[0].queries.truncate(1);
        assert_eq!(check_input(&input, true, &family), 1);
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
            let (from, to) = (*two[0], *two[1]);
            board.queries.push(Query { from, to });
        }
        check_input(&board.into(), false, &format!("holes {seed}"));
    }
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
fn known_answers() {
    let two = "1 1\n \n0 0 0 0\n1 1\nX\n0 0 0 0\n0 0\n";
    // Neighbours and lines cost one segment.
    let row = "5 1\nXX  X\n1 1 2 1\n2 1 1 1\n2 1 5 1\n1 1 5 1\n0 0 0 0\n0 0\n";
    let of_row = "Board #1:\nPair 1: 1 segments.\nPair 2: 1 segments.\nPair 3: 1 segments.\nPair 4: 3 segments.\n\n";
    for (input, answer) in [
        ("0 0\n", ""),
        (two, "Board #1:\n\nBoard #2:\n\n"),
        (row, of_row),
    ] {
        let answered = find("thegame").unwrap().answer(input.as_bytes()).unwrap();
        assert_eq!(String::from_utf8_lossy(&answered), answer);
    }
}

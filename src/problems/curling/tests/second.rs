//! The second opinion against the solver and the brute force, and against programs that get a rule
//! wrong.

use std::fmt::Write as _;

use super::super::board::{Board, Instance};
use super::super::player;
use super::super::{Curling, generate};
use super::brute;
use super::{MISTAKES, draw};
use crate::problems::Problem;
use crate::util::tests::trials::seeds;

/// What a program prints that finds these least numbers of throws.
fn printed(throws: impl Iterator<Item = Option<usize>>) -> String {
    throws.fold(String::new(), |mut text, throws| {
        let _ = match throws {
            Some(throws) => writeln!(text, "{throws}"),
            None => writeln!(text, "-1"),
        };
        text
    })
}

fn second(boards: &[Board]) -> String {
    let boards = boards.to_vec();
    String::from_utf8(player::second_opinion(&Instance { boards })).unwrap()
}

#[test]
fn agrees_with_brute_force_on_small_boards() {
    let boards: Vec<Board> = (0..6_000).map(|seed| draw(seed, 6, 70)).collect();
    let larger = (0..200).map(|seed| draw(seed, 20, 30));
    let boards: Vec<Board> = boards.into_iter().chain(larger).collect();
    for (index, board) in boards.iter().enumerate() {
        let expected = printed([brute::least_throws(board)].into_iter());
        let got = second(std::slice::from_ref(board));
        assert_eq!(got, expected, "board {index}: {board:?}");
    }
}

#[test]
fn agrees_with_the_solver_on_every_family() {
    for family in generate::FAMILIES {
        for seed in seeds(1) {
            let mut instance = generate::generate(family.name, seed).unwrap();
            // A hundred of the worst boards take longer than all others together.
            instance.boards.truncate(8);
            assert_eq!(
                player::second_opinion(&instance),
                Curling.answer(&instance),
                "{} seed {seed}",
                family.name
            );
        }
    }
}

#[test]
fn differs_from_every_known_mistake() {
    for (family, mistake) in MISTAKES {
        for seed in 0..4 {
            let boards = generate::generate(family, seed).unwrap().boards;
            // Boards on which the wrong player gives up say nothing.
            let answered: Vec<(Board, Option<usize>)> = boards
                .into_iter()
                .filter_map(|board| {
                    let wrong = player::answer(&board, Some(mistake))?;
                    Some((board, wrong))
                })
                .collect();
            let (boards, wrong): (Vec<Board>, Vec<Option<usize>>) = answered.into_iter().unzip();
            assert_ne!(
                second(&boards),
                printed(wrong.into_iter()),
                "{family} seed {seed}: {mistake:?} is not noticed"
            );
        }
    }
}

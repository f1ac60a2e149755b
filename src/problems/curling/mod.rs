//! Curling 2.0 (POJ 3009, ICPC Asia Tokyo 2006): the least number of throws that bring a stone to
//! the goal.
//!
//! The stone rests on the start. From rest it is thrown in one of four directions, unless the next
//! cell that way is a block. It slides until it would enter a block (it stops on the cell before,
//! and the block vanishes for good), leaves the board (the attempt fails) or is on the goal (done,
//! also when it was only passing). At most ten throws.
//!
//! An input is up to 100 boards, each `w h` and h rows of w numbers (0 free, 1 block, 2 start, 3
//! goal), then `0 0`.
//! The answer is one number per board, or -1.
//!
//! Forgiven and noted: CRLF, spaces at the end of a line, a missing final newline, empty lines at
//! the end.

pub mod board;
mod draw;
pub mod generate;
pub mod player;
mod rules;
mod smaller;
pub mod solve;

#[cfg(test)]
mod tests;

use std::fmt::Write as _;

use super::{Extras, Family, InputError, Parsed, Problem};
use crate::util::words::amount;
use board::{DATASETS_MAX, Instance, THROWS_MAX};
use solve::solve;

/// The built-in problem `curling`.
#[derive(Debug, Clone, Copy)]
pub struct Curling;

impl Problem for Curling {
    type Instance = Instance;

    const SLUG: &'static str = "curling";
    const FAMILIES: &'static [Family] = &generate::FAMILIES;
    const VALIDATOR: Option<&'static str> = Some(concat!(
        include_str!("../validate.py"),
        include_str!("validate.py")
    ));
    const EXTRAS: Extras<Instance> = Extras {
        second_opinion: Some(player::second_opinion),
        witness: Some(witness),
        shrink: smaller::candidates,
        cases: |instance| {
            let lines = 1..=instance.boards.len();
            lines.map(|line| line..line + 1).collect()
        },
        cut: |instance, case| {
            let board = instance.boards.get(case)?.clone();
            let title = format!("dataset {} of {}", case + 1, instance.boards.len());
            Some((title, board.into()))
        },
        prefix: |instance, cases| {
            let boards = instance.boards.get(..cases)?.to_vec();
            (!boards.is_empty()).then_some(Instance { boards })
        },
        cells: Some(|instance| {
            let boards = instance.boards.iter();
            boards.map(|board| board.width() * board.height()).sum()
        }),
        small: |cells| Some(Box::new(smaller::small(cells)?.map(Instance::from))),
        joined: |instances| {
            let boards = instances.iter().flat_map(|one| one.boards.clone());
            let boards: Vec<_> = boards.collect();
            (boards.len() <= DATASETS_MAX).then_some(Instance { boards })
        },
        mutants: &rules::MUTANTS,
        misread: &rules::MISREAD,
        quantities: &rules::QUANTITIES,
        draw: |instance, prefix| match &instance.boards[..] {
            [board] => Some(draw::draw(board, solve(board).as_deref(), prefix)),
            _ => None,
        },
        ..Extras::NONE
    };

    fn parse(&self, input: &[u8]) -> Result<Parsed<Instance>, InputError> {
        Instance::parse(input)
    }

    fn render(&self, instance: &Instance) -> Vec<u8> {
        instance.render()
    }

    fn answer(&self, instance: &Instance) -> Vec<u8> {
        let lines = instance.boards.iter().map(|board| match solve(board) {
            Some(throws) => format!("{}\n", throws.len()),
            None => "-1\n".to_owned(),
        });
        lines.collect::<String>().into_bytes()
    }

    fn generate(&self, family: &str, seed: u64) -> Option<Instance> {
        generate::generate(family, seed)
    }
}

fn witness(instance: &Instance) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    for (number, board) in (1..).zip(&instance.boards) {
        let (width, height) = (board.width(), board.height());
        let _ = write!(text, "dataset {number} ({width} x {height}): ");
        let game = solve(board);
        let _ = match &game {
            Some(throws) => writeln!(text, "{}", amount(throws.len(), "throw")),
            None => writeln!(
                text,
                "no game of at most {THROWS_MAX} throws ends on the goal"
            ),
        };
        for (number, throw) in (1..).zip(game.iter().flatten()) {
            let _ = writeln!(text, "  {number}. {throw}");
        }
    }
    text
}

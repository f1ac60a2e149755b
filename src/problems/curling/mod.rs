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

mod bent;
pub mod board;
mod draw;
pub mod generate;
mod ladder;
mod misread;
pub mod mistakes;
mod second;
pub mod shrink;
mod small;
pub mod solve;

#[cfg(test)]
mod tests;

use std::fmt::Write as _;
use std::ops::Range;

use super::{Bent, Drawing, Family, InputError, Ladder, Misread, Parsed, Problem, Quantity};
use crate::util::words::amount;
use board::{DATASETS_MAX, Instance, THROWS_MAX};
use solve::solve;

/// The built-in problem `curling`.
#[derive(Debug, Clone, Copy)]
pub struct Curling;

impl Problem for Curling {
    type Instance = Instance;

    const SLUG: &'static str = "curling";

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

    fn second_opinion(&self, instance: &Instance) -> Option<Vec<u8>> {
        Some(second::answer(instance))
    }

    fn witness(&self, instance: &Instance) -> Option<String> {
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
        Some(text)
    }

    fn families(&self) -> &'static [Family] {
        &generate::FAMILIES
    }

    fn generate(&self, family: &str, seed: u64) -> Option<Instance> {
        generate::generate(family, seed)
    }

    fn shrink(&self, instance: &Instance) -> Vec<Instance> {
        shrink::candidates(instance)
    }

    fn cases(&self, instance: &Instance) -> Vec<Range<usize>> {
        (1..=instance.boards.len())
            .map(|line| line..line + 1)
            .collect()
    }

    fn cut(&self, instance: &Instance, case: usize) -> Option<(String, Instance)> {
        let board = instance.boards.get(case)?.clone();
        let title = format!("dataset {} of {}", case + 1, instance.boards.len());
        let boards = vec![board];
        Some((title, Instance { boards }))
    }

    fn prefix(&self, instance: &Instance, cases: usize) -> Option<Instance> {
        let boards = instance.boards.get(..cases)?.to_vec();
        (!boards.is_empty()).then_some(Instance { boards })
    }

    fn cells(&self, instance: &Instance) -> Option<usize> {
        let boards = instance.boards.iter();
        Some(boards.map(|board| board.width() * board.height()).sum())
    }

    fn small(&self, cells: usize) -> Option<Box<dyn Iterator<Item = Instance>>> {
        let boards = small::boards(cells)?;
        let alone = |board| Instance {
            boards: vec![board],
        };
        Some(Box::new(boards.map(alone)))
    }

    fn joined(&self, instances: &[Instance]) -> Option<Instance> {
        let boards = instances.iter().flat_map(|one| one.boards.clone());
        let boards: Vec<_> = boards.collect();
        (boards.len() <= DATASETS_MAX).then_some(Instance { boards })
    }

    fn bent(&self) -> &'static [Bent<Instance>] {
        &bent::BENT
    }

    fn misread(&self) -> &'static [Misread<Instance>] {
        &misread::MISREAD
    }

    fn quantities(&self) -> &'static [Quantity<Instance>] {
        &bent::QUANTITIES
    }

    fn ladders(&self) -> &'static [Ladder] {
        &ladder::LADDERS
    }

    fn rung(&self, ladder: usize, size: u16) -> Option<Instance> {
        ladder::rung(ladder, size)
    }

    fn draw(&self, instance: &Instance, drawing: &mut Drawing) {
        if let [board] = &instance.boards[..] {
            draw::draw(board, solve(board).as_deref(), drawing);
        }
    }
}

//! Coloured Regions: two players repaint their regions of a board until the regions touch; how few
//! moves can that take?
//!
//! The first player owns the region of the top left cell, the second that of the bottom right cell.
//! They move in turn, and a move repaints the mover's whole region in one of six colours,
//! so that adjacent regions of that colour become part of it.
//!
//! The answer is the distance between the two regions in the graph of adjacent regions, minus one.
//! - A move lessens that distance by at most one: every region that it joins was a neighbour of the
//!   mover's.
//! - On a shortest chain of regions each player can take, from their own end, the next region of the
//!   chain with one move, so the player whose turn it is can lessen the distance by one.
//! - The regions touch when the distance is one.
//!
//! The tests hold this against the game itself, played out on the board.

mod board;
mod draw;
mod generate;
mod map;
mod rules;
mod second;
mod smaller;
mod solve;

#[cfg(test)]
mod tests;

use super::{Extras, Family, InputError, Parsed, Problem};

pub use board::Board;
use solve::solve;

/// Coloured Regions.
#[derive(Debug, Clone, Copy)]
pub struct Regions;

impl Problem for Regions {
    type Instance = Board;

    const SLUG: &'static str = "regions";
    const FAMILIES: &'static [Family] = &generate::FAMILIES;
    const VALIDATOR: Option<&'static str> = Some(concat!(
        include_str!("../validate.py"),
        include_str!("validate.py")
    ));
    const EXTRAS: Extras<Board> = Extras {
        second_opinion: Some(second::answer),
        witness: Some(|board| solve(board).to_string()),
        shrink: smaller::candidates,
        // The answer has one line, so an input is one case.
        cases: |_| std::iter::once(1..2).collect(),
        cut: |board, case| (case == 0).then(|| ("the board".to_owned(), board.clone())),
        cells: Some(|board| board.cells().len()),
        small: |cells| Some(Box::new(smaller::small(cells, false)?)),
        also_small: |cells| Box::new(smaller::small(cells, true).into_iter().flatten()),
        mutants: &rules::MUTANTS,
        misread: &rules::MISREAD,
        quantities: &rules::QUANTITIES,
        draw: |board, prefix| Some(draw::draw(board, &solve(board), prefix)),
        ..Extras::NONE
    };

    fn parse(&self, input: &[u8]) -> Result<Parsed<Board>, InputError> {
        board::parse(input)
    }

    fn render(&self, board: &Board) -> Vec<u8> {
        board.render()
    }

    fn answer(&self, board: &Board) -> Vec<u8> {
        format!("{}\n", solve(board).moves.len()).into_bytes()
    }

    fn generate(&self, family: &str, seed: u64) -> Option<Board> {
        generate::generate(family, seed)
    }
}

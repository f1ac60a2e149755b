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
//! - On a shortest chain of regions each player can take, from his own end, the next region of the
//!   chain with one move,
//!   so whoever's turn it is can lessen the distance by one.
//! - The regions touch when the distance is one.
//!
//! The tests hold this against the game itself, played out on the board.

mod bent;
mod board;
mod draw;
mod generate;
mod ladder;
mod map;
mod misread;
mod second;
mod shrink;
mod small;
mod solve;

#[cfg(test)]
mod tests;

use std::ops::Range;

use super::{Bent, Drawing, Family, InputError, Ladder, Misread, Parsed, Problem, Quantity};

pub use board::Board;
use solve::solve;

/// Coloured Regions.
#[derive(Debug, Clone, Copy)]
pub struct Regions;

impl Problem for Regions {
    type Instance = Board;

    const SLUG: &'static str = "regions";

    fn parse(&self, input: &[u8]) -> Result<Parsed<Board>, InputError> {
        board::parse(input)
    }

    fn render(&self, board: &Board) -> Vec<u8> {
        board.render()
    }

    fn answer(&self, board: &Board) -> Vec<u8> {
        format!("{}\n", solve(board).moves.len()).into_bytes()
    }

    fn second_opinion(&self, board: &Board) -> Option<Vec<u8>> {
        Some(second::answer(board))
    }

    fn witness(&self, board: &Board) -> Option<String> {
        Some(solve(board).to_string())
    }

    fn families(&self) -> &'static [Family] {
        &generate::FAMILIES
    }

    fn generate(&self, family: &str, seed: u64) -> Option<Board> {
        generate::generate(family, seed)
    }

    fn shrink(&self, board: &Board) -> Vec<Board> {
        shrink::candidates(board)
    }

    // The answer has one line, so an input is one case.
    fn cases(&self, _board: &Board) -> Vec<Range<usize>> {
        std::iter::once(1..2).collect()
    }

    fn cut(&self, board: &Board, case: usize) -> Option<(String, Board)> {
        (case == 0).then(|| ("the board".to_owned(), board.clone()))
    }

    fn cells(&self, board: &Board) -> Option<usize> {
        Some(board.cells().len())
    }

    fn small(&self, cells: usize) -> Option<Box<dyn Iterator<Item = Board>>> {
        Some(Box::new(small::boards(cells)?))
    }

    fn also_small(&self, cells: usize) -> Box<dyn Iterator<Item = Board>> {
        Box::new(small::spaced(cells))
    }

    fn bent(&self) -> &'static [Bent<Board>] {
        &bent::BENT
    }

    fn misread(&self) -> &'static [Misread<Board>] {
        &misread::MISREAD
    }

    fn quantities(&self) -> &'static [Quantity<Board>] {
        &bent::QUANTITIES
    }

    fn ladders(&self) -> &'static [Ladder] {
        &ladder::LADDERS
    }

    fn rung(&self, ladder: usize, size: u16) -> Option<Board> {
        ladder::rung(ladder, size)
    }

    fn draw(&self, board: &Board, drawing: &mut Drawing) {
        draw::draw(board, &solve(board), drawing);
    }
}

//! The Game: join two cards of a board by a path of as few straight segments as possible.
//!
//! A path goes horizontally and vertically from card to card, touches no other card and may leave
//! the board;
//! one free ring around the board is as good as the whole plane, since any path further out can be
//! pulled in.
//! The cost of a path is its number of segments, so two neighbouring cards cost 1.
//!
//! What the parser forgives: line ends and the end of the file as everywhere, rows that lost the
//! blanks at their end (they are data: cells without a card), and blanks that a row has too many at
//! its end.

mod board;

mod cases;
mod draw;
mod forest;
mod generate;
mod hubs;
mod runs;
mod second;
mod shapes;
mod shrink;
mod side;
mod solve;
mod traps;

#[cfg(test)]
mod tests;

use std::fmt::Write;
use std::ops::Range;

use super::{Drawing, Family, InputError, Parsed, Problem};

pub use board::{Board, Input, Point, Query, SIDE_MAX};
pub use solve::{Polyline, Search};

/// The Game, as a [`Problem`].
#[derive(Debug, Clone, Copy)]
pub struct TheGame;

/// The answers to one input: for every board, for every query, the best path, or `None` where there
/// is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Solution {
    /// One entry a board, in it one entry a query.
    pub boards: Vec<Vec<Option<Polyline>>>,
}

/// Answers every query of every board.
pub fn solve(input: &Input) -> Solution {
    let boards = input
        .boards
        .iter()
        .map(|board| {
            let mut search = Search::new(board);
            let queries = board.queries.iter();
            queries.map(|&query| search.path(query)).collect()
        })
        .collect();
    Solution { boards }
}

impl Problem for TheGame {
    type Instance = Input;

    const SLUG: &'static str = "thegame";

    fn parse(&self, input: &[u8]) -> Result<Parsed<Input>, InputError> {
        board::parse(input)
    }

    fn render(&self, instance: &Input) -> Vec<u8> {
        board::render(instance)
    }

    fn answer(&self, input: &Input) -> Vec<u8> {
        layout(&solve(input), |path, line| {
            let _ = write!(line, "{} segments.", path.segments());
        })
    }

    fn second_opinion(&self, input: &Input) -> Option<Vec<u8>> {
        Some(second::answer(input))
    }

    fn witness(&self, input: &Input) -> Option<String> {
        let text = layout(&solve(input), |path, line| {
            let _ = write!(line, "{} segments: {path}", path.segments());
        });
        Some(String::from_utf8_lossy(&text).into_owned())
    }

    fn families(&self) -> &'static [Family] {
        &generate::FAMILIES
    }

    fn generate(&self, family: &str, seed: u64) -> Option<Input> {
        generate::generate(family, seed)
    }

    fn shrink(&self, instance: &Input) -> Vec<Input> {
        shrink::candidates(instance)
    }

    fn cases(&self, instance: &Input) -> Vec<Range<usize>> {
        cases::lines(instance)
    }

    fn cut(&self, instance: &Input, case: usize) -> Option<(String, Input)> {
        cases::cut(instance, case)
    }

    fn draw(&self, input: &Input, drawing: &mut Drawing) {
        if let ([board], [paths]) = (&input.boards[..], &solve(input).boards[..]) {
            let path = paths.first().and_then(Option::as_ref);
            draw::draw(board, path, drawing);
        }
    }
}

/// The frame that answers and witnesses share; `reached` words a path.
fn layout(solution: &Solution, reached: impl Fn(&Polyline, &mut String)) -> Vec<u8> {
    let mut text = String::new();
    // Writing to a string cannot fail.
    for (board, paths) in (1..).zip(&solution.boards) {
        let _ = writeln!(text, "Board #{board}:");
        for (pair, path) in (1..).zip(paths) {
            let _ = write!(text, "Pair {pair}: ");
            match path {
                Some(path) => reached(path, &mut text),
                None => text.push_str("impossible."),
            }
            text.push('\n');
        }
        text.push('\n');
    }
    text.into_bytes()
}

//! The Game: join two cards of a board by a path of as few straight segments as possible.
//!
//! A path goes horizontally and vertically from card to card, touches no other card and may leave
//! the board;
//! one free ring around the board is as good as the whole plane, since any path further out can be
//! pulled in.
//! The cost of a path is its number of segments, so two neighbouring cards cost 1.
//!
//! What the parser forgives: line ends and the end of the file as everywhere, rows that lost the
//! spaces at their end (they are data: cells without a card), and spaces that a row has too many at
//! its end.

mod bent;
mod board;

mod cases;
mod draw;
mod forest;
mod generate;
mod hubs;
mod ladder;
mod misread;
mod runs;
mod second;
mod shapes;
mod shrink;
mod side;
mod small;
mod solve;
pub mod traps;

#[cfg(test)]
mod tests;

use std::fmt::Write;
use std::ops::Range;

use super::{Bent, Drawing, Family, InputError, Ladder, Misread, Parsed, Problem, Quantity};

use board::{BOARDS_MAX, QUERIES_MAX};
pub use board::{Board, Input, Point, Query, SIDE_MAX};
pub use solve::{Polyline, Search};

/// The Game, as a [`Problem`].
#[derive(Debug, Clone, Copy)]
pub struct TheGame;

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
        layout(input, |path| format!("{} segments.", path.segments())).into_bytes()
    }

    fn second_opinion(&self, input: &Input) -> Option<Vec<u8>> {
        Some(second::answer(input))
    }

    fn witness(&self, input: &Input) -> Option<String> {
        let in_words = |path: &Polyline| format!("{} segments: {path}", path.segments());
        Some(layout(input, in_words))
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

    fn prefix(&self, instance: &Input, cases: usize) -> Option<Input> {
        cases::prefix(instance, cases)
    }

    fn cells(&self, instance: &Input) -> Option<usize> {
        let sides = |board: &Board| usize::from(board.width()) * usize::from(board.height());
        Some(instance.boards.iter().map(sides).sum())
    }

    fn small(&self, cells: usize) -> Option<Box<dyn Iterator<Item = Input>>> {
        let boards = small::boards(cells)?;
        let alone = |board| Input {
            boards: vec![board],
        };
        Some(Box::new(boards.map(alone)))
    }

    fn also_small(&self, cells: usize) -> Box<dyn Iterator<Item = Input>> {
        let alone = |board| Input {
            boards: vec![board],
        };
        Box::new(small::asked_twice(cells).map(alone))
    }

    fn joined(&self, instances: &[Input]) -> Option<Input> {
        let boards: Vec<Board> = instances
            .iter()
            .flat_map(|one| one.boards.clone())
            .collect();
        let queries: usize = boards.iter().map(|board| board.queries.len()).sum();
        (boards.len() <= BOARDS_MAX && queries <= QUERIES_MAX).then_some(Input { boards })
    }

    fn bent(&self) -> &'static [Bent<Input>] {
        &bent::BENT
    }

    fn misread(&self) -> &'static [Misread<Input>] {
        &misread::MISREAD
    }

    fn quantities(&self) -> &'static [Quantity<Input>] {
        &bent::QUANTITIES
    }

    fn ladders(&self) -> &'static [Ladder] {
        &ladder::LADDERS
    }

    fn rung(&self, ladder: usize, size: u16) -> Option<Input> {
        ladder::rung(ladder, size)
    }

    fn draw(&self, input: &Input, drawing: &mut Drawing) {
        if let [board] = &input.boards[..] {
            let query = board.queries.first();
            let path = query.and_then(|&query| Search::new(board).path(query));
            draw::draw(board, path.as_ref(), drawing);
        }
    }
}

/// The frame that answers and witnesses share.
fn layout(input: &Input, in_words: impl Fn(&Polyline) -> String) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    for (number, board) in (1..).zip(&input.boards) {
        let _ = writeln!(text, "Board #{number}:");
        let mut search = Search::new(board);
        for (number, &query) in (1..).zip(&board.queries) {
            let path = search.path(query);
            let words = path.map_or("impossible.".to_owned(), |path| in_words(&path));
            let _ = writeln!(text, "Pair {number}: {words}");
        }
        text.push('\n');
    }
    text
}

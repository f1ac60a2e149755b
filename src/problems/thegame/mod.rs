//! The Game: join two cards of a board by a path of as few straight segments as possible.
//!
//! A path goes horizontally and vertically from card to card, touches no other card and may leave
//! the board; one free ring around the board is as good as the whole plane, since any path further
//! out can be pulled in.
//! The cost of a path is its number of segments, so two neighbouring cards cost 1.
//!
//! What the parser forgives: line ends and the end of the file as everywhere, rows that lost the
//! spaces at their end (they are data: cells without a card), and spaces that a row has too many at
//! its end.

mod board;
mod draw;
mod generate;
mod rules;
mod second;
mod shapes;
mod smaller;
mod solve;
pub mod wrong;

#[cfg(test)]
mod tests;

use std::fmt::Write;

use super::{Extras, Family, InputError, Parsed, Problem};

use board::{BOARDS_MAX, Board, Input, QUERIES_MAX};
pub use solve::{Polyline, Search};

/// The Game, as a [`Problem`].
#[derive(Debug, Clone, Copy)]
pub struct TheGame;

impl Problem for TheGame {
    type Instance = Input;

    const SLUG: &'static str = "thegame";
    const FAMILIES: &'static [Family] = &generate::FAMILIES;
    const VALIDATOR: Option<&'static str> = Some(concat!(
        include_str!("../validate.py"),
        include_str!("validate.py")
    ));
    const EXTRAS: Extras<Input> = Extras {
        second_opinion: Some(second::answer),
        witness: Some(|input| {
            let in_words = |path: &Polyline| format!("{} segments: {path}", path.segments());
            layout(input, in_words)
        }),
        shrink: smaller::candidates,
        cases: smaller::cases,
        cut: smaller::cut,
        prefix: smaller::prefix,
        cells: Some(|input| input.boards.iter().map(|board| board.cells().count()).sum()),
        small: |cells| Some(Box::new(smaller::small(cells)?.map(Input::from))),
        also_small: |cells| Box::new(smaller::asked_twice(cells).map(Input::from)),
        carrying: |cells| Box::new(smaller::carrying(cells)),
        joined,
        mutants: &rules::MUTANTS,
        misread: &rules::MISREAD,
        quantities: &rules::QUANTITIES,
        draw: |input, prefix| match &input.boards[..] {
            [board] => {
                let query = board.queries.first();
                let path = query.and_then(|&query| Search::new(board).path(query));
                Some(draw::draw(board, path.as_ref(), prefix))
            }
            _ => None,
        },
    };

    fn parse(&self, input: &[u8]) -> Result<Parsed<Input>, InputError> {
        board::parse(input)
    }

    fn render(&self, instance: &Input) -> Vec<u8> {
        board::render(instance)
    }

    fn answer(&self, input: &Input) -> Vec<u8> {
        layout(input, |path| format!("{} segments.", path.segments())).into_bytes()
    }

    fn generate(&self, family: &str, seed: u64) -> Option<Input> {
        generate::generate(family, seed)
    }
}

fn joined(instances: &[Input]) -> Option<Input> {
    let boards = instances.iter().flat_map(|one| one.boards.clone());
    let boards: Vec<Board> = boards.collect();
    let queries: usize = boards.iter().map(|board| board.queries.len()).sum();
    (boards.len() <= BOARDS_MAX && queries <= QUERIES_MAX).then_some(Input { boards })
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

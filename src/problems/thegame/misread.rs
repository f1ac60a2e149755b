//! How programs misread boards and queries.

use super::board::{Board, Input, Point, Query, render};
use crate::problems::{Misread, with_turned_head};

/// What ends an input.
const END: &[u8] = b"0 0\n";

fn turned(point: Point) -> Point {
    Point {
        x: point.y,
        y: point.x,
    }
}

/// The same with rows before columns in queries.
fn with_turned_queries(input: &Input) -> Input {
    let mut input = input.clone();
    for query in input.boards.iter_mut().flat_map(|board| &mut board.queries) {
        *query = Query {
            from: turned(query.from),
            to: turned(query.to),
        };
    }
    input
}

/// One board, without the end of the input.
fn alone(board: &Board) -> Vec<u8> {
    let boards = vec![board.clone()];
    let mut text = render(&Input { boards });
    text.truncate(text.len() - END.len());
    text
}

fn with_turned_sides(input: &Input) -> Vec<u8> {
    let boards = input.boards.iter();
    let mut all: Vec<u8> = boards
        .flat_map(|board| with_turned_head(&alone(board)))
        .collect();
    all.extend(END);
    all
}

/// Dots in place of the spaces in rows.
fn dotted(input: &Input) -> Vec<u8> {
    let text = render(input);
    let is_row = |line: &[u8]| !line.iter().any(u8::is_ascii_digit);
    let mut all = Vec::with_capacity(text.len());
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        let dot = |&byte: &u8| if byte == b' ' { b'.' } else { byte };
        if is_row(line) {
            all.extend(line.iter().map(dot));
        } else {
            all.extend(line);
        }
    }
    all
}

pub(super) const MISREAD: [Misread<Input>; 5] = [
    Misread {
        name: "sides-swapped",
        summary: "Width and height are read in the wrong order.",
        written: with_turned_sides,
    },
    Misread {
        name: "rows-before-columns",
        summary: "In queries, x and y are read in the wrong order.",
        written: |input| render(&with_turned_queries(input)),
    },
    Misread {
        name: "all-swapped",
        summary: "Width and height are read in the wrong order, and so are x and y in queries.",
        written: |input| with_turned_sides(&with_turned_queries(input)),
    },
    Misread {
        name: "spaces-skipped",
        summary: "Spaces in rows are lost when rows are read; they are free cells.",
        written: dotted,
    },
    Misread {
        name: "end-not-seen",
        summary: "The last line `0 0` is not taken for the end of the input.",
        written: |input| input.boards.iter().flat_map(alone).collect(),
    },
];

//! The rules of the statement, each bent in one way, and the bounds of what an input has.

mod search;

use std::fmt::Write as _;

use super::board::{BOARDS_MAX, Board, Input, Point, QUERIES_MAX, Query, SIDE_MAX};
use super::traps::{Mistake, wrong_segments};
use crate::problems::{Bent, Quantity};
use search::{CELLS_MAX, RIGHT, Rules, right, searched};

/// How an answer is laid out.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a rule of its own, bent or not"
)]
#[derive(Clone, Copy)]
struct Layout {
    first_board: usize,
    pairs_go_on: bool,
    skips_boards_without_queries: bool,
    line_after_pair: bool,
    line_after_board: bool,
    /// What a path is called, by its cost.
    words: fn(Option<usize>) -> String,
}

const PLAIN: Layout = Layout {
    first_board: 1,
    pairs_go_on: false,
    skips_boards_without_queries: false,
    line_after_pair: false,
    line_after_board: true,
    words,
};

fn words(cost: Option<usize>) -> String {
    cost.map_or("impossible.".to_owned(), |cost| format!("{cost} segments."))
}

fn laid_out(answers: &[Vec<Option<usize>>], layout: Layout) -> Vec<u8> {
    let mut text = String::new();
    let mut pair = 0;
    let mut board = layout.first_board;
    for costs in answers {
        if costs.is_empty() && layout.skips_boards_without_queries {
            continue;
        }
        // Writing to a string cannot fail.
        let _ = writeln!(text, "Board #{board}:");
        board += 1;
        if !layout.pairs_go_on {
            pair = 0;
        }
        for &cost in costs {
            pair += 1;
            let _ = writeln!(text, "Pair {pair}: {}", (layout.words)(cost));
            if layout.line_after_pair {
                text.push('\n');
            }
        }
        if layout.line_after_board {
            text.push('\n');
        }
    }
    text.into_bytes()
}

fn by(input: &Input, rules: Rules) -> Vec<u8> {
    laid_out(&searched(input, rules), PLAIN)
}

fn as_laid_out(input: &Input, layout: Layout) -> Vec<u8> {
    laid_out(&right(input), layout)
}

fn each(input: &Input, change: fn(&Board, Query, Option<usize>) -> Option<usize>) -> Vec<u8> {
    let mut answers = right(input);
    for (board, costs) in input.boards.iter().zip(&mut answers) {
        for (&query, cost) in board.queries.iter().zip(costs) {
            *cost = change(board, query, *cost);
        }
    }
    laid_out(&answers, PLAIN)
}

fn marked(input: &Input, mistake: Mistake) -> Vec<u8> {
    let mut left = CELLS_MAX;
    let mut answers = right(input);
    for (board, costs) in input.boards.iter().zip(&mut answers) {
        for (&query, cost) in board.queries.iter().zip(costs) {
            let cells = board.cells().count();
            if cells <= left {
                left -= cells;
                *cost = wrong_segments(board, query, mistake, 0);
            }
        }
    }
    laid_out(&answers, PLAIN)
}

fn swapped(input: &Input) -> Vec<u8> {
    let turned = |point: Point| Point {
        x: point.y,
        y: point.x,
    };
    let mut changed = input.clone();
    for board in &mut changed.boards {
        for query in &mut board.queries {
            *query = Query {
                from: turned(query.from),
                to: turned(query.to),
            };
        }
    }
    let mut answers = searched(&changed, RIGHT);
    for (board, costs) in changed.boards.iter().zip(&mut answers) {
        for (query, cost) in board.queries.iter().zip(costs) {
            if !board.contains(query.from) || !board.contains(query.to) {
                *cost = None;
            }
        }
    }
    laid_out(&answers, PLAIN)
}

fn are_beside(query: Query) -> bool {
    query.from.x.abs_diff(query.to.x) + query.from.y.abs_diff(query.to.y) == 1
}

pub(super) const BENT: [Bent<Input>; 28] = [
    Bent {
        name: "ring-not-allowed",
        summary: "A path may not leave the board.",
        answer: |input| {
            by(
                input,
                Rules {
                    ring: [false; 4],
                    ..RIGHT
                },
            )
        },
    },
    Bent {
        name: "no-ring-on-the-left",
        summary: "A path may not leave the board on the left.",
        answer: |input| {
            by(
                input,
                Rules {
                    ring: [false, true, true, true],
                    ..RIGHT
                },
            )
        },
    },
    Bent {
        name: "no-ring-on-the-right",
        summary: "A path may not leave the board on the right.",
        answer: |input| {
            by(
                input,
                Rules {
                    ring: [true, false, true, true],
                    ..RIGHT
                },
            )
        },
    },
    Bent {
        name: "no-ring-above",
        summary: "A path may not leave the board above its first row.",
        answer: |input| {
            by(
                input,
                Rules {
                    ring: [true, true, false, true],
                    ..RIGHT
                },
            )
        },
    },
    Bent {
        name: "no-ring-below",
        summary: "A path may not leave the board below its last row.",
        answer: |input| {
            by(
                input,
                Rules {
                    ring: [true, true, true, false],
                    ..RIGHT
                },
            )
        },
    },
    Bent {
        name: "cards-do-not-block",
        summary: "A path may go through other cards.",
        answer: |input| {
            by(
                input,
                Rules {
                    through_cards: true,
                    ..RIGHT
                },
            )
        },
    },
    Bent {
        name: "diagonals",
        summary: "A path may go along the diagonals.",
        answer: |input| {
            by(
                input,
                Rules {
                    diagonals: true,
                    ..RIGHT
                },
            )
        },
    },
    Bent {
        name: "cells-not-segments",
        summary: "The cost of a path is the number of its cells, not of its segments.",
        answer: |input| {
            by(
                input,
                Rules {
                    counts_cells: true,
                    ..RIGHT
                },
            )
        },
    },
    Bent {
        name: "fewest-cells-first",
        summary: "Segments are counted on a path of as few cells as possible.",
        answer: |input| {
            by(
                input,
                Rules {
                    fewest_cells: true,
                    ..RIGHT
                },
            )
        },
    },
    Bent {
        name: "cards-are-taken-away",
        summary: "Two cards that were joined are taken away.",
        answer: |input| {
            by(
                input,
                Rules {
                    takes_away: true,
                    ..RIGHT
                },
            )
        },
    },
    Bent {
        name: "cards-of-earlier-boards",
        summary: "Cards of earlier boards still lie around a smaller board.",
        answer: |input| {
            by(
                input,
                Rules {
                    stale: true,
                    ..RIGHT
                },
            )
        },
    },
    Bent {
        name: "turns-not-segments",
        summary: "Turns are counted, not segments.",
        answer: |input| each(input, |_, _, cost| cost.map(|cost| cost - 1)),
    },
    Bent {
        name: "at-most-three",
        summary: "A path has at most three segments.",
        answer: |input| each(input, |_, _, cost| cost.filter(|&cost| cost <= 3)),
    },
    Bent {
        name: "neighbours-cost-nothing",
        summary: "Two cards side by side are joined by 0 segments.",
        answer: |input| {
            each(
                input,
                |_, query, cost| if are_beside(query) { Some(0) } else { cost },
            )
        },
    },
    Bent {
        name: "neighbours-are-not-joined",
        summary: "Two cards side by side have no path between them.",
        answer: |input| each(input, |_, query, cost| cost.filter(|_| !are_beside(query))),
    },
    Bent {
        name: "cost-in-a-byte",
        summary: "A cost of 256 segments or more starts again at 0.",
        answer: |input| each(input, |_, _, cost| cost.map(|cost| cost % 256)),
    },
    Bent {
        name: "cost-of-three-digits",
        summary: "A cost of 1000 segments or more counts as impossible.",
        answer: |input| each(input, |_, _, cost| cost.filter(|&cost| cost < 1000)),
    },
    Bent {
        name: "cell-once",
        summary: "Every cell is entered once, whatever the direction.",
        answer: |input| marked(input, Mistake::CellOnce),
    },
    Bent {
        name: "marked-in-the-queue",
        summary: "Cell and direction are marked for good when they first enter a queue.",
        answer: |input| marked(input, Mistake::QueueMarked),
    },
    Bent {
        name: "marked-in-the-heap",
        summary: "Cell and direction are marked for good when they first enter a heap.",
        answer: |input| marked(input, Mistake::HeapMarked),
    },
    Bent {
        name: "rows-before-columns",
        summary: "A query names rows before columns.",
        answer: swapped,
    },
    Bent {
        name: "boards-from-zero",
        summary: "Boards are numbered from 0.",
        answer: |input| {
            as_laid_out(
                input,
                Layout {
                    first_board: 0,
                    ..PLAIN
                },
            )
        },
    },
    Bent {
        name: "pairs-go-on",
        summary: "Pairs are not numbered anew on each board.",
        answer: |input| {
            as_laid_out(
                input,
                Layout {
                    pairs_go_on: true,
                    ..PLAIN
                },
            )
        },
    },
    Bent {
        name: "skips-boards-without-queries",
        summary: "A board without queries is neither numbered nor answered.",
        answer: |input| {
            let layout = Layout {
                skips_boards_without_queries: true,
                ..PLAIN
            };
            as_laid_out(input, layout)
        },
    },
    Bent {
        name: "no-line-after-a-board",
        summary: "No empty line follows a board.",
        answer: |input| {
            as_laid_out(
                input,
                Layout {
                    line_after_board: false,
                    ..PLAIN
                },
            )
        },
    },
    Bent {
        name: "line-after-each-pair",
        summary: "An empty line follows each pair.",
        answer: |input| {
            as_laid_out(
                input,
                Layout {
                    line_after_pair: true,
                    ..PLAIN
                },
            )
        },
    },
    Bent {
        name: "one-segment",
        summary: "A path of one segment is called `1 segment.`.",
        answer: |input| {
            let words = |cost| match cost {
                Some(1) => "1 segment.".to_owned(),
                cost => words(cost),
            };
            as_laid_out(input, Layout { words, ..PLAIN })
        },
    },
    Bent {
        name: "impossible-is-zero",
        summary: "Two cards that cannot be joined cost 0 segments.",
        answer: |input| each(input, |_, _, cost| cost.or(Some(0))),
    },
];

/// Why no test has as many boards or pairs as one input may have.
const BEYOND: &str = "it would test how fast a language reads, not the search";

fn of_boards(input: &Input, value: impl Fn(&Board) -> usize) -> Vec<usize> {
    input.boards.iter().map(value).collect()
}

pub(super) const QUANTITIES: [Quantity<Input>; 6] = [
    Quantity {
        name: "boards",
        bounds: 0..=BOARDS_MAX,
        beyond: Some(BEYOND),
        values: |input| vec![input.boards.len()],
    },
    Quantity {
        name: "width",
        bounds: 1..=SIDE_MAX as usize,
        beyond: None,
        values: |input| of_boards(input, |board| usize::from(board.width())),
    },
    Quantity {
        name: "height",
        bounds: 1..=SIDE_MAX as usize,
        beyond: None,
        values: |input| of_boards(input, |board| usize::from(board.height())),
    },
    Quantity {
        name: "cells",
        bounds: 1..=SIDE_MAX as usize * SIDE_MAX as usize,
        beyond: None,
        values: |input| of_boards(input, |board| board.cells().count()),
    },
    Quantity {
        name: "cards",
        bounds: 0..=SIDE_MAX as usize * SIDE_MAX as usize,
        beyond: None,
        values: |input| of_boards(input, |board| board.cards().len()),
    },
    Quantity {
        name: "queries of a board",
        bounds: 0..=QUERIES_MAX,
        beyond: Some(BEYOND),
        values: |input| of_boards(input, |board| board.queries.len()),
    },
];

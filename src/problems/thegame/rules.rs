//! The rules and the format of the statement as wrong programs read them, and the bounds of what an
//! input has.

use std::fmt::Write as _;

use super::board::{BOARDS_MAX, Board, Input, Point, QUERIES_MAX, Query, SIDE_MAX, render};
use super::wrong::{CELLS_MAX, Mistake, RIGHT, Rules, right, searched, wrong_segments};
use crate::problems::mutants::{Mutant, Quantity, mutant, quantity, with_turned_head};

/// How an answer is laid out.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a rule of its own, changed or not"
)]
#[derive(Clone, Copy)]
pub(super) struct Layout {
    first_board: usize,
    pairs_go_on: bool,
    skips_boards_without_queries: bool,
    line_after_pair: bool,
    line_after_board: bool,
    one_segment: bool,
}

/// As the statement has it.
pub(super) const PLAIN: Layout = Layout {
    first_board: 1,
    pairs_go_on: false,
    skips_boards_without_queries: false,
    line_after_pair: false,
    line_after_board: true,
    one_segment: false,
};

/// What a program prints that finds these costs, board by board.
pub(super) fn laid_out(answers: &[Vec<Option<usize>>], layout: Layout) -> Vec<u8> {
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
            let _ = match cost {
                Some(1) if layout.one_segment => writeln!(text, "Pair {pair}: 1 segment."),
                Some(cost) => writeln!(text, "Pair {pair}: {cost} segments."),
                None => writeln!(text, "Pair {pair}: impossible."),
            };
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

/// By a search with this rule changed.
fn by(input: &Input, change: fn(&mut Rules)) -> Vec<u8> {
    let mut rules = RIGHT;
    change(&mut rules);
    laid_out(&searched(input, rules), PLAIN)
}

/// The right costs, laid out in another way.
fn as_laid_out(input: &Input, change: fn(&mut Layout)) -> Vec<u8> {
    let mut layout = PLAIN;
    change(&mut layout);
    laid_out(&right(input), layout)
}

/// Each right cost changed.
fn each(input: &Input, change: impl Fn(&Board, Query, Option<usize>) -> Option<usize>) -> Vec<u8> {
    let mut answers = right(input);
    for (board, costs) in input.boards.iter().zip(&mut answers) {
        for (&query, cost) in board.queries.iter().zip(costs) {
            *cost = change(board, query, *cost);
        }
    }
    laid_out(&answers, PLAIN)
}

fn marked(input: &Input, mistake: Mistake) -> Vec<u8> {
    let left = std::cell::Cell::new(CELLS_MAX);
    each(input, |board, query, cost| {
        let cells = board.cells().count();
        if cells > left.get() {
            return cost;
        }
        left.set(left.get() - cells);
        wrong_segments(board, query, mistake, 0)
    })
}

/// The same with rows before columns in queries.
fn with_turned_queries(input: &Input) -> Input {
    let turned = |Point { x, y }: Point| Point { x: y, y: x };
    let mut input = input.clone();
    for query in input.boards.iter_mut().flat_map(|board| &mut board.queries) {
        *query = Query {
            from: turned(query.from),
            to: turned(query.to),
        };
    }
    input
}

fn rows_before_columns(input: &Input) -> Vec<u8> {
    let changed = with_turned_queries(input);
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

#[rustfmt::skip]
pub(super) const MUTANTS: [Mutant<Input>; 28] = [
    mutant("ring-not-allowed", "A path may not leave the board.", |input| by(input, |rules| rules.ring = [false; 4])),
    mutant("no-ring-on-the-left", "A path may not leave the board on the left.", |input| by(input, |rules| rules.ring[0] = false)),
    mutant("no-ring-on-the-right", "A path may not leave the board on the right.", |input| by(input, |rules| rules.ring[1] = false)),
    mutant("no-ring-above", "A path may not leave the board above its first row.", |input| by(input, |rules| rules.ring[2] = false)),
    mutant("no-ring-below", "A path may not leave the board below its last row.", |input| by(input, |rules| rules.ring[3] = false)),
    mutant("cards-do-not-block", "A path may go through other cards.", |input| by(input, |rules| rules.through_cards = true)),
    mutant("diagonals", "A path may go along the diagonals.", |input| by(input, |rules| rules.diagonals = true)),
    mutant("cells-not-segments", "The cost of a path is the number of its cells, not of its segments.", |input| by(input, |rules| rules.counts_cells = true)),
    mutant("fewest-cells-first", "Segments are counted on a path of as few cells as possible.", |input| by(input, |rules| rules.fewest_cells = true)),
    mutant("cards-are-taken-away", "Two cards that were joined are taken away.", |input| by(input, |rules| rules.takes_away = true)),
    mutant("cards-of-earlier-boards", "Cards of earlier boards still lie around a smaller board.", |input| by(input, |rules| rules.stale = true)),
    mutant("turns-not-segments", "Turns are counted, not segments.", |input| each(input, |_, _, cost| cost.map(|cost| cost - 1))),
    mutant("at-most-three", "A path has at most three segments.", |input| each(input, |_, _, cost| cost.filter(|&cost| cost <= 3))),
    mutant("neighbours-cost-nothing", "Two cards side by side are joined by 0 segments.", |input| each(input, |_, query, cost| if are_beside(query) { Some(0) } else { cost })),
    mutant("neighbours-are-not-joined", "Two cards side by side have no path between them.", |input| each(input, |_, query, cost| cost.filter(|_| !are_beside(query)))),
    mutant("cost-in-a-byte", "A cost of 256 segments or more starts again at 0.", |input| each(input, |_, _, cost| cost.map(|cost| cost % 256))),
    mutant("cost-of-three-digits", "A cost of 1000 segments or more counts as impossible.", |input| each(input, |_, _, cost| cost.filter(|&cost| cost < 1000))),
    mutant("cell-once", "Every cell is entered once, whatever the direction.", |input| marked(input, Mistake::CellOnce)),
    mutant("marked-in-the-queue", "Cell and direction are marked for good when they first enter a queue.", |input| marked(input, Mistake::QueueMarked)),
    mutant("marked-in-the-heap", "Cell and direction are marked for good when they first enter a heap.", |input| marked(input, Mistake::HeapMarked)),
    mutant("rows-before-columns", "A query names rows before columns.", rows_before_columns),
    mutant("boards-from-zero", "Boards are numbered from 0.", |input| as_laid_out(input, |layout| layout.first_board = 0)),
    mutant("pairs-go-on", "Pairs are not numbered anew on each board.", |input| as_laid_out(input, |layout| layout.pairs_go_on = true)),
    mutant("skips-boards-without-queries", "A board without queries is neither numbered nor answered.", |input| as_laid_out(input, |layout| layout.skips_boards_without_queries = true)),
    mutant("no-line-after-a-board", "No empty line follows a board.", |input| as_laid_out(input, |layout| layout.line_after_board = false)),
    mutant("line-after-each-pair", "An empty line follows each pair.", |input| as_laid_out(input, |layout| layout.line_after_pair = true)),
    mutant("one-segment", "A path of one segment is called `1 segment.`.", |input| as_laid_out(input, |layout| layout.one_segment = true)),
    mutant("impossible-is-zero", "Two cards that cannot be joined cost 0 segments.", |input| each(input, |_, _, cost| cost.or(Some(0)))),
];

/// What ends an input.
const END: &[u8] = b"0 0\n";

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
    let mut text = render(input);
    for line in text.split_mut(|&byte| byte == b'\n') {
        if !line.iter().any(u8::is_ascii_digit) {
            for space in line.iter_mut().filter(|byte| **byte == b' ') {
                *space = b'.';
            }
        }
    }
    text
}

#[rustfmt::skip]
pub(super) const MISREAD: [Mutant<Input>; 5] = [
    mutant("sides-swapped", "Width and height are read in the wrong order.", with_turned_sides),
    mutant("rows-before-columns", "In queries, x and y are read in the wrong order.", |input| render(&with_turned_queries(input))),
    mutant("all-swapped", "Width and height are read in the wrong order, and so are x and y in queries.", |input| with_turned_sides(&with_turned_queries(input))),
    mutant("spaces-skipped", "Spaces in rows are lost when rows are read; they are free cells.", dotted),
    mutant("end-not-seen", "The last line `0 0` is not taken for the end of the input.", |input| input.boards.iter().flat_map(alone).collect()),
];

/// Why no test has as many boards or pairs as one input may have.
const BEYOND: &str = "it would test how fast a language reads, not the search";
const SIDE: usize = SIDE_MAX as usize;

fn of_boards(input: &Input, value: impl Fn(&Board) -> usize) -> Vec<usize> {
    input.boards.iter().map(value).collect()
}

#[rustfmt::skip]
pub(super) const QUANTITIES: [Quantity<Input>; 6] = [
    quantity("boards", 0..=BOARDS_MAX, |input: &Input| vec![input.boards.len()]).beyond(BEYOND),
    quantity("width", 1..=SIDE, |input| of_boards(input, |board| board.width().into())),
    quantity("height", 1..=SIDE, |input| of_boards(input, |board| board.height().into())),
    quantity("cells", 1..=SIDE * SIDE, |input| of_boards(input, |board| board.cells().count())),
    quantity("cards", 0..=SIDE * SIDE, |input| of_boards(input, |board| board.cards().len())),
    quantity("queries of a board", 0..=QUERIES_MAX, |input: &Input| of_boards(input, |board| board.queries.len())).beyond(BEYOND),
];

//! The rules of the statement, each bent in one way, and the bounds of what an input has.

use super::board::{
    Board, DATASETS_MAX, HEIGHT_MAX, HEIGHT_MIN, Instance, Square, THROWS_MAX, WIDTH_MAX, WIDTH_MIN,
};
use super::mistakes::{self, Mistake};
use super::solve::solve;
use crate::problems::{Bent, Quantity};

/// The least number of throws on each board, one line each.
fn lines(answers: impl Iterator<Item = Option<usize>>, hopeless: &str) -> Vec<u8> {
    let line = |answer: Option<usize>| match answer {
        Some(throws) => format!("{throws}\n"),
        None => format!("{hopeless}\n"),
    };
    answers.map(line).collect::<String>().into_bytes()
}

fn right(board: &Board) -> Option<usize> {
    solve(board).map(|throws| throws.len())
}

fn by(instance: &Instance, mistake: Mistake) -> Vec<u8> {
    let one = |board| mistakes::answer(board, Some(mistake)).unwrap_or_else(|| right(board));
    lines(instance.boards.iter().map(one), "-1")
}

/// A program that takes a row `0 0` of a board for the end of the input.
fn until_zero_row(instance: &Instance) -> Vec<u8> {
    let is_whole = |board: &&Board| {
        let is_zero = |y: usize| {
            board
                .cells()
                .filter(|cell| cell.y == y)
                .all(|cell| board.square(cell) == Square::Free)
        };
        board.width() != 2 || !(0..board.height()).any(is_zero)
    };
    lines(instance.boards.iter().take_while(is_whole).map(right), "-1")
}

/// A program whose best game of one dataset bounds those of the next.
fn best_carried_over(instance: &Instance) -> Vec<u8> {
    let mut best: Option<usize> = None;
    let answers = instance.boards.iter().map(|board| {
        best = match (best, right(board)) {
            (Some(best), Some(throws)) => Some(best.min(throws)),
            (best, throws) => throws.or(best),
        };
        best
    });
    lines(answers, "-1")
}

fn each(instance: &Instance, change: fn(Option<usize>) -> Option<usize>) -> Vec<u8> {
    lines(
        instance.boards.iter().map(|board| change(right(board))),
        "-1",
    )
}

pub(super) const BENT: [Bent<Instance>; 22] = [
    Bent {
        name: "goal-only-at-rest",
        summary: "The stone has to come to rest on the goal; passing it is not enough.",
        answer: |instance| by(instance, Mistake::GoalOnlyAtRest),
    },
    Bent {
        name: "blocks-stay",
        summary: "A block that was hit does not vanish.",
        answer: |instance| by(instance, Mistake::BlocksStay),
    },
    Bent {
        name: "blocks-not-restored",
        summary: "A block that vanished in one game is missing in the next one that is tried.",
        answer: |instance| by(instance, Mistake::NotPutBack),
    },
    Bent {
        name: "block-beside-is-hit",
        summary: "A stone that rests beside a block can be thrown at it, and the block vanishes.",
        answer: |instance| by(instance, Mistake::HitsNeighbour),
    },
    Bent {
        name: "takes-the-blocks-place",
        summary: "The stone stops where the block was, not on the cell before.",
        answer: |instance| by(instance, Mistake::TakesBlocksPlace),
    },
    Bent {
        name: "edge-stops",
        summary: "The edge of the board stops the stone.",
        answer: |instance| by(instance, Mistake::EdgeStops),
    },
    Bent {
        name: "edge-wraps",
        summary: "A stone that leaves the board comes back in on the other side.",
        answer: |instance| by(instance, Mistake::EdgeWraps),
    },
    Bent {
        name: "start-stops",
        summary: "The start is not free when the stone has left it: it stops the stone like a block.",
        answer: |instance| by(instance, Mistake::StartStops),
    },
    Bent {
        name: "rests-on-start",
        summary: "A stone that slides over the start comes to rest there.",
        answer: |instance| by(instance, Mistake::RestsOnStart),
    },
    Bent {
        name: "nine-throws",
        summary: "Only nine throws are allowed.",
        answer: |instance| by(instance, Mistake::NineThrows),
    },
    Bent {
        name: "eleven-throws",
        summary: "Eleven throws are allowed.",
        answer: |instance| by(instance, Mistake::ElevenThrows),
    },
    Bent {
        name: "first-game-found",
        summary: "The first game that a depth-first search finds is taken for the shortest.",
        answer: |instance| by(instance, Mistake::FirstFound),
    },
    Bent {
        name: "rests-once",
        summary: "The stone may not rest on the same cell twice.",
        answer: |instance| by(instance, Mistake::NeverRestsTwice),
    },
    Bent {
        name: "never-same-direction",
        summary: "The stone may not be thrown in the same direction twice in a row.",
        answer: |instance| by(instance, Mistake::NeverSameDirection),
    },
    Bent {
        name: "never-back",
        summary: "The stone may not be thrown back to where it came from.",
        answer: |instance| by(instance, Mistake::NeverBack),
    },
    Bent {
        name: "diagonals",
        summary: "The stone may be thrown along the diagonals.",
        answer: |instance| by(instance, Mistake::Diagonals),
    },
    Bent {
        name: "one-cell",
        summary: "The stone moves by one cell instead of sliding.",
        answer: |instance| by(instance, Mistake::OneCell),
    },
    Bent {
        name: "hopeless-is-zero",
        summary: "The answer is 0 and not -1 where no game leads to the goal.",
        answer: |instance| lines(instance.boards.iter().map(right), "0"),
    },
    Bent {
        name: "stops-are-counted",
        summary: "What is counted is how often the stone stops on its way, not the throws.",
        answer: |instance| each(instance, |throws| throws.map(|throws| throws - 1)),
    },
    Bent {
        name: "zero-row-ends",
        summary: "A row `0 0` of a board ends the input.",
        answer: until_zero_row,
    },
    Bent {
        name: "best-carried-over",
        summary: "The best number of throws is not forgotten from one dataset to the next.",
        answer: best_carried_over,
    },
    Bent {
        name: "one-dataset",
        summary: "Only the first dataset is answered.",
        answer: |instance| lines(instance.boards.iter().take(1).map(right), "-1"),
    },
];

pub(super) const QUANTITIES: [Quantity<Instance>; 6] = [
    Quantity {
        name: "datasets",
        bounds: 0..=DATASETS_MAX,
        beyond: None,
        values: |instance| vec![instance.boards.len()],
    },
    Quantity {
        name: "width",
        bounds: WIDTH_MIN..=WIDTH_MAX,
        beyond: None,
        values: |instance| instance.boards.iter().map(Board::width).collect(),
    },
    Quantity {
        name: "height",
        bounds: HEIGHT_MIN..=HEIGHT_MAX,
        beyond: None,
        values: |instance| instance.boards.iter().map(Board::height).collect(),
    },
    Quantity {
        name: "cells",
        bounds: WIDTH_MIN * HEIGHT_MIN..=WIDTH_MAX * HEIGHT_MAX,
        beyond: None,
        values: |instance| {
            instance
                .boards
                .iter()
                .map(|board| board.cells().count())
                .collect()
        },
    },
    Quantity {
        name: "blocks",
        bounds: 0..=WIDTH_MAX * HEIGHT_MAX - 2,
        beyond: None,
        values: |instance| instance.boards.iter().map(Board::block_count).collect(),
    },
    Quantity {
        name: "throws of a game",
        bounds: 1..=THROWS_MAX,
        beyond: None,
        values: |instance| instance.boards.iter().filter_map(right).collect(),
    },
];

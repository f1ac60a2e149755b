//! The rules and the format of the statement as wrong programs read them, and the bounds of what an
//! input has.

use super::board::{
    Board, Cell, DATASETS_MAX, HEIGHT_MAX, HEIGHT_MIN, Instance, Square, THROWS_MAX, WIDTH_MAX,
    WIDTH_MIN,
};
use super::player::{self, Mistake, lines};
use super::solve::solve;
use crate::problems::mutants::{Mutant, Quantity, mutant, quantity, with_turned_head};

fn right(board: &Board) -> Option<usize> {
    solve(board).map(|throws| throws.len())
}

fn by(instance: &Instance, mistake: Mistake) -> Vec<u8> {
    let one = |board| player::answer(board, Some(mistake)).unwrap_or_else(|| right(board));
    lines(instance.boards.iter().map(one), "-1")
}

/// A program that takes a row `0 0` of a board for the end of the input.
fn until_zero_row(instance: &Instance) -> Vec<u8> {
    let is_whole = |board: &&Board| {
        let mut rows = 0..board.height();
        let is_free = |y, x| board.square(Cell::new(x, y)) == Square::Free;
        board.width() != 2 || !rows.any(|y| is_free(y, 0) && is_free(y, 1))
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

#[rustfmt::skip]
pub(super) const MUTANTS: [Mutant<Instance>; 22] = [
    mutant("goal-only-at-rest", "The stone has to come to rest on the goal; passing it is not enough.", |instance| by(instance, Mistake::GoalOnlyAtRest)),
    mutant("blocks-stay", "A block that was hit does not vanish.", |instance| by(instance, Mistake::BlocksStay)),
    mutant("blocks-not-restored", "A block that vanished in one game is missing in the next one that is tried.", |instance| by(instance, Mistake::NotPutBack)),
    mutant("block-beside-is-hit", "A stone that rests beside a block can be thrown at it, and the block vanishes.", |instance| by(instance, Mistake::HitsNeighbour)),
    mutant("takes-the-blocks-place", "The stone stops where the block was, not on the cell before.", |instance| by(instance, Mistake::TakesBlocksPlace)),
    mutant("edge-stops", "The edge of the board stops the stone.", |instance| by(instance, Mistake::EdgeStops)),
    mutant("edge-wraps", "A stone that leaves the board comes back in on the other side.", |instance| by(instance, Mistake::EdgeWraps)),
    mutant("start-stops", "The start is not free when the stone has left it: it stops the stone like a block.", |instance| by(instance, Mistake::StartStops)),
    mutant("rests-on-start", "A stone that slides over the start comes to rest there.", |instance| by(instance, Mistake::RestsOnStart)),
    mutant("nine-throws", "Only nine throws are allowed.", |instance| by(instance, Mistake::NineThrows)),
    mutant("eleven-throws", "Eleven throws are allowed.", |instance| by(instance, Mistake::ElevenThrows)),
    mutant("first-game-found", "The first game that a depth-first search finds is taken for the shortest.", |instance| by(instance, Mistake::FirstFound)),
    mutant("rests-once", "The stone may not rest on the same cell twice.", |instance| by(instance, Mistake::NeverRestsTwice)),
    mutant("never-same-direction", "The stone may not be thrown in the same direction twice in a row.", |instance| by(instance, Mistake::NeverSameDirection)),
    mutant("never-back", "The stone may not be thrown back to where it came from.", |instance| by(instance, Mistake::NeverBack)),
    mutant("diagonals", "The stone may be thrown along the diagonals.", |instance| by(instance, Mistake::Diagonals)),
    mutant("one-cell", "The stone moves by one cell instead of sliding.", |instance| by(instance, Mistake::OneCell)),
    mutant("hopeless-is-zero", "The answer is 0 and not -1 where no game leads to the goal.", |instance| lines(instance.boards.iter().map(right), "0")),
    mutant("stops-are-counted", "What is counted is how often the stone stops on its way, not the throws.", |instance| lines(instance.boards.iter().map(|board| right(board).map(|throws| throws - 1)), "-1")),
    mutant("zero-row-ends", "A row `0 0` of a board ends the input.", until_zero_row),
    mutant("best-carried-over", "The best number of throws is not forgotten from one dataset to the next.", best_carried_over),
    mutant("one-dataset", "Only the first dataset is answered.", |instance| lines(instance.boards.iter().take(1).map(right), "-1")),
];

fn text(board: &Board) -> Vec<u8> {
    let mut text = Vec::new();
    board.render(&mut text);
    text
}

fn sides_swapped(instance: &Instance) -> Vec<u8> {
    let boards = instance.boards.iter();
    let turned = boards.flat_map(|board| with_turned_head(&text(board)));
    turned.chain(*b"0 0\n").collect()
}

#[rustfmt::skip]
pub(super) const MISREAD: [Mutant<Instance>; 2] = [
    mutant("sides-swapped", "Width and height are read in the wrong order.", sides_swapped),
    mutant("end-not-seen", "The last line `0 0` is not taken for the end of the input.", |instance| instance.boards.iter().flat_map(text).collect()),
];

fn of_boards(instance: &Instance, value: fn(&Board) -> usize) -> Vec<usize> {
    instance.boards.iter().map(value).collect()
}

#[rustfmt::skip]
pub(super) const QUANTITIES: [Quantity<Instance>; 6] = [
    quantity("datasets", 0..=DATASETS_MAX, |instance| vec![instance.boards.len()]),
    quantity("width", WIDTH_MIN..=WIDTH_MAX, |instance| of_boards(instance, Board::width)),
    quantity("height", HEIGHT_MIN..=HEIGHT_MAX, |instance| of_boards(instance, Board::height)),
    quantity("cells", WIDTH_MIN * HEIGHT_MIN..=WIDTH_MAX * HEIGHT_MAX, |instance| of_boards(instance, |board| board.width() * board.height())),
    quantity("blocks", 0..=WIDTH_MAX * HEIGHT_MAX - 2, |instance| of_boards(instance, Board::block_count)),
    quantity("throws of a game", 1..=THROWS_MAX, |instance| instance.boards.iter().filter_map(right).collect()),
];

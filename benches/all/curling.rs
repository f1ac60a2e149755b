//! The curling solver against a plain depth-first search.
//!
//! - `hardest`: the 100 boards of the family `worst`, 20 x 20, found by hill climbing; none has a
//!   game of ten throws.
//! - `answered`: 100 boards of other families that do have one.
//!
//! The baseline is what a careful student writes: one board, changed and restored, ten throws at
//! most, pruned at the best game so far.
//! Both run on every board in full; nothing is capped. Both must find the same number of throws.

use verdictd::internals::curling::{Board, Cell, Square, THROWS_MAX, generate, hardest, solve};

use crate::common::{Pair, Row, Size, by_ratio, median_time, medians};

pub const NAME: &str = "curling";

/// How often a board is solved; the median counts.
const RUNS: usize = 9;
/// The same for the plain search, which takes ten times as long.
const PLAIN_RUNS: usize = 3;
/// Boards of each kind.
const BOARDS: usize = 100;
const BOARDS_SMALL: usize = 2;
/// Families of boards that have games, long ones among them.
const ANSWERED: [&str; 6] = ["deep", "ten", "lines", "shortest", "put-back", "revisit"];
/// Seeds per family that are searched for them.
const SEEDS: u64 = 100;
/// The part of the plain search's time that all hardest boards may take.
const RATIO_MAX: f64 = 0.2;
/// What the slowest board may take, in milliseconds.
const SLOWEST_MS_MAX: f64 = 5.0;

pub fn rows(size: Size) -> Vec<Row> {
    let count = size.pick(BOARDS, BOARDS_SMALL);
    let mut hardest = hardest();
    assert_eq!(hardest.len(), BOARDS, "the bench is about 100 boards");
    hardest.truncate(count);
    let hardest = measured(&hardest, size);
    let slowest = *hardest.iter().max().expect("there are boards");
    let row = |name, pair| Row::times(NAME, name, pair);
    vec![
        row("hardest, all", sums(&hardest)).ratio_at_most(RATIO_MAX),
        row("hardest, median board", medians(hardest.clone())),
        row("hardest, slowest board", slowest).at_most(SLOWEST_MS_MAX),
        row("hardest, worst ratio", by_ratio(hardest)[count - 1]),
        row("answered, all", sums(&measured(&answered(count), size))),
    ]
}

/// Boards for which the plain search finds a game.
fn answered(count: usize) -> Vec<Board> {
    let boards = (0..SEEDS).flat_map(|seed| {
        let inputs = ANSWERED.map(|family| generate(family, seed).expect("a family"));
        inputs.into_iter().flat_map(|input| input.boards)
    });
    let boards: Vec<Board> = boards
        .filter(|board| plain_throws(board).is_some())
        .take(count)
        .collect();
    assert_eq!(boards.len(), count, "there are enough boards with a game");
    boards
}

/// The time of the solver and of the plain search, board by board. Both find the same number of
/// throws.
fn measured(boards: &[Board], size: Size) -> Vec<Pair> {
    let (runs, plain_runs) = size.pick((RUNS, PLAIN_RUNS), (1, 1));
    let measure = |board| {
        let throws = solve(board).map(|throws| throws.len());
        assert_eq!(throws, plain_throws(board), "the two disagree on {board:?}");
        (
            median_time(runs, || solve(board)),
            median_time(plain_runs, || plain_throws(board)),
        )
    };
    boards.iter().map(measure).collect()
}

fn sums(pairs: &[Pair]) -> Pair {
    let ours = pairs.iter().map(|pair| pair.0).sum();
    (ours, pairs.iter().map(|pair| pair.1).sum())
}

/// The plain search.
struct Plain {
    width: usize,
    height: usize,
    cells: [[Square; 20]; 20],
    best: usize,
}

fn plain_throws(board: &Board) -> Option<usize> {
    let mut cells = [[Square::Free; 20]; 20];
    for cell in board.cells() {
        cells[cell.y][cell.x] = board.square(cell);
    }
    let mut plain = Plain {
        width: board.width(),
        height: board.height(),
        cells,
        best: THROWS_MAX + 1,
    };
    plain.play(board.start(), 1);
    (plain.best <= THROWS_MAX).then_some(plain.best)
}

impl Plain {
    fn play(&mut self, from: Cell, throws: usize) {
        if throws > THROWS_MAX || throws >= self.best {
            return;
        }
        for (dx, dy) in [(-1, 0), (1, 0), (0, -1), (0, 1)] {
            let mut at = from;
            loop {
                let x = at.x.wrapping_add_signed(dx);
                let y = at.y.wrapping_add_signed(dy);
                if x >= self.width || y >= self.height {
                    break;
                }
                match self.cells[y][x] {
                    Square::Goal => {
                        self.best = self.best.min(throws);
                        break;
                    }
                    Square::Block => {
                        if at != from {
                            self.cells[y][x] = Square::Free;
                            self.play(at, throws + 1);
                            self.cells[y][x] = Square::Block;
                        }
                        break;
                    }
                    Square::Free | Square::Start => at = Cell::new(x, y),
                }
            }
        }
    }
}

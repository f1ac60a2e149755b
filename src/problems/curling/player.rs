//! A plain player, who tries every game cell by cell, and can be told to get one rule wrong.
//!
//! - With every rule right it is the second opinion. It shares no code with [`super::solve`], only
//!   the board, and none of that solver's ideas: no deepening, no bit masks, no bounds but the best
//!   game so far. Its work is bounded by the rules: of n throws there are at most 4 to the n.
//! - With a rule wrong it is what a wrong program prints, and what the generator draws boards with on
//!   which that shows.
//! - It also measures how large a game tree is.

use super::board::{Board, Cell, HEIGHT_MAX, Instance, Square, THROWS_MAX, WIDTH_MAX};

/// The most slides that a player makes before it gives up.
const SLIDES_MAX: u64 = 100_000;

/// A classic mistake.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mistake {
    /// The goal counts only where the stone comes to rest on it.
    GoalOnlyAtRest,
    /// A block that was hit stays.
    BlocksStay,
    /// A block next to the resting stone can be hit, too.
    HitsNeighbour,
    /// The stone moves on to the cell of the block that it hit.
    TakesBlocksPlace,
    /// The edge of the board stops the stone.
    EdgeStops,
    /// The start cell stops the stone for ever.
    StartStops,
    /// Nine throws are allowed.
    NineThrows,
    /// Eleven throws are allowed.
    ElevenThrows,
    /// The first game that a depth-first search finds is taken for the shortest.
    FirstFound,
    /// The stone never rests on one cell twice.
    NeverRestsTwice,
    /// The stone is never thrown twice in the same direction in a row.
    NeverSameDirection,
    /// The stone is never thrown back to where it came from.
    NeverBack,
    /// Blocks are not put back when the search goes back.
    NotPutBack,
    /// The stone may be thrown along the diagonals, too.
    Diagonals,
    /// A stone that leaves the board comes back in on the other side.
    EdgeWraps,
    /// The stone moves by one cell instead of sliding.
    OneCell,
    /// The stone stops on the start cell when it slides over it.
    RestsOnStart,
}

/// The least number of throws as a program with this mistake counts it, or `None` if it finds no
/// game.
/// The outer `None` says that the player gave up.
#[expect(clippy::option_option, reason = "no game and no answer are two things")]
pub fn answer(board: &Board, mistake: Option<Mistake>) -> Option<Option<usize>> {
    let mut player = Player::new(board, mistake, SLIDES_MAX);
    player.play(board.start(), 0, None);
    (player.slides < player.slides_max).then_some(player.best)
}

/// What a program prints that finds these least numbers of throws.
pub(super) fn lines(answers: impl Iterator<Item = Option<usize>>, hopeless: &str) -> Vec<u8> {
    let line = |answer: Option<usize>| match answer {
        Some(throws) => format!("{throws}\n"),
        None => format!("{hopeless}\n"),
    };
    answers.map(line).collect::<String>().into_bytes()
}

/// What a right program prints, by the player who gets every rule right and does not give up.
pub(super) fn second_opinion(instance: &Instance) -> Vec<u8> {
    let least_throws = |board: &Board| {
        let mut player = Player::new(board, None, u64::MAX);
        player.play(board.start(), 0, None);
        player.best
    };
    lines(instance.boards.iter().map(least_throws), "-1")
}

/// How many slides a plain depth-first search over all games of at most ten throws makes that never
/// stops early, or `slides_max` if it would be more.
pub fn tree_slides(board: &Board, slides_max: u64) -> u64 {
    let mut player = Player::new(board, None, slides_max);
    player.every_game = true;
    player.play(board.start(), 0, None);
    player.slides
}

/// The four ways, then the diagonals.
const STEPS: [(isize, isize); 8] = [
    (-1, 0),
    (0, 1),
    (1, 0),
    (0, -1),
    (-1, -1),
    (-1, 1),
    (1, 1),
    (1, -1),
];

/// How a slide ends.
enum End {
    Goal,
    Rest { at: Cell, block: Option<Cell> },
    Nowhere,
}

struct Player {
    width: usize,
    height: usize,
    start: Cell,
    goal: Cell,
    blocks: [[bool; WIDTH_MAX]; HEIGHT_MAX],
    rested: [[bool; WIDTH_MAX]; HEIGHT_MAX],
    mistake: Option<Mistake>,
    throws_max: usize,
    every_game: bool,
    best: Option<usize>,
    slides: u64,
    slides_max: u64,
}

impl Player {
    fn new(board: &Board, mistake: Option<Mistake>, slides_max: u64) -> Self {
        let mut blocks = [[false; WIDTH_MAX]; HEIGHT_MAX];
        for cell in board.cells() {
            blocks[cell.y][cell.x] = match board.square(cell) {
                Square::Block => true,
                Square::Start => mistake == Some(Mistake::StartStops),
                Square::Free | Square::Goal => false,
            };
        }
        let throws_max = match mistake {
            Some(Mistake::NineThrows) => THROWS_MAX - 1,
            Some(Mistake::ElevenThrows) => THROWS_MAX + 1,
            _ => THROWS_MAX,
        };
        Self {
            width: board.width(),
            height: board.height(),
            start: board.start(),
            goal: board.goal(),
            blocks,
            rested: [[false; WIDTH_MAX]; HEIGHT_MAX],
            mistake,
            throws_max,
            every_game: false,
            best: None,
            slides: 0,
            slides_max,
        }
    }

    /// Asked many times a slide: this way it is cheap without optimization, too.
    fn has(&self, mistake: Mistake) -> bool {
        matches!(self.mistake, Some(own) if own as u8 == mistake as u8)
    }

    /// Whether a game that has come so far is worth going on with.
    fn goes_on(&self, throws: usize) -> bool {
        let may_be_better = match self.best {
            Some(_) if self.has(Mistake::FirstFound) => false,
            Some(best) => self.every_game || throws + 1 < best,
            None => true,
        };
        throws < self.throws_max && may_be_better && self.slides < self.slides_max
    }

    fn play(&mut self, from: Cell, throws: usize, came: Option<usize>) {
        let ways = if self.has(Mistake::Diagonals) { 8 } else { 4 };
        for (way, &step) in STEPS[..ways].iter().enumerate() {
            if !self.goes_on(throws) {
                return;
            }
            let barred = match came {
                Some(came) if way == came => self.has(Mistake::NeverSameDirection),
                Some(came) if way == (came + 2) % 4 => self.has(Mistake::NeverBack),
                _ => false,
            };
            if barred {
                continue;
            }
            self.slides += 1;
            match self.slide(from, step) {
                End::Goal => {
                    let total = throws + 1;
                    self.best = Some(self.best.map_or(total, |best| best.min(total)));
                }
                End::Rest { at, block } => self.go_on(at, block, throws + 1, way),
                End::Nowhere => {}
            }
        }
    }

    /// Goes on from where a slide ended.
    fn go_on(&mut self, at: Cell, block: Option<Cell>, throws: usize, way: usize) {
        let once = self.has(Mistake::NeverRestsTwice);
        if once && self.rested[at.y][at.x] {
            return;
        }
        let vanishing = block.filter(|_| !self.has(Mistake::BlocksStay));
        if let Some(block) = vanishing {
            self.blocks[block.y][block.x] = false;
        }
        self.rested[at.y][at.x] = true;
        self.play(at, throws, Some(way));
        self.rested[at.y][at.x] = false;
        if let Some(block) = vanishing
            && !self.has(Mistake::NotPutBack)
        {
            self.blocks[block.y][block.x] = true;
        }
    }

    fn slide(&self, from: Cell, step: (isize, isize)) -> End {
        let mut at = from;
        // Only a stone that comes back in on the other side could go on for ever.
        for _ in 0..=self.width.max(self.height) {
            let mut next = Cell::new(
                at.x.wrapping_add_signed(step.0),
                at.y.wrapping_add_signed(step.1),
            );
            if self.has(Mistake::EdgeWraps) {
                next.x = (next.x.wrapping_add(self.width)) % self.width;
                next.y = (next.y.wrapping_add(self.height)) % self.height;
            }
            if next.x >= self.width || next.y >= self.height {
                return if self.has(Mistake::EdgeStops) && at != from {
                    self.rest(at, None)
                } else {
                    End::Nowhere
                };
            }
            if self.blocks[next.y][next.x] {
                return if at == from && !self.has(Mistake::HitsNeighbour) {
                    End::Nowhere
                } else if self.has(Mistake::TakesBlocksPlace) {
                    self.rest(next, Some(next))
                } else {
                    self.rest(at, Some(next))
                };
            }
            at = next;
            if at == self.goal && !self.has(Mistake::GoalOnlyAtRest) {
                return End::Goal;
            }
            let rests =
                self.has(Mistake::OneCell) || (self.has(Mistake::RestsOnStart) && at == self.start);
            if rests {
                return self.rest(at, None);
            }
        }
        End::Nowhere
    }

    fn rest(&self, at: Cell, block: Option<Cell>) -> End {
        if at == self.goal {
            End::Goal
        } else {
            End::Rest { at, block }
        }
    }
}

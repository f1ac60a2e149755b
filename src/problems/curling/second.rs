//! The second opinion: breadth first over all that a game can come to, where nothing is changed and
//! put back.
//!
//! It shares no code with [`super::solve`], only the board, and none of that solver's ideas: no
//! deepening, no bit masks, no bounds, no shortcut for the second last throw.
//! - A table says what a stone meets first on the untouched board; a block that is gone is passed
//!   by looking on from it.
//! - A state is the cell where the stone rests and the blocks that are gone. Games that lead to the
//!   same state are one.
//! - The first state from which the goal is met ends the search.
//!
//! Its work is bounded by the rules: of n throws there are at most 4 to the n, at most 4 to the 8
//! states are kept at a time, and those after the ninth throw are looked at and forgotten.

use super::board::{Board, Cell, HEIGHT_MAX, Instance, Square, WIDTH_MAX};

/// The most throws of a game, as the statement has it.
const THROWS: usize = 10;

/// A cell as a number: its row times [`STRIDE`], plus its column.
type Place = u16;

/// How far apart two rows are.
const STRIDE: i16 = 20;

/// Beyond the board.
const OUTSIDE: Place = Place::MAX;

/// No block: what fills the list of those that are gone.
const NONE: Place = Place::MAX;

const _: () = assert!(WIDTH_MAX <= STRIDE as usize);
const _: () = assert!(HEIGHT_MAX * (STRIDE as usize) < OUTSIDE as usize);

/// One step in each of the four ways.
const STEPS: [i16; 4] = [STRIDE, 1, -STRIDE, -1];

/// What a game has come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    /// Where the stone rests.
    at: Place,
    /// The blocks that are gone, in rising order, then [`NONE`].
    gone: [Place; THROWS - 1],
}

impl State {
    /// The state after the stone has come to rest here by hitting this block.
    fn after(mut self, at: Place, block: Place) -> Self {
        self.at = at;
        let mut carried = block;
        for known in &mut self.gone {
            if carried < *known {
                std::mem::swap(&mut carried, known);
            }
        }
        self
    }
}

/// The untouched board as the stone sees it.
struct Field {
    goal: Place,
    /// For every cell and way the first block or the goal beyond it, or [`OUTSIDE`].
    met: Vec<[Place; STEPS.len()]>,
}

impl Field {
    fn new(board: &Board) -> Self {
        let mut field = Self {
            goal: place(board.goal()),
            met: vec![[OUTSIDE; STEPS.len()]; HEIGHT_MAX * WIDTH_MAX],
        };
        for cell in board.cells() {
            let Cell { x, y } = cell;
            let (width, height) = (board.width(), board.height());
            field.met[usize::from(place(cell))] = [
                first_met(board, (y + 1..height).map(|y| Cell::new(x, y))),
                first_met(board, (x + 1..width).map(|x| Cell::new(x, y))),
                first_met(board, (0..y).rev().map(|y| Cell::new(x, y))),
                first_met(board, (0..x).rev().map(|x| Cell::new(x, y))),
            ];
        }
        field
    }

    /// What the stone meets first, a block that is there or the goal, or [`OUTSIDE`].
    fn meets(&self, state: &State, way: usize) -> Place {
        let mut met = self.met[usize::from(state.at)][way];
        while met != OUTSIDE && state.gone.contains(&met) {
            met = self.met[usize::from(met)][way];
        }
        met
    }

    /// Whether one throw ends the game.
    fn ends(&self, state: &State) -> bool {
        (0..STEPS.len()).any(|way| self.meets(state, way) == self.goal)
    }

    /// What one throw makes of a state from which none ends the game.
    fn following(&self, state: State) -> impl Iterator<Item = State> + '_ {
        (0..STEPS.len()).filter_map(move |way| {
            let block = self.meets(&state, way);
            if block == OUTSIDE {
                return None;
            }
            let rest = block.wrapping_add_signed(-STEPS[way]);
            // A stone beside a block cannot be thrown at it.
            (rest != state.at).then(|| state.after(rest, block))
        })
    }
}

/// The number of a cell.
fn place(cell: Cell) -> Place {
    Place::try_from(cell.y * WIDTH_MAX + cell.x).unwrap_or(OUTSIDE)
}

/// The first of these cells that is a block or the goal.
fn first_met(board: &Board, mut line: impl Iterator<Item = Cell>) -> Place {
    line.find(|&cell| matches!(board.square(cell), Square::Block | Square::Goal))
        .map_or(OUTSIDE, place)
}

/// The least number of throws, or `None` if ten are not enough.
fn least_throws(board: &Board) -> Option<usize> {
    let field = Field::new(board);
    let mut states = vec![State {
        at: place(board.start()),
        gone: [NONE; THROWS - 1],
    }];
    for throws in 1..THROWS {
        if states.iter().any(|state| field.ends(state)) {
            return Some(throws);
        }
        let mut following = states.iter().flat_map(|&state| field.following(state));
        if throws + 1 == THROWS {
            return following.any(|state| field.ends(&state)).then_some(THROWS);
        }
        let mut following: Vec<State> = following.collect();
        following.sort_unstable();
        following.dedup();
        states = following;
    }
    None
}

/// What a right program prints.
pub(super) fn answer(instance: &Instance) -> Vec<u8> {
    let lines = instance
        .boards
        .iter()
        .map(|board| match least_throws(board) {
            Some(throws) => format!("{throws}\n"),
            None => "-1\n".to_owned(),
        });
    lines.collect::<String>().into_bytes()
}

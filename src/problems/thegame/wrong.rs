//! Plain searches that get something wrong on purpose: one that reads a rule in another way, and one
//! with a classic mistake, which the generators aim their queries at.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

use super::board::{Board, DIRECTIONS, Input, Point, Query};
use super::solve::Search;

/// Cells that are searched for one input, each board once per query; what comes after them is
/// answered rightly.
pub(super) const CELLS_MAX: usize = 60_000;

const DIAGONALS: [(i8, i8); 4] = [(1, 1), (1, -1), (-1, 1), (-1, -1)];

/// How a program looks for a path.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a rule of its own, changed or not"
)]
#[derive(Clone, Copy)]
pub(super) struct Rules {
    /// Whether a path may leave the board: to the left, right, above, below.
    pub ring: [bool; 4],
    /// Whether a path may touch other cards.
    pub through_cards: bool,
    pub diagonals: bool,
    /// Whether the path of the fewest cells is taken, whatever its segments.
    pub fewest_cells: bool,
    /// Whether the cost is that of the cells.
    pub counts_cells: bool,
    /// Whether both cards are taken away after they were joined.
    pub takes_away: bool,
    /// Whether cards of earlier boards still lie where a later one has none.
    pub stale: bool,
}

pub(super) const RIGHT: Rules = Rules {
    ring: [true; 4],
    through_cards: false,
    diagonals: false,
    fewest_cells: false,
    counts_cells: false,
    takes_away: false,
    stale: false,
};

/// Where cards lie for a program, and where its paths may go.
struct Field {
    rules: Rules,
    width: u8,
    height: u8,
    cards: HashSet<Point>,
}

impl Field {
    fn may_enter(&self, at: Point) -> bool {
        let [left, right, above, below] = self.rules.ring;
        (at.x > 0 || left)
            && (at.x <= self.width || right && at.x == self.width + 1)
            && (at.y > 0 || above)
            && (at.y <= self.height || below && at.y == self.height + 1)
    }

    /// The segments, or the cells, of the path that these rules prefer.
    fn cost(&self, query: Query) -> Option<usize> {
        let Rules {
            through_cards,
            counts_cells,
            ..
        } = self.rules;
        let by_cells = self.rules.fewest_cells || counts_cells;
        let ways = if self.rules.diagonals { 8 } else { 4 };
        let mut seen = HashSet::new();
        // What is least first, then the other of cells and segments.
        let mut heap = BinaryHeap::from([Reverse(((0_usize, 0_usize), query.from, ways))]);
        while let Some(Reverse((cost, at, came))) = heap.pop() {
            if at == query.to {
                return Some(if by_cells && !counts_cells {
                    cost.1
                } else {
                    cost.0
                });
            }
            if !seen.insert((at, came)) {
                continue;
            }
            for (way, &step) in DIRECTIONS.iter().chain(&DIAGONALS).take(ways).enumerate() {
                let next = at.step(step, 1).filter(|&next| self.may_enter(next));
                let Some(next) = next else {
                    continue;
                };
                if next != query.to && self.cards.contains(&next) && !through_cards {
                    continue;
                }
                let turn = usize::from(way != came);
                let [first, second] = if by_cells { [1, turn] } else { [turn, 1] };
                heap.push(Reverse(((cost.0 + first, cost.1 + second), next, way)));
            }
        }
        None
    }
}

/// The cost of every query, board by board, of a program that searches by these rules.
pub(super) fn searched(input: &Input, rules: Rules) -> Vec<Vec<Option<usize>>> {
    let mut left = CELLS_MAX;
    let mut cards = HashSet::new();
    let mut one_board = |board: &Board| {
        if rules.stale {
            cards.retain(|&card| !board.contains(card));
        } else {
            cards.clear();
        }
        cards.extend(board.cards());
        let mut field = Field {
            rules,
            width: board.width(),
            height: board.height(),
            cards: cards.clone(),
        };
        let mut search = None;
        let mut one_query = |&query: &Query| {
            let cells = board.cells().count();
            if cells > left {
                let search = search.get_or_insert_with(|| Search::new(board));
                return search.segments(query);
            }
            left -= cells;
            let cost = field.cost(query);
            if rules.takes_away && cost.is_some() {
                field.cards.remove(&query.from);
                field.cards.remove(&query.to);
            }
            cost
        };
        board.queries.iter().map(&mut one_query).collect()
    };
    input.boards.iter().map(&mut one_board).collect()
}

/// The right cost of every query, board by board.
pub(super) fn right(input: &Input) -> Vec<Vec<Option<usize>>> {
    let one = |board: &Board| {
        let mut search = Search::new(board);
        let queries = board.queries.iter();
        queries.map(|&query| search.segments(query)).collect()
    };
    input.boards.iter().map(one).collect()
}

/// A plausible but wrong way to search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mistake {
    /// Breadth first over steps, every cell entered once, whatever the direction.
    CellOnce,
    /// Breadth first over steps, cell and direction marked for good when they first enter the
    /// queue.
    QueueMarked,
    /// Fewest segments first, cell and direction marked for good when they first enter the heap.
    HeapMarked,
}

impl Mistake {
    pub const ALL: [Self; 3] = [Self::CellOnce, Self::QueueMarked, Self::HeapMarked];
}

/// What a program with this mistake would answer; `turn` rotates the order in which it tries
/// directions.
pub fn wrong_segments(board: &Board, query: Query, mistake: Mistake, turn: usize) -> Option<usize> {
    let ways = DIRECTIONS.len();
    // Segments so far, the cell, the direction of the last step; `ways` before the first one.
    let start = (0_usize, query.from, ways);
    // What a queue takes in turn, a heap takes by its segments.
    let mut pushed = 0_usize;
    let mut frontier = BinaryHeap::from([Reverse((0, start))]);
    let mark = |cell: Point, way: usize| (cell, if mistake == Mistake::CellOnce { 0 } else { way });
    let mut seen = HashSet::from([mark(query.from, ways)]);
    let mut best: Option<usize> = None;
    while let Some(Reverse((_, (segments, cell, direction)))) = frontier.pop() {
        for order in 0..ways {
            let way = (order + turn) % ways;
            let segments = segments + usize::from(way != direction);
            let next = cell.step(DIRECTIONS[way], 1);
            let Some(cell) = next.filter(|&next| board.is_on_ring_or_board(next)) else {
                continue;
            };
            if cell == query.to {
                if mistake == Mistake::HeapMarked {
                    return Some(segments);
                }
                best = Some(best.map_or(segments, |best| best.min(segments)));
                continue;
            }
            if !board.has_card(cell) && seen.insert(mark(cell, way)) {
                pushed += usize::from(mistake != Mistake::HeapMarked);
                frontier.push(Reverse((pushed, (segments, cell, way))));
            }
        }
    }
    best
}

//! Searches that are wrong on purpose, each with a classic mistake: the generators aim their
//! queries at them.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet, VecDeque};

use super::board::{Board, DIRECTIONS, Point, Query};

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
    /// All of them.
    pub const ALL: [Self; 3] = [Self::CellOnce, Self::QueueMarked, Self::HeapMarked];
}

/// A state of the search: segments so far, cell, direction of the last step.
type State = (usize, Point, usize);

/// The direction of a state that has made no step.
const NO_DIRECTION: usize = DIRECTIONS.len();

/// What a program with this mistake would answer; `turn` rotates the order in which it tries
/// directions.
pub fn wrong_segments(board: &Board, query: Query, mistake: Mistake, turn: usize) -> Option<usize> {
    let start = (0, query.from, NO_DIRECTION);
    let mut frontier = Frontier::new(mistake, start);
    let mut seen = HashSet::from([mark(mistake, start)]);
    let mut best: Option<usize> = None;
    while let Some((segments, cell, direction)) = frontier.pop() {
        for order in 0..DIRECTIONS.len() {
            let way = (order + turn) % DIRECTIONS.len();
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
            let state = (segments, cell, way);
            if !board.has_card(cell) && seen.insert(mark(mistake, state)) {
                frontier.push(state);
            }
        }
    }
    best
}

/// What the mistake takes for having been there.
fn mark(mistake: Mistake, (_, cell, direction): State) -> (Point, usize) {
    match mistake {
        Mistake::CellOnce => (cell, 0),
        Mistake::QueueMarked | Mistake::HeapMarked => (cell, direction),
    }
}

/// A queue or a heap.
enum Frontier {
    Queue(VecDeque<State>),
    Heap(BinaryHeap<Reverse<State>>),
}

impl Frontier {
    fn new(mistake: Mistake, start: State) -> Self {
        match mistake {
            Mistake::CellOnce | Mistake::QueueMarked => Self::Queue(VecDeque::from([start])),
            Mistake::HeapMarked => Self::Heap(BinaryHeap::from([Reverse(start)])),
        }
    }

    fn push(&mut self, state: State) {
        match self {
            Self::Queue(queue) => queue.push_back(state),
            Self::Heap(heap) => heap.push(Reverse(state)),
        }
    }

    fn pop(&mut self) -> Option<State> {
        match self {
            Self::Queue(queue) => queue.pop_front(),
            Self::Heap(heap) => heap.pop().map(|Reverse(state)| state),
        }
    }
}

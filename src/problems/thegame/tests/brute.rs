//! The independent check: plain relaxation over cell and direction, with a wider ring, and a
//! referee for paths.

use super::super::board::{Board, Point, Query};
use super::super::solve::Polyline;

/// Free cells around the board; the solver trusts that one is enough.
const RING: usize = 3;

/// Right, left, down, up: the first two are horizontal.
const STEPS: [(isize, isize); 4] = [(1, 0), (-1, 0), (0, 1), (0, -1)];

/// The fewest segments, by relaxing every step until nothing gets better.
pub fn fewest_segments(board: &Board, query: Query) -> Option<u32> {
    let width = usize::from(board.width()) + 2 * RING;
    let height = usize::from(board.height()) + 2 * RING;
    let place = |point: Point| {
        let index = |coordinate: u8| usize::from(coordinate) + RING - 1;
        (index(point.x), index(point.y))
    };
    let mut blocked = vec![vec![false; width]; height];
    for card in board.cards() {
        let (x, y) = place(card);
        blocked[y][x] = true;
    }
    let (start, goal) = (place(query.from), place(query.to));
    // best[y][x][d]: the fewest segments of a path that enters the cell in direction d.
    let mut best = vec![vec![[u32::MAX; 4]; width]; height];
    loop {
        let mut better = false;
        for y in 0..height {
            for x in 0..width {
                let from_start = (x, y) == start;
                if !from_start && blocked[y][x] {
                    continue;
                }
                for (direction, &(dx, dy)) in STEPS.iter().enumerate() {
                    // What is left of the first column is beyond the last one.
                    let to = (x.wrapping_add_signed(dx), y.wrapping_add_signed(dy));
                    let is_inside = to.0 < width && to.1 < height;
                    if !is_inside || blocked[to.1][to.0] && to != goal {
                        continue;
                    }
                    let cost = match continued(best[y][x], direction) {
                        _ if from_start => 1,
                        cost => cost,
                    };
                    if cost < best[to.1][to.0][direction] {
                        best[to.1][to.0][direction] = cost;
                        better = true;
                    }
                }
            }
        }
        if !better {
            break;
        }
    }
    let fewest = best[goal.1][goal.0].into_iter().min();
    fewest.filter(|&segments| segments < u32::MAX)
}

/// The cost after a step in a direction: straight on is free, a turn to a side is one more segment.
fn continued(entered: [u32; 4], direction: usize) -> u32 {
    let sides = if direction < 2 { [2, 3] } else { [0, 1] };
    let turned = sides.map(|side| entered[side].saturating_add(1));
    entered[direction].min(turned[0]).min(turned[1])
}

/// Walks a path cell by cell and says what is wrong with it.
pub fn fault_of(board: &Board, query: Query, path: &Polyline) -> Option<String> {
    let corners = &path.corners;
    if corners.first() != Some(&query.from) || corners.last() != Some(&query.to) {
        return Some("does not lead from the first card to the second".into());
    }
    let mut last_horizontal = None;
    for (index, pair) in corners.windows(2).enumerate() {
        let (from, to) = (pair[0], pair[1]);
        if to.x > board.width() + 1 || to.y > board.height() + 1 {
            return Some(format!("{to} is beyond the ring"));
        }
        let horizontal = from.y == to.y;
        if horizontal == (from.x == to.x) {
            return Some(format!("{from} to {to} is not a straight segment"));
        }
        if last_horizontal.replace(horizontal) == Some(horizontal) {
            return Some(format!("no turn at {from}"));
        }
        let steps = from.x.abs_diff(to.x).max(from.y.abs_diff(to.y));
        let is_last_segment = index + 2 == corners.len();
        for step in 1..=steps {
            let toward = |start: u8, end: u8| end.clamp(start.saturating_sub(step), start + step);
            let cell = Point {
                x: toward(from.x, to.x),
                y: toward(from.y, to.y),
            };
            let is_end = is_last_segment && step == steps;
            if board.has_card(cell) && !is_end {
                return Some(format!("touches the card at {cell}"));
            }
        }
    }
    None
}

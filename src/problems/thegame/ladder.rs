//! Boards of growing size.

use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;

use super::board::{Input, Point, Query};
use super::{generate, shapes};
use crate::problems::{Ladder, Law};

/// What stairs are drawn from.
const SEED: u64 = 1;

/// A longer and longer corridor, two cells wide, that leads nowhere; and stairs to and fro on a
/// larger and larger board.
pub(super) const LADDERS: [Ladder; 2] = [
    Ladder {
        unit: "row",
        reference: Law::Linear,
        sizes: &[
            6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34, 38, 42, 46, 50, 54, 58, 62,
            68, 75,
        ],
    },
    Ladder {
        unit: "row",
        reference: Law::Quadratic,
        sizes: &[5, 6, 8, 10, 12, 15, 19, 24, 30, 38, 48, 60, 75],
    },
];

/// The board that has this size on a ladder.
pub(super) fn rung(ladder: usize, size: u16) -> Option<Input> {
    let size = u8::try_from(size).ok()?;
    match ladder {
        0 => corridor(size),
        1 => {
            let mut rng = ChaCha8Rng::seed_from_u64(SEED);
            let boards = generate::asked_long(&mut rng, shapes::stairs(size, size), 1, 40);
            Some(Input { boards })
        }
        _ => None,
    }
}

/// From a card at the top of the corridor to one outside of it: every path in it is in vain, and
/// there are twice as many with every row.
fn corridor(height: u8) -> Option<Input> {
    let last = height.checked_sub(2).filter(|&last| last > 3)?;
    let mut board = shapes::full(4, height);
    for y in 3..=last {
        for x in 2..=3 {
            board.set_card(Point { x, y }, false);
        }
    }
    board.queries.push(Query {
        from: Point { x: 2, y: 2 },
        to: Point { x: 4, y: height },
    });
    let boards = vec![board];
    Some(Input { boards })
}

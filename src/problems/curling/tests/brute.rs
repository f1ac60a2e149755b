//! The independent brute force and the referee: both play on a plain grid, cell by cell, and share
//! nothing with the solver.

use std::collections::HashSet;

use super::super::board::{Board, Cell, Square};
use super::super::solve::{Direction, Throw};

/// A board as a grid of digits, with a border of nothing around it.
type Grid = Vec<Vec<u8>>;

fn grid_of(board: &Board) -> Grid {
    let mut grid = vec![vec![b'#'; board.width() + 2]; board.height() + 2];
    for cell in board.cells() {
        grid[cell.y + 1][cell.x + 1] = match board.square(cell) {
            Square::Block => b'1',
            Square::Goal => b'3',
            Square::Free | Square::Start => b'0',
        };
    }
    grid
}

/// How one throw ends.
enum End {
    Goal,
    Rest(usize, usize),
    Nowhere,
}

/// Plays one throw cell by cell and takes the block away that stops it.
fn throw(grid: &mut Grid, from: (usize, usize), step: (isize, isize)) -> End {
    let (mut y, mut x) = from;
    loop {
        let next = (y.wrapping_add_signed(step.0), x.wrapping_add_signed(step.1));
        match grid[next.0][next.1] {
            b'0' => (y, x) = next,
            b'3' => return End::Goal,
            b'1' if (y, x) != from => {
                grid[next.0][next.1] = b'0';
                return End::Rest(y, x);
            }
            _ => return End::Nowhere,
        }
    }
}

/// The least number of throws, breadth first over whole board states.
pub fn least_throws(board: &Board) -> Option<usize> {
    let start = (board.start().y + 1, board.start().x + 1);
    let mut level = HashSet::from([(start, grid_of(board))]);
    for throws in 1..=10 {
        let mut following = HashSet::new();
        for (at, grid) in &level {
            for step in [(0, 1), (0, -1), (1, 0), (-1, 0)] {
                let mut changed = grid.clone();
                match throw(&mut changed, *at, step) {
                    End::Goal => return Some(throws),
                    End::Rest(y, x) => {
                        following.insert(((y, x), changed));
                    }
                    End::Nowhere => {}
                }
            }
        }
        level = following;
    }
    None
}

/// Replays the throws of a witness and says what is wrong with it.
pub fn referee(board: &Board, throws: &[Throw]) -> Result<(), String> {
    let mut grid = grid_of(board);
    let mut at = board.start();
    if throws.is_empty() || throws.len() > 10 {
        return Err(format!("{} throws", throws.len()));
    }
    for (index, claimed) in throws.iter().enumerate() {
        let last = index + 1 == throws.len();
        let step = match claimed.direction {
            Direction::Left => (0, -1),
            Direction::Right => (0, 1),
            Direction::Up => (-1, 0),
            Direction::Down => (1, 0),
        };
        if claimed.from != at {
            return Err(format!("throw {index} does not start where the stone is"));
        }
        let to = match throw(&mut grid, (at.y + 1, at.x + 1), step) {
            End::Goal if last => board.goal(),
            End::Rest(y, x) if !last => Cell::new(x - 1, y - 1),
            _ => return Err(format!("throw {index} ends otherwise")),
        };
        let x = to.x.wrapping_add_signed(step.1);
        let vanished = (!last).then(|| Cell::new(x, to.y.wrapping_add_signed(step.0)));
        // No throw leaves the stone where it is.
        if claimed.to != to || claimed.vanished != vanished || claimed.cells() == 0 {
            return Err(format!("throw {index} claims {claimed:?}"));
        }
        at = to;
    }
    Ok(())
}

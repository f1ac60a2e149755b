//! The solver: breadth first over the regions, and the game that the shortest chain of regions
//! makes.

use std::fmt;

use super::board::Board;
use super::map::members;

/// One of the two players.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Player {
    /// Owns the region of the top left cell and moves first.
    First,
    /// Owns the region of the bottom right cell.
    Second,
}

/// A region of the chain, named by its first cell in reading order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link {
    /// Its number on the board's map.
    pub region: usize,
    /// The cell's row, from 1.
    pub row: usize,
    /// The cell's column, from 1.
    pub column: usize,
    /// The region's colour at the start.
    pub colour: u8,
}

/// A move of the game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Move {
    /// Who moves.
    pub player: Player,
    /// The colour in which he repaints his region.
    pub colour: u8,
    /// The region of the chain that he takes by it.
    pub takes: Link,
}

/// A shortest game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Solution {
    /// A shortest chain of adjacent regions from the first player's to the second's, both included.
    pub chain: Vec<Link>,
    /// The moves in turn; their number is the answer.
    pub moves: Vec<Move>,
}

/// Finds a shortest game.
pub fn solve(board: &Board) -> Solution {
    let map = board.map();
    let target = map.region_of[map.region_of.len() - 1];
    let distances = map.distances_to(target);
    let link = |region: usize| {
        let cell = map.first_cell[region];
        Link {
            region,
            row: cell / board.columns() + 1,
            column: cell % board.columns() + 1,
            colour: board.cells()[cell],
        }
    };
    let mut region = map.region_of[0];
    let mut chain = vec![link(region)];
    while region != target {
        region = members(map.neighbours[region])
            .find(|&next| distances[next] < distances[region])
            .expect("a region that is not the target has a neighbour nearer to it");
        chain.push(link(region));
    }
    let moves = play(&chain);
    Solution { chain, moves }
}

/// The players take the regions between the ends of the chain in turn, each from his own end.
fn play(chain: &[Link]) -> Vec<Move> {
    let mut between = chain[1..chain.len() - 1].iter();
    let mut moves = Vec::with_capacity(between.len());
    for player in [Player::First, Player::Second].into_iter().cycle() {
        let next = match player {
            Player::First => between.next(),
            Player::Second => between.next_back(),
        };
        let Some(&takes) = next else { break };
        moves.push(Move {
            player,
            colour: takes.colour,
            takes,
        });
    }
    moves
}

impl fmt::Display for Player {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::First => "the first player",
            Self::Second => "the second player",
        })
    }
}

impl fmt::Display for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            row,
            column,
            colour,
            ..
        } = self;
        write!(f, "row {row}, column {column} (colour {colour})")
    }
}

impl fmt::Display for Solution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "A shortest chain of adjacent regions, each by its first cell:"
        )?;
        for link in &self.chain {
            writeln!(f, "  {link}")?;
        }
        match self.moves.len() {
            0 => return writeln!(f, "The two regions touch at the start: 0 moves."),
            1 => writeln!(f, "They touch after 1 move:")?,
            moves => writeln!(f, "They touch after {moves} moves:")?,
        }
        for (index, step) in self.moves.iter().enumerate() {
            writeln!(
                f,
                "  {}. {} paints colour {} and takes {}",
                index + 1,
                step.player,
                step.colour,
                step.takes
            )?;
        }
        Ok(())
    }
}

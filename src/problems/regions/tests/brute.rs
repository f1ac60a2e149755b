//! The game as the statement tells it, played on the board itself: slow, and knowing nothing of
//! chains or distances.

use std::collections::HashSet;

use super::super::board::{Board, COLOUR_MAX};
use super::super::solve::{Player, Solution};

/// A board in play.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Game {
    rows: usize,
    columns: usize,
    colours: Vec<Vec<u8>>,
}

impl Game {
    /// The board before the first move.
    pub(super) fn new(board: &Board) -> Self {
        let row = |row: usize| board.cells()[row * board.columns()..][..board.columns()].to_vec();
        Self {
            rows: board.rows(),
            columns: board.columns(),
            colours: (0..board.rows()).map(row).collect(),
        }
    }

    /// The cells of the player's region as a picture of the board.
    pub(super) fn region(&self, player: Player) -> Vec<Vec<bool>> {
        let corner = match player {
            Player::First => (0, 0),
            Player::Second => (self.rows - 1, self.columns - 1),
        };
        self.region_at(corner)
    }

    /// The cells of the region of a cell as a picture of the board.
    pub(super) fn region_at(&self, cell: (usize, usize)) -> Vec<Vec<bool>> {
        let mut inside = vec![vec![false; self.columns]; self.rows];
        inside[cell.0][cell.1] = true;
        let mut queue = vec![cell];
        while let Some((row, column)) = queue.pop() {
            for (next_row, next_column) in self.around(row, column) {
                let same = self.colours[next_row][next_column] == self.colours[row][column];
                if same && !inside[next_row][next_column] {
                    inside[next_row][next_column] = true;
                    queue.push((next_row, next_column));
                }
            }
        }
        inside
    }

    fn around(&self, row: usize, column: usize) -> impl Iterator<Item = (usize, usize)> {
        let vertically = [row.wrapping_sub(1), row + 1].map(|row| (row, column));
        let sideways = [column.wrapping_sub(1), column + 1].map(|column| (row, column));
        let is_inside = |&(row, column): &(usize, usize)| row < self.rows && column < self.columns;
        vertically.into_iter().chain(sideways).filter(is_inside)
    }

    /// Whether two sets of cells have a side in common.
    pub(super) fn touch(&self, left: &[Vec<bool>], right: &[Vec<bool>]) -> bool {
        (0..self.rows).any(|row| {
            (0..self.columns).any(|column| {
                left[row][column] && self.around(row, column).any(|(r, c)| right[r][c])
            })
        })
    }

    /// Whether the game is over.
    pub(super) fn over(&self) -> bool {
        self.touch(&self.region(Player::First), &self.region(Player::Second))
    }

    /// The board after a player has repainted his region.
    pub(super) fn repainted(&self, player: Player, colour: u8) -> Self {
        let inside = self.region(player);
        let mut game = self.clone();
        for (row, cells) in game.colours.iter_mut().enumerate() {
            for (column, cell) in cells.iter_mut().enumerate() {
                if inside[row][column] {
                    *cell = colour;
                }
            }
        }
        game
    }
}

/// The least number of moves, by trying all six colours in every position, breadth first.
pub(super) fn least_moves(board: &Board) -> usize {
    let mut positions = HashSet::from([Game::new(board)]);
    for (moves, player) in turns().enumerate() {
        if positions.iter().any(Game::over) {
            return moves;
        }
        let mut next = HashSet::new();
        for game in &positions {
            next.extend((1..=COLOUR_MAX).map(|colour| game.repainted(player, colour)));
        }
        positions = next;
    }
    unreachable!("the players go on for ever")
}

fn turns() -> impl Iterator<Item = Player> {
    [Player::First, Player::Second].into_iter().cycle()
}

/// Replays a solution on the board and says what is wrong with it, if anything is.
pub(super) fn referee(board: &Board, solution: &Solution) -> Result<(), String> {
    let mut game = Game::new(board);
    let region = |link: &super::super::solve::Link| game.region_at((link.row - 1, link.column - 1));
    for link in &solution.chain {
        if game.colours[link.row - 1][link.column - 1] != link.colour {
            return Err(format!("the colour of {link} is another"));
        }
    }
    for pair in solution.chain.windows(2) {
        let (left, right) = (region(&pair[0]), region(&pair[1]));
        if left == right || !game.touch(&left, &right) {
            return Err(format!("{} and {} are not adjacent", pair[0], pair[1]));
        }
    }
    let ends = [solution.chain.first(), solution.chain.last()].map(|link| link.map(region));
    if ends != [Player::First, Player::Second].map(|player| Some(game.region(player))) {
        return Err("the chain does not lead from one player to the other".into());
    }
    for (number, (step, turn)) in (1..).zip(solution.moves.iter().zip(turns())) {
        if step.player != turn {
            return Err(format!("move {number}: it is the other player's turn"));
        }
        if game.over() {
            return Err(format!("move {number}: the game is over"));
        }
        game = game.repainted(step.player, step.colour);
        if !game.region(step.player)[step.takes.row - 1][step.takes.column - 1] {
            return Err(format!("move {number}: {} is not taken", step.takes));
        }
    }
    let apart = || "the regions do not touch at the end".to_owned();
    game.over().then_some(()).ok_or_else(apart)
}

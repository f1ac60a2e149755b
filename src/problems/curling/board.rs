//! The instance: boards as bit masks, how they are read and how they are written.

use std::fmt;

use crate::problems::{InputError, Line, Parsed, Scanner};

/// The most datasets of one input.
pub const DATASETS_MAX: usize = 100;
/// The narrowest board.
pub const WIDTH_MIN: usize = 2;
/// The widest board.
pub const WIDTH_MAX: usize = 20;
/// The lowest board.
pub const HEIGHT_MIN: usize = 1;
/// The highest board.
pub const HEIGHT_MAX: usize = 20;
/// The most throws of one game.
pub const THROWS_MAX: usize = 10;

/// A place on a board, from 0 at the top left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cell {
    /// The column.
    pub x: usize,
    /// The row.
    pub y: usize,
}

impl Cell {
    /// The cell in this column and row.
    pub const fn new(x: usize, y: usize) -> Self {
        Self { x, y }
    }
}

/// In words; rows and columns count from 1.
impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "row {}, column {}", self.y + 1, self.x + 1)
    }
}

/// What stands on a cell before the first throw, with the digit for it in an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Square {
    Free = b'0',
    Block = b'1',
    /// The stone.
    Start = b'2',
    Goal = b'3',
}

/// One dataset. It always has a valid size, one start and one goal.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Board {
    width: usize,
    height: usize,
    start: Cell,
    goal: Cell,
    /// Bit x of row y is set where a block stands; nothing is set outside the board.
    blocks: [u32; HEIGHT_MAX],
}

impl Board {
    /// A board without blocks; `None` if the size is not allowed or a cell is not on the board
    /// or used twice.
    pub fn new(width: usize, height: usize, start: Cell, goal: Cell) -> Option<Self> {
        let inside = |cell: Cell| cell.x < width && cell.y < height;
        let valid = (WIDTH_MIN..=WIDTH_MAX).contains(&width)
            && (HEIGHT_MIN..=HEIGHT_MAX).contains(&height)
            && inside(start)
            && inside(goal)
            && start != goal;
        valid.then_some(Self {
            width,
            height,
            start,
            goal,
            blocks: [0; HEIGHT_MAX],
        })
    }

    /// The number of columns.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The number of rows.
    pub fn height(&self) -> usize {
        self.height
    }

    /// Where the stone rests at first.
    pub fn start(&self) -> Cell {
        self.start
    }

    /// Where it should go.
    pub fn goal(&self) -> Cell {
        self.goal
    }

    /// The blocks row by row: bit x is set where one stands in column x.
    pub fn blocks(&self) -> &[u32] {
        &self.blocks[..self.height]
    }

    /// How many blocks there are.
    pub fn block_count(&self) -> usize {
        self.blocks
            .iter()
            .map(|row| row.count_ones() as usize)
            .sum()
    }

    /// What stands on a cell of the board.
    pub fn square(&self, cell: Cell) -> Square {
        if cell == self.start {
            Square::Start
        } else if cell == self.goal {
            Square::Goal
        } else if self.blocks[cell.y] >> cell.x & 1 == 1 {
            Square::Block
        } else {
            Square::Free
        }
    }

    /// Puts a block on a free cell or takes it away. Start, goal and cells outside the board stay
    /// as they are.
    pub fn set_block(&mut self, cell: Cell, block: bool) {
        let inside = cell.x < self.width && cell.y < self.height;
        if !inside || cell == self.start || cell == self.goal {
            return;
        }
        if block {
            self.blocks[cell.y] |= 1 << cell.x;
        } else {
            self.blocks[cell.y] &= !(1 << cell.x);
        }
    }

    /// All cells, row by row.
    pub fn cells(&self) -> impl Iterator<Item = Cell> + use<> {
        let (width, height) = (self.width, self.height);
        (0..height).flat_map(move |y| (0..width).map(move |x| Cell::new(x, y)))
    }

    /// The board of these columns and rows only; `None` if it would not be valid.
    pub fn cut(&self, columns: &[usize], rows: &[usize]) -> Option<Self> {
        let moved = |cell: Cell| {
            let x = columns.iter().position(|&x| x == cell.x)?;
            let y = rows.iter().position(|&y| y == cell.y)?;
            Some(Cell::new(x, y))
        };
        let start = moved(self.start)?;
        let mut board = Self::new(columns.len(), rows.len(), start, moved(self.goal)?)?;
        for cell in board.cells() {
            let from = Cell::new(columns[cell.x], rows[cell.y]);
            board.set_block(cell, self.square(from) == Square::Block);
        }
        Some(board)
    }

    /// Appends the board in the form of the input.
    pub fn render(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(format!("{} {}\n", self.width, self.height).as_bytes());
        for cell in self.cells() {
            out.push(self.square(cell) as u8);
            out.push(if cell.x + 1 == self.width {
                b'\n'
            } else {
                b' '
            });
        }
    }
}

/// One whole input: up to [`DATASETS_MAX`] boards.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Instance {
    /// The datasets in their order.
    pub boards: Vec<Board>,
}

/// An input of one board.
impl From<Board> for Instance {
    fn from(board: Board) -> Self {
        let boards = vec![board];
        Self { boards }
    }
}

impl Instance {
    /// Reads an input strictly.
    pub fn parse(input: &[u8]) -> Result<Parsed<Self>, InputError> {
        let mut scanner = Scanner::new(input)?;
        let mut boards = Vec::new();
        loop {
            let header = scanner.line("a width and a height, or the last line `0 0`,")?;
            if header.bytes == b"0 0" {
                return scanner.finish(Self { boards });
            }
            if boards.len() == DATASETS_MAX {
                return Err(header.error_here(format!(
                    "only the last line `0 0` may follow dataset {DATASETS_MAX}"
                )));
            }
            let board = read_board(&mut scanner, header, boards.len() + 1)?;
            boards.push(board);
        }
    }

    /// Writes the input in its normal form.
    pub fn render(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for board in &self.boards {
            board.render(&mut out);
        }
        out.extend_from_slice(b"0 0\n");
        out
    }
}

/// Reads the board that this header line begins. `dataset` counts from 1.
fn read_board(
    scanner: &mut Scanner<'_>,
    mut header: Line<'_>,
    dataset: usize,
) -> Result<Board, InputError> {
    let [width, height] = header
        .numbers([
            ("the width", WIDTH_MIN..=WIDTH_MAX),
            ("the height", HEIGHT_MIN..=HEIGHT_MAX),
        ])
        .map_err(|mut error| {
            if header.bytes.starts_with(b"0") {
                error.reason.push_str(" (the last line must be just `0 0`)");
            }
            error
        })?;
    let mut blocks = [0; HEIGHT_MAX];
    let mut marks = Marks::default();
    for (y, row) in blocks.iter_mut().enumerate().take(height) {
        let name = format!("row {} of the {height} of dataset {dataset}", y + 1);
        let mut line = scanner.line(&name)?;
        *row = read_row(&mut line, y, width, &mut marks)?;
    }
    let missing = |what: &str| InputError {
        line: header.number,
        column: 1,
        reason: format!("dataset {dataset} has no {what}"),
    };
    let (start, _) = marks.start.ok_or_else(|| missing("start (2)"))?;
    let (goal, _) = marks.goal.ok_or_else(|| missing("goal (3)"))?;
    Ok(Board {
        width,
        height,
        start,
        goal,
        blocks,
    })
}

/// Start and goal of the board that is being read, each with its line.
#[derive(Default)]
struct Marks {
    start: Option<(Cell, usize)>,
    goal: Option<(Cell, usize)>,
}

/// Reads one row of cells and gives its blocks.
fn read_row(
    line: &mut Line<'_>,
    y: usize,
    width: usize,
    marks: &mut Marks,
) -> Result<u32, InputError> {
    let mut blocks = 0;
    for x in 0..width {
        if x > 0 {
            if line.rest().is_empty() {
                return Err(line.error_here(format!("the row ends after {x} of {width} cells")));
            }
            line.space("a cell")?;
        }
        let here = *line;
        let (mark, what) = match line.number("a cell", 0..=3)? {
            0 => continue,
            1 => {
                blocks |= 1 << x;
                continue;
            }
            2 => (&mut marks.start, "start (2)"),
            _ => (&mut marks.goal, "goal (3)"),
        };
        if let Some((first, number)) = *mark {
            let column = first.x + 1;
            return Err(here.error_here(format!(
                "a second {what}; the first is cell {column} of line {number}"
            )));
        }
        *mark = Some((Cell::new(x, y), line.number));
    }
    if let [b' ', b'0'..=b'9', ..] = line.rest() {
        return Err(line.error_here(format!("the row has more than {width} cells")));
    }
    line.end()?;
    Ok(blocks)
}

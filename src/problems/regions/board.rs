//! The board: reading it strictly and writing its normal form.

use super::super::input::{Line, Scanner};
use super::super::{InputError, Parsed};
use super::map::{Map, REGIONS_MAX};

/// The most rows, and the most columns.
pub const SIDE_MAX: usize = 50;

/// The colours are the digits from 1 to this.
pub const COLOUR_MAX: u8 = 6;

/// A valid board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Board {
    rows: usize,
    columns: usize,
    cells: Vec<u8>,
    spaced: bool,
}

impl Board {
    /// A board from its cells, row by row; `None` if the statement does not allow it.
    ///
    /// `spaced` is whether a space stands between the digits of a row; a row of one digit has none.
    pub fn new(rows: usize, columns: usize, cells: Vec<u8>, spaced: bool) -> Option<Self> {
        let sides = 1..=SIDE_MAX;
        let valid = sides.contains(&rows)
            && sides.contains(&columns)
            && cells.len() == rows * columns
            && cells.iter().all(|colour| (1..=COLOUR_MAX).contains(colour))
            && cells.first() != cells.last()
            && Map::new(&cells, columns).is_ok();
        valid.then_some(Self {
            rows,
            columns,
            cells,
            spaced: spaced && columns > 1,
        })
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The colours of the cells, row by row.
    pub fn cells(&self) -> &[u8] {
        &self.cells
    }

    /// Whether a space stands between the digits of a row.
    pub fn spaced(&self) -> bool {
        self.spaced
    }

    /// The board cut into its regions.
    pub(super) fn map(&self) -> Map {
        Map::new(&self.cells, self.columns).expect("a valid board has few enough regions")
    }

    /// The board as a file.
    pub(super) fn render(&self) -> Vec<u8> {
        let mut text = format!("{} {}\n", self.rows, self.columns).into_bytes();
        for row in self.cells.chunks(self.columns) {
            for (column, colour) in row.iter().enumerate() {
                if column > 0 && self.spaced {
                    text.push(b' ');
                }
                text.push(b'0' + colour);
            }
            text.push(b'\n');
        }
        text
    }
}

/// Reads a board; see the statement for what is valid.
pub(super) fn parse(input: &[u8]) -> Result<Parsed<Board>, InputError> {
    let mut scanner = Scanner::new(input)?;
    let side = 1..=SIDE_MAX;
    let [rows, columns] = scanner.line("the size of the board")?.numbers([
        ("the number of rows", side.clone()),
        ("the number of columns", side),
    ])?;
    let mut cells = Vec::with_capacity(rows * columns);
    let mut lines = Vec::with_capacity(rows);
    let mut style = None;
    for row in 1..=rows {
        let line = scanner.line(&format!("row {row} of {rows}"))?;
        read_row(line, columns, &mut style, &mut cells)?;
        lines.push(line);
    }
    let spaced = style == Some(Style::Spaced);
    let fault = |cell: usize, reason: String| {
        let width = if spaced { 2 } else { 1 };
        Err(lines[cell / columns].error_at(cell % columns * width, reason))
    };
    if let Err(cell) = Map::new(&cells, columns) {
        let reason = format!("the board has more than {REGIONS_MAX} regions: one more begins here");
        return fault(cell, reason);
    }
    if cells.first() == cells.last() {
        let reason = format!(
            "the bottom right cell must differ in colour from the top left cell, both are {}",
            cells[0]
        );
        return fault(cells.len() - 1, reason);
    }
    scanner.finish(Board {
        rows,
        columns,
        cells,
        spaced,
    })
}

/// How the digits of a row stand; the first gap of the file decides it for the whole file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    Spaced,
    Contiguous,
}

fn read_row(
    mut line: Line<'_>,
    columns: usize,
    style: &mut Option<Style>,
    cells: &mut Vec<u8>,
) -> Result<(), InputError> {
    for column in 0..columns {
        if column > 0 {
            if line.rest().is_empty() {
                let reason = format!("the row ends after {column} of {columns} cells");
                return Err(line.error_here(reason));
            }
            let decided = *style.get_or_insert(match line.rest() {
                [b' ', ..] => Style::Spaced,
                _ => Style::Contiguous,
            });
            read_gap(&mut line, decided)?;
        }
        cells.push(read_colour(&mut line)?);
    }
    match line.rest() {
        [b' ' | b'0'..=b'9', ..] => {
            let reason = format!("the row should end here, after {columns} cells");
            Err(line.error_here(reason))
        }
        _ => line.end(),
    }
}

fn read_gap(line: &mut Line<'_>, style: Style) -> Result<(), InputError> {
    match (style, line.rest()) {
        (Style::Spaced, [b'0'..=b'9', ..]) => Err(line.error_here(
            "no space between two digits, but digits before them have one: both ways in one file",
        )),
        (Style::Contiguous, [b' ', ..]) => Err(line.error_here(
            "a space between two digits, but digits before them have none: both ways in one file",
        )),
        (Style::Spaced, _) => line.space("the next colour"),
        (Style::Contiguous, _) => Ok(()),
    }
}

fn read_colour(line: &mut Line<'_>) -> Result<u8, InputError> {
    match line.rest() {
        [digit @ b'0'..=b'9', ..] if !(b'1'..=b'0' + COLOUR_MAX).contains(digit) => {
            let digit = char::from(*digit);
            let reason = format!("a colour must be from 1 to {COLOUR_MAX}, not {digit}");
            Err(line.error_here(reason))
        }
        [b'0'..=b'9', ..] => {
            let digit = line.byte().unwrap_or_default();
            Ok(digit - b'0')
        }
        _ => Err(line.unexpected("a colour")),
    }
}

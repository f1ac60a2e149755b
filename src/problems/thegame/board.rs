//! Boards with their queries: the typed instance, the strict parser and the normal form.

use std::fmt::{self, Write};

use crate::problems::{INPUT_BYTES_MAX, InputError, Line, Normalisation, Parsed, Scanner};

/// The greatest width and height of a board.
pub const SIDE_MAX: u8 = 75;

/// The most boards in one input; far beyond what any program could read and answer within the
/// limits.
pub const BOARDS_MAX: usize = 20_000;

/// The most queries in one input, all boards together.
pub const QUERIES_MAX: usize = 20_000;

/// Every number of the format is at most this wide on the board, so that it can be read before it
/// is judged.
const SIDE_RANGE: std::ops::RangeInclusive<usize> = 1..=SIDE_MAX as usize;

/// A cell of the board, from (1, 1) at the top left; 0 and width + 1 or height + 1 are the free
/// ring around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Point {
    /// The column.
    pub x: u8,
    /// The row.
    pub y: u8,
}

/// Right, down, left, up: each the one before turned right.
pub const DIRECTIONS: [(i8, i8); 4] = [(1, 0), (0, 1), (-1, 0), (0, -1)];

impl Point {
    /// The cell so many cells away in a direction, if coordinates can hold it.
    pub fn step(self, (dx, dy): (i8, i8), cells: i8) -> Option<Self> {
        Some(Self {
            x: self.x.checked_add_signed(dx * cells)?,
            y: self.y.checked_add_signed(dy * cells)?,
        })
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}, {})", self.x, self.y)
    }
}

/// Two different cards that are to be joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Query {
    /// The card that is named first.
    pub from: Point,
    /// The card that is named second.
    pub to: Point,
}

/// One board with its queries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Board {
    width: u8,
    height: u8,
    /// One mask per row from the top; bit x is the card in column x, so bit 0 is never set.
    rows: Vec<u128>,
    /// The queries in their order; each names two different cells that hold cards.
    pub queries: Vec<Query>,
}

impl Board {
    /// A board without cards; the sides are brought into 1 to [`SIDE_MAX`].
    pub fn empty(width: u8, height: u8) -> Self {
        let height = height.clamp(1, SIDE_MAX);
        Self {
            width: width.clamp(1, SIDE_MAX),
            height,
            rows: vec![0; usize::from(height)],
            queries: Vec::new(),
        }
    }

    /// The number of columns.
    pub fn width(&self) -> u8 {
        self.width
    }

    /// The number of rows.
    pub fn height(&self) -> u8 {
        self.height
    }

    /// Whether the cell is on the board and not on the ring or beyond.
    pub fn contains(&self, point: Point) -> bool {
        (1..=self.width).contains(&point.x) && (1..=self.height).contains(&point.y)
    }

    /// Whether the cell is on the board or on the ring around it.
    pub fn is_on_ring_or_board(&self, point: Point) -> bool {
        point.x <= self.width + 1 && point.y <= self.height + 1
    }

    /// Whether the cell holds a card; never outside the board.
    pub fn has_card(&self, point: Point) -> bool {
        self.contains(point) && self.row(point.y) >> point.x & 1 == 1
    }

    /// Lays a card on the cell or takes it away; cells outside the board stay free.
    pub fn set_card(&mut self, point: Point, card: bool) {
        if !self.contains(point) {
            return;
        }
        let row = &mut self.rows[usize::from(point.y) - 1];
        *row = *row & !(1 << point.x) | u128::from(card) << point.x;
    }

    /// The cards of row `y` as a mask, bit x for column x; rows outside the board are empty.
    pub fn row(&self, y: u8) -> u128 {
        let row = usize::from(y)
            .checked_sub(1)
            .and_then(|index| self.rows.get(index));
        row.copied().unwrap_or(0)
    }

    /// Every cell, row by row.
    pub fn cells(&self) -> impl Iterator<Item = Point> + use<> {
        let width = self.width;
        (1..=self.height).flat_map(move |y| (1..=width).map(move |x| Point { x, y }))
    }

    /// Every card, row by row.
    pub fn cards(&self) -> Vec<Point> {
        self.cells().filter(|&cell| self.has_card(cell)).collect()
    }

    /// The bytes of the board's normal form, queries not counted.
    pub fn text_bytes(&self) -> usize {
        const HEADER_AND_END_BYTES: usize = "75 75\n".len() + "0 0 0 0\n".len();
        (usize::from(self.width) + 1) * usize::from(self.height) + HEADER_AND_END_BYTES
    }
}

/// One whole input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    /// The boards in their order; none is valid.
    pub boards: Vec<Board>,
}

/// An input of one board.
impl From<Board> for Input {
    fn from(board: Board) -> Self {
        let boards = vec![board];
        Self { boards }
    }
}

/// Writes the normal form: rows at their full width, single spaces, every terminator.
pub fn render(input: &Input) -> Vec<u8> {
    let mut text = String::new();
    for board in &input.boards {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{} {}", board.width, board.height);
        for row in &board.rows {
            text.extend((1..=board.width).map(|x| if row >> x & 1 == 1 { 'X' } else { ' ' }));
            text.push('\n');
        }
        for Query { from, to } in &board.queries {
            let _ = writeln!(text, "{} {} {} {}", from.x, from.y, to.x, to.y);
        }
        text.push_str("0 0 0 0\n");
    }
    text.push_str("0 0\n");
    text.into_bytes()
}

/// Reads an input strictly.
pub fn parse(input: &[u8]) -> Result<Parsed<Input>, InputError> {
    let mut scanner = Scanner::new(input)?;
    let mut boards = Vec::new();
    let mut text_bytes = 0;
    let mut queries_left = QUERIES_MAX;
    loop {
        let mut line = scanner.line("a board or the closing `0 0`")?;
        if line.rest() == b"0 0" {
            break;
        }
        if line.rest() == b"0 0 0 0" {
            return Err(line.error_here(
                "a second `0 0 0 0`, where a board or the closing `0 0` should stand",
            ));
        }
        if boards.len() == BOARDS_MAX {
            return Err(line.error_here(format!("more than {BOARDS_MAX} boards")));
        }
        let [width, height] =
            line.numbers([("the width", SIDE_RANGE), ("the height", SIDE_RANGE)])?;
        let mut board = Board::empty(small(width), small(height));
        // Rows may have lost their spaces, so a small file can stand for a large one.
        text_bytes += board.text_bytes();
        if text_bytes > INPUT_BYTES_MAX {
            return Err(line.error_at(
                0,
                format!("the boards up to here are larger than {INPUT_BYTES_MAX} bytes"),
            ));
        }
        for y in 1..=board.height {
            board.rows[usize::from(y) - 1] = parse_row(&mut scanner, &board, y)?;
        }
        while let Some(query) = parse_query(&mut scanner, &board, queries_left)? {
            board.queries.push(query);
            queries_left -= 1;
        }
        boards.push(board);
    }
    scanner.finish(Input { boards })
}

/// Reads row `y`, where spaces at the end are data and may be lost or too many.
fn parse_row(scanner: &mut Scanner<'_>, board: &Board, y: u8) -> Result<u128, InputError> {
    let what = format!("row {y} of {}", board.height);
    let mut line = scanner.raw_line(&what)?;
    let cell = format!("a card `X` or a space of {what}");
    let mut row = 0;
    for x in 1..=board.width {
        let before = line;
        match line.byte() {
            None => {
                scanner.note(Normalisation::LostTrailingSpaces);
                return Ok(row);
            }
            Some(b'X') => row |= 1 << x,
            Some(b' ') => {}
            Some(b'x') => {
                return Err(before.error_here(format!("a small `x` where {cell} should stand")));
            }
            Some(_) => return Err(before.unexpected(&cell)),
        }
    }
    if line.rest().is_empty() {
        return Ok(row);
    }
    while line.rest().first() == Some(&b' ') {
        line.byte();
    }
    if line.rest().first() == Some(&b'X') {
        let width = board.width;
        return Err(line.error_here(format!("a card of {what} beyond the width {width}")));
    }
    line.end()?;
    scanner.note(Normalisation::TrailingSpaces);
    Ok(row)
}

/// Reads a query; `None` for `0 0 0 0`.
fn parse_query(
    scanner: &mut Scanner<'_>,
    board: &Board,
    queries_left: usize,
) -> Result<Option<Query>, InputError> {
    let mut line = scanner.line("a query or `0 0 0 0`")?;
    if line.rest() == b"0 0 0 0" {
        return Ok(None);
    }
    if let Some(fault) = misplaced(&line, board) {
        return Err(fault);
    }
    if queries_left == 0 {
        return Err(line.error_here(format!("more than {QUERIES_MAX} queries")));
    }
    let (columns, rows) = (1..=usize::from(board.width), 1..=usize::from(board.height));
    let from = parse_card(
        &mut line,
        board,
        ("x1", columns.clone()),
        ("y1", rows.clone()),
    )?;
    line.space("x2")?;
    let second = line;
    let to = parse_card(&mut line, board, ("x2", columns), ("y2", rows))?;
    line.end()?;
    if from == to {
        return Err(second.error_here(format!("both cards of the query are {from}")));
    }
    Ok(Some(Query { from, to }))
}

/// Names lines that are in order elsewhere but do not belong among the queries.
fn misplaced(line: &Line<'_>, board: &Board) -> Option<InputError> {
    let bytes = line.rest();
    if bytes == b"0 0" {
        return Some(line.error_here("`0 0` where `0 0 0 0` should end the queries first"));
    }
    let row_like = bytes.iter().all(|byte| matches!(byte, b'X' | b' '));
    (row_like && !bytes.is_empty()).then(|| {
        let height = board.height;
        line.error_here(format!(
            "a row of cards after the {height} rows of the board"
        ))
    })
}

/// Reads a column and a row and checks that a card lies there.
fn parse_card(
    line: &mut Line<'_>,
    board: &Board,
    (x_name, x_range): (&str, std::ops::RangeInclusive<usize>),
    (y_name, y_range): (&str, std::ops::RangeInclusive<usize>),
) -> Result<Point, InputError> {
    let start = *line;
    let x = small(line.number(x_name, x_range)?);
    line.space(y_name)?;
    let y = small(line.number(y_name, y_range)?);
    // A number that goes on with something else is not this number, so its cell means nothing yet.
    if !matches!(line.rest().first(), None | Some(b' ')) {
        return Err(line.unexpected("a space or the end of the line"));
    }
    let point = Point { x, y };
    if !board.has_card(point) {
        return Err(start.error_here(format!("no card lies at {point}")));
    }
    Ok(point)
}

/// A number that has been checked against [`SIDE_MAX`].
fn small(value: usize) -> u8 {
    u8::try_from(value).unwrap_or(SIDE_MAX)
}

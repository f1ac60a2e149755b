//! Simpler boards: fewer rows and columns, fewer regions, smaller colours.

use super::board::Board;
use super::map::members;

/// What every candidate has less of than the board it came from, compared in order:
/// cells, regions, the sum of the colours, blanks between the digits.
#[cfg(test)]
pub(super) fn measure(board: &Board) -> (usize, usize, usize, bool) {
    let colours = board.cells().iter().map(|&colour| usize::from(colour));
    (
        board.cells().len(),
        board.map().first_cell.len(),
        colours.sum(),
        board.spaced(),
    )
}

/// Valid boards one step simpler, the boldest first.
pub(super) fn candidates(board: &Board) -> Vec<Board> {
    let mut found = Vec::new();
    drop_lines(board, &mut found);
    merge_regions(board, &mut found);
    lower_colours(board, &mut found);
    if board.spaced() {
        let cells = board.cells().to_vec();
        found.extend(Board::new(board.rows(), board.columns(), cells, false));
    }
    found
}

/// Leaves out ranges of rows and of columns, from half of them down to one.
fn drop_lines(board: &Board, found: &mut Vec<Board>) {
    let mut length = board.rows().max(board.columns()).div_ceil(2);
    while length > 0 {
        for start in (0..board.rows()).step_by(length) {
            let dropped = start..start + length;
            found.extend(keep(board, |row, _| !dropped.contains(&row)));
        }
        for start in (0..board.columns()).step_by(length) {
            let dropped = start..start + length;
            found.extend(keep(board, |_, column| !dropped.contains(&column)));
        }
        length /= 2;
    }
}

/// The board of the rows and columns that are kept.
fn keep(board: &Board, kept: impl Fn(usize, usize) -> bool) -> Option<Board> {
    let mut cells = Vec::with_capacity(board.cells().len());
    let mut rows = 0;
    for (row, line) in board.cells().chunks(board.columns()).enumerate() {
        let before = cells.len();
        let line = line.iter().enumerate();
        cells.extend(
            line.filter(|&(column, _)| kept(row, column))
                .map(|(_, &colour)| colour),
        );
        rows += usize::from(cells.len() > before);
    }
    let columns = cells.len().checked_div(rows)?;
    Board::new(rows, columns, cells, board.spaced())
}

/// Paints a region in the colour of a neighbour.
fn merge_regions(board: &Board, found: &mut Vec<Board>) {
    let map = board.map();
    for region in 0..map.first_cell.len() {
        let mut tried = [false; u8::MAX as usize + 1];
        for neighbour in members(map.neighbours[region]) {
            let colour = board.cells()[map.first_cell[neighbour]];
            if !std::mem::replace(&mut tried[usize::from(colour)], true) {
                found.extend(repaint(board, &map.region_of, region, colour));
            }
        }
    }
}

/// Paints a region in a smaller colour.
fn lower_colours(board: &Board, found: &mut Vec<Board>) {
    let map = board.map();
    for region in 0..map.first_cell.len() {
        for colour in 1..board.cells()[map.first_cell[region]] {
            found.extend(repaint(board, &map.region_of, region, colour));
        }
    }
}

fn repaint(board: &Board, region_of: &[usize], region: usize, colour: u8) -> Option<Board> {
    let cells = board
        .cells()
        .iter()
        .zip(region_of)
        .map(|(&old, &of)| if of == region { colour } else { old })
        .collect();
    Board::new(board.rows(), board.columns(), cells, board.spaced())
}

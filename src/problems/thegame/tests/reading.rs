//! Inputs at the limits. What else is refused or normalised is listed in `inputs.txt`.

use super::super::board::{BOARDS_MAX, QUERIES_MAX, parse};

fn refused(text: &str, line: usize, column: usize, part: &str) {
    let error = parse(text.as_bytes()).unwrap_err();
    assert_eq!((error.line, error.column), (line, column), "{error}");
    assert!(error.reason.contains(part), "{error}");
}

#[test]
fn counts_are_bounded() {
    let boards = "1 1\n\n0 0 0 0\n".repeat(BOARDS_MAX);
    let most = parse(format!("{boards}0 0\n").as_bytes()).unwrap();
    assert_eq!(most.input.boards.len(), BOARDS_MAX);
    let over = format!("{boards}1 1\n\n0 0 0 0\n0 0\n");
    refused(&over, 3 * BOARDS_MAX + 1, 1, "more than 20000 boards");
    let queries = "1 1 2 1\n".repeat(QUERIES_MAX);
    assert!(parse(format!("2 1\nXX\n{queries}0 0 0 0\n0 0\n").as_bytes()).is_ok());
    let over = format!("2 1\nXX\n{queries}1 1 2 1\n0 0 0 0\n0 0\n");
    refused(&over, QUERIES_MAX + 3, 1, "more than 20000 queries");
    let large = format!("75 75\n{}0 0 0 0\n", "\n".repeat(75)).repeat(3000);
    refused(&large, 77 * 2936 + 1, 1, "larger than 16777216 bytes");
}

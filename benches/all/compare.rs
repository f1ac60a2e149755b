//! Comparing an output of several megabytes with the expected one, against comparing the same bytes
//! one by one.
//!
//! - `exact`: the two are identical, as most right outputs are, whatever the mode.
//! - `lines`, `tokens`, `float`: they are equal only in that mode, and differ on every line.
//! - `differs`: the last token is wrong, and must be found with its line.
//!
//! The baseline looks at every byte of both, once, and does not stop at a difference.

use std::fmt::Write as _;

use verdictd::internals::comparison::{Mode, Outcome, compare};

use crate::common::{Row, Size, medians_in_turns, ms};

pub const NAME: &str = "compare";

/// Number of timings; the median counts.
const RUNS: usize = 15;
/// Lines of an output, with two numbers each.
const LINES: u32 = 500_000;
const LINES_SMALL: u32 = 1_000;

pub fn rows(size: Size) -> Vec<Row> {
    let (runs, lines) = size.pick((RUNS, LINES), (1, LINES_SMALL));
    let expected = output(lines, |number| format!("{number} {number}.5"));
    let float = Mode::Float {
        absolute: 1e-6,
        relative: 0.0,
    };
    let rows = [
        ("exact", Mode::Exact, expected.clone()),
        (
            "lines",
            Mode::Lines,
            output(lines, |number| format!("{number} {number}.5 ")),
        ),
        (
            "tokens",
            Mode::Tokens,
            output(lines, |number| format!("{number}  {number}.5")),
        ),
        (
            "float",
            float,
            output(lines, |number| format!("{number} {number}.5000001")),
        ),
    ];
    let mut rows: Vec<Row> = rows
        .into_iter()
        .map(|(name, mode, got)| {
            assert_eq!(compare(&expected, &got, &mode), Outcome::Same, "{name}");
            assert_eq!(got == expected, name == "exact", "{name}: what differs");
            assert_only_in_its_mode(name, &expected, &got);
            row(name, &expected, &got, &mode, runs)
        })
        .collect();
    let mut wrong = output(lines, |number| format!("{number}  {number}.5"));
    wrong.truncate(wrong.len() - "5\n".len());
    wrong.extend(b"6\n");
    match compare(&expected, &wrong, &Mode::Tokens) {
        Outcome::Different(difference) => assert_eq!(difference.line, lines as usize),
        other => panic!("the last token is wrong: {other:?}"),
    }
    rows.push(row("differs", &expected, &wrong, &Mode::Tokens, runs));
    rows
}

fn output(lines: u32, line: impl Fn(u32) -> String) -> Vec<u8> {
    let mut text = String::new();
    for number in 1..=lines {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}", line(number));
    }
    text.into_bytes()
}

/// A stricter mode sees the difference in the bytes: otherwise the rows would measure the same
/// thing.
fn assert_only_in_its_mode(name: &str, expected: &[u8], got: &[u8]) {
    let stricter = match name {
        "lines" => Mode::Exact,
        "tokens" => Mode::Lines,
        "float" => Mode::Tokens,
        _ => return,
    };
    assert_ne!(compare(expected, got, &stricter), Outcome::Same, "{name}");
}

fn row(name: &str, expected: &[u8], got: &[u8], mode: &Mode, runs: usize) -> Row {
    let (ours, bytes) = medians_in_turns(
        runs,
        || compare(expected, got, mode),
        || differing_bytes(expected, got),
    );
    Row::new(NAME, name, ms(ours), "ms").over(ms(bytes))
}

fn differing_bytes(expected: &[u8], got: &[u8]) -> usize {
    let pairs = expected.iter().zip(got);
    pairs.filter(|(expected, got)| expected != got).count() + expected.len().abs_diff(got.len())
}

//! How inputs are cut into lines, and what is said of what stands in them.

use super::{Normalisation, Scanner};

/// All lines with their numbers, and what was noted.
fn read(input: &str) -> (Vec<(usize, &str)>, Vec<Normalisation>) {
    let mut scanner = Scanner::new(input.as_bytes()).unwrap();
    let mut lines = Vec::new();
    while scanner.rest.is_some() {
        let line = scanner.raw_line("a line").unwrap();
        lines.push((line.number, std::str::from_utf8(line.bytes).unwrap()));
    }
    let end = scanner.raw_line("more").unwrap_err();
    assert_eq!((end.line, end.column), (lines.len() + 1, 1), "{input:?}");
    (lines, scanner.finish(()).unwrap().notes)
}

#[test]
fn inputs_are_cut_into_lines() {
    use Normalisation::{CarriageReturns, EmptyLinesAtEnd, MissingFinalNewline};
    let table: &[(&str, &[&str], &[Normalisation])] = &[
        ("", &[], &[]),
        ("\n", &[""], &[]),
        (" ", &[" "], &[MissingFinalNewline]),
        ("a\nb\n", &["a", "b"], &[]),
        ("a\n\nb", &["a", "", "b"], &[MissingFinalNewline]),
        ("a\r\nb\r\n", &["a", "b"], &[CarriageReturns]),
        ("a\r\r\n", &["a\r"], &[CarriageReturns]),
        ("a\r", &["a"], &[CarriageReturns, MissingFinalNewline]),
        ("a\rb\n", &["a\rb"], &[]),
        ("a\n\n  \n", &["a"], &[EmptyLinesAtEnd]),
        ("a\n \r\n", &["a"], &[CarriageReturns, EmptyLinesAtEnd]),
        ("a\n ", &["a"], &[MissingFinalNewline, EmptyLinesAtEnd]),
        ("\n\n\n", &[""], &[EmptyLinesAtEnd]),
    ];
    for &(input, lines, notes) in table {
        let numbered: Vec<_> = (1..).zip(lines.iter().copied()).collect();
        assert_eq!(read(input), (numbered, notes.to_vec()), "{input:?}");
    }
}

#[test]
fn what_stands_there_is_named_and_quoted() {
    let cut = "`0123456789abcdef01234567…`";
    for (input, named) in [
        ("x  5", "`5`"),
        ("x \u{417}", "the character `З` (U+0417)"),
        ("x\u{200D}", "the invisible character U+200D"),
        ("x\"quoted'\n", "`\"quoted'`"),
        ("x0123456789abcdef01234567\n", "`0123456789abcdef01234567`"),
        ("x0123456789abcdef012345678\n", cut),
    ] {
        let mut scanner = Scanner::new(input.as_bytes()).unwrap();
        let mut line = scanner.line("x").unwrap();
        assert_eq!(line.byte(), Some(b'x'));
        let error = line.end().unwrap_err();
        let reason = format!("the line should end here, not go on with {named}");
        assert_eq!((error.column, error.reason), (2, reason), "{input:?}");
    }
    let mut scanner = Scanner::new(b"x\n   5 6\n").unwrap();
    scanner.line("x").unwrap();
    let error = scanner.finish(()).unwrap_err();
    assert_eq!((error.line, error.column), (2, 1));
    let reason = "trailing data after the end of the input: `5`";
    assert_eq!(&*error.reason, reason);
}

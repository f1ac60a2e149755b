//! The edges of excerpts: where they are cut, where broken text is located, how long they can be.

use super::super::{Mode, compare, error_of_number};
use super::FLOAT;

/// What stands before the mark of what was printed, when it differs in its last token.
fn before_mark(expected: &[u8], got: &[u8]) -> String {
    let difference = compare(expected, got, &Mode::Tokens).difference().unwrap();
    let [before, ..] = difference.got.printable_parts();
    before
}

#[test]
fn an_ellipsis_stands_only_where_the_line_has_more() {
    for (before, cut) in [
        ("x\n".to_owned() + &"a ".repeat(40), false),
        ("x\nab ".to_owned() + &"a ".repeat(39), true),
        ("a ".repeat(40), false),
        ("ab ".to_owned() + &"a ".repeat(39), true),
    ] {
        let [expected, got] = ["b", "c"].map(|last| before.clone() + last);
        let shown = before_mark(expected.as_bytes(), got.as_bytes());
        assert_eq!(shown.starts_with('…'), cut, "{before:?} {shown:?}");
        assert_eq!(shown.trim_start_matches('…').len(), 80, "{before:?}");
    }
}

#[test]
fn bytes_that_are_no_characters_are_located_and_shown_as_they_are() {
    // A stray byte belongs to no letter before it.
    let token = |last: u8| [&[b'a'; 50][..], &[last]].concat();
    let found = compare(&token(0x80), &token(0x81), &Mode::Tokens);
    let difference = found.difference().unwrap();
    assert_eq!((difference.line, difference.column), (1, 51));
    assert_eq!(difference.got.printable_parts()[1], r"\x81");
    // Of many there is no first one: the excerpt begins where it would.
    let token = |last: u8| [&[0x80; 200][..], &[last]].concat();
    let shown = before_mark(&token(b'1'), &token(b'2'));
    assert_eq!(shown, format!("…{}", r"\x80".repeat(80)));
}

#[test]
fn an_error_is_told_of_numbers_in_the_mode_for_numbers_alone() {
    let told = |expected: &str, got: &str, mode| {
        error_of_number(expected.as_bytes(), got.as_bytes(), &mode)
    };
    let words = "It is off by 0.5; 1e-6, or 1e-6 of the expected number (1e-6), is allowed.";
    assert_eq!(told("1", "1.5", FLOAT).as_deref(), Some(words));
    for mode in [Mode::Exact, Mode::Lines, Mode::Tokens] {
        assert_eq!(told("1", "1.5", mode), None);
    }
}

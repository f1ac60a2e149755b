//! Tables for every mode, and properties that hold for all bytes.

mod edges;

use proptest::prelude::*;

use super::excerpt::{EXCERPT_BYTES_MAX, Side};
use super::*;
use crate::util::tests::trials::trials;
use crate::util::text::{is_white, trim_end};

/// Four for every byte kept, and the two ellipses.
const PRINTABLE_BYTES_MAX: usize = 4 * EXCERPT_BYTES_MAX + 2 * "…".len();

const FLOAT: Mode = mode(1e-6, 1e-6);

pub const fn mode(absolute: f64, relative: f64) -> Mode {
    Mode::Float { absolute, relative }
}

/// An outcome on one line: `same`, or `layout` or `different` with kind, place and both sides, the
/// mark in brackets.
fn show(outcome: &Outcome) -> String {
    let (word, difference) = match outcome {
        Outcome::Same => return "same".into(),
        Outcome::Layout(difference) => ("layout", difference),
        Outcome::Different(difference) => ("different", difference),
    };
    let side = |side: &Side| {
        let [before, mark, after] = side.printable_parts();
        format!("{before}[{mark}]{after}")
    };
    let [expected, got] = [&difference.expected, &difference.got].map(side);
    let Difference {
        kind, line, column, ..
    } = difference;
    format!("{word} {kind:?} {line}:{column} {expected} | {got}")
}

#[track_caller]
fn check(mode: Mode, table: &[(&str, &str, &str)]) {
    for (expected, got, outcome) in table {
        let found = show(&compare(expected.as_bytes(), got.as_bytes(), &mode));
        assert_eq!(found, *outcome, "expected {expected:?}, got {got:?}");
    }
}

#[test]
fn exact_counts_every_byte() {
    let table = [
        ("a\n", "a\n", "same"),
        ("a\n", "a", r"layout Missing 1:2 a[\n] | a[]"),
        ("a", "a\n", r"layout Extra 1:2 a[] | a[\n]"),
        ("a\n", "a\r\n", r"layout Differs 1:2 a[\n] | a[\r]\n"),
        ("a b\n", "a  b\n", r"layout Differs 1:3 a [b]\n | a [ ]b\n"),
        ("a\nb\n", "a\n\nb\n", r"layout Differs 2:1 [b]\n | [\n]"),
        ("a\nb\n", "a\nc\n", "different Differs 2:1 [b] | [c]"),
        ("a b\n", "a  c\n", "different Differs 1:4 a [b] | a  [c]"),
        ("a\n", "", "different Empty 1:1 [a] | []"),
        ("\n", "", r"layout Missing 1:1 [\n] | []"),
    ];
    check(Mode::Exact, &table);
}

#[test]
fn lines_forgive_what_stands_at_the_end() {
    let table = [
        ("a\nb\n", "a\nb\n", "same"),
        ("a\nb\n", "a\nb", "same"),
        ("a\nb\n", "a  \nb\t\r\n\n \n", "same"),
        ("a\nb\n", "a\r\nb\r\n", "same"),
        ("a\nb\n", "a\x0b\x0c\nb\n", "same"),
        ("", "\n \n", "same"),
        ("a\n\nb\n", "a\n   \nb\n", "same"),
        ("a b\n", "a  b\n", "layout Differs 1:3 a [b] | a [ b]"),
        ("a b\n", " a b\n", "layout Differs 1:1 [a b] | [ a b]"),
        ("a b\n", "a\tb\n", r"layout Differs 1:2 a[ b] | a[\tb]"),
        ("a\n\nb\n", "a\nb\n", "layout Differs 2:1 [] | [b]"),
        ("a\nb\n", "a\n\nb\n", "layout Differs 2:1 [b] | []"),
        ("a\nb\n", "a b\n", "layout Differs 1:2 a[] | a[ b]"),
        ("a b\n", "a\nb\n", "layout Differs 1:2 a[ b] | a[]"),
        ("a\n", "\na\n", "layout Differs 1:1 [a] | []"),
        ("a\nb\n", "a\rb\n", r"layout Differs 1:2 a[] | a[\rb]"),
        ("x\ny\n", "x y\nz\n", "different Extra 2:1 [] | [z]"),
        ("1\n2\n3\n", "1\n2\n", "different Missing 2:2 [3] | []"),
        ("1 2\n", "1\n", "different Missing 1:2 1 [2] | 1[]"),
        ("1\n", "1 2\n", "different Extra 1:3 1[] | 1 [2]"),
        ("1\n", "1\n2\n", "different Extra 2:1 [] | [2]"),
        ("1\n", "\n\n", "different Empty 1:1 [1] | []"),
        ("", "x", "different Extra 1:1 [] | [x]"),
        ("ab\n", "a b\n", "different Differs 1:1 [ab] | [a] b"),
    ];
    check(Mode::Lines, &table);
}

#[test]
fn tokens_ignore_the_layout() {
    let table = [
        ("1 2\n3\n", "1\n\n 2\t3", "same"),
        ("", " \r\n\x0b\x0c", "same"),
        ("3\n", "4\n", "different Differs 1:1 [3] | [4]"),
        ("3\n", "3.0\n", "different Differs 1:1 [3] | [3.0]"),
        ("3\n", "03\n", "different Differs 1:1 [3] | [03]"),
        ("Yes\n", "YES\n", "different Differs 1:1 [Yes] | [YES]"),
        ("1\n4 5", "1\r\n4 7", "different Differs 2:3 4 [5] | 4 [7]"),
        ("é 1\n", "é 2\n", "different Differs 1:3 é [1] | é [2]"),
        ("1\n", "1\0\n", r"different Differs 1:1 [1] | [1\x00]"),
        ("1\n", "\0", r"different Differs 1:1 [1] | [\x00]"),
        ("1", "\u{feff}1", r"different Differs 1:1 [1] | [\u{feff}1]"),
        ("1 2", "1\u{a0}", r"different Differs 1:1 [1] 2 | [1\u{a0}]"),
    ];
    check(Mode::Tokens, &table);
}

#[test]
fn floats_need_only_be_near() {
    let table = [
        ("1.0\n", "1.0000005\n", "same"),
        ("1.0\n", "1\n", "same"),
        ("0\n", "-0.0\n", "same"),
        ("0\n", "1e-7\n", "same"),
        ("1e300\n", "1.0000001e300\n", "same"),
        ("3 apples\n", "3.0 apples\n", "same"),
        ("nan inf\n", "nan inf\n", "same"),
        ("1.0\n", "1.1\n", "different Differs 1:1 [1.0] | [1.1]"),
        ("1.0\n", "nan\n", "different Differs 1:1 [1.0] | [nan]"),
        ("1.0\n", "inf\n", "different Differs 1:1 [1.0] | [inf]"),
        ("1.0\n", "1,0\n", "different Differs 1:1 [1.0] | [1,0]"),
        ("1e308", "1e309", "different Differs 1:1 [1e308] | [1e309]"),
        ("inf\n", "1e999\n", "different Differs 1:1 [inf] | [1e999]"),
        ("NaN\n", "nan\n", "different Differs 1:1 [NaN] | [nan]"),
        ("fig\n", "Fig\n", "different Differs 1:1 [fig] | [Fig]"),
        ("1 2\n", "1.0\n", "different Missing 1:4 1 [2] | 1.0[]"),
    ];
    check(FLOAT, &table);
}

#[test]
fn a_tolerance_is_a_closed_bound_and_relative_to_what_is_expected() {
    for (expected, got, mode, same) in [
        ("1", "1.5", mode(0.5, 0.0), true),
        ("1", "1.5001", mode(0.5, 0.0), false),
        ("100", "150", mode(0.0, 0.5), true),
        ("100", "151", mode(0.0, 0.5), false),
        ("-100", "-150", mode(0.0, 0.5), true),
        ("0", "0.1", mode(0.0, 0.5), false),
        ("1", "1.0", mode(0.0, 0.0), true),
        ("1", "1", mode(f64::NAN, f64::NAN), true),
        ("1", "1.0", mode(f64::NAN, f64::NAN), false),
    ] {
        let outcome = compare(expected.as_bytes(), got.as_bytes(), &mode);
        assert_eq!(outcome == Outcome::Same, same, "{expected} {got} {mode:?}");
    }
}

#[test]
fn what_cannot_be_seen_is_spelt_out() {
    for (bytes, text) in [
        (&b"plain 'text' \"here\""[..], r#"plain 'text' "here""#),
        (b"\x1b[31m", r"\x1b[31m"),
        (b"a\tb", r"a\tb"),
        (b"\x7f\x01", r"\x7f\x01"),
        (b"\xff\xfe1", r"\xff\xfe1"),
        (b"\xe2\x80", r"\xe2\x80"),
        ("\u{202e}3".as_bytes(), r"\u{202e}3"),
        ("\u{2066}\u{200b}".as_bytes(), r"\u{2066}\u{200b}"),
        ("\u{200d}\u{85}".as_bytes(), r"\u{200d}\u{85}"),
        ("\u{2028}".as_bytes(), r"\u{2028}"),
        ("\u{e0041}".as_bytes(), r"\u{e0041}"),
        ("e\u{301}".as_bytes(), r"e\u{301}"),
        (b"a\\x00", r"a\\x00"),
        ("\u{42f}\u{65e5}".as_bytes(), "\u{42f}\u{65e5}"),
    ] {
        let mut side = Side::default();
        side.bytes.extend(bytes);
        assert_eq!(side.printable(), text);
    }
}

#[test]
fn a_long_line_is_cut_on_both_sides_of_the_difference() {
    let mut expected = b"word ".repeat(40_000);
    let mut got = expected.clone();
    expected[100_000..100_004].copy_from_slice(b"this");
    got[100_000..100_004].copy_from_slice(b"that");
    for mode in [Mode::Exact, Mode::Lines, Mode::Tokens, FLOAT] {
        let Outcome::Different(difference) = compare(&expected, &got, &mode) else {
            panic!("{mode:?}");
        };
        assert_eq!((difference.line, difference.column), (1, 100_001));
        for (side, word) in [(&difference.expected, "this"), (&difference.got, "that")] {
            assert_eq!(side.bytes.len(), EXCERPT_BYTES_MAX);
            let [before, mark, after] = side.printable_parts();
            assert_eq!(mark, word);
            assert!(before.starts_with('…') && before.ends_with("word "));
            assert!(after.starts_with(" word") && after.ends_with('…'));
        }
    }
}

#[test]
fn a_token_of_a_megabyte_is_located_where_it_differs() {
    let expected = "я".repeat(1 << 19);
    let got = format!("{}ю{}", "я".repeat(300_000), "я".repeat(10));
    let found = compare(expected.as_bytes(), got.as_bytes(), &Mode::Tokens);
    let difference = found.difference().unwrap();
    assert_eq!((difference.line, difference.column), (1, 300_001));
    let same = |times| "я".repeat(times);
    let before = format!("…{}", same(40));
    let shown = difference.got.printable_parts().concat();
    assert_eq!(shown, format!("{before}ю{}", same(10)));
    let shown = difference.expected.printable_parts();
    assert_eq!(shown, [before, same(60), "…".to_owned()]);
}

#[test]
fn megabytes_are_compared_to_the_last_byte() {
    let expected = b"1 \n".repeat(1 << 20);
    let mut got = expected.clone();
    let last = got.len() - 3;
    got[last] = b'2';
    let lines = expected.len() / 3;
    for mode in [Mode::Exact, Mode::Lines, Mode::Tokens, FLOAT] {
        let outcome = show(&compare(&expected, &got, &mode));
        assert_eq!(outcome, format!("different Differs {lines}:1 [1] | [2]"));
    }
}

/// A comparison by these flags.
pub fn icpc(case: bool, space: bool, tolerance: Option<(f64, f64)>) -> Mode {
    let tolerance = tolerance.map(|(absolute, relative)| Tolerance { absolute, relative });
    let flags = Flags {
        case_sensitive: case,
        space_change_sensitive: space,
        tolerance,
    };
    flags.mode()
}

#[test]
fn the_flags_of_the_default_output_validator() {
    // Where they mean the same as another mode, they are that mode.
    assert_eq!(icpc(true, false, None), Mode::Tokens);
    assert_eq!(icpc(true, true, None), Mode::Exact);
    assert_eq!(icpc(true, false, Some((1e-6, 1e-6))), FLOAT);
    let near = Some((0.1, 0.0));
    for (case, space, tolerance, expected, got, accepted) in [
        (false, false, None, "Yes 1.0\n", "YES\t1.0", true),
        (false, false, None, "Yes 1.0\n", "yes 1.00", false),
        // Upper and lower case are those of ASCII.
        (false, false, None, "É", "é", false),
        (true, false, None, "Yes", "yes", false),
        (false, true, None, "a b\n", "A b\n", true),
        (false, true, None, "a b\n", "a  b\n", false),
        (false, true, None, "a b\n", "a\tb\n", false),
        (false, true, None, "a b\n", "a b", false),
        (false, true, None, "a b\n", " a b\n", false),
        (false, true, None, "a b\n", "a b\n\n", false),
        (false, true, None, "a\n", "a\r\n", false),
        (false, false, near, "Yes 1.0", "yes 1.05", true),
        (false, false, near, "Yes 1.0", "yes 1.2", false),
        (false, false, near, "1", "one", false),
        (false, false, near, "one", "1", false),
        (false, false, near, "NaN inf", "nan INF", true),
        (false, false, near, "nan", "0", false),
        (true, false, near, "Yes 1.0", "yes 1.05", false),
        (true, true, near, "x 1.0\n", "x 1.05\n", true),
        (true, true, near, "x 1.0\n", "x  1.05\n", false),
        (false, false, Some((0.0, 0.01)), "-200", "-2.01e2", true),
        (false, false, Some((0.0, 0.01)), "-200", "-203", false),
        (false, false, Some((0.0, 0.0)), "2.0", "2", true),
        (false, false, None, "1", "1 2", false),
        (false, false, None, "1 2", "1", false),
        (false, false, None, "1", "", false),
        (false, true, None, "", "\n", false),
        (false, false, None, "", "\n", true),
    ] {
        let mode = icpc(case, space, tolerance);
        let is_same = compare(expected.as_bytes(), got.as_bytes(), &mode) == Outcome::Same;
        assert_eq!(is_same, accepted, "{mode:?} {expected:?} {got:?}");
    }
}

#[test]
fn the_first_white_space_that_differs_is_shown() {
    let table = [
        ("a b\n", "A b\n", "same"),
        ("a b\n", "A  b\n", r"layout Differs 1:3 a []b\n | A [ ]b\n"),
        ("a\nb\n", "a b\n", r"layout Differs 1:2 a[\n] | a[ ]b\n"),
        ("a\n", "a", r"layout Differs 1:2 a[\n] | a[]"),
    ];
    check(icpc(false, true, None), &table);
}

fn modes() -> impl Strategy<Value = Mode> {
    prop_oneof![
        Just(Mode::Exact),
        Just(Mode::Lines),
        Just(Mode::Tokens),
        Just(FLOAT),
        Just(icpc(false, false, None)),
        Just(icpc(false, true, Some((1e-6, 0.0)))),
    ]
}

/// Bytes that meet each other often: few letters, every white space, control characters, broken
/// UTF-8.
fn outputs() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        4 => "[ab1.]{1,3}".prop_map(String::into_bytes),
        4 => "[ \t\r\n\u{b}\u{c}]{1,2}".prop_map(String::into_bytes),
        1 => prop::collection::vec(any::<u8>(), 1..4),
        1 => Just("\u{202e}я\u{feff}".as_bytes().to_vec()),
        1 => (1_usize..300).prop_map(|times| b"x".repeat(times)),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

fn split(bytes: &[u8]) -> Vec<&[u8]> {
    let tokens = bytes.split(|&byte| is_white(byte));
    tokens.filter(|token| !token.is_empty()).collect()
}

/// The lines that count, by the plainest means.
fn plain_lines(bytes: &[u8]) -> Vec<&[u8]> {
    let mut lines: Vec<&[u8]> = bytes.split(|&byte| byte == b'\n').map(trim_end).collect();
    while lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    lines
}

proptest! {
    #![proptest_config(trials(2_000))]

    #[test]
    fn the_outcome_is_what_the_definitions_say(
        expected in outputs(),
        other in outputs(),
        white in prop::collection::vec("[ \t\r\n\u{b}\u{c}]{1,3}", 1..8),
        kind in 0..4,
    ) {
        let white = (0..).map(|at| white[at % white.len()].as_bytes());
        let got = match kind {
            0 => expected.clone(),
            // The same words in another layout, and the same lines with spaces at their ends.
            1 => white.zip(split(&expected)).flat_map(|(white, token)| [white, token].concat()).collect(),
            2 => {
                let lines = expected.split(|&byte| byte == b'\n').zip(white);
                let spaced = lines.flat_map(|(line, white)| {
                    let spaces = white.iter().copied().filter(|&byte| byte != b'\n');
                    line.iter().copied().chain(spaces).chain(*b"\n").collect::<Vec<u8>>()
                });
                spaced.collect()
            }
            _ => other,
        };
        let tokens = split(&expected) == split(&got);
        let lines = plain_lines(&expected) == plain_lines(&got);
        prop_assert!(tokens || kind == 3);
        prop_assert!(lines || kind == 1 || kind == 3);
        for (mode, same) in [
            (Mode::Exact, expected == got),
            (Mode::Lines, lines),
            (Mode::Tokens, tokens),
        ] {
            for (one, other) in [(&expected, &got), (&got, &expected)] {
                match compare(one, other, &mode) {
                    Outcome::Same => prop_assert!(same),
                    Outcome::Layout(_) => prop_assert!(!same && tokens && mode != Mode::Tokens),
                    Outcome::Different(_) => prop_assert!(!tokens),
                }
            }
        }
        prop_assert!(!tokens || compare(&expected, &got, &FLOAT) == Outcome::Same);
    }

    #[test]
    fn differences_are_bounded_and_inside_the_output(
        expected in outputs(),
        got in outputs(),
        mode in modes(),
    ) {
        let (Outcome::Layout(difference) | Outcome::Different(difference)) =
            compare(&expected, &got, &mode) else { return Ok(()) };
        let lines: Vec<&[u8]> = got.split(|&byte| byte == b'\n').collect();
        prop_assert!((1..=lines.len()).contains(&difference.line));
        let line = lines[difference.line - 1];
        prop_assert!((1..=line.len() + 1).contains(&difference.column));
        for side in [&difference.expected, &difference.got] {
            prop_assert!(side.bytes.len() <= EXCERPT_BYTES_MAX);
            prop_assert!(side.mark.start <= side.mark.end && side.mark.end <= side.bytes.len());
            let text = side.printable();
            prop_assert!(text.len() <= PRINTABLE_BYTES_MAX);
            prop_assert!(text.chars().all(|character| !character.is_control()));
            let hidden = text.contains(['\u{202e}', '\u{feff}']);
            prop_assert!(!hidden);
        }
        let at = [&difference.expected_at, &difference.got_at];
        prop_assert!(at[0].end <= expected.len() && at[1].end <= got.len());
        prop_assert_eq!(got[..at[1].start].split(|&byte| byte == b'\n').count(), difference.line);
        prop_assert_ne!(&expected[at[0].clone()], &got[at[1].clone()]);
        // Where both sides go on, what is marked is what differs.
        let marks = [&difference.expected, &difference.got].map(|side| &side.bytes[side.mark.clone()]);
        prop_assert!(marks[0] != marks[1]);
    }
}

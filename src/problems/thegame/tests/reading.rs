//! The parser: what is forgiven, what is refused and where, and that mutations of valid inputs
//! never get past it unseen.

use proptest::prelude::{Just, Strategy, any, prop_assert, prop_assert_eq, prop_oneof, proptest};

use crate::problems::{InputError, Normalisation, Parsed};
use crate::util::tests::trials::trials;

use super::super::board::{BOARDS_MAX, Input, QUERIES_MAX, parse, render};
use super::super::generate;

const VALID: &str = "3 2\nX X\n X \n1 1 3 1\n2 2 1 1\n0 0 0 0\n0 0\n";

fn read(text: impl AsRef<[u8]>) -> Result<Parsed<Input>, InputError> {
    parse(text.as_ref())
}

#[test]
fn normal_input_needs_nothing() {
    let parsed = read(VALID).unwrap();
    assert_eq!(parsed.notes, []);
    assert_eq!(render(&parsed.input), VALID.as_bytes());
}

#[test]
fn what_editors_do_is_undone() {
    use Normalisation::{
        CarriageReturns, EmptyLinesAtEnd, LostTrailingSpaces, MissingFinalNewline, TrailingSpaces,
    };
    let cases: [(String, &[Normalisation]); 12] = [
        (VALID.replace('\n', "\r\n"), &[CarriageReturns]),
        (VALID.replace("3 2\n", "3 2\r\n"), &[CarriageReturns]),
        (VALID.replace("3 2\n", "3 2  \n"), &[TrailingSpaces]),
        (VALID.replace("1 1 3 1\n", "1 1 3 1 \n"), &[TrailingSpaces]),
        (VALID.replace("0 0 0 0\n", "0 0 0 0 \n"), &[TrailingSpaces]),
        (VALID.replace("X X\n", "X X  \n"), &[TrailingSpaces]),
        (VALID.replace(" X \n", " X\n"), &[LostTrailingSpaces]),
        (
            VALID.replace(" X \n", " X\r\n"),
            &[CarriageReturns, LostTrailingSpaces],
        ),
        (VALID.trim_end().to_string(), &[MissingFinalNewline]),
        (format!("{VALID}\n\n"), &[EmptyLinesAtEnd]),
        (format!("{VALID}  \n \n"), &[EmptyLinesAtEnd]),
        (
            format!("{} ", VALID.trim_end()),
            &[TrailingSpaces, MissingFinalNewline],
        ),
    ];
    for (text, notes) in cases {
        let parsed = read(&text).unwrap();
        assert_eq!(parsed.notes, notes, "{text:?}");
        assert_eq!(render(&parsed.input), VALID.as_bytes(), "{text:?}");
    }
}

#[test]
fn rows_of_blanks_may_be_lost_whole() {
    let parsed = read("2 3\n\nX\n\n0 0 0 0\n0 0\n").unwrap();
    assert_eq!(parsed.notes, [Normalisation::LostTrailingSpaces]);
    assert_eq!(render(&parsed.input), b"2 3\n  \nX \n  \n0 0 0 0\n0 0\n");
}

/// Line, column and a part of the reason.
type Fault = (usize, usize, &'static str);

#[track_caller]
fn refused(text: impl AsRef<[u8]>, (line, column, part): Fault) {
    let shown = String::from_utf8_lossy(text.as_ref()).into_owned();
    match read(text) {
        Ok(_) => panic!("accepted: {shown:?}"),
        Err(error) => {
            assert_eq!(
                (error.line, error.column),
                (line, column),
                "{shown:?}: {error}"
            );
            assert!(error.reason.contains(part), "{shown:?}: {error}");
        }
    }
}

#[test]
fn faults_of_the_frame_are_refused_where_they_are() {
    let cases: [(&str, Fault); 20] = [
        ("", (1, 1, "the input ends where a board")),
        ("\n", (1, 1, "the line is empty")),
        ("0 0\n0 0\n", (2, 1, "trailing data")),
        ("0 0\n\n0 0\n", (2, 1, "an empty line stands after the end")),
        ("0 0 0 0\n", (1, 1, "a second `0 0 0 0`")),
        ("0 0 0\n", (1, 1, "the width must be from 1 to 75")),
        ("0 3\n", (1, 1, "the width must be from 1 to 75")),
        ("3 0\n", (1, 3, "the height must be from 1 to 75")),
        ("76 1\n", (1, 1, "the width must be from 1 to 75, not `76`")),
        ("1 76\n", (1, 3, "the height must be from 1 to 75")),
        ("99999999999999999999 1\n", (1, 1, "the width must be")),
        ("-3 2\n", (1, 1, "a minus sign")),
        ("+3 2\n", (1, 1, "a plus sign")),
        ("03 2\n", (1, 1, "leading zero")),
        ("3\n", (1, 2, "the line ends where the height should stand")),
        ("3  2\n", (1, 3, "one space should stand before the height")),
        (" 3 2\n", (1, 1, "a space where the width")),
        ("3\t2\n", (1, 2, "a tab")),
        ("3 2 1\n", (1, 4, "the line should end here")),
        ("w h\n", (1, 1, "`w` where the width")),
    ];
    for (text, fault) in cases {
        refused(text, fault);
    }
    refused("\u{FEFF}3 2\n", (1, 1, "a byte order mark"));
    refused("3\u{A0}2\n", (1, 2, "a no-break space"));
    refused("\u{FF13} 2\n", (1, 1, "U+FF13"));
    refused(b"3 2\xFF\n", (1, 4, "not UTF-8"));
    refused("3 2\nX X\n X \n0 0 0 0\n", (5, 1, "the closing `0 0`"));
    refused(
        "3 2\nX X\n X \n0 0\n",
        (4, 1, "`0 0` where `0 0 0 0` should end"),
    );
    refused("3 2\nX X\n X \n", (4, 1, "the input ends where a query"));
    refused("3 2\nX X\n", (3, 1, "the input ends where row 2 of 2"));
    refused(
        "1 1\nX\n0 0 0 0\n0 0 0 0\n0 0\n",
        (4, 1, "a second `0 0 0 0`"),
    );
    refused("1 1\nX\n0 0 0 0\n\n0 0\n", (4, 1, "the line is empty"));
}

#[test]
fn faults_of_rows_are_refused_where_they_are() {
    let board = |rows: &str| format!("3 2\n{rows}1 1 3 1\n0 0 0 0\n0 0\n");
    let cases: [(&str, Fault); 11] = [
        (
            "X X\n",
            (3, 1, "`1` where a card `X` or a space of row 2 of 2"),
        ),
        ("X X\n X \nX\n", (4, 1, "a row of cards after the 2 rows")),
        ("X X\n X \n   \n", (4, 1, "the line is empty")),
        ("X X\nXXXX\n", (3, 4, "beyond the width 3")),
        ("X X\nX    X\n", (3, 6, "beyond the width 3")),
        ("X X\nXXX.\n", (3, 4, "the line should end here")),
        ("X.X\n X \n", (2, 2, "`.X` where a card")),
        ("XxX\n X \n", (2, 2, "a small `x`")),
        ("X\tX\n X \n", (2, 2, "a tab")),
        ("X\u{A0}X\n X \n", (2, 2, "a no-break space")),
        ("X \u{425}\n X \n", (2, 3, "U+0425")),
    ];
    for (rows, fault) in cases {
        refused(board(rows), fault);
    }
    refused(board("X X\u{A0}\n X \n"), (2, 4, "a no-break space"));
    refused(board("X X\n X\r \n"), (3, 3, "a carriage return inside"));
    refused(board("X\u{3A7}X\n X \n"), (2, 2, "U+03A7"));
    refused(board("X\0X\n X \n"), (2, 2, "U+0000"));
    refused(
        board("\nX X\n X \n"),
        (4, 1, "a row of cards after the 2 rows"),
    );
}

#[test]
fn faults_of_queries_are_refused_where_they_are() {
    let cases: [(&str, Fault); 22] = [
        ("1 1 3 1 1", (4, 8, "the line should end here")),
        ("1 1 3", (4, 6, "the line ends where y2 should stand")),
        ("1 1 3 ", (4, 6, "the line ends where y2 should stand")),
        ("1 1", (4, 4, "the line ends where x2 should stand")),
        ("1", (4, 2, "the line ends where y1 should stand")),
        ("", (4, 1, "the line is empty")),
        ("0 1 3 1", (4, 1, "x1 must be from 1 to 3")),
        ("1 0 3 1", (4, 3, "y1 must be from 1 to 2")),
        ("1 1 0 1", (4, 5, "x2 must be from 1 to 3")),
        ("1 1 3 0", (4, 7, "y2 must be from 1 to 2")),
        ("4 1 3 1", (4, 1, "x1 must be from 1 to 3, not `4`")),
        ("1 3 3 1", (4, 3, "y1 must be from 1 to 2, not `3`")),
        ("1 1 1 1", (4, 5, "both cards of the query are (1, 1)")),
        ("2 1 3 1", (4, 1, "no card lies at (2, 1)")),
        ("1 1 3 2", (4, 5, "no card lies at (3, 2)")),
        ("1 1 03 1", (4, 5, "x2 has a leading zero")),
        ("1 1 3 1.0", (4, 8, "`.0`")),
        ("1 1x3 1", (4, 4, "`x3`")),
        ("1  1 3 1", (4, 3, "one space should stand before y1")),
        ("1,1,3,1", (4, 2, "a space before y1")),
        ("-1 1 3 1", (4, 1, "a minus sign")),
        ("1 1 \u{417} 1", (4, 5, "(U+0417) where x2 should stand")),
    ];
    for (query, fault) in cases {
        refused(format!("3 2\nX X\n X \n{query}\n0 0 0 0\n0 0\n"), fault);
    }
    refused(
        "3 2\nX X\n X \n0 0 0 0 0\n0 0\n",
        (4, 1, "x1 must be from 1 to 3"),
    );
}

#[test]
fn counts_are_bounded() {
    let boards = "1 1\n\n0 0 0 0\n".repeat(BOARDS_MAX);
    assert_eq!(
        read(format!("{boards}0 0\n")).unwrap().input.boards.len(),
        BOARDS_MAX
    );
    refused(
        format!("{boards}1 1\n\n0 0 0 0\n0 0\n"),
        (3 * BOARDS_MAX + 1, 1, "more than 20000 boards"),
    );
    let queries = "1 1 2 1\n".repeat(QUERIES_MAX);
    assert!(read(format!("2 1\nXX\n{queries}0 0 0 0\n0 0\n")).is_ok());
    let over = format!("2 1\nXX\n{queries}1 1 2 1\n0 0 0 0\n0 0\n");
    refused(over, (QUERIES_MAX + 3, 1, "more than 20000 queries"));
    let large = format!("75 75\n{}0 0 0 0\n", "\n".repeat(75)).repeat(3000);
    refused(large, (77 * 2936 + 1, 1, "larger than 16777216 bytes"));
}

/// One change to the bytes of an input.
#[derive(Debug, Clone)]
enum Mutation {
    Delete,
    Insert(u8),
    Replace(u8),
    DropLine,
    DoubleLine,
    SwapLines,
    Cut,
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let byte = prop_oneof![
        3 => proptest::sample::select(b"X 01279\n\r\t-x.".to_vec()),
        1 => any::<u8>(),
    ];
    prop_oneof![
        Just(Mutation::Delete),
        byte.clone().prop_map(Mutation::Insert),
        byte.prop_map(Mutation::Replace),
        Just(Mutation::DropLine),
        Just(Mutation::DoubleLine),
        Just(Mutation::SwapLines),
        Just(Mutation::Cut),
    ]
}

fn mutate(bytes: &mut Vec<u8>, at: usize, mutation: &Mutation) {
    if bytes.is_empty() {
        return;
    }
    let at = at % bytes.len();
    let line_start = |from: usize, bytes: &[u8]| {
        bytes[..from]
            .iter()
            .rposition(|&byte| byte == b'\n')
            .map_or(0, |end| end + 1)
    };
    let line_end = |from: usize, bytes: &[u8]| {
        bytes[from..]
            .iter()
            .position(|&byte| byte == b'\n')
            .map_or(bytes.len(), |end| from + end + 1)
    };
    let (start, end) = (line_start(at, bytes), line_end(at, bytes));
    match *mutation {
        Mutation::Delete => {
            bytes.remove(at);
        }
        Mutation::Insert(byte) => bytes.insert(at, byte),
        Mutation::Replace(byte) => bytes[at] = byte,
        Mutation::DropLine => {
            bytes.drain(start..end);
        }
        Mutation::DoubleLine => {
            let line = bytes[start..end].to_vec();
            bytes.splice(start..start, line);
        }
        Mutation::SwapLines => {
            let line: Vec<u8> = bytes.drain(start..end).collect();
            let after = line_end(start.min(bytes.len()), bytes);
            bytes.splice(after..after, line);
        }
        Mutation::Cut => bytes.truncate(at),
    }
}

proptest! {
    #![proptest_config(trials(4_000))]

    #[test]
    fn mutations_are_refused_or_read_as_what_they_are(
        family in proptest::sample::select(vec!["small", "spaces", "narrow", "edge"]),
        seed in 0_u64..50,
        changes in proptest::collection::vec((any::<usize>(), mutation()), 1..4),
    ) {
        let mut bytes = render(&generate::generate(family, seed).unwrap());
        for (at, mutation) in &changes {
            mutate(&mut bytes, *at, mutation);
        }
        match parse(&bytes) {
            Ok(parsed) => {
                let normal = render(&parsed.input);
                // Only a normal input needs no note, and the normal form is read as the same
                // instance.
                prop_assert_eq!(parsed.notes.is_empty(), normal == bytes);
                prop_assert_eq!(parse(&normal), Ok(Parsed { input: parsed.input, notes: Vec::new() }));
            }
            Err(error) => {
                let lines = bytes.split(|&byte| byte == b'\n').count();
                prop_assert!((1..=lines + 1).contains(&error.line), "{}", error);
                prop_assert!(error.column >= 1 && !error.reason.is_empty(), "{}", error);
            }
        }
    }

    #[test]
    fn random_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        if let Ok(parsed) = parse(&bytes) {
            prop_assert_eq!(parse(&render(&parsed.input)).unwrap().input, parsed.input);
        }
    }
}

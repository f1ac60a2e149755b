//! Tests of the parser: what is refused and where, what is normalised, and that no bytes make it
//! panic.

use proptest::prelude::*;

use super::super::board::Instance;
use super::super::generate;
use crate::problems::{Normalisation, find};
use crate::util::tests::trials::trials;

/// Line, column and a part of the reason for each fault.
const REFUSED: &[(&[u8], usize, usize, &str)] = &[
    (b"", 1, 1, "the input ends where a width and a height"),
    (
        b"\n\n",
        1,
        1,
        "the line is empty where the width should stand",
    ),
    (
        b"2 1\n2 3\n",
        3,
        1,
        "the input ends where a width and a height, or the last line `0 0`,",
    ),
    (b"2 1\n2 3", 3, 1, "the input ends"),
    (
        b"2 1\n",
        2,
        1,
        "the input ends where row 1 of the 1 of dataset 1",
    ),
    (b"2 2\n2 3\n0 0\n", 4, 1, "the input ends"),
    (
        b"2 1\n2 3\n0\n",
        3,
        1,
        "the width must be from 2 to 20, not `0`",
    ),
    (
        b"2 1\n2 3\n0 1\n",
        3,
        1,
        "the width must be from 2 to 20, not `0`",
    ),
    (b"2 1\n2 3\n00 0\n", 3, 1, "leading zero"),
    (b"2 1\n2 3\n0 0 0\n", 3, 1, "the width must be from 2 to 20"),
    (
        b"1 2\n2\n3\n0 0\n",
        1,
        1,
        "the width must be from 2 to 20, not `1`",
    ),
    (b"21 1\n", 1, 1, "the width must be from 2 to 20, not `21`"),
    (b"2 0\n", 1, 3, "the height must be from 1 to 20, not `0`"),
    (b"2 21\n", 1, 3, "the height must be from 1 to 20, not `21`"),
    (
        b"99999999999999999999 1\n",
        1,
        1,
        "the width must be from 2 to 20",
    ),
    (b"2\n", 1, 2, "the line ends where the height should stand"),
    (b"2 1 1\n2 3\n0 0\n", 1, 4, "the line should end here"),
    (b"02 1\n2 3\n0 0\n", 1, 1, "leading zero"),
    (b"+2 1\n2 3\n0 0\n", 1, 1, "a plus sign"),
    (b"-2 1\n2 3\n0 0\n", 1, 1, "a minus sign"),
    (b"2  1\n2 3\n0 0\n", 1, 3, "one space should stand"),
    (b"2\t1\n2 3\n0 0\n", 1, 2, "a tab"),
    (b" 2 1\n2 3\n0 0\n", 1, 1, "a space where the width"),
    (b"2 1\n2  3\n0 0\n", 2, 3, "one space should stand"),
    (b"2 1\n 2 3\n0 0\n", 2, 1, "a space where a cell"),
    (b"2 1\n2\t3\n0 0\n", 2, 2, "a tab"),
    (b"2 1\n2 3\t\n0 0\n", 2, 4, "a tab"),
    (
        b"2 1\n23\n0 0\n",
        2,
        1,
        "a cell must be from 0 to 3, not `23`",
    ),
    (
        b"2 1\n2 4\n0 0\n",
        2,
        3,
        "a cell must be from 0 to 3, not `4`",
    ),
    (b"2 1\n2 03\n0 0\n", 2, 3, "leading zero"),
    (b"2 1\n2 -3\n0 0\n", 2, 3, "a minus sign"),
    (b"2 1\n2 x\n0 0\n", 2, 3, "`x` where a cell"),
    (b"2 1\n2\n0 0\n", 2, 2, "the row ends after 1 of 2 cells"),
    (b"2 1\n\n2 3\n0 0\n", 2, 1, "the line is empty where a cell"),
    (
        b"2 1\n2 3 0\n0 0\n",
        2,
        4,
        "the row goes on after its 2 cells",
    ),
    (b"2 1\n2 3x\n0 0\n", 2, 4, "the line should end here"),
    (
        b"2 1\n2 2\n0 0\n",
        2,
        3,
        "a second start (2); the first is cell 1 of line 2",
    ),
    (
        b"2 2\n0 3\n2 3\n0 0\n",
        3,
        3,
        "a second goal (3); the first is cell 2 of line 2",
    ),
    (b"2 1\n0 3\n0 0\n", 1, 1, "dataset 1 has no start (2)"),
    (
        b"2 1\n2 3\n2 1\n2 1\n0 0\n",
        3,
        1,
        "dataset 2 has no goal (3)",
    ),
    (b"2 2\n0 0\n0 0\n0 0\n", 1, 1, "dataset 1 has no start"),
    (b"2 1\n2 3\n0 0\n0 0\n", 4, 1, "trailing data"),
    (b"2 1\n2 3\n0 0\nx\n", 4, 1, "trailing data"),
    (b"0 0\n\n0 0\n", 2, 1, "an empty line stands after the end"),
    (
        b"2 1\n2 3\n\n0 0\n",
        3,
        1,
        "the line is empty where the width",
    ),
    (b"\xEF\xBB\xBF2 1\n2 3\n0 0\n", 1, 1, "a byte order mark"),
    (b"2\xC2\xA01\n2 3\n0 0\n", 1, 2, "a no-break space"),
    (
        b"2 1\n2 \xD0\x97\n0 0\n",
        2,
        3,
        "the character `З` (U+0417)",
    ),
    (b"2 1\n2 \xEF\xBC\x93\n0 0\n", 2, 3, "(U+FF13)"),
    (b"2 1\n2 3\n\xD0\x9E 0\n", 3, 1, "(U+041E)"),
    (b"2 1\n2 \xFF\n0 0\n", 2, 3, "0xFF"),
    (
        b"2 1\r2 3\r0 0\r",
        1,
        4,
        "a carriage return inside the line",
    ),
    (b"2 1\n2 3\n0 0\x1A", 3, 1, "the width must be from 2 to 20"),
];

#[test]
fn faults_are_refused_with_line_and_column() {
    for &(input, line, column, reason) in REFUSED {
        let shown = String::from_utf8_lossy(input);
        let error = match Instance::parse(input) {
            Ok(parsed) => panic!("{shown:?} is read as {parsed:?}"),
            Err(error) => error,
        };
        assert_eq!(
            (error.line, error.column),
            (line, column),
            "{shown:?}: {error}"
        );
        assert!(error.reason.contains(reason), "{shown:?}: {error}");
    }
}

#[test]
fn the_hundred_and_first_dataset_is_refused() {
    let hundred = "2 1\n2 3\n".repeat(100);
    let valid = format!("{hundred}0 0\n");
    assert_eq!(
        Instance::parse(valid.as_bytes())
            .unwrap()
            .input
            .boards
            .len(),
        100
    );
    let error = Instance::parse(format!("{hundred}2 1\n2 3\n0 0\n").as_bytes()).unwrap_err();
    assert_eq!((error.line, error.column), (201, 1));
    assert!(
        error
            .reason
            .contains("only the last line `0 0` may follow dataset 100")
    );
}

#[test]
fn what_editors_do_is_normalised_and_noted() {
    use Normalisation::{CarriageReturns, EmptyLinesAtEnd, MissingFinalNewline, TrailingSpaces};
    let normal: &[u8] = b"2 3\n2 1\n0 0\n3 0\n0 0\n";
    let cases: &[(&[u8], &[Normalisation])] = &[
        (normal, &[]),
        (b"2 3\r\n2 1\r\n0 0\r\n3 0\r\n0 0\r\n", &[CarriageReturns]),
        (b"2 3 \n2 1\n0 0  \n3 0\n0 0 \n", &[TrailingSpaces]),
        (b"2 3\n2 1\n0 0\n3 0\n0 0", &[MissingFinalNewline]),
        (b"2 3\n2 1\n0 0\n3 0\n0 0\n\n\n", &[EmptyLinesAtEnd]),
        (
            b"2 3 \r\n2 1\r\n0 0\r\n3 0\r\n0 0\r\n\r\n ",
            &[
                CarriageReturns,
                TrailingSpaces,
                MissingFinalNewline,
                EmptyLinesAtEnd,
            ],
        ),
    ];
    for (input, notes) in cases {
        let validated = find("curling").unwrap().validate(input).unwrap();
        assert_eq!(validated.input, normal);
        assert_eq!(
            validated.notes,
            *notes,
            "{:?}",
            String::from_utf8_lossy(input)
        );
    }
}

#[test]
fn no_dataset_at_all_is_valid() {
    let parsed = Instance::parse(b"0 0\n").unwrap();
    assert_eq!(parsed.input, Instance::default());
    assert_eq!(find("curling").unwrap().answer(b"0 0\n").unwrap(), b"");
    assert_eq!(
        find("curling").unwrap().witness(b"0 0\n").unwrap().unwrap(),
        ""
    );
}

#[test]
fn rows_of_two_zeros_are_rows() {
    let input = b"2 4\n0 0\n2 0\n0 0\n3 0\n2 1\n3 2\n0 0\n";
    assert_eq!(find("curling").unwrap().answer(input).unwrap(), b"1\n1\n");
}

/// What is read from any bytes must come back from its normal form, and that form must be clean.
fn refused_or_round_trips(input: &[u8]) {
    let Ok(parsed) = Instance::parse(input) else {
        return;
    };
    let again = Instance::parse(&parsed.input.render()).unwrap();
    assert_eq!(again.input, parsed.input);
    assert_eq!(again.notes, []);
}

/// One change of the kind that people and editors make.
#[derive(Debug, Clone)]
enum Mutation {
    Delete(usize),
    Insert(usize, u8),
    Replace(usize, u8),
    DropLine(usize),
    DoubleLine(usize),
    SwapLines(usize, usize),
    Cut(usize),
}

impl Mutation {
    fn apply(&self, input: &mut Vec<u8>) {
        if input.is_empty() {
            return;
        }
        let size = input.len();
        let mut lines: Vec<Vec<u8>> = input
            .split_inclusive(|&b| b == b'\n')
            .map(<[u8]>::to_vec)
            .collect();
        let count = lines.len();
        match *self {
            Self::Delete(at) => {
                input.remove(at % size);
                return;
            }
            Self::Insert(at, byte) => return input.insert(at % (size + 1), byte),
            Self::Replace(at, byte) => return input[at % size] = byte,
            Self::Cut(at) => return input.truncate(at % size),
            Self::DropLine(at) => {
                lines.remove(at % count);
            }
            Self::DoubleLine(at) => lines.insert(at % count, lines[at % count].clone()),
            Self::SwapLines(a, b) => lines.swap(a % count, b % count),
        }
        *input = lines.concat();
    }
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let byte = prop_oneof![
        prop::sample::select(b"0123459 \n\r\t-+x.".to_vec()),
        any::<u8>(),
    ];
    let at = any::<usize>();
    prop_oneof![
        at.prop_map(Mutation::Delete),
        (at, byte.clone()).prop_map(|(at, byte)| Mutation::Insert(at, byte)),
        (at, byte).prop_map(|(at, byte)| Mutation::Replace(at, byte)),
        at.prop_map(Mutation::DropLine),
        at.prop_map(Mutation::DoubleLine),
        (at, at).prop_map(|(a, b)| Mutation::SwapLines(a, b)),
        at.prop_map(Mutation::Cut),
    ]
}

proptest! {
    #![proptest_config(trials(4_000))]

    #[test]
    fn mutated_inputs_are_refused_or_round_trip(
        seed in 0_u64..200,
        family in prop::sample::select(vec!["small", "two-wide", "one-high"]),
        mutations in prop::collection::vec(mutation(), 1..4),
    ) {
        let mut input = generate::generate(family, seed).unwrap().render();
        for mutation in mutations {
            mutation.apply(&mut input);
        }
        refused_or_round_trips(&input);
    }

    #[test]
    fn any_bytes_are_refused_or_round_trip(input in prop::collection::vec(any::<u8>(), 0..200)) {
        refused_or_round_trips(&input);
    }

    #[test]
    fn any_digits_are_refused_or_round_trip(input in "([0-3 \n]|2 1\n|2 3\n|0 0\n){0,40}") {
        refused_or_round_trips(input.as_bytes());
    }
}

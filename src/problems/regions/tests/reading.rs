//! The parser: boards read as they were written, and everything that is not a board is refused.

use proptest::prelude::*;

use super::super::map::REGIONS_MAX;
use super::super::*;
use super::{SEEDS, all_boards, board, moves, text};
use crate::problems::Normalisation;
use crate::problems::regions::generate::{FAMILIES, generate};
use crate::util::tests::trials::trials;

#[test]
fn what_is_rendered_parses_to_the_same_board() {
    for (family, seed, board) in all_boards() {
        let parsed = Regions.parse(&Regions.render(&board));
        let expected = Ok(Parsed {
            input: board,
            notes: Vec::new(),
        });
        assert_eq!(parsed, expected, "{family} {seed}");
    }
}

#[test]
fn what_an_editor_does_is_normalised() {
    use Normalisation::{CarriageReturns, EmptyLinesAtEnd, MissingFinalNewline, TrailingSpaces};
    for (input, normal, notes) in [
        ("2 3\n122\n113\n", "2 3\n122\n113\n", &[][..]),
        (
            "2 3\r\n122\r\n113\r\n",
            "2 3\n122\n113\n",
            &[CarriageReturns],
        ),
        ("2 3 \n122  \n113\n", "2 3\n122\n113\n", &[TrailingSpaces]),
        (
            "2 3\n1 2 2 \n1 1 3\n",
            "2 3\n1 2 2\n1 1 3\n",
            &[TrailingSpaces],
        ),
        ("2 3\n122\n113", "2 3\n122\n113\n", &[MissingFinalNewline]),
        (
            "2 3\n122\n113\n\n \n",
            "2 3\n122\n113\n",
            &[EmptyLinesAtEnd],
        ),
        (
            "2 1 \r\n1\r\n2\r\n\r\n ",
            "2 1\n1\n2\n",
            &[
                CarriageReturns,
                TrailingSpaces,
                MissingFinalNewline,
                EmptyLinesAtEnd,
            ],
        ),
    ] {
        let parsed = Regions.parse(input.as_bytes()).expect(input);
        assert_eq!(text(&parsed.input), normal, "{input:?}");
        assert_eq!(parsed.notes, notes, "{input:?}");
    }
}

#[test]
fn limits_are_inclusive() {
    let line = |length: usize, colours: [&str; 2]| {
        let cells: String = (0..length).map(|cell| colours[cell % 2]).collect();
        format!("1 {length}\n{cells}\n")
    };
    assert_eq!(moves(&board(&line(50, ["1", "6"]))), 48);
    assert_eq!(text(&board(&line(50, ["1", "6"]))), line(50, ["1", "6"]));
    let fifty = format!("2 49\n{}1\n{}\n", "12".repeat(24), "3".repeat(49));
    assert_eq!(board(&fifty).map().first_cell.len(), REGIONS_MAX);
    assert_eq!(moves(&board(&fifty)), 0);
}

/// Input, line, column, and a part of the reason.
const REFUSED: &[(&str, usize, usize, &str)] = &[
    (
        "",
        1,
        1,
        "the input ends where the size of the board should stand",
    ),
    ("\n", 1, 1, "the line is empty"),
    (
        "2\n12\n31\n",
        1,
        2,
        "the line ends where the number of columns should stand",
    ),
    (
        "0 2\n",
        1,
        1,
        "the number of rows must be from 1 to 50, not `0`",
    ),
    (
        "51 2\n",
        1,
        1,
        "the number of rows must be from 1 to 50, not `51`",
    ),
    ("2 51\n", 1, 3, "the number of columns must be from 1 to 50"),
    (
        "2 99999999999999999999\n",
        1,
        3,
        "the number of columns must be from 1 to 50",
    ),
    ("02 2\n", 1, 1, "the number of rows has a leading zero"),
    ("2 -2\n", 1, 3, "a minus sign"),
    ("+2 2\n", 1, 1, "a plus sign"),
    ("2  2\n12\n12\n", 1, 3, "one space should stand"),
    ("2\t2\n12\n12\n", 1, 2, "a tab (U+0009)"),
    (
        " 2 2\n12\n12\n",
        1,
        1,
        "a space where the number of rows should stand",
    ),
    ("2 2 2\n12\n12\n", 1, 4, "the line should end here"),
    ("\u{feff}2 2\n12\n12\n", 1, 1, "a byte order mark"),
    (
        "1 1\n1\n",
        2,
        1,
        "must differ in colour from the top left cell, both are 1",
    ),
    ("2 2\n12\n31\n", 3, 2, "must differ in colour"),
    ("2 2\n1 2\n3 1\n", 3, 3, "must differ in colour"),
    (
        "2 2\n12\n",
        3,
        1,
        "the input ends where row 2 of 2 should stand",
    ),
    ("2 2\n12\n3\n", 3, 2, "the row ends after 1 of 2 cells"),
    ("2 2\n1 2\n3\n", 3, 2, "the row ends after 1 of 2 cells"),
    ("2 2\n1\n32\n", 2, 2, "the row ends after 1 of 2 cells"),
    (
        "2 2\n122\n32\n",
        2,
        3,
        "the row should end here, after 2 cells",
    ),
    (
        "2 2\n1 2 2\n3 2\n",
        2,
        4,
        "the row should end here, after 2 cells",
    ),
    (
        "2 2\n12\n32\n1\n",
        4,
        1,
        "trailing data after the end of the input",
    ),
    (
        "2 2\n12\n32\n\n1\n",
        4,
        1,
        "an empty line stands after the end of the input",
    ),
    (
        "2 2\n12\n\n32\n",
        3,
        1,
        "the line is empty where a colour should stand",
    ),
    ("2 2\n10\n32\n", 2, 2, "a colour must be from 1 to 6, not 0"),
    ("2 2\n17\n32\n", 2, 2, "a colour must be from 1 to 6, not 7"),
    (
        "2 2\n1 9\n3 2\n",
        2,
        3,
        "a colour must be from 1 to 6, not 9",
    ),
    ("2 2\n1 12\n3 2\n", 2, 4, "the row should end here"),
    ("2 3\n1 2 2\n132\n", 3, 2, "no space between two digits"),
    ("2 3\n122\n1 3 2\n", 3, 2, "a space between two digits"),
    ("2 3\n1 22\n132\n", 2, 4, "no space between two digits"),
    ("2 3\n12 2\n132\n", 2, 3, "a space between two digits"),
    (
        "2 3\n1  2 2\n1 3 2\n",
        2,
        3,
        "one space should stand before the next colour",
    ),
    (
        "2 2\n 12\n32\n",
        2,
        1,
        "a space where a colour should stand",
    ),
    ("2 2\n1\t2\n3\t2\n", 2, 2, "a tab"),
    ("2 2\n1\u{a0}2\n3 2\n", 2, 2, "a no-break space"),
    ("2 2\n1a\n32\n", 2, 2, "`a` where a colour should stand"),
    ("2 2\n1,2\n3,2\n", 2, 2, "`,2` where a colour should stand"),
    (
        "2 2\n1\u{417}\n32\n",
        2,
        2,
        "the character `З` (U+0417) where a colour should stand",
    ),
    ("2 2\n1\0\n32\n", 2, 2, "the invisible character U+0000"),
    ("2 2\n1-2\n32\n", 2, 2, "a minus sign"),
    (
        "2 2\r\n1\r2\r\n32\r\n",
        2,
        2,
        "a carriage return inside the line",
    ),
    ("2 2\n12\n32x\n", 3, 3, "the line should end here"),
];

#[test]
fn what_is_not_a_board_is_refused_where_it_goes_wrong() {
    // 49 single cells, a row that is one region, and one cell more.
    let fifty_one = format!(
        "3 49\n{}1\n{}\n{}2\n",
        "12".repeat(24),
        "3".repeat(49),
        "3".repeat(48)
    );
    let too_many = (
        &*fifty_one,
        4,
        49,
        "more than 50 regions: one more begins here",
    );
    for &(input, line, column, reason) in REFUSED.iter().chain([&too_many]) {
        let error = Regions.parse(input.as_bytes()).expect_err(input);
        assert_eq!(
            (error.line, error.column),
            (line, column),
            "{input:?}: {error}"
        );
        assert!(error.reason.contains(reason), "{input:?}: {error}");
    }
}

proptest! {
    #![proptest_config(trials(3_000))]

    #[test]
    fn a_mutation_is_refused_or_reads_as_what_it_says(
        family in 0..FAMILIES.len(),
        seed in 0..SEEDS,
        edits in prop::collection::vec((0..5_u8, any::<prop::sample::Index>(), any::<u8>()), 1..3),
    ) {
        let board = generate(FAMILIES[family].name, seed).expect("a known family");
        let mut bytes = Regions.render(&board);
        for (edit, place, byte) in edits {
            mutate(&mut bytes, edit, place, byte);
        }
        match Regions.parse(&bytes) {
            Ok(parsed) => {
                let normal = Regions.render(&parsed.input);
                prop_assert_eq!(bytes == normal, parsed.notes.is_empty());
                let again = Regions.parse(&normal);
                prop_assert_eq!(again.map(|it| it.input), Ok(parsed.input));
            }
            Err(error) => {
                let lines = bytes.split(|&byte| byte == b'\n').count();
                prop_assert!((1..=lines + 1).contains(&error.line));
                prop_assert!(error.column >= 1 && !error.reason.is_empty());
            }
        }
    }

    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = Regions.parse(&bytes);
    }
}

/// Deletes, inserts or replaces a byte, or doubles or drops a line.
fn mutate(bytes: &mut Vec<u8>, edit: u8, place: prop::sample::Index, byte: u8) {
    // Half of the bytes are ones that stand in boards.
    let byte = *b"123456 \n\r0 7"
        .get(usize::from(byte) / 10)
        .unwrap_or(&byte);
    if bytes.is_empty() {
        return;
    }
    let at = place.index(bytes.len());
    let mut lines: Vec<&[u8]> = bytes.split_inclusive(|&byte| byte == b'\n').collect();
    let line = place.index(lines.len());
    match edit {
        0 => drop(bytes.remove(at)),
        1 => bytes.insert(at, byte),
        2 => bytes[at] = byte,
        3 => {
            lines.insert(line, lines[line]);
            *bytes = lines.concat();
        }
        _ => {
            lines.remove(line);
            *bytes = lines.concat();
        }
    }
}

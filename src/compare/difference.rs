//! The first difference between two outputs, for a person.

use std::ops::Range;

use super::excerpt::{LineEnd, Side};
use crate::util::text::place;

/// What kind of difference the first difference is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Something else stands here.
    Differs,
    /// The output ends although more was expected.
    Missing,
    /// The output goes on although nothing more was expected.
    Extra,
    /// Nothing was printed at all, or nothing but white space.
    Empty,
}

/// The first difference between two outputs.
///
/// Under [`super::Outcome::Different`] it is the first token that differs, in every mode, for that
/// is why the answer is wrong.
/// Under [`super::Outcome::Layout`] it is the first place where the white space differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    pub kind: Kind,
    /// The line in what the program printed, from 1; for [`Kind::Missing`] the line where it ended.
    pub line: usize,
    /// The column in that line, in characters from 1.
    ///
    /// It is where the token starts, or, in a token too long for the excerpt, where it first
    /// differs.
    /// For [`Kind::Missing`] it is the column behind the last thing that was printed.
    pub column: usize,
    /// What was expected there.
    pub expected: Side,
    /// What was printed there.
    pub got: Side,
    /// What differs, in bytes of the whole expected output; empty if that had ended.
    pub expected_at: Range<usize>,
    /// What differs, in bytes of all that was printed; empty if that had ended.
    pub got_at: Range<usize>,
}

impl Difference {
    /// The difference between these parts of the expected and the printed output.
    pub(super) fn new(
        kind: Kind,
        (expected, expected_at): (&[u8], Range<usize>),
        (got, got_at): (&[u8], Range<usize>),
        line_end: LineEnd,
    ) -> Self {
        let (line, column) = place(got, got_at.start);
        Self {
            kind,
            line,
            column,
            expected: Side::around(expected, expected_at.clone(), line_end),
            got: Side::around(got, got_at.clone(), line_end),
            expected_at,
            got_at,
        }
    }
}

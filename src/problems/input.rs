//! Inputs as they are read: valid in a normal form, or the first fault.

use std::fmt;

/// The largest input that is read at all, in bytes.
pub const INPUT_BYTES_MAX: usize = 16 * 1024 * 1024;

/// The first fault of an input: where it is and why it is one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {reason}")]
pub struct InputError {
    /// From 1.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
    /// What is wrong, as a fragment of a sentence without a period.
    pub reason: String,
}

/// What an editor did to a file and the parser undid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Normalisation {
    /// Lines ended in carriage return and line feed.
    CarriageReturns,
    /// Spaces stood at the end of lines where they are not data.
    TrailingSpaces,
    /// The last line had no line feed.
    MissingFinalNewline,
    /// Empty lines followed the last line.
    EmptyLinesAtEnd,
    /// Rows had lost spaces at their end that are data.
    LostTrailingSpaces,
}

impl fmt::Display for Normalisation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::CarriageReturns => "CRLF line ends made LF",
            Self::TrailingSpaces => "spaces at the end of lines removed",
            Self::MissingFinalNewline => "missing final newline added",
            Self::EmptyLinesAtEnd => "empty lines at the end removed",
            Self::LostTrailingSpaces => "spaces that rows had lost at their end restored",
        })
    }
}

/// A valid input, as an instance or as bytes in the normal form, with what had to be normalised to
/// read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parsed<T> {
    pub input: T,
    /// Each kind once, in the enum's order.
    pub notes: Vec<Normalisation>,
}

//! Cases and pictures: the part of an input that one part of the answer is about, alone and drawn.

use std::ops::Range;

/// The most pictures that are drawn of one input.
pub const PICTURES_MAX: usize = 12;

/// One case of a test: a dataset, a query of a board, or a board, whatever has lines of the answer
/// to itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Case {
    /// Which one it is among all: `dataset 7 of 100`, `board 2, query 5`.
    pub title: String,
    /// A whole valid input with this case alone, renumbered where the format numbers.
    pub input: Vec<u8>,
    /// What a right program prints for that input.
    pub expected: Vec<u8>,
    /// The lines of the whole answer that belong to this case, from 1.
    pub lines: Range<usize>,
}

/// A picture of one case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// What it shows, as plain text; the picture itself says it, too.
    pub title: String,
    /// An `svg` element: a file by itself, or a part of an HTML page. It has no scripts and refers
    /// to nothing outside.
    pub svg: String,
    /// Its width in pixels.
    pub width: u32,
    /// Its height in pixels.
    pub height: u32,
}

/// These lines of a text, from 1, with their line feeds; the lines that are there where it has
/// fewer.
pub fn lines_of(text: &[u8], lines: &Range<usize>) -> Vec<u8> {
    text.split_inclusive(|&byte| byte == b'\n')
        .skip(lines.start.saturating_sub(1))
        .take(lines.len())
        .flatten()
        .copied()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::lines_of;

    #[test]
    fn lines_are_counted_from_one_and_may_be_missing() {
        let text = b"a\n\nc\nd";
        assert_eq!(lines_of(text, &(1..2)), b"a\n");
        assert_eq!(lines_of(text, &(2..4)), b"\nc\n");
        assert_eq!(lines_of(text, &(4..9)), b"d");
        assert_eq!(lines_of(text, &(5..9)), b"");
    }
}

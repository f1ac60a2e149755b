//! What was expected and what was printed, as words.

use std::ops::Range;

/// Bytes of a word that are repeated as evidence.
const SHOWN_MAX: usize = 40;

/// What was expected and printed, all of it.
#[derive(Debug, Clone, Copy)]
pub struct Outputs<'o> {
    pub expected: &'o [u8],
    pub printed: &'o [u8],
    /// The lines of the expected output that belong to each case, from 1; empty where nobody
    /// knows.
    pub cases: &'o [Range<usize>],
}

pub(super) fn words(text: &[u8]) -> Vec<&[u8]> {
    text.split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty())
        .collect()
}

pub(super) fn shown(word: &[u8]) -> String {
    let head = &word[..word.len().min(SHOWN_MAX)];
    format!("`{}`", head.escape_ascii())
}

pub(super) fn number(word: &[u8]) -> Option<i64> {
    std::str::from_utf8(word).ok()?.parse().ok()
}

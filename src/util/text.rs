//! Lines, columns, tokens and characters of untrusted bytes, which need not be text.
//!
//! White space is the six ASCII characters space, tab, line feed, vertical tab, form feed and
//! carriage return. Every other byte counts: NUL, a byte order mark, a no-break space, bytes that
//! are not UTF-8.

use std::ops::Range;

use memchr::memmem;

/// The longest that one character of UTF-8 goes on after its first byte.
pub const CONTINUATION_BYTES_MAX: usize = 3;

pub fn is_white(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | 0x0B | 0x0C | b'\r')
}

/// Whether some bytes stand among others.
pub fn contains(bytes: &[u8], part: &[u8]) -> bool {
    !part.is_empty() && memmem::find(bytes, part).is_some()
}

/// The bytes without the white space at their end.
pub fn trim_end(bytes: &[u8]) -> &[u8] {
    let last = bytes.iter().rposition(|&byte| !is_white(byte));
    &bytes[..last.map_or(0, |last| last + 1)]
}

/// The tokens, as ranges of the bytes: what white space separates.
pub fn tokens(bytes: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + bytes[at..].iter().position(|&byte| !is_white(byte))?;
        let length = bytes[start..].iter().position(|&byte| is_white(byte));
        at = length.map_or(bytes.len(), |length| start + length);
        Some(start..at)
    })
}

/// The offsets of all line feeds.
fn line_feeds(bytes: &[u8]) -> impl DoubleEndedIterator<Item = usize> {
    let bytes = bytes.iter().enumerate();
    bytes.filter_map(|(at, &byte)| (byte == b'\n').then_some(at))
}

/// The number of the line that a byte stands in, from 1.
pub fn line_of(bytes: &[u8], at: usize) -> usize {
    line_feeds(&bytes[..at]).count() + 1
}

/// The line and the column of a byte, both from 1. The column counts characters; a byte that is
/// not part of UTF-8 counts as one.
pub fn place(bytes: &[u8], at: usize) -> (usize, usize) {
    let before = bytes[line_start(bytes, at)..at].utf8_chunks();
    let characters: usize = before
        .map(|chunk| chunk.valid().chars().count() + usize::from(!chunk.invalid().is_empty()))
        .sum();
    (line_of(bytes, at), characters + 1)
}

/// Where the line of a byte begins.
pub fn line_start(bytes: &[u8], at: usize) -> usize {
    lines_back(bytes, at, 0)
}

/// Where the line begins that is so many lines before the one of a byte.
pub fn lines_back(bytes: &[u8], at: usize, count: usize) -> usize {
    let feed = line_feeds(&bytes[..at]).rev().nth(count);
    feed.map_or(0, |feed| feed + 1)
}

/// Where the line of a byte ends, behind its line feed.
pub fn line_end(bytes: &[u8], at: usize) -> usize {
    let feed = line_feeds(&bytes[at..]).next();
    feed.map_or(bytes.len(), |feed| at + feed + 1)
}

/// Where the lines before this one (from 1) end; the end of the bytes if they have fewer.
pub fn start_of_line(bytes: &[u8], line: usize) -> usize {
    let Some(feeds) = line.checked_sub(2) else {
        return 0;
    };
    let feed = line_feeds(bytes).nth(feeds);
    feed.map_or(bytes.len(), |feed| feed + 1)
}

fn is_continuation(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

/// The offset where the character that has a byte at `offset` starts; `offset` itself if that is
/// no character.
pub fn character_start(bytes: &[u8], offset: usize) -> usize {
    let part = |at: usize| bytes.get(at).is_some_and(|&byte| is_continuation(byte));
    let earliest = offset.saturating_sub(CONTINUATION_BYTES_MAX);
    let first = (earliest..=offset).rev().find(|&at| !part(at));
    match first {
        Some(at) if at == offset || bytes[at] >= 0xC0 => at,
        _ => offset,
    }
}

/// The first offset from `offset` on where a character starts.
pub fn next_character(bytes: &[u8], offset: usize) -> usize {
    (offset..=offset + CONTINUATION_BYTES_MAX)
        .find(|&at| bytes.get(at).is_none_or(|&byte| !is_continuation(byte)))
        .unwrap_or(offset)
}

//! Bounded excerpts of untrusted bytes, and the line and column of a byte.

use std::fmt::Write;
use std::ops::Range;

/// The most bytes of an output that one side of a difference keeps.
pub const EXCERPT_BYTES_MAX: usize = 200;

/// The most bytes that are kept before the difference.
pub(super) const LEAD_BYTES_MAX: usize = 80;

/// The longest that one character of UTF-8 goes on after its first byte.
const CONTINUATION_BYTES_MAX: usize = 3;

/// Stands where something was cut off.
const ELLIPSIS: &str = "…";

const _: () = assert!(LEAD_BYTES_MAX + 2 * CONTINUATION_BYTES_MAX < EXCERPT_BYTES_MAX);

/// One side of a difference: the line it is in, or the part of that line around it.
///
/// It is empty where that side had ended and the other one goes on in a line of its own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Side {
    /// The bytes as they are, at most [`EXCERPT_BYTES_MAX`].
    pub bytes: Vec<u8>,
    /// The part of `bytes` that differs; empty where this side had ended.
    pub mark: Range<usize>,
    /// Whether the line has more before these bytes.
    pub cut_before: bool,
    /// Whether the line has more after these bytes.
    pub cut_after: bool,
}

/// Whether an excerpt shows how its line ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineEnd {
    /// White space at the end of the line is left out, for it does not count.
    Trimmed,
    /// The line's end belongs to the excerpt.
    Shown,
}

impl Side {
    /// The excerpt of the line around `mark`, which lies in one line of `bytes`.
    pub(super) fn around(bytes: &[u8], mark: Range<usize>, line_end: LineEnd) -> Self {
        let lead = mark.start.saturating_sub(LEAD_BYTES_MAX);
        let (mut start, cut_before) = match bytes[lead..mark.start]
            .iter()
            .rposition(|&byte| byte == b'\n')
        {
            Some(newline) => (lead + newline + 1, false),
            None => (lead, lead > 0 && bytes[lead - 1] != b'\n'),
        };
        if cut_before {
            start = next_character(bytes, start).min(mark.start);
        }
        let limit = bytes.len().min(start + EXCERPT_BYTES_MAX);
        let newline = bytes[mark.start..limit]
            .iter()
            .position(|&byte| byte == b'\n')
            .map(|offset| mark.start + offset);
        let (mut end, cut_after) = match (newline, line_end) {
            (Some(newline), LineEnd::Shown) => (newline + 1, false),
            (Some(newline), LineEnd::Trimmed) => (newline, false),
            (None, _) => (limit, limit < bytes.len() && bytes[limit] != b'\n'),
        };
        if cut_after {
            end = character_start(bytes, end).max(mark.start);
        } else if line_end == LineEnd::Trimmed {
            end = mark.start + super::trim_end(&bytes[mark.start..end]).len();
        }
        let mark_end = mark.end.clamp(mark.start, end.max(mark.start));
        Self {
            bytes: bytes[start..end].to_vec(),
            mark: mark.start - start..mark_end - start,
            cut_before,
            cut_after,
        }
    }

    /// The excerpt as text that is safe to show anywhere and hides nothing.
    ///
    /// Control characters, invisible and direction-changing ones, lone combining marks, blanks
    /// other than the space and bytes that are not UTF-8 are spelt out (`\t`, `\x00`, `\u{202e}`,
    /// `\xff`), a backslash is doubled, and an ellipsis stands where the line was cut. At most
    /// [`PRINTABLE_BYTES_MAX`] bytes.
    pub fn printable(&self) -> String {
        self.printable_parts().concat()
    }

    /// [`Side::printable`] in three parts: what stands before the mark, the mark, and what stands
    /// after it.
    pub fn printable_parts(&self) -> [String; 3] {
        let mark = self.mark.start.min(self.bytes.len())..self.mark.end.min(self.bytes.len());
        let mut before = String::new();
        if self.cut_before {
            before.push_str(ELLIPSIS);
        }
        let (lead, rest) = self.bytes.split_at(mark.start);
        let (marked, tail) = rest.split_at(mark.end.saturating_sub(mark.start));
        spell(lead, &mut before);
        let (mut middle, mut after) = (String::new(), String::new());
        spell(marked, &mut middle);
        spell(tail, &mut after);
        if self.cut_after {
            after.push_str(ELLIPSIS);
        }
        [before, middle, after]
    }
}

/// Appends bytes to a text, everything that cannot be seen spelt out.
fn spell(bytes: &[u8], text: &mut String) {
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            match character {
                '\'' | '"' => text.push(character),
                '\t' | '\n' | '\r' => text.extend(character.escape_debug()),
                '\0'..='\x1f' | '\x7f' => spell_byte(character as u8, text),
                _ => text.extend(character.escape_debug()),
            }
        }
        for &byte in chunk.invalid() {
            spell_byte(byte, text);
        }
    }
}

fn spell_byte(byte: u8, text: &mut String) {
    // Writing to a String cannot fail.
    let _ = write!(text, "\\x{byte:02x}");
}

/// A line and a column, both from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    /// The line.
    pub(super) line: usize,
    /// The column in characters; a byte that is not part of UTF-8 counts as one.
    pub(super) column: usize,
}

/// The line and column of a byte.
pub(super) fn place(bytes: &[u8], offset: usize) -> Place {
    let before = &bytes[..offset];
    let line_start = before
        .iter()
        .rposition(|&byte| byte == b'\n')
        .map_or(0, |newline| newline + 1);
    let line = before.split(|&byte| byte == b'\n').count();
    let characters: usize = before[line_start..]
        .utf8_chunks()
        .map(|chunk| chunk.valid().chars().count() + usize::from(!chunk.invalid().is_empty()))
        .sum();
    Place {
        line,
        column: characters + 1,
    }
}

fn is_continuation(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

/// The offset where the character that has a byte at `offset` starts; `offset` itself where that is
/// no character.
pub(super) fn character_start(bytes: &[u8], offset: usize) -> usize {
    let part = |at: usize| bytes.get(at).is_some_and(|&byte| is_continuation(byte));
    let earliest = offset.saturating_sub(CONTINUATION_BYTES_MAX);
    let first = (earliest..=offset).rev().find(|&at| !part(at));
    match first {
        Some(at) if at == offset || bytes[at] >= 0xC0 => at,
        _ => offset,
    }
}

/// The first offset from `offset` on where a character starts.
fn next_character(bytes: &[u8], offset: usize) -> usize {
    (offset..=offset + CONTINUATION_BYTES_MAX)
        .find(|&at| bytes.get(at).is_none_or(|&byte| !is_continuation(byte)))
        .unwrap_or(offset)
}

//! Bounded excerpts of untrusted bytes, around the part that differs.

use std::fmt::Write;
use std::ops::Range;

use crate::util::text::{CONTINUATION_BYTES_MAX, character_start, next_character, trim_end};

/// The most bytes of an output that one side of a difference keeps.
pub const EXCERPT_BYTES_MAX: usize = 200;

/// The most bytes that are kept before the difference.
pub(super) const LEAD_BYTES_MAX: usize = 80;

/// Stands where something was cut off.
const ELLIPSIS: &str = "…";

const _: () = assert!(LEAD_BYTES_MAX + 2 * CONTINUATION_BYTES_MAX < EXCERPT_BYTES_MAX);

/// One side of a difference: the line it is in, or the part of that line around it.
///
/// It is empty if that side had ended and the other one goes on in a line of its own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Side {
    /// The bytes as they are, at most [`EXCERPT_BYTES_MAX`].
    pub bytes: Vec<u8>,
    /// The part of `bytes` that differs; empty if this side had ended.
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
            end = mark.start + trim_end(&bytes[mark.start..end]).len();
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
    /// Control characters, invisible and direction-changing ones, lone combining marks, spaces
    /// other than the space and bytes that are not UTF-8 are spelt out (`\t`, `\x00`, `\u{202e}`,
    /// `\xff`), a backslash is doubled, and an ellipsis stands where the line was cut. At most
    /// [`PRINTABLE_BYTES_MAX`] bytes.
    pub fn printable(&self) -> String {
        self.printable_parts().concat()
    }

    /// [`Side::printable`] in three parts: what stands before the mark, the mark, and what stands
    /// after it.
    pub fn printable_parts(&self) -> [String; 3] {
        let Range { start, end } = self.mark;
        let parts = [0..start, start..end, end..self.bytes.len()];
        let [before, mark, after] = parts.map(|part| spelt_out(&self.bytes[part]));
        let ellipsis = |cut: bool| if cut { ELLIPSIS } else { "" };
        [
            ellipsis(self.cut_before).to_owned() + &before,
            mark,
            after + ellipsis(self.cut_after),
        ]
    }
}

/// Bytes as text in which everything that cannot be seen is spelt out.
fn spelt_out(bytes: &[u8]) -> String {
    let mut text = String::new();
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            match character {
                '\'' | '"' => text.push(character),
                '\t' | '\n' | '\r' => text.extend(character.escape_debug()),
                '\0'..='\x1f' | '\x7f' => spell_byte(character as u8, &mut text),
                _ => text.extend(character.escape_debug()),
            }
        }
        for &byte in chunk.invalid() {
            spell_byte(byte, &mut text);
        }
    }
    text
}

fn spell_byte(byte: u8, text: &mut String) {
    // Writing to a String cannot fail.
    let _ = write!(text, "\\x{byte:02x}");
}

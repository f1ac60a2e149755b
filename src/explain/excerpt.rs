//! Bounded, printable parts of inputs and outputs, and how the tokens of two outputs stand to each
//! other.

use std::ops::Range;

use crate::report::{Excerpt, Mark};
use crate::util::excerpt::spelled;
use crate::util::text::{
    character_start, is_white, line_end, line_of, line_start, lines_back, start_of_line, tokens,
};

/// One excerpt, in bytes before they are made printable.
pub(super) const EXCERPT_BYTES_MAX: usize = 8 * 1024;
/// Lines of one excerpt.
const EXCERPT_LINES_MAX: usize = 200;
/// What is kept before a mark, where not everything can be: bytes and lines.
const LEAD_BYTES_MAX: usize = 1024;
const LEAD_LINES_MAX: usize = 5;

/// The lines around a place.
pub(super) fn around(bytes: &[u8], at: usize) -> Range<usize> {
    lines_back(bytes, at, LEAD_LINES_MAX)..bytes.len()
}

/// A part of `bytes` as text. Where it is too long, what is around the mark stays.
pub(super) fn excerpt(bytes: &[u8], part: Range<usize>, mark: Option<Range<usize>>) -> Excerpt {
    let mark = mark.map(|mark| {
        let start = mark.start.clamp(part.start, part.end);
        start..mark.end.clamp(start, part.end)
    });
    let start = mark.as_ref().map_or(part.start, |mark| {
        let far = mark.start - part.start > EXCERPT_BYTES_MAX / 2
            || line_of(&bytes[part.start..], mark.start - part.start) > EXCERPT_LINES_MAX / 2 + 1;
        if far {
            lines_back(bytes, mark.start, LEAD_LINES_MAX)
                .max(character_start(
                    bytes,
                    mark.start.saturating_sub(LEAD_BYTES_MAX),
                ))
                .max(part.start)
        } else {
            part.start
        }
    });
    let end = end_of(bytes, start, part.end);
    let text_of = |range: Range<usize>| spelled(&bytes[range]);
    let (text, mark) = match mark {
        None => (text_of(start..end), None),
        Some(mark) => {
            let mark = mark.start.min(end)..mark.end.min(end);
            let before = text_of(start..mark.start);
            let marked = text_of(mark.clone());
            let first = before.chars().count() as u64;
            let part = Mark {
                start: first,
                end: first + marked.chars().count() as u64,
            };
            (before + &marked + &text_of(mark.end..end), Some(part))
        }
    };
    Excerpt {
        text,
        first_line: line_of(bytes, start) as u64,
        mark,
        cut_before: start > part.start || !is_blank_since_line_feed(bytes, start),
        cut_after: end < part.end || !is_blank_to_line_feed(bytes, end),
    }
}

/// Where an excerpt that begins at `start` ends at the latest.
fn end_of(bytes: &[u8], start: usize, end: usize) -> usize {
    let bound = start + EXCERPT_BYTES_MAX;
    let end = if end > bound {
        character_start(bytes, bound)
    } else {
        end
    };
    start + start_of_line(&bytes[start..end], EXCERPT_LINES_MAX + 1)
}

/// Whether only white space stands between the beginning of the line and `at`.
pub(super) fn is_blank_since_line_feed(bytes: &[u8], at: usize) -> bool {
    bytes[line_start(bytes, at)..at]
        .iter()
        .all(|&byte| is_white(byte))
}

/// Whether only white space stands between `at` and the end of the line.
pub(super) fn is_blank_to_line_feed(bytes: &[u8], at: usize) -> bool {
    at > 0 && bytes[at - 1] == b'\n'
        || bytes[at..line_end(bytes, at)]
            .iter()
            .all(|&byte| is_white(byte))
}

/// Where the token begins that is `count` tokens before `at`.
pub(super) fn tokens_back(bytes: &[u8], mut at: usize, count: usize) -> usize {
    for _ in 0..count {
        let end = bytes[..at].iter().rposition(|&byte| !is_white(byte));
        let Some(last) = end else { return 0 };
        at = bytes[..last]
            .iter()
            .rposition(|&byte| is_white(byte))
            .map_or(0, |white| white + 1);
    }
    at
}

/// Where the token ends that is the `count`-th from `at` on.
pub(super) fn tokens_forward(bytes: &[u8], at: usize, count: usize) -> usize {
    let Some(others) = count.checked_sub(1) else {
        return at;
    };
    let token = tokens(&bytes[at..]).nth(others);
    token.map_or(bytes.len(), |token| at + token.end)
}

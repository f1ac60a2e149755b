//! Bounded, printable parts of inputs and outputs, and how the tokens of two outputs stand to each
//! other.

use std::ops::Range;

use crate::compare::is_white;
use crate::report::{ExcerptPart, MarkPart};
use crate::util::excerpt::spelled;

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
pub(super) fn excerpt(bytes: &[u8], part: Range<usize>, mark: Option<Range<usize>>) -> ExcerptPart {
    let mark = mark.map(|mark| {
        let start = mark.start.clamp(part.start, part.end);
        start..mark.end.clamp(start, part.end)
    });
    let start = mark.as_ref().map_or(part.start, |mark| {
        let far = mark.start - part.start > EXCERPT_BYTES_MAX / 2
            || line_feeds(&bytes[part.start..mark.start]) > EXCERPT_LINES_MAX / 2;
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
            let part = MarkPart {
                start: first,
                end: first + marked.chars().count() as u64,
            };
            (before + &marked + &text_of(mark.end..end), Some(part))
        }
    };
    ExcerptPart {
        text,
        first_line: line_feeds(&bytes[..start]) as u64 + 1,
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
    bytes[start..end]
        .iter()
        .enumerate()
        .filter(|(_, byte)| **byte == b'\n')
        .nth(EXCERPT_LINES_MAX - 1)
        .map_or(end, |(at, _)| start + at + 1)
}

fn line_feeds(bytes: &[u8]) -> usize {
    // One piece more than there are separators.
    bytes.split(|&byte| byte == b'\n').count() - 1
}

/// The number of the line that a byte stands in, from 1.
pub(super) fn line_of(bytes: &[u8], at: usize) -> usize {
    line_feeds(&bytes[..at]) + 1
}

/// The bytes of some lines, counted from 1.
pub(super) fn lines(bytes: &[u8], lines: &Range<usize>) -> Range<usize> {
    let start_of = |line: usize| match line.checked_sub(2) {
        None => 0,
        Some(feeds) => bytes
            .iter()
            .enumerate()
            .filter(|(_, byte)| **byte == b'\n')
            .nth(feeds)
            .map_or(bytes.len(), |(at, _)| at + 1),
    };
    start_of(lines.start)..start_of(lines.end.max(lines.start))
}

/// Where the line begins that is `count` lines before the one of `at`.
fn lines_back(bytes: &[u8], at: usize, count: usize) -> usize {
    bytes[..at]
        .iter()
        .enumerate()
        .rev()
        .filter(|(_, byte)| **byte == b'\n')
        .nth(count)
        .map_or(0, |(feed, _)| feed + 1)
}

/// Where the line of `at` begins.
pub(super) fn line_start(bytes: &[u8], at: usize) -> usize {
    lines_back(bytes, at, 0)
}

/// Where the line of `at` ends, behind its line feed.
pub(super) fn line_end(bytes: &[u8], at: usize) -> usize {
    bytes[at..]
        .iter()
        .position(|&byte| byte == b'\n')
        .map_or(bytes.len(), |length| at + length + 1)
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

/// How many tokens begin in these bytes.
pub(super) fn tokens(bytes: &[u8]) -> usize {
    bytes
        .split(|&byte| is_white(byte))
        .filter(|token| !token.is_empty())
        .count()
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
pub(super) fn tokens_forward(bytes: &[u8], mut at: usize, count: usize) -> usize {
    for _ in 0..count {
        let Some(first) = bytes[at..].iter().position(|&byte| !is_white(byte)) else {
            return bytes.len();
        };
        at += first;
        at += bytes[at..]
            .iter()
            .position(|&byte| is_white(byte))
            .unwrap_or(bytes.len() - at);
    }
    at
}

/// The nearest offset, not after `at`, where no character of UTF-8 is cut.
fn character_start(bytes: &[u8], at: usize) -> usize {
    let is_inside = |at: usize| bytes.get(at).is_some_and(|byte| byte & 0xC0 == 0x80);
    (at.saturating_sub(3)..=at)
        .rev()
        .find(|&at| !is_inside(at))
        .unwrap_or(at)
}

//! Token by token: the first token that differs.

use super::difference::{Difference, Kind};
use super::excerpt::{LEAD_BYTES_MAX, LineEnd, Side};
use crate::util::text::{character_start, is_white, tokens};

/// The first token that differs, where `same(expected, got)` says whether two tokens agree.
pub(super) fn first_difference(
    expected: &[u8],
    got: &[u8],
    same: impl Fn(&[u8], &[u8]) -> bool,
) -> Option<Difference> {
    let (mut wanted, mut printed) = (tokens(expected), tokens(got));
    let (mut wanted_end, mut printed_end) = (0, 0);
    let different = |kind, expected_at, got_at| {
        let (expected, got) = ((expected, expected_at), (got, got_at));
        Some(Difference::new(kind, expected, got, LineEnd::Trimmed))
    };
    loop {
        match (wanted.next(), printed.next()) {
            (None, None) => return None,
            (Some(want), Some(print)) => {
                let tokens = [&expected[want.clone()], &got[print.clone()]];
                if !same(tokens[0], tokens[1]) {
                    let common = common_prefix(tokens[0], tokens[1]);
                    // A long token is shown, and located, around the byte that differs.
                    let skipped = if common > LEAD_BYTES_MAX / 2 {
                        common
                    } else {
                        0
                    };
                    let want_at = character_start(expected, want.start + skipped);
                    let print_at = character_start(got, print.start + skipped);
                    return different(Kind::Differs, want_at..want.end, print_at..print.end);
                }
                (wanted_end, printed_end) = (want.end, print.end);
            }
            (Some(want), None) => {
                let is_line_of_its_own = begins_line(expected, want.start);
                let kind = if printed_end == 0 {
                    Kind::Empty
                } else {
                    Kind::Missing
                };
                let mut difference = different(kind, want, printed_end..printed_end)?;
                if is_line_of_its_own {
                    difference.got = Side::default();
                }
                return Some(difference);
            }
            (None, Some(print)) => {
                let is_line_of_its_own = begins_line(got, print.start);
                let mut difference = different(Kind::Extra, wanted_end..wanted_end, print)?;
                if is_line_of_its_own {
                    difference.expected = Side::default();
                }
                return Some(difference);
            }
        }
    }
}

/// The first byte of white space that differs, where all tokens agree.
pub(super) fn first_space_difference(expected: &[u8], got: &[u8]) -> Option<Difference> {
    let (mut wanted_end, mut printed_end) = (0, 0);
    let ends = (expected.len()..expected.len(), got.len()..got.len());
    for (want, print) in tokens(expected).zip(tokens(got)).chain([ends]) {
        let spaces = (wanted_end..want.start, printed_end..print.start);
        let (wanted, printed) = (&expected[spaces.0.clone()], &got[spaces.1.clone()]);
        if wanted != printed {
            let common = common_prefix(wanted, printed);
            let mark = |from: usize, to: usize| from + common..to.min(from + common + 1);
            return Some(Difference::new(
                Kind::Differs,
                (expected, mark(wanted_end, want.start)),
                (got, mark(printed_end, print.start)),
                LineEnd::Shown,
            ));
        }
        (wanted_end, printed_end) = (want.end, print.end);
    }
    None
}

/// Whether a token is the first of its line: a side that ended before it has nothing to show of
/// that line. Else that side shows the line that should have gone on.
fn begins_line(bytes: &[u8], token: usize) -> bool {
    let before = bytes[..token].iter().rev();
    let mut before = before.skip_while(|&&byte| byte != b'\n' && is_white(byte));
    before.next().is_none_or(|&byte| byte == b'\n')
}

/// How many bytes two tokens have in common at their start.
pub(super) fn common_prefix(left: &[u8], right: &[u8]) -> usize {
    left.iter().zip(right).take_while(|(a, b)| a == b).count()
}

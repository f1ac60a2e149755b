//! Token by token: the first token that differs.

use std::ops::Range;

use super::excerpt::{self, LEAD_BYTES_MAX, LineEnd, Side};
use super::{Difference, Kind, is_white};

/// The tokens of an output, as ranges of its bytes.
struct Tokens<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Iterator for Tokens<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let rest = &self.bytes[self.at..];
        let start = self.at + rest.iter().position(|&byte| !is_white(byte))?;
        let length = self.bytes[start..]
            .iter()
            .position(|&byte| is_white(byte))
            .unwrap_or(self.bytes.len() - start);
        self.at = start + length;
        Some(start..self.at)
    }
}

/// The first token that differs, where `same(expected, got)` says whether two tokens agree.
pub(super) fn first_difference(
    expected: &[u8],
    got: &[u8],
    same: impl Fn(&[u8], &[u8]) -> bool,
) -> Option<Difference> {
    let mut wanted = Tokens {
        bytes: expected,
        at: 0,
    };
    let mut printed = Tokens { bytes: got, at: 0 };
    let mut wanted_end = 0;
    let mut printed_end = 0;
    loop {
        match (wanted.next(), printed.next()) {
            (None, None) => return None,
            (Some(want), Some(print)) => {
                if !same(&expected[want.clone()], &got[print.clone()]) {
                    return Some(differs(expected, want, got, print));
                }
                wanted_end = want.end;
                printed_end = print.end;
            }
            (Some(want), None) => {
                let place = excerpt::place(got, printed_end);
                return Some(Difference {
                    kind: if printed_end == 0 {
                        Kind::Empty
                    } else {
                        Kind::Missing
                    },
                    line: place.line,
                    column: place.column,
                    got: ended(got, printed_end, expected, want.start),
                    expected: token(expected, &want, want.start),
                    got_at: printed_end..printed_end,
                    expected_at: want,
                });
            }
            (None, Some(print)) => {
                let place = excerpt::place(got, print.start);
                return Some(Difference {
                    kind: Kind::Extra,
                    line: place.line,
                    column: place.column,
                    expected: ended(expected, wanted_end, got, print.start),
                    got: token(got, &print, print.start),
                    expected_at: wanted_end..wanted_end,
                    got_at: print,
                });
            }
        }
    }
}

fn differs(expected: &[u8], want: Range<usize>, got: &[u8], print: Range<usize>) -> Difference {
    let common = common_prefix(&expected[want.clone()], &got[print.clone()]);
    // A long token is shown, and located, around the byte that differs.
    let skipped = if common > LEAD_BYTES_MAX / 2 {
        common
    } else {
        0
    };
    let place = excerpt::place(got, excerpt::character_start(got, print.start + skipped));
    Difference {
        kind: Kind::Differs,
        line: place.line,
        column: place.column,
        expected: token(expected, &want, want.start + skipped),
        got: token(got, &print, print.start + skipped),
        expected_at: excerpt::character_start(expected, want.start + skipped)..want.end,
        got_at: excerpt::character_start(got, print.start + skipped)..print.end,
    }
}

/// The line of a token with the token marked from `from` on.
fn token(bytes: &[u8], token: &Range<usize>, from: usize) -> Side {
    let from = excerpt::character_start(bytes, from);
    Side::around(bytes, from..token.end, LineEnd::Trimmed)
}

/// The side that ended at `end` while the other one goes on at `start`.
///
/// Where the other side goes on in a line of its own, this side has nothing to show;
/// else it shows the line that should have gone on.
fn ended(bytes: &[u8], end: usize, other: &[u8], start: usize) -> Side {
    let before = other[..start]
        .iter()
        .rev()
        .find(|&&byte| byte == b'\n' || !is_white(byte));
    match before {
        Some(b'\n') | None => Side::default(),
        Some(_) => Side::around(bytes, end..end, LineEnd::Trimmed),
    }
}

/// How many bytes two tokens have in common at their start.
pub(super) fn common_prefix(left: &[u8], right: &[u8]) -> usize {
    left.iter().zip(right).take_while(|(a, b)| a == b).count()
}

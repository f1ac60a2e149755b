//! Line by line and byte by byte: the first place where the layout differs.

use super::excerpt::{self, LineEnd, Side};
use super::tokens::common_prefix;
use super::{Difference, Kind, trim_end};

/// Where the first two lines that differ begin, as byte offsets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LineDifference {
    expected_at: usize,
    got_at: usize,
}

impl LineDifference {
    /// The difference for a person; the tokens of the two outputs are known to agree.
    pub(super) fn describe(self, expected: &[u8], got: &[u8]) -> Difference {
        let (want, _) = line_at(expected, self.expected_at);
        let (print, _) = line_at(got, self.got_at);
        let common = common_prefix(want, print);
        let want_at = self.expected_at + common;
        let print_at = self.got_at + common;
        let place = excerpt::place(got, print_at);
        Difference {
            kind: Kind::Differs,
            line: place.line,
            column: place.column,
            expected: Side::around(
                expected,
                want_at..self.expected_at + want.len(),
                LineEnd::Trimmed,
            ),
            got: Side::around(got, print_at..self.got_at + print.len(), LineEnd::Trimmed),
            expected_at: want_at..self.expected_at + want.len(),
            got_at: print_at..self.got_at + print.len(),
        }
    }
}

/// The first line that differs when white space at line ends and at the end of the output does not
/// count.
pub(super) fn first_line_difference(expected: &[u8], got: &[u8]) -> Option<LineDifference> {
    let expected = trim_end(expected);
    let got = trim_end(got);
    let (mut expected_at, mut got_at) = (0, 0);
    loop {
        let (want, want_next) = line_at(expected, expected_at);
        let (print, print_next) = line_at(got, got_at);
        if want != print {
            return Some(LineDifference {
                expected_at,
                got_at,
            });
        }
        match (want_next, print_next) {
            (Some(want_next), Some(print_next)) => {
                expected_at = want_next;
                got_at = print_next;
            }
            (None, None) => return None,
            // One side has more lines, and their tokens decide what that is.
            _ => {
                return Some(LineDifference {
                    expected_at,
                    got_at,
                });
            }
        }
    }
}

/// The line that begins at this offset without white space at its end, and where the next one
/// begins.
fn line_at(bytes: &[u8], at: usize) -> (&[u8], Option<usize>) {
    let rest = &bytes[at..];
    match rest.iter().position(|&byte| byte == b'\n') {
        Some(length) => (trim_end(&rest[..length]), Some(at + length + 1)),
        None => (trim_end(rest), None),
    }
}

/// The first byte that differs in two outputs that are not equal; line ends are shown.
pub(super) fn first_byte_difference(expected: &[u8], got: &[u8]) -> Difference {
    let at = common_prefix(expected, got);
    let kind = match (expected.len() == at, got.len() == at) {
        (false, true) => Kind::Missing,
        (true, false) => Kind::Extra,
        _ => Kind::Differs,
    };
    let place = excerpt::place(got, at);
    let mark = |bytes: &[u8]| at..bytes.len().min(at + 1);
    let side = |bytes: &[u8]| Side::around(bytes, mark(bytes), LineEnd::Shown);
    Difference {
        kind,
        line: place.line,
        column: place.column,
        expected: side(expected),
        got: side(got),
        expected_at: mark(expected),
        got_at: mark(got),
    }
}

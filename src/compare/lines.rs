//! Line by line and byte by byte: the first place where the layout differs.

use super::difference::{Difference, Kind};
use super::excerpt::LineEnd;
use super::tokens::common_prefix;
use crate::util::text::trim_end;

/// The first line that differs if white space at line ends and at the end of the output does not
/// count.
pub(super) fn first_line_difference(expected: &[u8], got: &[u8]) -> Option<Difference> {
    let (wanted, printed) = (trim_end(expected), trim_end(got));
    let (mut expected_at, mut got_at) = (0, 0);
    loop {
        let (want, want_next) = line_at(wanted, expected_at);
        let (print, print_next) = line_at(printed, got_at);
        match (want_next, print_next) {
            (Some(want_next), Some(print_next)) if want == print => {
                (expected_at, got_at) = (want_next, print_next);
            }
            (None, None) if want == print => return None,
            // They differ, or one side has more lines.
            _ => {
                let common = common_prefix(want, print);
                return Some(Difference::new(
                    Kind::Differs,
                    (expected, expected_at + common..expected_at + want.len()),
                    (got, got_at + common..got_at + print.len()),
                    LineEnd::Trimmed,
                ));
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
    let mark = |bytes: &[u8]| at..bytes.len().min(at + 1);
    Difference::new(
        kind,
        (expected, mark(expected)),
        (got, mark(got)),
        LineEnd::Shown,
    )
}

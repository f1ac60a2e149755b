//! Texts in one harmless line, and numbers in the units that people read.

use crate::util::excerpt::visible_line;

/// A name, a path or a version, in characters.
pub(super) const NAME_CHARACTERS_MAX: usize = 300;
/// A note or a reason, in characters.
pub(super) const SENTENCE_CHARACTERS_MAX: usize = 1_000;

/// One line of harmless text of at most `characters_max` characters.
pub(super) fn line(text: &str, characters_max: usize) -> String {
    // Making characters visible never makes a text shorter, but for CRLF.
    let head: String = text.chars().take(characters_max + 1).collect();
    let shown = visible_line(&head);
    if shown.chars().count() <= characters_max {
        return shown;
    }
    let mut cut: String = shown.chars().take(characters_max - 1).collect();
    cut.push('…');
    cut
}

/// A fragment as it begins a sentence.
pub(super) fn sentence(fragment: &str) -> String {
    let mut characters = fragment.chars();
    let first = characters.next().map(char::to_uppercase);
    first.into_iter().flatten().chain(characters).collect()
}

/// With up to two decimals, rounded up as all times are.
pub(super) fn seconds(ms: u64) -> String {
    format!("{} s", hundredths(ms.div_ceil(10)))
}

/// `1.25`, `1.5`, `1`.
fn hundredths(number: u64) -> String {
    let text = format!("{}.{:02}", number / 100, number % 100);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

pub(super) fn milliseconds(ms: u64) -> String {
    if ms > 0 && ms.is_multiple_of(1_000) {
        format!("{} s", ms / 1_000)
    } else if ms < 10_000 {
        format!("{ms} ms")
    } else {
        format!("{}.{} s", ms / 1_000, ms % 1_000 / 100)
    }
}

/// How a time factor, in percent, comes into the limit of CPU time; "" where there is none.
pub(super) fn time_factor(percent: Option<u32>) -> String {
    percent.map_or_else(String::new, |percent| {
        let factor = hundredths(percent.into());
        format!(" ({factor} × the problem's limit, for this language)")
    })
}

pub(super) fn kib(kib: u64) -> String {
    if kib >= 1_024 && kib.is_multiple_of(1_024) {
        format!("{} MiB", kib / 1_024)
    } else if kib >= 10 * 1_024 {
        format!("{}.{} MiB", kib / 1_024, kib % 1_024 * 10 / 1_024)
    } else {
        format!("{kib} KiB")
    }
}

pub(super) fn bytes(bytes: u64) -> String {
    if bytes >= 10 * 1_024 {
        kib(bytes / 1_024)
    } else {
        format!("{bytes} bytes")
    }
}

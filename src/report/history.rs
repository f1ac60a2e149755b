//! How a verdict came to be, in words; and what of that a student may read.
//!
//! A reason names tests (`hack/evil joined`), and a test's name may be hidden from students. So
//! what they read is an allow-list: reasons without names, and names that their report shows
//! anyway.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::schema::{Document, PastVerdict};
use crate::domain::Because;

/// How reasons that name a test end, and what that means.
const EVENTS: [(&str, &str); 5] = [
    (" joined", "was added"),
    (" added", "was added"),
    (" removed", "was removed"),
    (" withdrawn", "was removed"),
    (" changed", "was changed"),
];
/// How the reason for a corrected answer begins.
const ANSWER: &str = "the answer of ";
/// What separates reasons.
const SEPARATOR: &str = "; ";
/// What students read in place of a reason that they may not read.
const UNNAMED: &str = "the problem changed";

impl Document {
    /// A time on the course's clock: `2026-03-01 13:30:00 CET`; as it is where there is none.
    pub(super) fn on_clock(&self, at: &str) -> String {
        self.local(at, "%Y-%m-%d %H:%M:%S %Z")
            .unwrap_or_else(|| at.to_owned())
    }

    /// A time without seconds, for people.
    pub(super) fn moment(&self, at: &str) -> String {
        self.local(at, "%Y-%m-%d %H:%M %Z")
            .unwrap_or_else(|| moment(at))
    }

    fn local(&self, at: &str, format: &str) -> Option<String> {
        let zone = TimeZone::get(self.time_zone.as_deref()?).ok()?;
        let at: Timestamp = at.parse().ok()?;
        Some(at.to_zoned(zone).strftime(format).to_string())
    }
}

/// `2026-03-01T12:30:00Z` as people write it.
fn moment(at: &str) -> String {
    match at.get(..16) {
        Some(minute) if at.ends_with('Z') => format!("{} UTC", minute.replace('T', " ")),
        _ => at.to_owned(),
    }
}

impl PastVerdict {
    /// The verdict, and the points where there are any.
    pub(super) fn said(&self) -> String {
        match self.score {
            Some(score) => format!("{} with {}", self.verdict, score.words()),
            None => self.verdict.to_string(),
        }
    }

    /// Why, for people.
    pub(super) fn in_words(&self) -> String {
        in_words(&self.because)
    }
}

/// A verdict that has changed: `This was AC until 2026-03-01 03:16 UTC; the test hack/big was
/// added.`
pub(super) fn change_of_verdict(document: &Document) -> Option<String> {
    let [.., before, now] = document.history.as_slice() else {
        return None;
    };
    let is_as_before =
        before.first_failing_test == now.first_failing_test && before.verdict == now.verdict;
    // Where the reason names no test, the one that fails now says more than it.
    let test = now.first_failing_test.as_deref();
    let fails = test
        .filter(|test| !now.because.contains(test) && !is_as_before)
        .map(|test| format!("; now it fails on {test}"))
        .unwrap_or_default();
    let is_changed = (before.verdict, before.score) != (now.verdict, now.score);
    is_changed.then(|| {
        format!(
            "This was {} until {}; {}{fails}.",
            before.said(),
            document.moment(&now.at),
            now.in_words()
        )
    })
}

/// Reasons as a sentence has them.
fn in_words(because: &str) -> String {
    let words = |reason: &str| match named(reason) {
        Some((name, event)) if reason.starts_with(ANSWER) => {
            format!("the answer of the test {name} {event}")
        }
        Some((name, event)) => format!("the test {name} {event}"),
        None if reason.starts_with("rejudge") => "it was judged again".to_owned(),
        None if reason == Because::Away.words() => {
            "the problem changed while the daemon was stopped".to_owned()
        }
        None => reason.to_owned(),
    };
    let words: Vec<String> = because.split(SEPARATOR).map(words).collect();
    words.join(SEPARATOR)
}

/// The test that a reason names, and what happened to it.
fn named(reason: &str) -> Option<(&str, &'static str)> {
    let rest = reason.strip_prefix(ANSWER).unwrap_or(reason);
    let (name, event) = EVENTS
        .into_iter()
        .find_map(|(end, event)| Some((rest.strip_suffix(end)?, event)))?;
    let is_test = ["sample/", "secret/", "hack/"]
        .iter()
        .any(|group| name.starts_with(group));
    is_test.then_some((name, event))
}

/// Reasons as a student may read them; `shows` says whether the report tells the name of a test.
pub(super) fn redacted(because: &str, shows: impl Fn(&str) -> bool) -> String {
    let redacted = |reason: &str| match named(reason) {
        Some((name, _)) if shows(name) => reason.to_owned(),
        Some((name, event)) => {
            let group = name.split('/').next().unwrap_or_default();
            if reason.starts_with(ANSWER) {
                format!("the answer of a {group} test changed")
            } else {
                format!("a {group} test {event}")
            }
        }
        None if reason.parse::<Because>().is_ok() => reason.to_owned(),
        None => UNNAMED.to_owned(),
    };
    let mut told: Vec<String> = Vec::new();
    for reason in because.split(SEPARATOR).map(redacted) {
        if !told.contains(&reason) {
            told.push(reason);
        }
    }
    told.join(SEPARATOR)
}

#[cfg(test)]
mod tests {
    use super::redacted;

    #[test]
    fn students_read_no_name_that_their_report_does_not_show() {
        let told = |because: &str| redacted(because, |name| name == "hack/open");
        let two = "the limits changed; secret/a changed; secret/b changed";
        let answer = "the answer of secret/a changed";
        for (because, words) in [
            ("hack/open joined", "hack/open joined"),
            ("hack/hidden joined", "a hack test was added"),
            ("hack/hidden withdrawn", "a hack test was removed"),
            (two, "the limits changed; a secret test was changed"),
            (answer, "the answer of a secret test changed"),
            // A name with the separator in it, and reasons that nobody has thought of.
            ("hack/hidden; of all joined", "the problem changed"),
            ("hidden", "the problem changed"),
            ("received", "received"),
            ("the languages changed", "the languages changed"),
        ] {
            assert_eq!(told(because), words);
        }
    }
}

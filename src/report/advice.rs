//! What a verdict means and what to try next, in plain words for a student. The words stand in
//! `advice.toml`, and every format takes them from there.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::hints::{Hint, filled, hints_of};
use super::schema::{Document, TestReport};
use super::units::seconds;
use crate::domain::{Cause, Counterexample, RejectionKind, Strategy, Verdict};
use crate::package::Io;
use crate::util::words::amount;

/// Sentences by what they are about: a verdict, a cause, a kind of rejection.
type Sentences = BTreeMap<String, String>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Words {
    meaning: Sentences,
    next: Sentences,
    found_by: Sentences,
    rejected: Sentences,
    #[serde(rename = "hint")]
    hints: Vec<Hint>,
}

static WORDS: LazyLock<Words> = LazyLock::new(|| {
    toml::from_str(include_str!("advice.toml")).expect("a test reads the file as it is here")
});

/// The hints for a document of this source.
pub(super) fn hints(document: &Document, source: &[u8], io: Io) -> Vec<String> {
    hints_of(&WORDS.hints, document, source, io)
}

/// What the verdict means for this program.
pub(super) fn meaning(document: &Document) -> String {
    let verdict = document.verdict;
    let failing = document.failing().filter(|test| !test.withheld);
    let late = failing.filter(|_| verdict == Verdict::TimeLimit);
    late.and_then(|test| out_of_time(test, document))
        .or_else(|| WORDS.meaning.get(verdict.code()).cloned())
        .unwrap_or_default()
}

fn out_of_time(test: &TestReport, document: &Document) -> Option<String> {
    let limits = &document.limits;
    let (used_ms, limit_ms, what) = match test.cause {
        Some(Cause::Cpu) => (test.cpu_ms, limits.cpu_ms, "CPU time"),
        _ => (test.wall_ms, limits.wall_ms, "wall-clock time"),
    };
    let (used, limit) = (seconds(used_ms), seconds(limit_ms));
    let key = if test.ended_by_itself {
        "ended"
    } else {
        "stopped"
    };
    filled(WORDS.meaning.get(key)?, |name| match name {
        "used" => Some(&*used),
        "limit" => Some(&*limit),
        "what" => Some(what),
        _ => None,
    })
}

/// What to try next.
pub(super) fn next(document: &Document) -> &'static str {
    let cause = document.cause.as_ref();
    let has_talk = document
        .case
        .as_ref()
        .is_some_and(|case| case.talk.is_some());
    let by_cause = cause.and_then(|cause| match cause {
        Cause::ExitCode(_) => WORDS.next.get("exit"),
        cause => {
            let of_talk = format!("talk-{}", cause.code());
            let of_talk = WORDS.next.get(&of_talk).filter(|_| has_talk);
            of_talk.or_else(|| WORDS.next.get(&cause.code()))
        }
    });
    let next = by_cause.or_else(|| WORDS.next.get(document.verdict.code()));
    next.map_or("", String::as_str)
}

/// What its student can do about a file that was rejected.
pub(super) fn about_rejected(kind: RejectionKind) -> &'static str {
    let rejected = &WORDS.rejected;
    let step = rejected.get(kind.word()).or_else(|| rejected.get("other"));
    step.map_or("", String::as_str)
}

/// How an input on which a program fails was found, and what that says of it.
pub fn how_found(found: &Counterexample, verdict: Verdict) -> String {
    let said = |key: &str| WORDS.found_by.get(key).map_or("", String::as_str);
    let how = match &found.found_by {
        Strategy::Family(name) => filled(said("family"), |_| Some(&**name)).unwrap_or_default(),
        Strategy::Other | Strategy::Changed => said("other").to_owned(),
        plain => said(&plain.to_string()).to_owned(),
    };
    if found.cases > 1 && verdict.is_limit() {
        format!("{how} {}", said("of-all-cases"))
    } else if found.is_carried_over {
        format!("{how} {}", said("carried-over"))
    } else {
        how
    }
}

/// The size of an input on which a program fails.
pub fn size_of(found: &Counterexample) -> String {
    match found.cells {
        Some(cells) => amount(usize::try_from(cells).unwrap_or(usize::MAX), "cell"),
        None => amount(found.input.len(), "byte"),
    }
}

#[cfg(test)]
mod tests {
    use super::{Sentences, WORDS};
    use crate::domain::{Cause, RejectionKind, Verdict};

    #[test]
    fn every_verdict_has_its_words() {
        let has = |sentences: &Sentences, keys: &[&str]| {
            keys.iter().all(|&key| sentences.contains_key(key))
        };
        let verdicts = Verdict::ALL.map(Verdict::code);
        assert!(has(&WORDS.meaning, &verdicts) && has(&WORDS.next, &verdicts));
        assert!(has(&WORDS.meaning, &["ended", "stopped"]) && has(&WORDS.next, &["exit"]));
        let found_by = ["family", "other", "of-all-cases", "carried-over"];
        assert!(has(&WORDS.found_by, &found_by) && has(&WORDS.rejected, &["other"]));
        // No sentence stands under a name that nothing has.
        let is_verdict = |key: &str| Verdict::ALL.iter().any(|verdict| verdict.code() == key);
        for key in WORDS.next.keys() {
            let cause = key.strip_prefix("talk-").unwrap_or(key);
            let is_known = key == "exit" || is_verdict(key) || Cause::from_code(cause).is_some();
            assert!(is_known, "{key}");
        }
        for key in WORDS.rejected.keys().filter(|key| *key != "other") {
            assert!(key.parse::<RejectionKind>().is_ok(), "{key}");
        }
    }
}

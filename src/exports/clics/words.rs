//! How the feed spells what it tells: verdicts, moments, identifiers.

use serde_json::{Value, json};

use crate::domain::{Cause, Verdict};
use crate::util::hash;

/// The longest identifier.
const IDENTIFIER_MAX: usize = 36;
/// How identifiers begin that stand for a name that cannot be one.
const DIGEST: &str = "id-";
/// Hexadecimal digits of such an identifier.
const DIGITS: usize = 32;
const MILLISECONDS: f64 = 1_000.0;

/// Every type of judgement that there is here: its identifier, its name, whether it counts as an
/// attempt, whether it solves the problem.
const TYPES: [(&str, &str, bool, bool); 14] = [
    ("AC", "Accepted", false, true),
    ("CE", "Compile Error", false, false),
    ("CTL", "Compile Time Limit Exceeded", false, false),
    ("EO", "Excessive Output", true, false),
    ("ILE", "Idleness Limit Exceeded", true, false),
    ("IO", "Incomplete Output", true, false),
    ("MLE", "Memory Limit Exceeded", true, false),
    ("NO", "No Output", true, false),
    ("OLE", "Output Limit Exceeded", true, false),
    ("PE", "Presentation Error", true, false),
    ("RTE", "Run-Time Error", true, false),
    ("TLE", "Time Limit Exceeded", true, false),
    ("WA", "Wrong Answer", true, false),
    ("WTL", "Wallclock Time Limit Exceeded", true, false),
];

/// Every type of judgement that there is here, by its identifier.
pub fn judgement_types() -> impl Iterator<Item = (&'static str, Value)> {
    TYPES.into_iter().map(|(id, name, penalty, solved)| {
        let data = json!({ "id": id, "name": name, "penalty": penalty, "solved": solved });
        (id, data)
    })
}

/// The type of a judgement; none for a test that was not run.
pub fn judgement_type(verdict: Verdict, cause: Option<&Cause>) -> Option<&'static str> {
    let of_verdict = match verdict {
        Verdict::Accepted => "AC",
        Verdict::PresentationError => "PE",
        Verdict::WrongAnswer => "WA",
        Verdict::TimeLimit => "TLE",
        Verdict::MemoryLimit => "MLE",
        Verdict::OutputLimit => "OLE",
        Verdict::RuntimeError => "RTE",
        Verdict::CompileError => "CE",
        Verdict::Skipped => return None,
    };
    cause.and_then(of_cause).or(Some(of_verdict))
}

/// The type that a cause has beside that of its verdict.
fn of_cause(cause: &Cause) -> Option<&'static str> {
    match cause {
        Cause::Missing => Some("IO"),
        Cause::Extra => Some("EO"),
        Cause::Empty => Some("NO"),
        Cause::Wall => Some("WTL"),
        Cause::Idle => Some("ILE"),
        Cause::CompileTime => Some("CTL"),
        Cause::Cpu
        | Cause::ExitCode(_)
        | Cause::Signal(_)
        | Cause::Differs
        | Cause::Refused
        | Cause::Compiler
        | Cause::CompileMemory
        | Cause::CompileOutput
        | Cause::NoEntryPoint => None,
    }
}

/// A name as an identifier: as it is where it can be one, else by a digest of it. Two names never
/// have the same.
pub fn identifier(name: &str) -> String {
    let letters = name
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-'));
    let edges = name.starts_with(['-', '.']) || name.ends_with('.');
    if letters
        && !edges
        && !name.is_empty()
        && name.len() <= IDENTIFIER_MAX
        && !name.starts_with(DIGEST)
    {
        return name.to_owned();
    }
    let mut digest = hash::digest(name.as_bytes()).to_string();
    digest.truncate(DIGITS);
    format!("{DIGEST}{digest}")
}

/// A moment.
pub fn time(ms: i64) -> String {
    // The range of a clock that a machine can have is far within that of the calendar.
    let moment = jiff::Timestamp::from_millisecond(ms).unwrap_or_default();
    moment.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

/// The time since the beginning; none before it.
pub fn relative(ms: i64) -> String {
    let ms = ms.max(0);
    let (seconds, rest) = (ms / 1_000, ms % 1_000);
    format!(
        "{}:{:02}:{:02}.{rest:03}",
        seconds / 3_600,
        seconds / 60 % 60,
        seconds % 60
    )
}

/// Milliseconds as seconds.
#[expect(clippy::cast_precision_loss, reason = "no run takes 2^52 milliseconds")]
pub fn seconds(ms: u64) -> f64 {
    ms as f64 / MILLISECONDS
}

/// A, B, … Z, AA: the label of the problem with this ordinal, from 1.
pub fn label(ordinal: u64) -> String {
    const LETTERS: u64 = 26;
    let mut left = ordinal;
    let mut label = Vec::new();
    while left > 0 {
        left -= 1;
        label.push(char::from(b'A' + u8::try_from(left % LETTERS).unwrap_or(0)));
        left /= LETTERS;
    }
    label.iter().rev().collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{identifier, judgement_type, judgement_types, label, relative, time};
    use crate::domain::{Cause, Verdict};

    #[test]
    fn every_verdict_has_a_type_that_is_told() {
        let told: BTreeSet<&str> = judgement_types().map(|(id, _)| id).collect();
        for verdict in Verdict::ALL {
            for cause in [
                None,
                Some(&Cause::Missing),
                Some(&Cause::Extra),
                Some(&Cause::Empty),
                Some(&Cause::Wall),
                Some(&Cause::Idle),
                Some(&Cause::CompileTime),
            ] {
                match judgement_type(verdict, cause) {
                    Some(code) => assert!(told.contains(code), "{code}"),
                    None => assert_eq!(verdict, Verdict::Skipped),
                }
            }
        }
        let solved: Vec<&str> = judgement_types()
            .filter(|(_, data)| data["solved"] == true)
            .map(|(id, _)| id)
            .collect();
        assert_eq!(solved, ["AC"]);
    }

    #[test]
    fn names_become_identifiers_and_two_names_never_the_same() {
        assert_eq!(identifier("alpha_7.x-y"), "alpha_7.x-y");
        let mut seen = BTreeSet::new();
        let derived = identifier("Студент");
        for name in [
            "Студент",
            &derived,
            "-x",
            ".x",
            "x.",
            "a b",
            "",
            &"x".repeat(37),
            "学生",
        ] {
            let id = identifier(name);
            assert!(id.len() <= 36 && id.starts_with("id-"), "{id}");
            assert!(seen.insert(id), "{name}");
        }
        assert_eq!(identifier(&"x".repeat(36)).len(), 36);
    }

    #[test]
    fn moments_and_labels() {
        assert_eq!(time(1_772_368_200_123), "2026-03-01T12:30:00.123Z");
        assert_eq!(relative(0), "0:00:00.000");
        assert_eq!(relative(-5), "0:00:00.000");
        assert_eq!(relative(100 * 3_600_000 + 61_007), "100:01:01.007");
        let labels = [1, 2, 26, 27, 52, 53, 702, 703].map(label);
        assert_eq!(labels, ["A", "B", "Z", "AA", "AZ", "BA", "ZZ", "AAA"]);
    }
}

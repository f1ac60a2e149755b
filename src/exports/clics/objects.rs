//! The objects of the feed with the fields that the CLICS specifications of 2026-01 name, and how
//! it spells verdicts, moments and identifiers.
//!
//! Judgements and runs also have the contest times that versions up to 2023-06 ask for.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::domain::{Cause, Verdict};
use crate::util::hash::digest;

/// The longest identifier.
const IDENTIFIER_MAX: usize = 36;
/// How identifiers begin that stand for a name that cannot be one; 32 hexadecimal digits follow.
const DIGEST: &str = "id-";

/// One line: an object as it is from now on.
#[derive(Debug, Serialize, Deserialize)]
pub struct Line {
    #[serde(rename = "type")]
    pub kind: String,
    /// `None` if there is only one of its kind.
    pub id: Option<String>,
    pub data: Value,
    /// The number of an event, on the last of its lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
}

/// What a line tells of, but for what `course.ndjson` has. A field that is always `null` is `()`.
#[derive(Debug, Serialize)]
#[serde(tag = "type", content = "data", rename_all = "kebab-case")]
pub enum Object<'a> {
    Languages {
        id: String,
        name: &'a str,
        entry_point_required: bool,
        extensions: &'a [String],
    },
    Problems(Problem),
    Teams {
        id: String,
        name: &'a str,
        label: &'a str,
    },
    Submissions {
        id: String,
        language_id: String,
        problem_id: String,
        team_id: String,
        time: String,
        contest_time: String,
        /// The language's own: nobody is asked for one.
        entry_point: (),
        /// No archives of programs lie beside the feed.
        files: [(); 0],
    },
    /// When it began is not kept: a judgement is told when it is made.
    Judgements {
        id: String,
        submission_id: String,
        judgement_type_id: &'a str,
        current: bool,
        start_time: &'a str,
        start_contest_time: &'a str,
        end_time: &'a str,
        end_contest_time: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        max_run_time: Option<f64>,
    },
    Runs {
        id: String,
        judgement_id: String,
        ordinal: u64,
        judgement_type_id: &'a str,
        time: String,
        contest_time: String,
        run_time: f64,
    },
}

/// A problem; limits in seconds, MiB and KiB.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Problem {
    pub id: String,
    pub label: String,
    pub name: String,
    pub ordinal: u64,
    pub time_limit: f64,
    pub memory_limit: u64,
    pub output_limit: u64,
    pub code_limit: u64,
    pub test_data_count: u64,
}

/// The objects of every course that began then: the contest, the types of judgement, and the state
/// at the end.
pub fn fixed_lines(start_ms: i64) -> impl DoubleEndedIterator<Item = Line> {
    let start = time(start_ms);
    let lines = include_str!("course.ndjson").lines();
    lines.map(move |line| {
        serde_json::from_str(&line.replace("START", &start)).expect("a test reads all of them")
    })
}

/// The type of a judgement, by its cause where that has a type of its own; none for a test that was
/// not run.
pub fn judgement_type(verdict: Verdict, cause: Option<&Cause>) -> Option<&'static str> {
    match (verdict, cause) {
        (Verdict::Skipped, _) => None,
        (_, Some(Cause::Missing)) => Some("IO"),
        (_, Some(Cause::Extra)) => Some("EO"),
        (_, Some(Cause::Empty)) => Some("NO"),
        (_, Some(Cause::Wall)) => Some("WTL"),
        (_, Some(Cause::Idle)) => Some("ILE"),
        (_, Some(Cause::CompileTime)) => Some("CTL"),
        (Verdict::RuntimeError, _) => Some("RTE"),
        (other, _) => Some(other.code()),
    }
}

/// A name as an identifier: as it is where it can be one, else by a digest of it. Two names never
/// have the same.
pub fn identifier(name: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
    let is_identifier = (1..=IDENTIFIER_MAX).contains(&name.len())
        && name.bytes().all(is_plain)
        && !name.starts_with(['-', '.'])
        && !name.ends_with('.')
        && !name.starts_with(DIGEST);
    if is_identifier {
        return name.to_owned();
    }
    format!("{DIGEST}{:.32}", digest(name.as_bytes()).to_string())
}

/// A moment.
pub fn time(ms: i64) -> String {
    // The range of a clock that a machine can have is far within that of the calendar.
    let moment = jiff::Timestamp::from_millisecond(ms).unwrap_or_default();
    format!("{moment:.3}")
}

/// The time since the beginning; none before it.
pub fn relative(ms: i64) -> String {
    let ms = ms.max(0);
    let (hours, minutes, seconds) = (ms / 3_600_000, ms / 60_000 % 60, ms / 1_000 % 60);
    format!("{hours}:{minutes:02}:{seconds:02}.{:03}", ms % 1_000)
}

/// A, B, … Z, AA: the label of the problem with this ordinal, from 1.
pub fn label(ordinal: u64) -> String {
    let Some(left) = ordinal.checked_sub(1) else {
        return String::new();
    };
    let letter = char::from(b'A' + u8::try_from(left % 26).unwrap_or(0));
    format!("{}{letter}", label(left / 26))
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::{Line, fixed_lines, identifier, judgement_type, label, relative};
    use crate::domain::{Cause, Verdict};

    #[test]
    fn every_verdict_has_a_type_that_is_told() {
        let types = fixed_lines(0).filter(|line| line.kind == "judgement-types");
        let types = types.map(|line| (line.id.clone().unwrap(), line));
        let types: BTreeMap<String, Line> = types.collect();
        for verdict in Verdict::ALL {
            for code in " missing extra empty wall idle compile-time".split(' ') {
                match judgement_type(verdict, Cause::from_code(code).as_ref()) {
                    Some(code) => assert!(types.contains_key(code), "{code}"),
                    None => assert_eq!(verdict, Verdict::Skipped),
                }
            }
        }
        let solved = types.iter().filter(|(_, line)| line.data["solved"] == true);
        assert!(solved.map(|(id, _)| id).eq(["AC"]));
    }

    #[test]
    fn names_become_identifiers_and_two_names_never_the_same() {
        assert_eq!(identifier("alpha_7.x-y"), "alpha_7.x-y");
        let mut seen = BTreeSet::new();
        let derived = identifier("Студент");
        let long = "x".repeat(37);
        let names = "Студент|-x|.x|x.|a b||学生".split('|');
        for name in names.chain([&*derived, &long]) {
            let id = identifier(name);
            assert!(id.len() <= 36 && id.starts_with("id-"), "{id}");
            assert!(seen.insert(id), "{name}");
        }
        assert_eq!(identifier(&"x".repeat(36)).len(), 36);
    }

    #[test]
    fn moments_and_labels() {
        assert_eq!(relative(-5), "0:00:00.000");
        assert_eq!(relative(100 * 3_600_000 + 61_007), "100:01:01.007");
        let labels = [1, 2, 26, 27, 52, 53, 702, 703].map(label);
        assert_eq!(labels, ["A", "B", "Z", "AA", "AZ", "BA", "ZZ", "AAA"]);
    }
}

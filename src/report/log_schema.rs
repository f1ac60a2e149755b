//! The shape of the lines of verdicts.jsonl, with the same promise to other programs as the report
//! document's.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::package_entry::PackageEntry;
use super::schema::Code;
use super::score::ScorePart;
use crate::domain::{Cause, Verdict};

/// A line of verdicts.jsonl.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LogLine {
    /// The version of this shape.
    #[schemars(range(min = 1, max = 1))]
    pub version: u32,
    /// The event's number; grows from line to line, and no number is there twice.
    pub event: i64,
    /// When it happened, RFC 3339 in UTC.
    #[schemars(extend("format" = "date-time"))]
    pub at: String,
    /// What happened.
    #[serde(flatten)]
    pub entry: Entry,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Entry {
    /// A submission has a verdict that it had not before.
    Verdict(VerdictEntry),
    /// A file is not a submission.
    Rejection(RejectionEntry),
    /// Something became of a hack.
    Hack(HackEntry),
    /// Something became of a package.
    Package(PackageEntry),
}

/// A submission has a verdict that it had not before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct VerdictEntry {
    /// The submission's number.
    pub submission: i64,
    /// The student.
    pub student: String,
    /// The problem.
    pub problem: String,
    /// The attempt's number, from 1.
    #[schemars(range(min = 1))]
    pub attempt: u32,
    /// The language's key.
    pub language: String,
    /// The verdict.
    #[schemars(with = "Code")]
    pub verdict: Verdict,
    /// What refines it.
    #[schemars(with = "Option<String>")]
    pub cause: Option<Cause>,
    /// The points, where the problem has groups of tests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<ScorePart>,
    /// The first failing test.
    pub first_failing_test: Option<String>,
    /// The most CPU time on one test, in milliseconds.
    pub cpu_ms_max: u64,
    /// The most memory on one test, in KiB.
    pub memory_kib_max: u64,
    /// Why it was judged: `received`, `hack/evil joined`, `the limits changed`.
    pub because: String,
    /// The verdict that it had before; none where this is the first.
    #[serde(default)]
    #[schemars(with = "Option<Code>")]
    pub before: Option<Verdict>,
}

/// A file is not a submission.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RejectionEntry {
    /// The student, where the path tells.
    pub student: Option<String>,
    /// The path below the submissions folder.
    pub path: String,
    /// Why.
    pub reason: String,
}

/// Something became of a hack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HackEntry {
    /// The problem.
    pub problem: String,
    /// The test's name: `hack/evil`.
    pub name: String,
    /// The file's name in `hacks/`.
    pub file: String,
    /// What became of it.
    pub state: HackState,
    /// Why, where it was refused or is held back.
    pub reason: Option<String>,
    /// Submissions that were accepted before and fail now, where it has been judged.
    pub fell: Option<u64>,
    /// Submissions that were accepted before and still are, where it has been judged.
    pub stood: Option<u64>,
    /// How long it took until every earlier submission was judged on it, in milliseconds.
    pub took_ms: Option<u64>,
}

/// What became of a hack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum HackState {
    /// It is one of the tests.
    Joined,
    /// It is not.
    Refused,
    /// It is valid, and not one of them: an accepted example of the package fails on it.
    #[serde(rename = "held back")]
    HeldBack,
    /// Every earlier submission has been judged on it.
    Judged,
    /// It was taken back.
    Withdrawn,
}

impl HackState {
    /// The word in the logs.
    pub fn word(self) -> &'static str {
        match self {
            Self::Joined => "joined",
            Self::Refused => "refused",
            Self::HeldBack => "held back",
            Self::Judged => "judged",
            Self::Withdrawn => "withdrawn",
        }
    }
}

impl Entry {
    /// As the store keeps it.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("strings and numbers always have a JSON form")
    }

    /// Reads [`Entry::to_json`] back.
    pub fn from_json(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }
}

impl LogLine {
    /// As one line without its line feed.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("strings and numbers always have a JSON form")
    }
}

/// The number of the event that a line of verdicts.jsonl tells of.
pub fn event_of_json(line: &str) -> Option<i64> {
    #[derive(Deserialize)]
    struct Head {
        event: i64,
    }
    serde_json::from_str::<Head>(line)
        .ok()
        .map(|head| head.event)
}

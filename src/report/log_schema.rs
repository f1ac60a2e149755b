//! The shape of the lines of verdicts.jsonl, with the same promise to other programs as the report
//! document's, and what they say of verdicts, hacks, packages and rejections.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::schema::{Document, TestReport, VERSION};
use super::text::hack::HackReport;
use super::units::{NAME_CHARACTERS_MAX, SENTENCE_CHARACTERS_MAX, line};
use crate::domain::{
    Attempt, Cause, LanguageId, ProblemSlug, Rejection, Score, Student, Verdict, words,
};
use crate::util::clock::utc_text;

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
    /// The state of a hack has changed.
    Hack(HackEntry),
    /// The state of a package has changed.
    Package(PackageEntry),
}

/// A submission has a verdict that it had not before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct VerdictEntry {
    /// The submission's number.
    pub submission: i64,
    /// The student.
    pub student: Student,
    /// The problem.
    pub problem: ProblemSlug,
    /// The attempt's number, from 1.
    #[schemars(range(min = 1))]
    pub attempt: Attempt,
    /// The language's key.
    pub language: LanguageId,
    /// The verdict.
    pub verdict: Verdict,
    /// What refines it.
    pub cause: Option<Cause>,
    /// The points, where the problem has groups of tests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<Score>,
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
    pub before: Option<Verdict>,
}

/// A file is not a submission.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RejectionEntry {
    /// The student, where the path tells.
    pub student: Option<Student>,
    /// The path below the submissions folder.
    pub path: String,
    /// Why.
    pub reason: String,
}

/// The state of a hack has changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HackEntry {
    /// The problem.
    pub problem: String,
    /// The test's name: `hack/evil`.
    pub name: String,
    /// The file's name in `hacks/`.
    pub file: String,
    /// What happened to it.
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

words! {
    /// What happened to a hack.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    pub enum HackState by word {
        /// It is one of the tests.
        Joined = "joined",
        /// It is not.
        Refused = "refused",
        /// It is valid, and not one of them: an accepted example of the package fails on it.
        #[serde(rename = "held back")]
        HeldBack = "held back",
        /// Every earlier submission has been judged on it.
        Judged = "judged",
        /// It was taken back.
        Withdrawn = "withdrawn",
    }
}

/// The state of a package has changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PackageEntry {
    /// The problem.
    pub problem: String,
    /// What happened to it.
    pub state: PackageState,
    /// Why, or what it was before.
    pub reason: Option<String>,
}

words! {
    /// What happened to a package.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    pub enum PackageState by word {
        /// It is there for the first time.
        Added = "added",
        /// Nobody can be judged with it.
        Broken = "broken",
        /// It was broken, and people are judged with it again.
        Repaired = "repaired",
        /// It has another name, or another title.
        Renamed = "renamed",
        /// Its folder is gone.
        Removed = "removed",
    }
}

impl HackEntry {
    /// Whether it is about the hack of this file.
    pub fn is_about(&self, file_name: &str) -> bool {
        self.file == line(file_name, NAME_CHARACTERS_MAX)
    }
}

impl Entry {
    /// What the logs say of a document, why it was judged, and which verdict it replaces.
    pub fn of_verdict(document: &Document, because: &str, before: Option<Verdict>) -> Self {
        let submission = &document.submission;
        let most = |of: fn(&TestReport) -> u64| document.tests.iter().map(of).max().unwrap_or(0);
        Self::Verdict(VerdictEntry {
            submission: submission.id,
            student: submission.student.clone(),
            problem: submission.problem.clone(),
            attempt: submission.attempt,
            language: submission.language.clone(),
            verdict: document.verdict,
            cause: document.cause.clone(),
            score: document.score,
            first_failing_test: document.first_failing_test.clone(),
            cpu_ms_max: most(|test| test.cpu_ms),
            memory_kib_max: most(|test| test.memory_kib),
            because: line(because, NAME_CHARACTERS_MAX),
            before,
        })
    }

    /// What the logs say of a hack that has joined the tests, was refused, or was taken back; with
    /// its file's name, and why it was refused.
    pub fn of_hack(
        problem: &ProblemSlug,
        (name, file_name): (&str, &str),
        state: HackState,
        reason: Option<&str>,
    ) -> Self {
        Self::Hack(HackEntry {
            problem: problem.to_string(),
            name: line(name, NAME_CHARACTERS_MAX),
            file: line(file_name, NAME_CHARACTERS_MAX),
            state,
            reason: reason.map(|reason| line(reason, SENTENCE_CHARACTERS_MAX)),
            fell: None,
            stood: None,
            took_ms: None,
        })
    }

    /// What the logs say of a hack that every earlier submission has been judged on.
    pub fn of_judged_hack(hack: &HackReport) -> Self {
        Self::Hack(HackEntry {
            problem: hack.problem.clone(),
            name: line(&hack.name, NAME_CHARACTERS_MAX),
            file: line(&hack.file_name, NAME_CHARACTERS_MAX),
            state: HackState::Judged,
            reason: None,
            fell: Some(hack.fell.count as u64),
            stood: Some(hack.stood.count as u64),
            took_ms: hack.took_ms,
        })
    }

    /// What the logs say of a rejection.
    pub fn of_rejection(rejection: &Rejection) -> Self {
        Self::Rejection(RejectionEntry {
            student: rejection.student.clone(),
            path: line(&rejection.path, NAME_CHARACTERS_MAX),
            reason: line(&rejection.reason, SENTENCE_CHARACTERS_MAX),
        })
    }

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
    /// The line of an event: its number, its moment, and what the store keeps of it.
    pub fn of_event(event: i64, ms: i64, entry_json: &str) -> Result<Self, serde_json::Error> {
        Ok(Self {
            version: VERSION,
            event,
            at: utc_text(ms),
            entry: Entry::from_json(entry_json)?,
        })
    }

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

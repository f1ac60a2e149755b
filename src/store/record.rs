//! The shapes of rows.

use std::sync::Arc;

use crate::domain::{
    Change, Digest, Fault, LanguageId, ProblemSlug, Published, RunFacts, RunKey, SourceFile,
    Student, Submission, SubmissionId, Verdict,
};

/// A program as intake found it.
#[derive(Debug, Clone)]
pub struct NewSubmission {
    pub student: Student,
    pub problem: ProblemSlug,
    pub language: LanguageId,
    /// The path below the submissions folder.
    pub path: String,
    pub source: SourceFile,
    /// When it was received, in milliseconds since 1970 UTC.
    pub received_ms: i64,
}

/// What became of a program that was handed in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Received {
    /// What it is now.
    pub submission: Submission,
    /// Whether it is a new attempt. Otherwise its path had the same bytes before, or the latest
    /// attempt in this language has.
    pub is_new: bool,
}

/// A run to remember.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunRecord {
    /// Which run.
    pub key: RunKey,
    /// What was measured.
    pub facts: RunFacts,
    /// What is kept of its output, unless the store has it already.
    pub kept: Option<Arc<[u8]>>,
    /// When.
    pub measured_ms: i64,
}

/// A judgement to publish.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Publication {
    pub submission: SubmissionId,
    /// Digest of everything that the judgement was folded from.
    pub fold: Digest,
    /// The verdict, and why it was judged.
    pub change: Change,
    /// The report document, as it is written.
    pub document: String,
    /// The payload of the event that the logs are written from.
    pub event_json: String,
    /// The most CPU time on one test, in milliseconds; none where nothing was run.
    pub slowest_ms: Option<u32>,
}

/// What publishing a judgement did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outcome {
    /// The event's row; none where the same judgement with the same document was there already.
    pub event: Option<i64>,
    /// Whether the submission had another verdict before, or none.
    pub is_changed: bool,
    /// Whether nobody has heard of the verdict yet.
    pub is_news: bool,
}

/// A judgement's row without its document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgementRow {
    pub submission: SubmissionId,
    /// Digest of what it was folded from.
    pub fold: Digest,
    pub published: Published,
    /// Whether its report files are on disk.
    pub reported: bool,
}

/// A change of a submission's verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeRow {
    /// Its row; grows.
    pub id: i64,
    /// The row of the event; grows too.
    pub event: i64,
    pub submission: Submission,
    /// The verdict before; none where it is the first.
    pub before: Option<Verdict>,
    pub change: Change,
}

/// A fault to remember.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FaultRecord {
    /// Digest that names the piece of work.
    pub work: Digest,
    /// For which submission, where for one.
    pub submission: Option<SubmissionId>,
    /// What failed.
    pub fault: Fault,
    /// When to try again; `None` for not before its cause has changed.
    pub next_try_ms: Option<i64>,
    /// When it failed.
    pub last_ms: i64,
}

/// A remembered fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FaultRow {
    /// The last failure.
    pub record: FaultRecord,
    /// How often it has failed.
    pub tries: u32,
}

/// A hack to remember.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewHack {
    /// Of which problem.
    pub problem: ProblemSlug,
    /// The test's name: `hack/evil`.
    pub name: String,
    /// The file's name in `hacks/`, made printable.
    pub file_name: String,
    /// Digest of the file as it was.
    pub digest: Digest,
    /// What the instructor says of it.
    pub note: Option<String>,
    /// Why it is not one of the tests; `None` where it is.
    pub refused: Option<String>,
    /// Whether it would be one if the instructor insisted.
    pub held_back: bool,
    /// When it was seen.
    pub seen_ms: i64,
    /// The payload of the event that the logs are written from.
    pub event_json: String,
}

/// A remembered hack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HackRow {
    /// Its row.
    pub id: i64,
    /// Of which problem.
    pub problem: ProblemSlug,
    /// The test's name: `hack/evil`.
    pub name: String,
    /// The file's name in `hacks/`, made printable.
    pub file_name: String,
    /// Digest of the file as it was.
    pub digest: Digest,
    /// What the instructor says of it.
    pub note: Option<String>,
    /// Why it is not one of the tests; `None` where it is.
    pub refused: Option<String>,
    /// Whether it would be one if the instructor insisted.
    pub held_back: bool,
    /// When it was seen.
    pub seen_ms: i64,
    /// The last change of a verdict before it.
    pub history_mark: i64,
    /// The last submission before it.
    pub last_submission: SubmissionId,
    /// When every earlier submission had been judged on it.
    pub finished_ms: Option<i64>,
    /// When it was taken back.
    pub withdrawn_ms: Option<i64>,
}

/// Something that happened, for logs and live streams.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventRow {
    /// Its row; grows.
    pub id: i64,
    /// When.
    pub ms: i64,
    /// What.
    pub kind: EventKind,
    /// About which submission.
    pub submission: Option<SubmissionId>,
    /// Details, a JSON object.
    pub json: String,
}

/// Kinds of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventKind {
    /// A submission was received.
    Received,
    /// A submission has a verdict that it had not before.
    Verdict,
    /// A submission was judged anew, with the same verdict.
    Confirmed,
    /// A file is not a submission.
    Rejected,
    /// The rejected files of a student are others, or more or fewer; the logs do not tell.
    Rejections,
    /// Something failed on our side.
    Fault,
    /// A hack has joined the tests, was refused, has been judged, or was taken back.
    Hack,
    /// A package has appeared, is broken, was repaired, has another name, or is gone.
    Package,
}

impl EventKind {
    pub(super) const ALL: [Self; 8] = [
        Self::Received,
        Self::Verdict,
        Self::Confirmed,
        Self::Rejected,
        Self::Rejections,
        Self::Fault,
        Self::Hack,
        Self::Package,
    ];

    /// The word in the column.
    pub fn word(self) -> &'static str {
        match self {
            Self::Received => "received",
            Self::Verdict => "verdict",
            Self::Confirmed => "confirmed",
            Self::Rejected => "rejected",
            Self::Rejections => "rejections",
            Self::Fault => "fault",
            Self::Hack => "hack",
            Self::Package => "package",
        }
    }
}

/// What the store holds, in numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    /// Submissions.
    pub received: u64,
    /// Submissions with a judgement.
    pub judged: u64,
    /// Submissions without one.
    pub waiting: u64,
    /// Those of them that have a newer attempt of the same student for the same problem in the same
    /// language.
    pub superseded: u64,
    /// Judgements whose report files are not on disk yet.
    pub unreported: u64,
    /// Files that are no submissions, as they lie there now.
    pub rejected: u64,
    /// Pieces of work that fail on our side.
    pub faults: u64,
    /// Judgements by verdict; the verdicts that occur.
    pub verdicts: Vec<(Verdict, u64)>,
}

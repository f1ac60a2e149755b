//! The shapes of rows.

use std::sync::Arc;

use crate::domain::{
    Attempt, Cause, Digest, Fault, LanguageId, ProblemSlug, RunFacts, RunKey, Student, Submission,
    SubmissionId, Verdict,
};

/// A program as intake found it.
#[derive(Debug, Clone)]
pub struct NewSubmission {
    /// Who handed it in.
    pub student: Student,
    /// For which problem.
    pub problem: ProblemSlug,
    /// In which language.
    pub language: LanguageId,
    /// The path below the submissions folder.
    pub path: String,
    /// The file's name, without folders.
    pub file_name: String,
    /// The source.
    pub source: Arc<[u8]>,
    /// Its digest.
    pub source_digest: Digest,
    /// When it was received, in milliseconds since 1970 UTC.
    pub received_ms: i64,
}

/// What became of a program that was handed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Received {
    /// It is a new attempt.
    New(SubmissionId, Attempt),
    /// It is this submission already: its path had the same bytes before, or the latest attempt in
    /// this language has.
    Known(SubmissionId),
}

/// A submission without its source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubmissionHead {
    /// Its row.
    pub id: SubmissionId,
    /// Who handed it in.
    pub student: Student,
    /// For which problem.
    pub problem: ProblemSlug,
    /// In which language.
    pub language: LanguageId,
    /// The attempt's number, from 1.
    pub attempt: Attempt,
    /// The path below the submissions folder that it had.
    pub path: String,
    /// The name that the file had.
    pub file_name: String,
    /// Digest of the source.
    pub source_digest: Digest,
    /// When it was received.
    pub received_ms: i64,
}

impl SubmissionHead {
    /// The whole submission.
    pub fn with_source(self, source: Arc<[u8]>) -> Submission {
        Submission {
            id: self.id,
            student: self.student,
            problem: self.problem,
            language: self.language,
            attempt: self.attempt,
            file_name: self.file_name,
            source_digest: self.source_digest,
            source,
            received_ms: self.received_ms,
        }
    }
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
    /// Of which submission.
    pub submission: SubmissionId,
    /// Digest of everything that the judgement was folded from.
    pub fold: Digest,
    /// The verdict.
    pub verdict: Verdict,
    /// What refines it.
    pub cause: Option<Cause>,
    /// The name of the first failing test.
    pub first_failing_test: Option<String>,
    /// The report document, as it is written.
    pub document: String,
    /// The payload of the event that the logs are written from.
    pub event_json: String,
    /// Why it was judged: `received`, `hack hack/evil`, `limits changed`.
    pub because: String,
    /// When.
    pub judged_ms: i64,
    /// The most CPU time on one test, in milliseconds; none where nothing was run.
    pub slowest_ms: Option<u64>,
}

/// What publishing did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Published {
    /// The same judgement with the same document was there already.
    Nothing {
        /// Whether nobody has heard of it yet.
        is_news: bool,
    },
    /// The document is new; verdict, cause and first failing test are as before.
    Confirmed {
        /// The event's row.
        event: i64,
        /// Whether nobody has heard of the verdict yet.
        is_news: bool,
    },
    /// There is a verdict where there was none, or it is another one.
    Changed {
        /// The event's row.
        event: i64,
    },
}

/// A judgement's row without its document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgementRow {
    /// Of which submission.
    pub submission: SubmissionId,
    /// Digest of what it was folded from.
    pub fold: Digest,
    /// The verdict.
    pub verdict: Verdict,
    /// What refines it.
    pub cause: Option<Cause>,
    /// The name of the first failing test.
    pub first_failing_test: Option<String>,
    /// When it was judged.
    pub judged_ms: i64,
    /// Whether its report files are on disk.
    pub reported: bool,
}

/// One change of a submission's verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryRow {
    /// The verdict from then on.
    pub verdict: Verdict,
    /// What refines it.
    pub cause: Option<Cause>,
    /// The name of the first failing test.
    pub first_failing_test: Option<String>,
    /// When.
    pub judged_ms: i64,
    /// Why it was judged.
    pub because: String,
}

/// A change of somebody's verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeRow {
    /// Its row; grows.
    pub id: i64,
    /// Whose.
    pub student: Student,
    /// For which problem.
    pub problem: ProblemSlug,
    /// Which attempt.
    pub attempt: Attempt,
    /// The verdict before; none where it is the first.
    pub before: Option<Verdict>,
    /// The verdict from then on.
    pub verdict: Verdict,
    /// The name of the first failing test.
    pub first_failing_test: Option<String>,
    /// Why it was judged.
    pub because: String,
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

/// A submission that was accepted before a hack, and what it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HackedRow {
    /// Which submission.
    pub submission: SubmissionId,
    /// Whose.
    pub student: Student,
    /// The attempt's number.
    pub attempt: Attempt,
    /// The verdict now.
    pub verdict: Verdict,
    /// The first failing test now.
    pub first_failing_test: Option<String>,
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

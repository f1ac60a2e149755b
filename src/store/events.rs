//! What happened, in the order in which it happened: for the logs, the pages and the event feed;
//! and the marks that say how far each of them is.

use rusqlite::Connection;

use super::reader::{only, pair};
use super::row::{put, row, text_columns};
use super::writer::execute;
use super::{Reader, StoreError, Writer};
use crate::domain::{ProblemSlug, Student, Submission, SubmissionId, words};

words! {
    /// Kinds of events.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum EventKind by word {
        /// A submission was received.
        Received = "received",
        /// A submission has a verdict that it had not before.
        Verdict = "verdict",
        /// A submission was judged anew, with the same verdict.
        Confirmed = "confirmed",
        /// The report of a submission says something else, and its verdict is the same: something
        /// was found out, a deadline is over, or it was judged again after an upgrade.
        Report = "report",
        /// A file is not a submission.
        Rejected = "rejected",
        /// The rejected files of a student are others, or more or fewer; the logs do not tell.
        Rejections = "rejections",
        /// Something failed on our side.
        Fault = "fault",
        /// A hack has joined the tests, was refused, has been judged, or was taken back.
        Hack = "hack",
        /// A package has appeared, is broken, was repaired, has another name, or is gone.
        Package = "package",
    }
}

text_columns! {
    EventKind, "a kind of event", |kind| kind.word(), |word| word.parse().ok();
}

/// What an event is about.
pub(super) enum About<'a> {
    Submission(SubmissionId),
    Problem(&'a ProblemSlug),
    /// `None` for a file whose name does not say whose it is.
    Student(Option<&'a Student>),
}

/// Writes an event of this millisecond (since 1970 UTC), with what the logs tell of it: a JSON
/// object, or nothing. The row's number grows.
pub(super) fn put_event(
    connection: &Connection,
    kind: EventKind,
    ms: i64,
    about: &About<'_>,
    json: &str,
) -> rusqlite::Result<i64> {
    let (submission, name) = match about {
        About::Submission(id) => (Some(id), None),
        About::Problem(problem) => (None, Some(problem.as_str())),
        About::Student(student) => (None, student.map(Student::as_str)),
    };
    put(
        connection,
        "INSERT INTO events",
        &[
            ("ms", &ms),
            ("kind", &kind),
            ("submission_id", &submission),
            ("about", &name),
            ("json", &json),
        ],
    )
}

impl EventKind {
    /// Those after which a submission's report may be another one.
    pub const OF_REPORTS: &[Self] = &[Self::Verdict, Self::Confirmed, Self::Report];
    /// Those after which a file of a student may be another one.
    const OF_FILES: &[Self] = &[
        Self::Received,
        Self::Verdict,
        Self::Confirmed,
        Self::Report,
        Self::Rejections,
    ];
    /// Those that the logs tell of.
    pub const OF_LOGS: &[Self] = &[Self::Verdict, Self::Rejected, Self::Hack, Self::Package];
    /// Those after which an overview may be another one.
    pub const OF_OVERVIEWS: &[Self] = &[
        Self::Received,
        Self::Verdict,
        Self::Confirmed,
        Self::Hack,
        Self::Fault,
        Self::Rejections,
        Self::Package,
    ];
}

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Grows.
    pub id: i64,
    /// When, in milliseconds since 1970 UTC.
    pub ms: i64,
    pub kind: EventKind,
    pub submission: Option<SubmissionId>,
    /// The problem or the student, where it is not about a submission.
    about: Option<String>,
    /// What the logs tell, a JSON object; empty where they do not.
    pub json: String,
}

row! { Event { id, ms, kind, submission = "submission_id", about, json } }

impl Event {
    /// The problem that a hack or a package is of.
    pub fn problem(&self) -> Option<ProblemSlug> {
        ProblemSlug::new(self.about.as_deref()?).ok()
    }

    /// Whose rejected files it is about; `None` for those that are nobody's.
    pub fn student(&self) -> Option<Student> {
        Student::new(self.about.as_deref()?).ok()
    }
}

/// A submission was received, or has another verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedEvent {
    /// The event's row; grows.
    pub event: i64,
    /// When, in milliseconds since 1970 UTC.
    pub ms: i64,
    /// Received or verdict.
    pub kind: EventKind,
    pub submission: Submission,
}

row! { FeedEvent { event = "events.id", ms, kind, submission: Submission } }

/// Kinds, as a query lists them.
fn listed(kinds: &[EventKind]) -> String {
    let kinds = kinds.iter().map(|kind| format!("'{}'", kind.word()));
    kinds.collect::<Vec<_>>().join(", ")
}

impl Writer {
    /// Remembers numbers under names.
    pub fn set_marks(&self, marks: Vec<(&'static str, i64)>) -> Result<(), StoreError> {
        self.call(move |connection| {
            let mut marks = marks.iter();
            marks.try_for_each(|(name, value)| set_mark(connection, name, *value))
        })
    }
}

pub(super) fn set_mark(connection: &Connection, name: &str, value: i64) -> rusqlite::Result<()> {
    let put = "INSERT OR REPLACE INTO marks (name, value) VALUES (?1, ?2)";
    execute(connection, put, (name, value)).map(drop)
}

impl Reader {
    /// A number under a name, as how far the logs are.
    pub fn mark(&self, name: &str) -> Result<Option<i64>, StoreError> {
        self.row("SELECT value FROM marks WHERE name = ?1", [name], only)
    }

    /// The number of the last event, 0 for none.
    pub fn last_event(&self) -> Result<i64, StoreError> {
        let last = self.row("SELECT coalesce(max(id), 0) FROM events", [], only)?;
        Ok(last.unwrap_or(0))
    }

    /// The latest events of a kind, the oldest of them first.
    pub fn latest_events(&self, kind: EventKind, limit: u32) -> Result<Vec<Event>, StoreError> {
        let which = "FROM events WHERE kind = ?1 ORDER BY id DESC LIMIT ?2";
        let mut rows: Vec<Event> = self.select(which, (kind, limit))?;
        rows.reverse();
        Ok(rows)
    }

    /// The next page of the events of these kinds.
    pub fn events_after(
        &self,
        after: i64,
        kinds: &[EventKind],
        limit: u32,
    ) -> Result<Vec<Event>, StoreError> {
        let kinds = listed(kinds);
        let which = format!("FROM events WHERE id > ?1 AND kind IN ({kinds}) ORDER BY id LIMIT ?2");
        self.select(&which, (after, limit))
    }

    /// Whose files may be others after this event: each student with each problem once, and without
    /// a problem where it is about rejected files.
    pub fn owners_after(
        &self,
        after: i64,
    ) -> Result<Vec<(Student, Option<ProblemSlug>)>, StoreError> {
        let kinds = listed(EventKind::OF_FILES);
        let query = format!(
            "SELECT DISTINCT coalesce(student, about) AS owner, problem
             FROM events LEFT JOIN submissions ON submissions.id = submission_id
             WHERE events.id > ?1 AND kind IN ({kinds}) AND owner IS NOT NULL"
        );
        self.rows(&query, [after], pair)
    }

    /// The next page of the events that the event feed tells of.
    pub fn feed_events_after(&self, after: i64, limit: u32) -> Result<Vec<FeedEvent>, StoreError> {
        self.select(
            "FROM events JOIN submissions ON submissions.id = submission_id
             WHERE kind IN ('received', 'verdict') AND events.id > ?1
             ORDER BY events.id LIMIT ?2",
            (after, limit),
        )
    }
}

//! What happened, in the order in which it happened: for the logs, the pages and the event feed.

use rusqlite::{Connection, Row};

use super::reader::only;
use super::submissions::{SUBMISSION, submission};
use super::{Reader, StoreError};
use crate::domain::{ProblemSlug, Student, Submission, SubmissionId};

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

/// An event that is to be written.
pub(super) struct NewEvent<'a> {
    pub kind: EventKind,
    /// When, in milliseconds since 1970 UTC.
    pub ms: i64,
    pub about: About<'a>,
    /// What the logs tell of it, a JSON object; empty where they do not.
    pub json: &'a str,
}

/// What an event is about.
pub(super) enum About<'a> {
    Submission(SubmissionId),
    Problem(&'a ProblemSlug),
    /// `None` for a file whose name does not say whose it is.
    Student(Option<&'a Student>),
}

impl NewEvent<'_> {
    /// Writes it; the row's number grows.
    pub fn put(&self, connection: &Connection) -> rusqlite::Result<i64> {
        let (submission, name) = match &self.about {
            About::Submission(id) => (Some(id), None),
            About::Problem(problem) => (None, Some(problem.as_str())),
            About::Student(student) => (None, student.map(Student::as_str)),
        };
        connection
            .prepare_cached(
                "INSERT INTO events (ms, kind, submission_id, about, json)
                 VALUES (?1, ?2, ?3, ?4, ?5)",
            )?
            .insert((self.ms, self.kind, submission, name, self.json))
    }
}

/// An event that the logs tell of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventRow {
    pub id: i64,
    /// When, in milliseconds since 1970 UTC.
    pub ms: i64,
    /// What the logs tell, a JSON object.
    pub json: String,
}

fn event(row: &Row<'_>) -> rusqlite::Result<EventRow> {
    Ok(EventRow {
        id: row.get(0)?,
        ms: row.get(1)?,
        json: row.get(2)?,
    })
}

/// What an event may change on the overviews.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BoardEvent {
    /// A submission and what is said of it.
    Submission(SubmissionId),
    /// The hacks of a problem.
    Hack(ProblemSlug),
    /// The package of a problem.
    Package(ProblemSlug),
    /// The rejected files of a student, or those that are nobody's.
    Rejections(Option<Student>),
    /// Nothing.
    Nothing,
}

fn board_event(row: &Row<'_>) -> rusqlite::Result<(i64, BoardEvent)> {
    let submission: Option<SubmissionId> = row.get(2)?;
    let event = match (row.get(1)?, submission) {
        (EventKind::Hack, _) => BoardEvent::Hack(row.get(3)?),
        (EventKind::Package, _) => BoardEvent::Package(row.get(3)?),
        (EventKind::Rejections, _) => BoardEvent::Rejections(row.get(3)?),
        (_, Some(submission)) => BoardEvent::Submission(submission),
        (_, None) => BoardEvent::Nothing,
    };
    Ok((row.get(0)?, event))
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

fn feed_event(row: &Row<'_>) -> rusqlite::Result<FeedEvent> {
    Ok(FeedEvent {
        submission: submission(row)?,
        event: row.get(6)?,
        ms: row.get(7)?,
        kind: row.get(8)?,
    })
}

impl Reader {
    /// The number of the last event, 0 for none.
    pub fn last_event(&self) -> Result<i64, StoreError> {
        let last = self.row("SELECT coalesce(max(id), 0) FROM events", [], only)?;
        Ok(last.unwrap_or(0))
    }

    /// The latest events of a kind, the oldest of them first.
    pub fn latest_events(&self, kind: EventKind, limit: u32) -> Result<Vec<EventRow>, StoreError> {
        let mut rows = self.rows(
            "SELECT id, ms, json FROM events WHERE kind = ?1 ORDER BY id DESC LIMIT ?2",
            (kind, limit),
            event,
        )?;
        rows.reverse();
        Ok(rows)
    }

    /// The next page of the events that the logs tell of.
    pub fn log_events_after(&self, after: i64, limit: u32) -> Result<Vec<EventRow>, StoreError> {
        self.rows(
            "SELECT id, ms, json FROM events
             WHERE kind IN ('verdict', 'rejected', 'hack', 'package') AND id > ?1
             ORDER BY id LIMIT ?2",
            (after, limit),
            event,
        )
    }

    /// The next page of the events after which an overview may be another one, each with its
    /// number.
    pub fn board_events_after(
        &self,
        after: i64,
        limit: u32,
    ) -> Result<Vec<(i64, BoardEvent)>, StoreError> {
        self.rows(
            "SELECT id, kind, submission_id, about FROM events
             WHERE kind IN ('received', 'verdict', 'confirmed', 'hack', 'fault', 'rejections',
                 'package') AND id > ?1
             ORDER BY id LIMIT ?2",
            (after, limit),
            board_event,
        )
    }

    /// The next page of the events that the event feed tells of.
    pub fn feed_events_after(&self, after: i64, limit: u32) -> Result<Vec<FeedEvent>, StoreError> {
        self.rows(
            &format!(
                "SELECT {SUBMISSION}, events.id, ms, kind
                 FROM events JOIN submissions ON submissions.id = submission_id
                 WHERE kind IN ('received', 'verdict') AND events.id > ?1
                 ORDER BY events.id LIMIT ?2"
            ),
            (after, limit),
            feed_event,
        )
    }
}

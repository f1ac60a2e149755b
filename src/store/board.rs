//! What the overviews are made from: every submission with its verdict, without the documents; and
//! whose pages are still to be written.

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::reader::{published, submission};
use super::record::EventKind;
use super::rejections;
use super::{Reader, StoreError, Writer};
use crate::domain::{ProblemSlug, Published, Student, Submission, SubmissionId, Verdict};

/// One submission as the overviews need it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub submission: Submission,
    /// None while it waits, or cannot be judged.
    pub published: Option<Published>,
    /// The most CPU time on one test, in milliseconds; none where nothing was run.
    pub slowest_ms: Option<u32>,
}

impl Entry {
    /// The verdict, where there is one.
    pub fn verdict(&self) -> Option<Verdict> {
        Some(self.published.as_ref()?.verdict)
    }

    /// The name of the first failing test, where it has a verdict and fails one.
    pub fn first_failing_test(&self) -> Option<&str> {
        self.published.as_ref()?.first_failing_test.as_deref()
    }
}

/// A judgement whose pages are still to be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Due {
    /// Of which submission.
    pub submission: SubmissionId,
    /// The event with which it was published; 0 in a store that was made before there were pages.
    pub event: i64,
}

/// What an event may change on the overviews.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BoardEvent {
    /// A submission and what is said of it.
    Submission(SubmissionId),
    /// A hack or a package: what the event says of it.
    Course(String),
    /// The rejected files of a student, or those that are nobody's.
    Rejections(Option<Student>),
    /// Nothing.
    Nothing,
}

/// The submissions and their judgements. The index is named because the rows themselves, which
/// SQLite would take, are as long as the reports.
pub(super) const ENTRIES: &str = "SELECT submissions.id, student, problem, language, attempt,
        received_ms, verdict, cause, first_failing_test, judged_ms, slowest_ms
    FROM submissions LEFT JOIN judgements INDEXED BY judgements_for_board ON submission_id = id";

pub(super) fn entry(row: &Row<'_>) -> rusqlite::Result<Entry> {
    let is_judged = row.get_ref(6)? != ValueRef::Null;
    Ok(Entry {
        submission: submission(row)?,
        published: is_judged.then(|| published(row, 6)).transpose()?,
        slowest_ms: row.get(10)?,
    })
}

fn board_event(row: &Row<'_>) -> rusqlite::Result<BoardEvent> {
    let kind: EventKind = row.get(1)?;
    let submission: Option<SubmissionId> = row.get(2)?;
    let json: String = row.get(3)?;
    Ok(match (kind, submission) {
        (EventKind::Rejections, _) => rejections::board_event(&json),
        (_, Some(submission)) => BoardEvent::Submission(submission),
        (EventKind::Hack | EventKind::Package, None) => BoardEvent::Course(json),
        (_, None) => BoardEvent::Nothing,
    })
}

impl Reader {
    /// The next page of all submissions, in the order of their rows.
    pub fn entries_after(&self, after: SubmissionId, limit: u32) -> Result<Vec<Entry>, StoreError> {
        self.ask(|connection| {
            connection
                .prepare_cached(&format!("{ENTRIES} WHERE id > ?1 ORDER BY id LIMIT ?2"))?
                .query_map(params![after, limit], entry)?
                .collect()
        })
    }

    /// One submission.
    pub fn entry(&self, id: SubmissionId) -> Result<Option<Entry>, StoreError> {
        self.ask(|connection| {
            connection
                .prepare_cached(&format!("{ENTRIES} WHERE id = ?1"))?
                .query_row([id], entry)
                .optional()
        })
    }

    /// The next page of the events after which an overview may be another one, each with its
    /// number.
    pub fn board_events_after(
        &self,
        after: i64,
        limit: u32,
    ) -> Result<Vec<(i64, BoardEvent)>, StoreError> {
        self.ask(|connection| {
            connection
                .prepare_cached(
                    "SELECT id, kind, submission_id, CASE WHEN kind IN (?6, ?8, ?9) THEN json ELSE '' END
                     FROM events
                     WHERE kind IN (?3, ?4, ?5, ?6, ?7, ?8, ?9) AND id > ?1 ORDER BY id LIMIT ?2",
                )?
                .query_map(
                    params![
                        after,
                        limit,
                        EventKind::Received,
                        EventKind::Verdict,
                        EventKind::Confirmed,
                        EventKind::Hack,
                        EventKind::Fault,
                        EventKind::Rejections,
                        EventKind::Package,
                    ],
                    |row| Ok((row.get(0)?, board_event(row)?)),
                )?
                .collect()
        })
    }

    /// The first judgements whose pages are still to be written, those of the latest submissions
    /// first.
    pub fn pages_due(&self, limit: u32) -> Result<Vec<Due>, StoreError> {
        self.ask(|connection| {
            connection
                .prepare_cached(
                    "SELECT submission_id, event FROM pages_due ORDER BY submission_id DESC LIMIT ?1",
                )?
                .query_map([limit], |row| {
                    Ok(Due {
                        submission: row.get(0)?,
                        event: row.get(1)?,
                    })
                })?
                .collect()
        })
    }

    /// The report document of the judgement of a problem that was made last.
    pub fn latest_document(&self, problem: &ProblemSlug) -> Result<Option<String>, StoreError> {
        self.ask(|connection| {
            connection
                .prepare_cached(
                    "SELECT document FROM judgements WHERE submission_id =
                         (SELECT id FROM submissions WHERE problem = ?1 AND judged = 1 ORDER BY id DESC LIMIT 1)",
                )?
                .query_row([problem], |row| row.get(0))
                .optional()
        })
    }
}

impl Writer {
    /// The pages of these judgements are on the disk. Those of a newer judgement stay due.
    pub fn mark_paged(&self, written: Vec<Due>) -> Result<(), StoreError> {
        self.call(move |connection| mark_paged(connection, &written))
    }
}

fn mark_paged(connection: &Connection, written: &[Due]) -> rusqlite::Result<()> {
    let mut done = connection
        .prepare_cached("DELETE FROM pages_due WHERE submission_id = ?1 AND event = ?2")?;
    for due in written {
        done.execute(params![due.submission, due.event])?;
    }
    Ok(())
}

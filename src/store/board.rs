//! What the overviews are made from: every submission with its verdict, without the documents; and
//! whose pages are still to be written.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::record::EventKind;
use super::rejections;
use super::{Reader, StoreError, Writer};
use crate::domain::{Attempt, LanguageId, ProblemSlug, Student, SubmissionId, Verdict};

/// One submission as the overviews need it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its row.
    pub id: SubmissionId,
    /// Who handed it in.
    pub student: Student,
    /// For which problem.
    pub problem: ProblemSlug,
    /// The attempt's number, from 1.
    pub attempt: Attempt,
    /// In which language.
    pub language: LanguageId,
    /// When it was received, in milliseconds since 1970 UTC.
    pub received_ms: i64,
    /// What is said of it; none while it waits, or cannot be judged.
    pub judged: Option<Judged>,
}

/// What is said of a submission now.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(
    clippy::struct_field_names,
    reason = "the moment has the same name everywhere"
)]
pub struct Judged {
    /// The verdict.
    pub verdict: Verdict,
    /// The name of the first failing test.
    pub first_failing_test: Option<String>,
    /// When it was judged, in milliseconds since 1970 UTC.
    pub judged_ms: i64,
    /// The most CPU time on one test, in milliseconds; none where nothing was run, and for
    /// judgements of an older store.
    pub slowest_ms: Option<u64>,
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
pub(super) const ENTRIES: &str = "SELECT id, student, problem, attempt, language, received_ms,
        verdict, first_failing_test, judged_ms, slowest_ms
    FROM submissions LEFT JOIN judgements INDEXED BY judgements_for_board ON submission_id = id";

fn entry(row: &Row<'_>) -> rusqlite::Result<Entry> {
    let verdict: Option<Verdict> = row.get(6)?;
    let slowest_ms: Option<i64> = row.get(9)?;
    let judged = match verdict {
        None => None,
        Some(verdict) => Some(Judged {
            verdict,
            first_failing_test: row.get(7)?,
            judged_ms: row.get(8)?,
            slowest_ms: slowest_ms.and_then(|ms| u64::try_from(ms).ok()),
        }),
    };
    Ok(Entry {
        id: row.get(0)?,
        student: row.get(1)?,
        problem: row.get(2)?,
        attempt: row.get(3)?,
        language: row.get(4)?,
        received_ms: row.get(5)?,
        judged,
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

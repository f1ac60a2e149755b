//! The verdicts that submissions have had.

use rusqlite::{Params, Row};

use super::judgements::published;
use super::reader::only;
use super::submissions::submission;
use super::{Reader, StoreError};
use crate::domain::{Change, Submission, SubmissionId, Verdict};

/// A change of a submission's verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeRow {
    /// Its row; grows.
    pub id: i64,
    /// The row of the event; grows too.
    pub event: i64,
    pub submission: Submission,
    /// The verdict before; `None` for the first one.
    pub before: Option<Verdict>,
    pub change: Change,
}

/// What [`change`] reads.
const CHANGES: &str = "SELECT submissions.id, student, problem, language, attempt, received_ms,
        now.id, now.event, now.verdict, now.cause, now.score_got, now.score_of,
        now.first_failing_test, now.judged_ms, now.because,
        (SELECT before.verdict FROM judgement_history AS before
         WHERE before.submission_id = now.submission_id AND before.id < now.id
         ORDER BY before.id DESC LIMIT 1)
    FROM judgement_history AS now JOIN submissions ON submissions.id = now.submission_id";

fn change(row: &Row<'_>) -> rusqlite::Result<ChangeRow> {
    Ok(ChangeRow {
        id: row.get(6)?,
        event: row.get(7)?,
        submission: submission(row)?,
        before: row.get(15)?,
        change: Change {
            published: published(row, 8)?,
            because: row.get(14)?,
        },
    })
}

impl Reader {
    fn changes(&self, which: &str, bind: impl Params) -> Result<Vec<ChangeRow>, StoreError> {
        self.rows(&format!("{CHANGES} {which}"), bind, change)
    }

    /// The number of the last change of a verdict, 0 for none.
    pub fn last_change(&self) -> Result<i64, StoreError> {
        let last = self.row(
            "SELECT coalesce(max(id), 0) FROM judgement_history",
            [],
            only,
        )?;
        Ok(last.unwrap_or(0))
    }

    /// The next page of changes of verdicts: who, from what, to what, because of what.
    pub fn changes_after(&self, after: i64, limit: u32) -> Result<Vec<ChangeRow>, StoreError> {
        self.changes("WHERE now.id > ?1 ORDER BY now.id LIMIT ?2", (after, limit))
    }

    /// The same by the numbers of their events.
    pub fn verdicts_after(&self, event: i64, limit: u32) -> Result<Vec<ChangeRow>, StoreError> {
        self.changes(
            "WHERE now.event > ?1 ORDER BY now.event LIMIT ?2",
            (event, limit),
        )
    }

    /// The latest changes, the latest first.
    pub fn latest_verdicts(&self, limit: u32) -> Result<Vec<ChangeRow>, StoreError> {
        self.changes("ORDER BY now.id DESC LIMIT ?1", [limit])
    }

    /// The changes of a submission's verdict, the first one first.
    pub fn history(&self, id: SubmissionId) -> Result<Vec<ChangeRow>, StoreError> {
        self.changes("WHERE now.submission_id = ?1 ORDER BY now.id", [id])
    }
}

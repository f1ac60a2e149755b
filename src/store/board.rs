//! What the overviews are made from: every submission with its verdict, without the documents.

use rusqlite::Row;
use rusqlite::types::ValueRef;

use super::judgements::published;
use super::submissions::submission;
use super::{Reader, StoreError};
use crate::domain::{Digest, Published, Submission, SubmissionId, Verdict};

/// One submission as the overviews need it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub submission: Submission,
    /// None while it waits, or cannot be judged.
    pub published: Option<Published>,
    /// The most CPU time on one test, in milliseconds; `None` if nothing was run.
    pub slowest_ms: Option<u32>,
    /// Its program's bytes.
    pub source: Digest,
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

/// The submissions and their judgements. The index is named because the rows themselves, which
/// SQLite would take, are as long as the reports.
pub(super) const ENTRIES: &str = "SELECT submissions.id, student, problem, language, attempt,
        received_ms, verdict, cause, score_got, score_of, first_failing_test, judged_ms,
        slowest_ms, source_digest
    FROM submissions LEFT JOIN judgements INDEXED BY judgements_for_board ON submission_id = id";

pub(super) fn entry(row: &Row<'_>) -> rusqlite::Result<Entry> {
    let is_judged = row.get_ref(6)? != ValueRef::Null;
    Ok(Entry {
        submission: submission(row)?,
        published: is_judged.then(|| published(row, 6)).transpose()?,
        slowest_ms: row.get(12)?,
        source: row.get(13)?,
    })
}

/// Submissions without a verdict that are listed.
const UNJUDGED_MAX: u32 = 100_000;

impl Reader {
    /// The submissions without a verdict, the first ones.
    pub fn unjudged(&self) -> Result<Vec<Entry>, StoreError> {
        let query =
            format!("{ENTRIES} WHERE submissions.judged = 0 ORDER BY submissions.id LIMIT ?1");
        self.rows(&query, [UNJUDGED_MAX], entry)
    }

    /// The next page of all submissions, in the order of their rows.
    pub fn entries_after(&self, after: SubmissionId, limit: u32) -> Result<Vec<Entry>, StoreError> {
        let query = format!("{ENTRIES} WHERE id > ?1 ORDER BY id LIMIT ?2");
        self.rows(&query, (after, limit), entry)
    }

    /// One submission.
    pub fn entry(&self, id: SubmissionId) -> Result<Option<Entry>, StoreError> {
        self.row(&format!("{ENTRIES} WHERE id = ?1"), [id], entry)
    }
}

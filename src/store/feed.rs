//! What the event feed is made from: submissions and changes of verdicts, in the order in which
//! they happened.

use rusqlite::params;

use super::record::EventKind;
use super::{Reader, StoreError};
use crate::domain::{Cause, LanguageId, ProblemSlug, Student, SubmissionId, Verdict};

/// A submission was received, or has another verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedEvent {
    /// The event's row; grows.
    pub event: i64,
    /// When, in milliseconds since 1970 UTC.
    pub ms: i64,
    /// Which of both.
    pub kind: EventKind,
    /// Which submission.
    pub submission: SubmissionId,
    /// Whose.
    pub student: Student,
    /// For which problem.
    pub problem: ProblemSlug,
    /// In which language.
    pub language: LanguageId,
}

/// A verdict that a submission has or had.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedJudgement {
    /// Its row; grows.
    pub id: i64,
    /// The verdict.
    pub verdict: Verdict,
    /// What refines it.
    pub cause: Option<Cause>,
    /// When it was judged, in milliseconds since 1970 UTC.
    pub judged_ms: i64,
}

impl Reader {
    /// The next page of the events that the feed tells of.
    pub fn feed_events_after(&self, after: i64, limit: u32) -> Result<Vec<FeedEvent>, StoreError> {
        self.ask(|connection| {
            connection
                .prepare_cached(
                    "SELECT events.id, ms, kind, submission_id, student, problem, language
                     FROM events JOIN submissions ON submissions.id = submission_id
                     WHERE kind IN (?3, ?4) AND events.id > ?1 ORDER BY events.id LIMIT ?2",
                )?
                .query_map(
                    params![after, limit, EventKind::Received, EventKind::Verdict],
                    |row| {
                        Ok(FeedEvent {
                            event: row.get(0)?,
                            ms: row.get(1)?,
                            kind: row.get(2)?,
                            submission: row.get(3)?,
                            student: row.get(4)?,
                            problem: row.get(5)?,
                            language: row.get(6)?,
                        })
                    },
                )?
                .collect()
        })
    }

    /// Every verdict that a submission has had, the first one first.
    pub fn feed_judgements(&self, id: SubmissionId) -> Result<Vec<FeedJudgement>, StoreError> {
        self.ask(|connection| {
            connection
                .prepare_cached(
                    "SELECT id, verdict, cause, judged_ms
                     FROM judgement_history WHERE submission_id = ?1 ORDER BY id",
                )?
                .query_map([id], |row| {
                    Ok(FeedJudgement {
                        id: row.get(0)?,
                        verdict: row.get(1)?,
                        cause: row.get(2)?,
                        judged_ms: row.get(3)?,
                    })
                })?
                .collect()
        })
    }
}

//! What the event feed is made from: submissions and changes of verdicts, in the order in which
//! they happened.

use rusqlite::params;

use super::reader::{SUBMISSION, submission};
use super::record::EventKind;
use super::{Reader, StoreError};
use crate::domain::Submission;

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

impl Reader {
    /// The next page of the events that the feed tells of.
    pub fn feed_events_after(&self, after: i64, limit: u32) -> Result<Vec<FeedEvent>, StoreError> {
        self.ask(|connection| {
            connection
                .prepare_cached(&format!(
                    "SELECT {SUBMISSION}, events.id, ms, kind
                     FROM events JOIN submissions ON submissions.id = submission_id
                     WHERE kind IN (?3, ?4) AND events.id > ?1 ORDER BY events.id LIMIT ?2",
                ))?
                .query_map(
                    params![after, limit, EventKind::Received, EventKind::Verdict],
                    |row| {
                        Ok(FeedEvent {
                            submission: submission(row)?,
                            event: row.get(6)?,
                            ms: row.get(7)?,
                            kind: row.get(8)?,
                        })
                    },
                )?
                .collect()
        })
    }
}

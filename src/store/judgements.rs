//! Judgements: publishing them, and whether their reports and pages are on the disk.

use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension, Params, Row, params};

use super::events::{About, EventKind, NewEvent};
use super::reader::{only, pair};
use super::writer::execute;
use super::{Reader, StoreError, Told, Unawaited, Writer, searches};
use crate::domain::{Change, Digest, ProblemSlug, Published, Score, SubmissionId};
use crate::util::clock::now_ms;

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
    /// The most CPU time on one test, in milliseconds; `None` if nothing was run.
    pub slowest_ms: Option<u32>,
    /// Whom the document tells what was found out in idle time; `None` where it does not.
    pub told: Option<Told>,
}

/// What publishing a judgement did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outcome {
    /// The event's row; `None` if the same judgement with the same document was there already.
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
    /// Whether its facts were dropped at an upgrade. It stands until they are measured again.
    pub dropped: bool,
}

/// Reads verdict, cause, score, first failing test and moment.
pub(super) fn published(row: &Row<'_>, first: usize) -> rusqlite::Result<Published> {
    Ok(Published {
        verdict: row.get(first)?,
        cause: row.get(first + 1)?,
        score: Score {
            got: row.get(first + 2)?,
            of: row.get(first + 3)?,
        },
        first_failing_test: row.get(first + 4)?,
        judged_ms: row.get(first + 5)?,
    })
}

fn judgement_row(row: &Row<'_>) -> rusqlite::Result<JudgementRow> {
    Ok(JudgementRow {
        submission: row.get(0)?,
        fold: row.get(1)?,
        published: published(row, 2)?,
        reported: row.get(8)?,
        dropped: row.get(9)?,
    })
}

/// A judgement whose pages are still to be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Due {
    pub submission: SubmissionId,
    /// The event with which it was published.
    pub event: i64,
}

impl Writer {
    /// Publishes judgements: each submission has this verdict from the commit on, whatever becomes
    /// of the files. A judgement is not published if one of its earlier writes has failed. Each
    /// fails alone.
    pub fn publish_all(
        &self,
        judgements: &[(Arc<Publication>, Unawaited)],
    ) -> Vec<Result<Outcome, StoreError>> {
        let work = |(publication, facts): &(Arc<Publication>, Unawaited)| {
            let (publication, facts) = (Arc::clone(publication), facts.clone());
            move |connection: &Connection| match facts.failure() {
                Some(failure) => Ok(Err(failure.clone())),
                None => publish(connection, &publication).map(Ok),
            }
        };
        let results = self.call_each(judgements, work).into_iter();
        results.map(Result::flatten).collect()
    }

    /// Publishes one judgement.
    #[cfg(test)]
    pub fn publish(&self, publication: Publication) -> Result<Outcome, StoreError> {
        self.call(move |connection| publish(connection, &publication))
    }

    /// Notes that the report files of the judgement with this fold are on disk. False where there
    /// is a newer judgement.
    pub fn mark_reported(
        &self,
        submission: SubmissionId,
        fold: Digest,
    ) -> Result<bool, StoreError> {
        let marked = self.mark_all_reported(vec![(submission, fold)])?;
        Ok(marked == 1)
    }

    /// The same for several judgements at once: how many of them are the newest.
    pub fn mark_all_reported(
        &self,
        judgements: Vec<(SubmissionId, Digest)>,
    ) -> Result<usize, StoreError> {
        self.call(move |connection| {
            let mark = |(submission, fold): &(SubmissionId, Digest)| {
                // Until the report is there the work is not done, and its fault stays.
                let forget = "DELETE FROM faults WHERE submission_id = ?1";
                execute(connection, forget, [submission])?;
                let mark = "UPDATE judgements SET reported = 1
                    WHERE submission_id = ?1 AND fold_digest = ?2";
                let marked = execute(connection, mark, (submission, fold))?;
                searches::list_due(connection, *submission)?;
                Ok(marked)
            };
            judgements.iter().map(mark).sum()
        })
    }

    /// The pages of these judgements are on the disk. Those of a newer judgement stay due.
    pub fn mark_paged(&self, written: Vec<Due>) -> Result<(), StoreError> {
        self.call(move |connection| {
            let done = "DELETE FROM pages_due WHERE submission_id = ?1 AND event = ?2";
            let mut written = written.iter();
            written.try_for_each(|due| {
                execute(connection, done, (due.submission, due.event)).map(drop)
            })
        })
    }
}

fn publish(connection: &Connection, new: &Publication) -> rusqlite::Result<Outcome> {
    // The judgement before, and whether its document is the same.
    let before: Option<(JudgementRow, bool)> = connection
        .prepare_cached(
            "SELECT submission_id, fold_digest, verdict, cause, score_got, score_of,
                 first_failing_test, judged_ms, reported, dropped, EXISTS (
                     SELECT 1 FROM documents WHERE submission_id = ?1 AND document = ?2)
             FROM judgements WHERE submission_id = ?1",
        )?
        .query_row((new.submission, &new.document), |row| {
            Ok((judgement_row(row)?, row.get(10)?))
        })
        .optional()?;
    let now = &new.change.published;
    // After a fault between the store and the reports nobody has heard of the verdict yet.
    let is_unheard = before.as_ref().is_some_and(|(before, _)| !before.reported);
    let is_changed = match &before {
        Some((before, true)) if before.fold == new.fold => {
            return Ok(Outcome {
                event: None,
                is_changed: false,
                is_news: is_unheard,
            });
        }
        Some((before, _)) => !before.published.says_the_same_as(now),
        None => true,
    };
    put_judgement(connection, new)?;
    if before.is_some() {
        // Nothing is searched about it before its report is there.
        searches::list_due(connection, new.submission)?;
    }
    let due = "INSERT OR REPLACE INTO pages_due (submission_id, event) VALUES (?1, ?2)";
    let is_known = before
        .as_ref()
        .is_some_and(|(before, _)| before.dropped || before.fold == new.fold);
    if is_known && !is_changed {
        // Nothing has happened that anybody else needs to hear of.
        execute(connection, due, (new.submission, -now_ms()))?;
        return Ok(Outcome {
            event: None,
            is_changed,
            is_news: is_unheard,
        });
    }
    let event = NewEvent {
        kind: if is_changed {
            EventKind::Verdict
        } else {
            EventKind::Confirmed
        },
        ms: now.judged_ms,
        about: About::Submission(new.submission),
        json: &new.event_json,
    };
    let event = event.put(connection)?;
    if is_changed {
        put_history(connection, new, event)?;
    }
    execute(connection, due, (new.submission, event))?;
    Ok(Outcome {
        event: Some(event),
        is_changed,
        is_news: is_changed || is_unheard,
    })
}

fn put_judgement(connection: &Connection, new: &Publication) -> rusqlite::Result<()> {
    let now = &new.change.published;
    execute(
        connection,
        "INSERT OR REPLACE INTO judgements
             (submission_id, fold_digest, verdict, cause, score_got, score_of, first_failing_test,
              judged_ms, slowest_ms, reported)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, 0)",
        params![
            new.submission,
            new.fold,
            now.verdict,
            now.cause,
            now.score.got,
            now.score.of,
            now.first_failing_test,
            now.judged_ms,
            new.slowest_ms
        ],
    )?;
    let document = "INSERT OR REPLACE INTO documents (submission_id, document) VALUES (?1, ?2)";
    execute(connection, document, (new.submission, &new.document))?;
    // Asked for while this one was being judged: it stays out of date until it has been measured
    // again.
    execute(
        connection,
        "UPDATE judgements SET fold_digest = zeroblob(32)
         WHERE submission_id = ?1 AND (SELECT measure_again FROM submissions WHERE id = ?1) = 1",
        [new.submission],
    )?;
    if let Some(told) = new.told {
        searches::tell(connection, new.submission, told)?;
    }
    let judged = "UPDATE submissions SET judged = 1 WHERE id = ?1 AND judged = 0";
    execute(connection, judged, [new.submission]).map(drop)
}

fn put_history(connection: &Connection, new: &Publication, event: i64) -> rusqlite::Result<()> {
    let now = &new.change.published;
    execute(
        connection,
        "INSERT INTO judgement_history
             (event, submission_id, verdict, cause, score_got, score_of, first_failing_test,
              judged_ms, because)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        params![
            event,
            new.submission,
            now.verdict,
            now.cause,
            now.score.got,
            now.score.of,
            now.first_failing_test,
            now.judged_ms,
            new.change.because
        ],
    )
    .map(drop)
}

impl Reader {
    fn judgements(&self, which: &str, bind: impl Params) -> Result<Vec<JudgementRow>, StoreError> {
        let query = format!(
            "SELECT submission_id, fold_digest, verdict, cause, score_got, score_of,
                 first_failing_test, judged_ms, reported, dropped
             FROM judgements WHERE {which}"
        );
        self.rows(&query, bind, judgement_row)
    }

    /// A submission's judgement.
    pub fn judgement(&self, id: SubmissionId) -> Result<Option<JudgementRow>, StoreError> {
        self.judgements("submission_id = ?1", [id])
            .map(|mut rows| rows.pop())
    }

    /// The next page of all judgements, in the order of the submissions.
    pub fn judgements_after(
        &self,
        after: SubmissionId,
        limit: u32,
    ) -> Result<Vec<JudgementRow>, StoreError> {
        let which = "submission_id > ?1 ORDER BY submission_id LIMIT ?2";
        self.judgements(which, (after, limit))
    }

    /// The next page of the judgements whose report files are not known to be on disk.
    pub fn unreported_after(
        &self,
        after: SubmissionId,
        limit: u32,
    ) -> Result<Vec<JudgementRow>, StoreError> {
        let which = "reported = 0 AND submission_id > ?1 ORDER BY submission_id LIMIT ?2";
        self.judgements(which, (after, limit))
    }

    /// The report document of a submission, and the fold that it tells of. After an upgrade it may
    /// have a judgement without one.
    pub fn document(&self, id: SubmissionId) -> Result<Option<(Digest, String)>, StoreError> {
        let query = "SELECT fold_digest, document FROM documents
             JOIN judgements USING (submission_id) WHERE submission_id = ?1";
        self.row(query, [id], pair)
    }

    /// The report document of a problem's latest submission that has one.
    pub fn latest_document(&self, problem: &ProblemSlug) -> Result<Option<String>, StoreError> {
        self.row(
            "SELECT document FROM submissions JOIN documents ON submission_id = id
             WHERE problem = ?1 ORDER BY id DESC LIMIT 1",
            [problem],
            only,
        )
    }

    /// The first judgements whose pages are still to be written, those of the latest submissions
    /// first.
    pub fn pages_due(&self, limit: u32) -> Result<Vec<Due>, StoreError> {
        let query =
            "SELECT submission_id, event FROM pages_due ORDER BY submission_id DESC LIMIT ?1";
        self.rows(query, [limit], |row| {
            let (submission, event) = pair(row)?;
            Ok(Due { submission, event })
        })
    }
}

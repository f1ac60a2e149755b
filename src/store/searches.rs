//! What was found out in idle time about a submission's judgement.

use rusqlite::{Connection, params};

use super::events::{About, EventKind, NewEvent, set_mark};
use super::reader::only;
use super::submissions::{Folded, Wants};
use super::writer::execute;
use super::{Reader, StoreError, Writer, counterexamples, proposals};
use crate::domain::{Digest, Explanation, Submission, SubmissionId, Verdict};

/// The name under which it is remembered up to which moment deadlines were told, in milliseconds.
pub const DEADLINES_MARK: &str = "deadlines";

/// Bytes of an explanation as it is kept. What is shown of it is bounded before; a longer one is
/// kept without its texts.
const EXPLANATION_BYTES_MAX: usize = 512 * 1024;

/// The end of a search about a judgement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Searched {
    pub submission: SubmissionId,
    /// What the judgement was folded from.
    pub fold: Digest,
    /// What the search rests on: with the same, another fold needs no search of its own.
    pub subject: Digest,
    pub ended_ms: i64,
    /// `None` for an accepted program, and where nothing could be found out.
    pub explanation: Option<Explanation>,
    /// The number of the latest counterexample of another program that an accepted one was tried
    /// on, 0 where there was none; `None` for a failing program.
    pub tried_to: Option<i64>,
}

impl Writer {
    /// Keeps what a search has found out, in place of what was known of the submission before; its
    /// report tells it. Accepted programs are tried on a counterexample that is new.
    pub fn put_search(&self, search: Searched) -> Result<(), StoreError> {
        self.call(move |connection| {
            let json = search.explanation.as_ref().and_then(to_json);
            execute(
                connection,
                "INSERT OR REPLACE INTO searches
                     (submission_id, fold_digest, subject, searched_ms, tried_to, problem,
                      explanation)
                 SELECT id, ?2, ?3, ?4, ?5, problem, ?6 FROM submissions WHERE id = ?1",
                params![
                    search.submission,
                    search.fold,
                    search.subject,
                    search.ended_ms,
                    search.tried_to,
                    json
                ],
            )?;
            list_due(connection, search.submission)?;
            if search.explanation.is_some() {
                put_report_event(connection, search.submission, search.ended_ms)?;
            }
            proposals::has_place(connection, search.submission)?;
            counterexamples::keep(connection, search.submission, search.explanation.as_ref())
        })
    }

    /// These deadlines are over since the last look, or are not any more: the reports say so.
    pub fn tell_deadlines(&self, ids: Vec<SubmissionId>, now_ms: i64) -> Result<(), StoreError> {
        self.call(move |connection| {
            for id in &ids {
                put_report_event(connection, *id, now_ms)?;
            }
            set_mark(connection, DEADLINES_MARK, now_ms)
        })
    }
}

/// The report of a submission says something else, with the same verdict.
pub(super) fn put_report_event(
    connection: &Connection,
    id: SubmissionId,
    ms: i64,
) -> rusqlite::Result<i64> {
    let event = NewEvent {
        kind: EventKind::Report,
        ms,
        about: About::Submission(id),
        json: "",
    };
    event.put(connection)
}

/// What was found out about a submission holds for its new judgement too, where that rests on the
/// same.
pub(super) fn renew(
    connection: &Connection,
    id: SubmissionId,
    (fold, subject): (Digest, Digest),
) -> rusqlite::Result<()> {
    let renew = "UPDATE searches SET fold_digest = ?2
        WHERE submission_id = ?1 AND subject = ?3 AND fold_digest <> ?2";
    execute(connection, renew, (id, fold, subject)).map(drop)
}

fn to_json(explanation: &Explanation) -> Option<String> {
    let json = |explanation| serde_json::to_string(explanation).ok();
    let whole = json(explanation)?;
    if whole.len() <= EXPLANATION_BYTES_MAX {
        return Some(whole);
    }
    let without = Explanation {
        counterexample: None,
        ..explanation.clone()
    };
    json(&without).filter(|json| json.len() <= EXPLANATION_BYTES_MAX)
}

/// Keeps the list of what is to be searched as it should be for a submission, after its judgement
/// or what was searched about it has changed.
pub(super) fn list_due(connection: &Connection, id: SubmissionId) -> rusqlite::Result<()> {
    let forget = "DELETE FROM searches_due WHERE submission_id = ?1";
    execute(connection, forget, [id])?;
    let list = "INSERT INTO searches_due (submission_id, fold_digest, verdict)
         SELECT submission_id, fold_digest, verdict FROM judgements
         WHERE submission_id = ?1 AND NOT EXISTS (
             SELECT 1 FROM searches WHERE searches.submission_id = ?1
                 AND searches.fold_digest = judgements.fold_digest)";
    execute(connection, list, [id]).map(drop)
}

/// The judgements with the verdict ?1 for which nothing was searched that rests on the same fold,
/// those of the latest submissions first.
pub(super) const UNSEARCHED: &str = "FROM searches_due INDEXED BY searches_due_by_verdict
    CROSS JOIN judgements
        ON judgements.submission_id = searches_due.submission_id
        AND judgements.fold_digest = searches_due.fold_digest
    CROSS JOIN submissions ON submissions.id = searches_due.submission_id
    WHERE searches_due.verdict = ?1
    ORDER BY searches_due.submission_id DESC";

impl Reader {
    /// Of the submissions with this verdict about which nothing was searched, the latest `most`
    /// that are wanted.
    pub fn unsearched(
        &self,
        verdict: Verdict,
        most: usize,
        wants: Wants<'_>,
    ) -> Result<Vec<Folded>, StoreError> {
        self.select_wanted(UNSEARCHED, [verdict], most, wants)
    }

    /// The next page of the submissions about whose judgement something was found out.
    pub fn explained_after(
        &self,
        after: SubmissionId,
        limit: u32,
    ) -> Result<Vec<Submission>, StoreError> {
        self.select(
            "FROM searches JOIN submissions ON submissions.id = submission_id
             WHERE submission_id > ?1 AND explanation IS NOT NULL ORDER BY submission_id LIMIT ?2",
            (after, limit),
        )
    }

    /// What was found out about a submission's judgement with this fold.
    pub fn finding(
        &self,
        id: SubmissionId,
        fold: Digest,
    ) -> Result<Option<Explanation>, StoreError> {
        let query = "SELECT explanation FROM searches
             WHERE submission_id = ?1 AND fold_digest = ?2 AND explanation IS NOT NULL";
        let json: Option<String> = self.row(query, (id, fold), only)?;
        // One that another version wrote is as good as none.
        Ok(json.and_then(|json| serde_json::from_str(&json).ok()))
    }
}

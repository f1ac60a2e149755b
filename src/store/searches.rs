//! What was found out in idle time about a submission's judgement.

use rusqlite::{Connection, params};

use super::submissions::{Folded, Wants, folded, with_fold};
use super::writer::execute;
use super::{Reader, StoreError, Writer, counterexamples, proposals};
use crate::domain::{Digest, Explanation, ProblemSlug, SubmissionId, Verdict};

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
    /// Keeps what a search has found out, in place of what was known of the submission before. No
    /// report tells of it yet. Accepted programs are tried on a counterexample that is new.
    pub fn put_search(&self, search: Searched) -> Result<(), StoreError> {
        self.call(move |connection| {
            let json = search.explanation.as_ref().and_then(to_json);
            execute(
                connection,
                "INSERT OR REPLACE INTO searches
                     (submission_id, fold_digest, subject, searched_ms, told, tried_to, problem,
                      explanation)
                 SELECT id, ?2, ?3, ?4, 0, ?5, problem, ?6 FROM submissions WHERE id = ?1",
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
            proposals::has_place(connection, search.submission)?;
            counterexamples::keep(connection, search.submission, search.explanation.as_ref())
        })
    }

    /// What was found out before holds for a judgement that was folded from something else, too.
    pub fn renew_search(&self, id: SubmissionId, fold: Digest) -> Result<(), StoreError> {
        self.call(move |connection| {
            let renew = "UPDATE searches SET fold_digest = ?2 WHERE submission_id = ?1";
            execute(connection, renew, (id, fold))?;
            list_due(connection, id)
        })
    }
}

/// Whom a document tells what was found out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Told {
    /// Everybody who is to know it, ever.
    All,
    /// The staff, and the student later.
    Staff,
}

/// The document that is published tells of it.
pub(super) fn tell(connection: &Connection, id: SubmissionId, told: Told) -> rusqlite::Result<()> {
    let told = match told {
        Told::All => 1,
        Told::Staff => 2,
    };
    let tell = "UPDATE searches SET told = ?2 WHERE submission_id = ?1 AND told <> ?2";
    execute(connection, tell, (id, told)).map(drop)
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
         WHERE submission_id = ?1 AND reported = 1 AND NOT EXISTS (
             SELECT 1 FROM searches WHERE searches.submission_id = ?1
                 AND searches.fold_digest = judgements.fold_digest)";
    execute(connection, list, [id]).map(drop)
}

/// The judgements with the verdict ?1 for which nothing was searched that rests on the same fold,
/// those of the latest submissions first. Only those whose report is there: nobody waits for them.
pub(super) const UNSEARCHED: &str = "FROM searches_due INDEXED BY searches_due_by_verdict
    CROSS JOIN judgements
        ON judgements.submission_id = searches_due.submission_id
        AND judgements.fold_digest = searches_due.fold_digest
    CROSS JOIN submissions ON submissions.id = searches_due.submission_id
    WHERE searches_due.verdict = ?1
    ORDER BY searches_due.submission_id DESC";

/// The submissions whose reports do not tell what was found out about their judgement, the latest
/// first. An index of a part of a table is only used by a query with the same terms.
pub(super) const UNTOLD: &str = "FROM searches INDEXED BY searches_untold
    CROSS JOIN judgements
        ON judgements.submission_id = searches.submission_id
        AND judgements.fold_digest = searches.fold_digest
    CROSS JOIN submissions ON submissions.id = searches.submission_id
    WHERE told = 0 AND explanation IS NOT NULL
    ORDER BY searches.submission_id DESC";

/// The submissions for the problem ?1 of which only the staff has been told, the latest first.
pub(super) const TOLD_TO_STAFF: &str = "FROM searches INDEXED BY searches_told_to_staff
    CROSS JOIN judgements
        ON judgements.submission_id = searches.submission_id
        AND judgements.fold_digest = searches.fold_digest
    CROSS JOIN submissions ON submissions.id = searches.submission_id
    WHERE searches.problem = ?1 AND told = 2 AND explanation IS NOT NULL
    ORDER BY searches.submission_id DESC";

impl Reader {
    /// Of the submissions with this verdict about which nothing was searched, the latest `most`
    /// that are wanted.
    pub fn unsearched(
        &self,
        verdict: Verdict,
        most: usize,
        wants: Wants<'_>,
    ) -> Result<Vec<Folded>, StoreError> {
        self.wanted_rows(&folded(UNSEARCHED), [verdict], most, with_fold, wants)
    }

    /// Of the submissions whose reports do not tell what was found out about their judgement, the
    /// latest `most` that are wanted.
    pub fn untold(&self, most: usize, wants: Wants<'_>) -> Result<Vec<Folded>, StoreError> {
        self.wanted_rows(&folded(UNTOLD), [], most, with_fold, wants)
    }

    /// Of the submissions for this problem of which only the staff has been told, the latest `most`
    /// that are wanted.
    pub fn told_to_staff(
        &self,
        problem: &ProblemSlug,
        most: usize,
        wants: Wants<'_>,
    ) -> Result<Vec<Folded>, StoreError> {
        self.wanted_rows(&folded(TOLD_TO_STAFF), [problem], most, with_fold, wants)
    }

    /// What rests on this, if it was searched for this submission: and what was found out.
    pub fn search(
        &self,
        id: SubmissionId,
        subject: Digest,
    ) -> Result<Option<Option<Explanation>>, StoreError> {
        self.row(
            "SELECT explanation FROM searches WHERE submission_id = ?1 AND subject = ?2",
            (id, subject),
            |row| {
                let json: Option<String> = row.get(0)?;
                // One that another version wrote is as good as none.
                Ok(json.and_then(|json| serde_json::from_str(&json).ok()))
            },
        )
    }
}

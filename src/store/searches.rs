//! What was found out in idle time about a submission's judgement.

use rusqlite::{Connection, params};

use super::submissions::{SUBMISSION, with_fold};
use super::writer::execute;
use super::{Reader, StoreError, Writer, counterexamples};
use crate::domain::{Digest, Explanation, ProblemSlug, Submission, SubmissionId, Verdict};

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
                     (submission_id, fold_digest, subject, searched_ms, told, tried_to, explanation)
                 VALUES (?1, ?2, ?3, ?4, 0, ?5, ?6)",
                params![
                    search.submission,
                    search.fold,
                    search.subject,
                    search.ended_ms,
                    search.tried_to,
                    json
                ],
            )?;
            counterexamples::keep(connection, search.submission, search.explanation.as_ref())
        })
    }

    /// What was found out before holds for a judgement that was folded from something else, too.
    pub fn renew_search(&self, id: SubmissionId, fold: Digest) -> Result<(), StoreError> {
        self.call(move |connection| {
            let renew = "UPDATE searches SET fold_digest = ?2 WHERE submission_id = ?1";
            execute(connection, renew, (id, fold)).map(drop)
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

/// The judgements with the verdict ?1 for which nothing was searched that rests on the same fold,
/// those of the latest submissions first. Only those whose report is there: nobody waits for them.
pub(super) const UNSEARCHED: &str = "SELECT judgements.submission_id, judgements.fold_digest
    FROM judgements INDEXED BY judgements_to_search
    LEFT JOIN searches ON searches.submission_id = judgements.submission_id
    WHERE verdict = ?1 AND reported = 1
        AND (searches.fold_digest IS NULL OR searches.fold_digest <> judgements.fold_digest)
    ORDER BY judgements.submission_id DESC LIMIT ?2";

/// The latest submissions about which something was found out and told to these.
pub(super) fn told(to: &str, limit: &str) -> String {
    format!(
        "SELECT {SUBMISSION}, judgements.fold_digest
         FROM searches INDEXED BY searches_by_told
         JOIN judgements ON judgements.submission_id = searches.submission_id
             AND judgements.fold_digest = searches.fold_digest
         JOIN submissions ON submissions.id = searches.submission_id
         WHERE {to} AND explanation IS NOT NULL
         ORDER BY searches.submission_id DESC LIMIT {limit}"
    )
}

impl Reader {
    /// The latest submissions with this verdict about which nothing was searched, and what their
    /// judgements were folded from.
    pub fn unsearched(
        &self,
        verdict: Verdict,
        limit: u32,
    ) -> Result<Vec<(Submission, Digest)>, StoreError> {
        let query = format!(
            "SELECT {SUBMISSION}, fold_digest FROM ({UNSEARCHED}) AS found
             JOIN submissions ON submissions.id = found.submission_id
             ORDER BY submissions.id DESC"
        );
        self.rows(&query, (verdict, limit), with_fold)
    }

    /// Submissions whose reports do not tell what was found out about their judgement.
    pub fn untold(&self, limit: u32) -> Result<Vec<(Submission, Digest)>, StoreError> {
        self.rows(&told("told = 0", "?1"), [limit], with_fold)
    }

    /// Submissions for this problem of which only the staff has been told.
    pub fn told_to_staff(
        &self,
        problem: &ProblemSlug,
        limit: u32,
    ) -> Result<Vec<(Submission, Digest)>, StoreError> {
        let query = told("told = 2 AND problem = ?1", "?2");
        self.rows(&query, (problem, limit), with_fold)
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

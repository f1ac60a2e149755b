//! What was found out in idle time about a submission's judgement.
//!
//! Inputs on which programs of a problem fail have numbers, in the order in which they were found,
//! so that an accepted program is tried on each of them once: what it has been tried on is one
//! number too.

use rusqlite::{Connection, params};

use super::events::{About, EventKind, put_event, set_mark};
use super::reader::only;
use super::row::row;
use super::submissions::{Folded, Wants};
use super::writer::execute;
use super::{Reader, StoreError, Writer, proposals};
use crate::domain::{
    Counterexample, Digest, Explanation, ProblemSlug, Strategy, Submission, SubmissionId, Verdict,
};
use crate::util::hash::digest;

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
            keep_counterexample(connection, search.submission, search.explanation.as_ref())
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
    let about = About::Submission(id);
    put_event(connection, EventKind::Report, ms, &about, "")
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

/// Inputs of one problem that are kept, the latest ones.
const KEPT_MAX: u32 = 1_000;
/// Bytes of an input that is kept: accepted programs are tried on no longer one.
pub const COUNTEREXAMPLE_BYTES_MAX: usize = 256 * 1024;
/// What bytes are spelled with that are no text. An input with one in it may be another one than
/// was found, so it is not kept.
const SPELLING: char = '\\';

/// An input on which another program fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Other {
    /// Its number; a later one has a higher one.
    pub number: i64,
    pub input: String,
}

row! { Other { number = "id", input } }

/// Keeps an input that was found for a submission, unless the problem has it already.
fn keep_counterexample(
    connection: &Connection,
    id: SubmissionId,
    explanation: Option<&Explanation>,
) -> rusqlite::Result<()> {
    let found = explanation.and_then(|explanation| explanation.counterexample.as_ref());
    let is_kept = |found: &&Counterexample| {
        // Accepted programs pass the tests themselves.
        found.found_by != Strategy::Test
            && found.input.len() <= COUNTEREXAMPLE_BYTES_MAX
            && !found.input.contains(SPELLING)
    };
    let Some(found) = found.filter(is_kept) else {
        return Ok(());
    };
    let put = "INSERT INTO counterexamples (problem, submission_id, input_digest, input)
         SELECT problem, id, ?2, ?3 FROM submissions WHERE id = ?1
         ON CONFLICT (problem, input_digest) DO NOTHING";
    let input = &found.input;
    if execute(connection, put, (id, digest(input.as_bytes()), input))? == 0 {
        return Ok(());
    }
    let drop_old = "DELETE FROM counterexamples WHERE id <= (
             SELECT id FROM counterexamples
             WHERE problem = (SELECT problem FROM submissions WHERE id = ?1)
             ORDER BY id DESC LIMIT 1 OFFSET ?2)
         AND problem = (SELECT problem FROM submissions WHERE id = ?1)";
    execute(connection, drop_old, (id, KEPT_MAX)).map(drop)
}

/// The accepted submissions for the problem ?1 that were attacked before an input was found on which
/// another program of it fails: those that were tried on the fewest first, of these the latest. One
/// that a proposed hack breaks waits for the decision about that.
pub(super) const UNTRIED: &str = "FROM searches INDEXED BY searches_by_tried
    CROSS JOIN judgements ON judgements.submission_id = searches.submission_id
        AND judgements.fold_digest = searches.fold_digest
    CROSS JOIN submissions ON submissions.id = searches.submission_id
    WHERE searches.problem = ?1
        AND tried_to < (SELECT max(id) FROM counterexamples WHERE problem = ?1)
        AND verdict = 'AC'
        AND NOT EXISTS (
            SELECT 1 FROM proposals INDEXED BY proposals_open
            CROSS JOIN proposal_breaks ON proposal_breaks.proposal_id = proposals.id
                AND proposal_breaks.submission_id = searches.submission_id
            WHERE proposals.problem = ?1 AND state = 'proposed')
    ORDER BY tried_to, searches.submission_id DESC";

impl Reader {
    /// Of the accepted submissions for this problem that were attacked and do not know an input that
    /// broke another program since, the first `most` that are wanted.
    pub fn untried(
        &self,
        problem: &ProblemSlug,
        most: usize,
        wants: Wants<'_>,
    ) -> Result<Vec<Folded>, StoreError> {
        self.select_wanted(UNTRIED, [problem], most, wants)
    }

    /// Up to which counterexample a submission was tried, if the search about it rests on this.
    pub fn tried_to(&self, id: SubmissionId, subject: Digest) -> Result<Option<i64>, StoreError> {
        let tried = "SELECT tried_to FROM searches
             WHERE submission_id = ?1 AND subject = ?2 AND tried_to IS NOT NULL";
        self.row(tried, (id, subject), only)
    }

    /// The latest inputs on which programs of a problem fail, the latest first.
    pub fn latest_counterexamples(
        &self,
        problem: &ProblemSlug,
        limit: u32,
    ) -> Result<Vec<Other>, StoreError> {
        let which = "FROM counterexamples WHERE problem = ?1 ORDER BY id DESC LIMIT ?2";
        self.select(which, (problem, limit))
    }

    /// The inputs that were found after this one, the oldest first.
    pub fn counterexamples_after(
        &self,
        problem: &ProblemSlug,
        after: i64,
        limit: u32,
    ) -> Result<Vec<Other>, StoreError> {
        let which = "FROM counterexamples WHERE problem = ?1 AND id > ?2 ORDER BY id LIMIT ?3";
        self.select(which, (problem, after, limit))
    }
}

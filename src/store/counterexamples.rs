//! Inputs on which programs of a problem fail. Each has a number, in the order in which they were
//! found, so that an accepted program is tried on each of them once: what it has been tried on is
//! one number too.

use rusqlite::Connection;

use super::row::row;
use super::submissions::{Folded, Wants};
use super::writer::execute;
use super::{Reader, StoreError};
use crate::domain::{Counterexample, Digest, Explanation, ProblemSlug, Strategy, SubmissionId};
use crate::util::hash::digest;

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
pub(super) fn keep(
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
        self.row(tried, (id, subject), super::reader::only)
    }

    /// The latest inputs on which programs of a problem fail, the latest first.
    pub fn latest_counterexamples(
        &self,
        problem: &ProblemSlug,
        limit: u32,
    ) -> Result<Vec<Other>, StoreError> {
        self.others(
            "problem = ?1 AND id > ?2 ORDER BY id DESC",
            problem,
            0,
            limit,
        )
    }

    /// The inputs that were found after this one, the oldest first.
    pub fn counterexamples_after(
        &self,
        problem: &ProblemSlug,
        after: i64,
        limit: u32,
    ) -> Result<Vec<Other>, StoreError> {
        self.others(
            "problem = ?1 AND id > ?2 ORDER BY id",
            problem,
            after,
            limit,
        )
    }

    fn others(
        &self,
        which: &str,
        problem: &ProblemSlug,
        after: i64,
        limit: u32,
    ) -> Result<Vec<Other>, StoreError> {
        let rest = format!("FROM counterexamples WHERE {which} LIMIT ?3");
        self.select(&rest, (problem, after, limit))
    }
}

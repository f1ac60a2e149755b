//! Reads what the planner asks first: which submissions are not judged as they should be now.

use rusqlite::params;

use super::{Reader, StoreError};
use crate::domain::{Digest, LanguageId, ProblemSlug, Student, SubmissionId};

/// Picks the submissions without a judgement that have a newer attempt for the same problem in the same language.
pub(super) const SUPERSEDED: &str = "judged = 0 AND EXISTS (
    SELECT 1 FROM submissions AS newer
    WHERE newer.student = submissions.student AND newer.problem = submissions.problem
        AND newer.language = submissions.language AND newer.attempt > submissions.attempt)";

impl Reader {
    /// Every pair of problem and language in which something was handed in.
    pub fn groups(&self) -> Result<Vec<(ProblemSlug, LanguageId)>, StoreError> {
        self.ask(|connection| {
            connection
                .prepare_cached("SELECT DISTINCT problem, language FROM submissions")?
                .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
                .collect()
        })
    }

    /// The submissions of a group that have no judgement and a newer attempt of the same student.
    pub fn superseded(
        &self,
        problem: &ProblemSlug,
        language: &LanguageId,
    ) -> Result<Vec<SubmissionId>, StoreError> {
        self.ask(|connection| {
            connection
                .prepare_cached(&format!(
                    "SELECT id FROM submissions WHERE {SUPERSEDED} AND problem = ?1 AND language = ?2"
                ))?
                .query_map(params![problem, language], |row| row.get(0))?
                .collect()
        })
    }

    /// The submissions of a group that have no judgement, or one that was folded from something else than `fold`,
    /// and whether each has one.
    pub fn stale(
        &self,
        problem: &ProblemSlug,
        language: &LanguageId,
        fold: Digest,
    ) -> Result<Vec<(SubmissionId, Student, bool)>, StoreError> {
        self.ask(|connection| {
            connection
                .prepare_cached(
                    "SELECT id, student, fold_digest IS NOT NULL FROM submissions
                     LEFT JOIN judgements ON submission_id = id
                     WHERE problem = ?1 AND language = ?2
                         AND (fold_digest IS NULL OR fold_digest <> ?3)
                     ORDER BY id",
                )?
                .query_map(params![problem, language, fold], |row| {
                    Ok((row.get(0)?, row.get(1)?, row.get(2)?))
                })?
                .collect()
        })
    }
}

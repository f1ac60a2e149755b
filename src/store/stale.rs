//! Reads what the planner asks first: which submissions are not judged as they should be now.

use rusqlite::OptionalExtension;

use super::reader::{only, pair};
use super::submissions::submission;
use super::{Reader, StoreError};
use crate::domain::{Digest, LanguageId, ProblemSlug, Submission, SubmissionId};

/// Picks the submissions without a judgement that have a newer attempt for the same problem in the
/// same language.
pub(super) const SUPERSEDED: &str = "judged = 0 AND EXISTS (
    SELECT 1 FROM submissions AS newer
    WHERE newer.student = submissions.student AND newer.problem = submissions.problem
        AND newer.language = submissions.language AND newer.attempt > submissions.attempt)";
/// Of the groups after ?1 and ?2, the first.
pub(super) const NEXT_GROUP: &str = "SELECT problem, language FROM submissions
    WHERE (problem, language) > (?1, ?2) ORDER BY problem, language LIMIT 1";

/// The submissions of problem ?1 in language ?2 that are not judged by fold ?3.
pub(super) const STALE: &str = "SELECT submissions.id, student, problem, language, attempt,
        received_ms, fold_digest IS NOT NULL, coalesce(dropped, 0) FROM submissions
    LEFT JOIN judgements ON submission_id = id
    WHERE problem = ?1 AND language = ?2 AND (fold_digest IS NULL OR fold_digest <> ?3)
    ORDER BY id";

/// What a submission has that is not judged as it should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Had {
    Nothing,
    /// A judgement that was folded from something else.
    Outdated,
    /// A judgement whose facts were dropped at an upgrade.
    Dropped,
}

impl Reader {
    /// Every pair of problem and language in which something was handed in.
    pub fn groups(&self) -> Result<Vec<(ProblemSlug, LanguageId)>, StoreError> {
        self.ask(|connection| {
            // One search a group, instead of a look at every submission.
            let mut next = connection.prepare_cached(NEXT_GROUP)?;
            let mut groups: Vec<(ProblemSlug, LanguageId)> = Vec::new();
            loop {
                let after = groups.last().map_or(("", ""), |(problem, language)| {
                    (problem.as_str(), language.as_str())
                });
                let group = next.query_row(after, pair).optional()?;
                match group {
                    Some(group) => groups.push(group),
                    None => return Ok(groups),
                }
            }
        })
    }

    /// The submissions of a group that have no judgement and a newer attempt of the same student.
    pub fn superseded(
        &self,
        problem: &ProblemSlug,
        language: &LanguageId,
    ) -> Result<Vec<SubmissionId>, StoreError> {
        let query = format!(
            "SELECT id FROM submissions WHERE {SUPERSEDED} AND problem = ?1 AND language = ?2"
        );
        self.rows(&query, (problem, language), only)
    }

    /// The submissions of a group that have no judgement, or one that was folded from something
    /// else than `fold`,
    /// and what each has.
    pub fn stale(
        &self,
        problem: &ProblemSlug,
        language: &LanguageId,
        fold: Digest,
    ) -> Result<Vec<(Submission, Had)>, StoreError> {
        self.rows(STALE, (problem, language, fold), |row| {
            // Many may wait: they share their names.
            let shared = Submission {
                problem: problem.clone(),
                language: language.clone(),
                ..submission(row)?
            };
            let had = match (row.get(6)?, row.get(7)?) {
                (false, _) => Had::Nothing,
                (true, false) => Had::Outdated,
                (true, true) => Had::Dropped,
            };
            Ok((shared, had))
        })
    }
}

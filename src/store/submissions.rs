//! Submissions: who handed in what, with which verdict, and which are not judged as they should be.

use std::ops::ControlFlow;

use rusqlite::OptionalExtension;

use super::facts::SOURCES;
use super::reader::{only, pair};
use super::row::{self, Cells, FromRow, row};
use super::writer::execute;
use super::{Reader, StoreError, Writer};
use crate::domain::{
    Digest, LanguageId, ProblemSlug, Published, SourceFile, Student, Submission, SubmissionId,
    Verdict,
};

/// A submission, and what its judgement was folded from.
pub type Folded = (Submission, Digest);
/// Whether a submission is wanted, and whether another one is.
pub type Wants<'a> = &'a mut dyn FnMut(&Folded) -> ControlFlow<(), bool>;

impl FromRow for Folded {
    const WIDTH: usize = Submission::WIDTH + 1;

    fn list(columns: &mut Vec<&'static str>) {
        Submission::list(columns);
        columns.push("judgements.fold_digest");
    }

    fn read(cells: &mut Cells<'_>) -> rusqlite::Result<Self> {
        Ok((Submission::read(cells)?, cells.take()?))
    }
}

/// One submission as the overviews need it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub submission: Submission,
    /// None while it waits, or cannot be judged.
    pub published: Option<Published>,
    /// The most CPU time on one test, in milliseconds; `None` if nothing was run.
    pub slowest_ms: Option<u32>,
    /// Its program's bytes.
    pub source: Digest,
}

impl Entry {
    /// The verdict, where there is one.
    pub fn verdict(&self) -> Option<Verdict> {
        Some(self.published.as_ref()?.verdict)
    }

    /// The name of the first failing test, where it has a verdict and fails one.
    pub fn first_failing_test(&self) -> Option<&str> {
        self.published.as_ref()?.first_failing_test.as_deref()
    }
}

row! { Entry {
    submission: Submission, published: Option<Published>, slowest_ms, source = "source_digest",
} }

/// The submissions and their judgements.
pub(super) const ENTRIES: &str = "FROM submissions LEFT JOIN judgements ON submission_id = id";

/// Submissions without a verdict that are listed.
const UNJUDGED_MAX: u32 = 100_000;

/// Picks the submissions without a judgement that have a newer attempt for the same problem in the
/// same language.
pub(super) const SUPERSEDED: &str = "judged = 0 AND EXISTS (
    SELECT 1 FROM submissions AS newer
    WHERE newer.student = submissions.student AND newer.problem = submissions.problem
        AND newer.language = submissions.language AND newer.attempt > submissions.attempt)";
/// Of the groups after ?1 and ?2, the first.
pub(super) const NEXT_GROUP: &str = "SELECT problem, language FROM submissions
    WHERE (problem, language) > (?1, ?2) ORDER BY problem, language LIMIT 1";

/// The submissions of problem ?1 in language ?2 that are not judged by fold ?3, each with whether it
/// has a judgement, and one whose facts were dropped.
pub(super) fn stale() -> String {
    format!(
        "SELECT {}, fold_digest IS NOT NULL, coalesce(dropped, 0) FROM submissions
         LEFT JOIN judgements ON submission_id = id
         WHERE problem = ?1 AND language = ?2 AND (fold_digest IS NULL OR fold_digest <> ?3)
         ORDER BY id",
        row::columns::<Submission>()
    )
}

/// What a submission has that is not judged as it should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Had {
    Nothing,
    /// A judgement that was folded from something else.
    Outdated,
    /// A judgement whose facts were dropped at an upgrade.
    Dropped,
}

/// Picks a submission that is the last of its student for its problem.
const IS_LAST: &str = "NOT EXISTS (
    SELECT 1 FROM submissions AS newer
    WHERE newer.student = submissions.student AND newer.problem = submissions.problem
        AND newer.attempt > submissions.attempt)";

/// Picks, of the submissions after ?1, at most ?2 that are the last of their student for their
/// problem.
pub(super) fn latest() -> String {
    format!("FROM submissions WHERE id > ?1 AND {IS_LAST} ORDER BY id LIMIT ?2")
}

impl Reader {
    /// A submission, and its program.
    pub fn submission(
        &self,
        id: SubmissionId,
    ) -> Result<Option<(Submission, SourceFile)>, StoreError> {
        let query = format!(
            "SELECT {}, file_name, source_digest FROM submissions WHERE id = ?1",
            row::columns::<Submission>()
        );
        let row = self.row(&query, [id], |row| {
            let mut cells = Cells::of(row);
            Ok((Submission::read(&mut cells)?, cells.take()?, cells.take()?))
        })?;
        let Some((submission, name, digest)) = row else {
            return Ok(None);
        };
        // The foreign key holds that the source is there.
        Ok(self.bytes(SOURCES, &digest)?.map(|bytes| {
            let source = SourceFile {
                name,
                digest,
                bytes,
            };
            (submission, source)
        }))
    }

    /// Whether a submission's runs are to be measured again.
    pub fn is_to_be_measured_again(&self, id: SubmissionId) -> Result<bool, StoreError> {
        let query = "SELECT measure_again FROM submissions WHERE id = ?1";
        Ok(self.row(query, [id], only)?.unwrap_or(false))
    }

    /// The submissions of one student, of one problem, or all, the first one first.
    pub fn submissions_of(
        &self,
        student: Option<&Student>,
        problem: Option<&ProblemSlug>,
    ) -> Result<Vec<SubmissionId>, StoreError> {
        self.rows(
            "SELECT id FROM submissions
             WHERE (?1 IS NULL OR student = ?1) AND (?2 IS NULL OR problem = ?2) ORDER BY id",
            (student, problem),
            only,
        )
    }

    /// The students who have handed in something, in the order of their names.
    pub fn students(&self, limit: u32) -> Result<Vec<Student>, StoreError> {
        let query = "SELECT DISTINCT student FROM submissions ORDER BY student LIMIT ?1";
        self.rows(query, [limit], only)
    }

    /// The problems for which a student has handed in something, in the order of their names.
    pub fn problems_of(&self, student: &Student) -> Result<Vec<ProblemSlug>, StoreError> {
        let query = "SELECT DISTINCT problem FROM submissions WHERE student = ?1 ORDER BY problem";
        self.rows(query, [student], only)
    }

    /// The next page of each student's latest attempt for each problem.
    pub fn latest_after(
        &self,
        after: SubmissionId,
        limit: u32,
    ) -> Result<Vec<Submission>, StoreError> {
        self.select(&latest(), (after, limit))
    }

    /// All attempts of a student for a problem, the first one first.
    pub fn attempts(
        &self,
        student: &Student,
        problem: &ProblemSlug,
    ) -> Result<Vec<Submission>, StoreError> {
        let which = "FROM submissions WHERE student = ?1 AND problem = ?2 ORDER BY attempt";
        self.select(which, (student, problem))
    }

    /// The submissions without a verdict, the first ones.
    pub fn unjudged(&self) -> Result<Vec<Entry>, StoreError> {
        let which = "WHERE submissions.judged = 0 ORDER BY submissions.id LIMIT ?1";
        self.select(&format!("{ENTRIES} {which}"), [UNJUDGED_MAX])
    }

    /// The next page of all submissions, in the order of their rows.
    pub fn entries_after(&self, after: SubmissionId, limit: u32) -> Result<Vec<Entry>, StoreError> {
        let query = format!("{ENTRIES} WHERE id > ?1 ORDER BY id LIMIT ?2");
        self.select(&query, (after, limit))
    }

    /// The submissions for a problem that were built and not accepted, the latest first; where only
    /// what is `last` counts, those that are the last attempt of their student.
    pub fn failing(
        &self,
        problem: &ProblemSlug,
        last: bool,
        limit: usize,
    ) -> Result<Vec<Entry>, StoreError> {
        let query = format!(
            "{ENTRIES} WHERE problem = ?1 AND verdict NOT IN ('AC', 'CE')
             AND (NOT ?2 OR {IS_LAST}) ORDER BY id DESC LIMIT ?3"
        );
        self.select(&query, (problem, last, limit))
    }

    /// One submission.
    pub fn entry(&self, id: SubmissionId) -> Result<Option<Entry>, StoreError> {
        self.select_first(&format!("{ENTRIES} WHERE id = ?1"), [id])
    }

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
    /// else than `fold`, and what each has.
    pub fn stale(
        &self,
        problem: &ProblemSlug,
        language: &LanguageId,
        fold: Digest,
    ) -> Result<Vec<(Submission, Had)>, StoreError> {
        self.rows(&stale(), (problem, language, fold), |row| {
            let mut cells = Cells::of(row);
            // Many may wait: they share their names.
            let shared = Submission {
                problem: problem.clone(),
                language: language.clone(),
                ..Submission::read(&mut cells)?
            };
            let had = match (cells.take()?, cells.take()?) {
                (false, _) => Had::Nothing,
                (true, false) => Had::Outdated,
                (true, true) => Had::Dropped,
            };
            Ok((shared, had))
        })
    }
}

impl Writer {
    /// Has the runs of some submissions measured again before they are judged: their judgements
    /// stay until then, but are no longer up to date.
    pub fn measure_again(&self, submissions: Vec<SubmissionId>) -> Result<(), StoreError> {
        self.call(move |connection| {
            for id in &submissions {
                let mark = "UPDATE submissions SET measure_again = 1 WHERE id = ?1";
                execute(connection, mark, [id])?;
                let outdate =
                    "UPDATE judgements SET fold_digest = zeroblob(32) WHERE submission_id = ?1";
                execute(connection, outdate, [id])?;
            }
            Ok(())
        })
    }

    /// Forgets the runs of a submission's program where they are to be measured again. Whatever
    /// happens next, they are missing.
    pub fn forget_runs(&self, id: SubmissionId, artifact: Digest) -> Result<(), StoreError> {
        self.call(move |connection| {
            execute(
                connection,
                "DELETE FROM runs WHERE artifact_key = ?1",
                [artifact],
            )?;
            let done = "UPDATE submissions SET measure_again = 0 WHERE id = ?1";
            execute(connection, done, [id]).map(drop)
        })
    }
}

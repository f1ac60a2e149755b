//! Submissions: who handed in what, and the program.

use std::ops::ControlFlow;

use rusqlite::{Params, Row};

use super::blobs::SOURCES;
use super::reader::only;
use super::writer::execute;
use super::{Reader, StoreError, Writer};
use crate::domain::{Digest, ProblemSlug, SourceFile, Student, Submission, SubmissionId};

/// What [`submission`] reads.
pub(super) const SUBMISSION: &str =
    "submissions.id, student, submissions.problem, language, attempt, received_ms";

/// Reads the columns of [`SUBMISSION`], which are the first ones.
pub(super) fn submission(row: &Row<'_>) -> rusqlite::Result<Submission> {
    Ok(Submission {
        id: row.get(0)?,
        student: row.get(1)?,
        problem: row.get(2)?,
        language: row.get(3)?,
        attempt: row.get(4)?,
        received_ms: row.get(5)?,
    })
}

/// A submission, and what its judgement was folded from.
pub type Folded = (Submission, Digest);
/// Whether a submission is wanted, and whether another one is.
pub type Wants<'a> = &'a mut dyn FnMut(&Folded) -> ControlFlow<(), bool>;

/// A query for submissions with a judgement: what [`with_fold`] reads.
pub(super) fn folded(which: &str) -> String {
    format!("SELECT {SUBMISSION}, judgements.fold_digest {which}")
}

/// Reads the columns of [`SUBMISSION`] and what its judgement was folded from.
pub(super) fn with_fold(row: &Row<'_>) -> rusqlite::Result<Folded> {
    Ok((submission(row)?, row.get(6)?))
}

/// Picks, of the submissions after ?1, at most ?2 that are the last of their student for their
/// problem.
pub(super) const LATEST: &str = "id > ?1 AND NOT EXISTS (
    SELECT 1 FROM submissions AS newer
    WHERE newer.student = submissions.student AND newer.problem = submissions.problem
        AND newer.attempt > submissions.attempt) ORDER BY id LIMIT ?2";

impl Reader {
    fn submissions(&self, which: &str, bind: impl Params) -> Result<Vec<Submission>, StoreError> {
        let query = format!("SELECT {SUBMISSION} FROM submissions WHERE {which}");
        self.rows(&query, bind, submission)
    }

    /// A submission, and its program.
    pub fn submission(
        &self,
        id: SubmissionId,
    ) -> Result<Option<(Submission, SourceFile)>, StoreError> {
        let query =
            format!("SELECT {SUBMISSION}, file_name, source_digest FROM submissions WHERE id = ?1");
        let row = self.row(&query, [id], |row| {
            let file: (String, Digest) = (row.get(6)?, row.get(7)?);
            Ok((submission(row)?, file))
        })?;
        let Some((submission, (name, digest))) = row else {
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
        let asked = self.row(
            "SELECT measure_again FROM submissions WHERE id = ?1",
            [id],
            only,
        )?;
        Ok(asked.unwrap_or(false))
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
        self.submissions(LATEST, (after, limit))
    }

    /// All attempts of a student for a problem, the first one first.
    pub fn attempts(
        &self,
        student: &Student,
        problem: &ProblemSlug,
    ) -> Result<Vec<Submission>, StoreError> {
        let which = "student = ?1 AND problem = ?2 ORDER BY attempt";
        self.submissions(which, (student, problem))
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

//! Reads the store, through a connection that cannot write. As many readers as are wanted; none
//! waits for the writer.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rusqlite::{Connection, OpenFlags, OptionalExtension, Row, params};

use super::record::{ChangeRow, FaultRecord, FaultRow, JudgementRow};
use super::writer::STATEMENTS_KEPT_MAX;
use super::{BUSY_TIMEOUT, StoreError, schema};
use crate::domain::{
    Change, Digest, Fault, ProblemSlug, Published, SourceFile, Student, Submission, SubmissionId,
};
use crate::util::hash;

/// A view of the store. It can be sent to a thread, not shared between two.
#[derive(Debug)]
pub struct Reader {
    connection: Connection,
    file: PathBuf,
}

/// What [`submission`] reads.
pub(super) const SUBMISSION: &str =
    "submissions.id, student, problem, language, attempt, received_ms";

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

/// What [`change_row`] reads; column 12 is the verdict before.
const CHANGE: &str = "submissions.id, student, problem, language, attempt, received_ms, now.id,
    now.verdict, now.cause, now.first_failing_test, now.judged_ms, now.because,
    (SELECT before.verdict FROM judgement_history AS before
     WHERE before.submission_id = now.submission_id AND before.id < now.id
     ORDER BY before.id DESC LIMIT 1), now.event
    FROM judgement_history AS now JOIN submissions ON submissions.id = now.submission_id";

fn change_row(row: &Row<'_>) -> rusqlite::Result<ChangeRow> {
    Ok(ChangeRow {
        id: row.get(6)?,
        event: row.get(13)?,
        submission: submission(row)?,
        before: row.get(12)?,
        change: Change {
            published: published(row, 7)?,
            because: row.get(11)?,
        },
    })
}

/// Reads verdict, cause, first failing test and moment.
pub(super) fn published(row: &Row<'_>, first: usize) -> rusqlite::Result<Published> {
    Ok(Published {
        verdict: row.get(first)?,
        cause: row.get(first + 1)?,
        first_failing_test: row.get(first + 2)?,
        judged_ms: row.get(first + 3)?,
    })
}

/// Picks, of the submissions after ?1, at most ?2 that are the last of their student for their
/// problem.
pub(super) const LATEST: &str = "id > ?1 AND NOT EXISTS (
    SELECT 1 FROM submissions AS newer
    WHERE newer.student = submissions.student AND newer.problem = submissions.problem
        AND newer.attempt > submissions.attempt) ORDER BY id LIMIT ?2";

impl Reader {
    /// Opens the store in `folder` for reading, whether a daemon runs or not.
    pub fn open(folder: &Path) -> Result<Self, StoreError> {
        let file = folder.join(super::STORE_FILE);
        if !file.exists() {
            return Err(StoreError::Missing { file });
        }
        let open = || -> rusqlite::Result<Connection> {
            let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            let connection = Connection::open_with_flags(&file, flags)?;
            connection.busy_timeout(BUSY_TIMEOUT)?;
            connection.pragma_update(None, "query_only", true)?;
            connection.pragma_update(None, "trusted_schema", false)?;
            connection.pragma_update(None, "temp_store", "MEMORY")?;
            connection.set_prepared_statement_cache_capacity(STATEMENTS_KEPT_MAX);
            Ok(connection)
        };
        let connection = open().map_err(|error| StoreError::sql(&file, error))?;
        schema::check_readable(&connection, &file)?;
        Ok(Self { connection, file })
    }

    pub(super) fn ask<T>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        work(&self.connection).map_err(|error| StoreError::sql(&self.file, error))
    }

    fn submissions(
        &self,
        which: &str,
        bind: &[&dyn rusqlite::ToSql],
    ) -> Result<Vec<Submission>, StoreError> {
        self.ask(|connection| {
            connection
                .prepare_cached(&format!(
                    "SELECT {SUBMISSION} FROM submissions WHERE {which}"
                ))?
                .query_map(bind, submission)?
                .collect()
        })
    }

    /// A submission, and its program.
    pub fn submission(
        &self,
        id: SubmissionId,
    ) -> Result<Option<(Submission, SourceFile)>, StoreError> {
        let found: Option<(Submission, String, Digest)> = self.ask(|connection| {
            connection
                .prepare_cached(&format!(
                    "SELECT {SUBMISSION}, file_name, source_digest FROM submissions WHERE id = ?1"
                ))?
                .query_row([id], |row| Ok((submission(row)?, row.get(6)?, row.get(7)?)))
                .optional()
        })?;
        let Some((submission, name, digest)) = found else {
            return Ok(None);
        };
        // The foreign key holds that the source is there.
        let bytes = self.blob(&digest)?;
        Ok(bytes.map(|bytes| {
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
        self.ask(|connection| {
            connection
                .prepare_cached("SELECT measure_again FROM submissions WHERE id = ?1")?
                .query_row([id], |row| row.get(0))
                .optional()
                .map(|found| found.unwrap_or(false))
        })
    }

    /// The submissions of one student, of one problem, or all, the first one first.
    pub fn submissions_of(
        &self,
        student: Option<&Student>,
        problem: Option<&ProblemSlug>,
    ) -> Result<Vec<SubmissionId>, StoreError> {
        self.ask(|connection| {
            connection
                .prepare_cached(
                    "SELECT id FROM submissions
                     WHERE (?1 IS NULL OR student = ?1) AND (?2 IS NULL OR problem = ?2) ORDER BY id",
                )?
                .query_map(params![student, problem], |row| row.get(0))?
                .collect()
        })
    }

    /// The students who have handed in something, in the order of their names.
    pub fn students(&self, limit: u32) -> Result<Vec<Student>, StoreError> {
        self.ask(|connection| {
            connection
                .prepare_cached(
                    "SELECT DISTINCT student FROM submissions ORDER BY student LIMIT ?1",
                )?
                .query_map([limit], |row| row.get(0))?
                .collect()
        })
    }

    /// The problems for which a student has handed in something, in the order of their names.
    pub fn problems_of(&self, student: &Student) -> Result<Vec<ProblemSlug>, StoreError> {
        self.ask(|connection| {
            connection
                .prepare_cached(
                    "SELECT DISTINCT problem FROM submissions WHERE student = ?1 ORDER BY problem",
                )?
                .query_map([student], |row| row.get(0))?
                .collect()
        })
    }

    /// The number of the last change of a verdict, 0 for none.
    pub fn last_change(&self) -> Result<i64, StoreError> {
        self.ask(|connection| {
            connection
                .prepare_cached("SELECT coalesce(max(id), 0) FROM judgement_history")?
                .query_row([], |row| row.get(0))
        })
    }

    fn changes(
        &self,
        which: &str,
        bind: &[&dyn rusqlite::ToSql],
    ) -> Result<Vec<ChangeRow>, StoreError> {
        self.ask(|connection| {
            connection
                .prepare_cached(&format!("SELECT {CHANGE} WHERE {which}"))?
                .query_map(bind, change_row)?
                .collect()
        })
    }

    /// The next page of changes of verdicts: who, from what, to what, because of what.
    pub fn changes_after(&self, after: i64, limit: u32) -> Result<Vec<ChangeRow>, StoreError> {
        self.changes("now.id > ?1 ORDER BY now.id LIMIT ?2", &[&after, &limit])
    }

    /// The same by the numbers of their events.
    pub fn verdicts_after(&self, event: i64, limit: u32) -> Result<Vec<ChangeRow>, StoreError> {
        self.changes(
            "now.event > ?1 ORDER BY now.event LIMIT ?2",
            &[&event, &limit],
        )
    }

    /// The latest changes, the latest first.
    pub fn latest_verdicts(&self, limit: u32) -> Result<Vec<ChangeRow>, StoreError> {
        self.changes("true ORDER BY now.id DESC LIMIT ?1", &[&limit])
    }

    /// The changes of a submission's verdict, the first one first.
    pub fn history(&self, id: SubmissionId) -> Result<Vec<ChangeRow>, StoreError> {
        self.changes("now.submission_id = ?1 ORDER BY now.id", &[&id])
    }

    /// Some bytes, by their digest.
    pub fn blob(&self, digest: &Digest) -> Result<Option<Arc<[u8]>>, StoreError> {
        let found: Option<Arc<[u8]>> = self.ask(|connection| {
            connection
                .prepare_cached("SELECT bytes FROM blobs WHERE digest = ?1")?
                .query_row([digest], |row| Ok(Arc::from(row.get_ref(0)?.as_blob()?)))
                .optional()
        })?;
        match found {
            // SQLite does not notice when the disk has changed bytes inside a value.
            Some(bytes) if hash::digest(&bytes) != *digest => Err(StoreError::Damaged {
                file: self.file.clone(),
                reason: format!("the bytes kept as {digest} are others"),
            }),
            found => Ok(found),
        }
    }

    /// The next page of each student's latest attempt for each problem.
    pub fn latest_after(
        &self,
        after: SubmissionId,
        limit: u32,
    ) -> Result<Vec<Submission>, StoreError> {
        self.submissions(LATEST, &[&after, &limit])
    }

    /// All attempts of a student for a problem, the first one first.
    pub fn attempts(
        &self,
        student: &Student,
        problem: &ProblemSlug,
    ) -> Result<Vec<Submission>, StoreError> {
        self.submissions(
            "student = ?1 AND problem = ?2 ORDER BY attempt",
            &[student, problem],
        )
    }

    fn judgements(
        &self,
        which: &str,
        bind: &[&dyn rusqlite::ToSql],
    ) -> Result<Vec<JudgementRow>, StoreError> {
        self.ask(|connection| {
            connection
                .prepare_cached(&format!(
                    "SELECT submission_id, fold_digest, verdict, cause, first_failing_test, judged_ms, reported
                     FROM judgements WHERE {which}"
                ))?
                .query_map(bind, |row| {
                    Ok(JudgementRow {
                        submission: row.get(0)?,
                        fold: row.get(1)?,
                        published: published(row, 2)?,
                        reported: row.get(6)?,
                    })
                })?
                .collect()
        })
    }

    /// A submission's judgement.
    pub fn judgement(&self, id: SubmissionId) -> Result<Option<JudgementRow>, StoreError> {
        self.judgements("submission_id = ?1", &[&id])
            .map(|mut found| found.pop())
    }

    /// The next page of all judgements, in the order of the submissions.
    pub fn judgements_after(
        &self,
        after: SubmissionId,
        limit: u32,
    ) -> Result<Vec<JudgementRow>, StoreError> {
        self.judgements(
            "submission_id > ?1 ORDER BY submission_id LIMIT ?2",
            &[&after, &limit],
        )
    }

    /// The next page of the judgements whose report files are not known to be on disk.
    pub fn unreported_after(
        &self,
        after: SubmissionId,
        limit: u32,
    ) -> Result<Vec<JudgementRow>, StoreError> {
        self.judgements(
            "reported = 0 AND submission_id > ?1 ORDER BY submission_id LIMIT ?2",
            &[&after, &limit],
        )
    }

    /// The report document of a submission, and the fold that it tells of.
    pub fn document(&self, id: SubmissionId) -> Result<Option<(Digest, String)>, StoreError> {
        self.ask(|connection| {
            connection
                .prepare_cached(
                    "SELECT fold_digest, document FROM judgements WHERE submission_id = ?1",
                )?
                .query_row([id], |row| Ok((row.get(0)?, row.get(1)?)))
                .optional()
        })
    }

    fn fault_rows(
        &self,
        which: &str,
        bind: &[&dyn rusqlite::ToSql],
    ) -> Result<Vec<FaultRow>, StoreError> {
        self.ask(|connection| {
            connection
                .prepare_cached(&format!(
                    "SELECT work_key, submission_id, step, reason, next_try_ms, last_ms, tries
                     FROM faults {which}"
                ))?
                .query_map(bind, |row| {
                    let (step, reason): (String, String) = (row.get(2)?, row.get(3)?);
                    let fault = Fault::new(step, reason);
                    let record = FaultRecord {
                        work: row.get(0)?,
                        submission: row.get(1)?,
                        fault,
                        next_try_ms: row.get(4)?,
                        last_ms: row.get(5)?,
                    };
                    Ok(FaultRow {
                        record,
                        tries: row.get(6)?,
                    })
                })?
                .collect()
        })
    }

    /// The faults that were last seen last, at most `limit`.
    pub fn faults(&self, limit: u32) -> Result<Vec<FaultRow>, StoreError> {
        self.fault_rows("ORDER BY last_ms DESC, work_key LIMIT ?1", &[&limit])
    }
}

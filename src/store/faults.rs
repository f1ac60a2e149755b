//! What failed on our side and is to be tried again.

use rusqlite::{Connection, Row, params};

use super::events::{About, EventKind, NewEvent};
use super::writer::execute;
use super::{Reader, StoreError, Writer};
use crate::domain::{Digest, Fault, ProblemSlug, Student, SubmissionId};

/// A fault to remember.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FaultRecord {
    /// Digest that names the piece of work.
    pub work: Digest,
    /// For which submission, where for one.
    pub submission: Option<SubmissionId>,
    pub fault: Fault,
    /// When to try again; `None` for not before its cause has changed.
    pub next_try_ms: Option<i64>,
    pub last_ms: i64,
}

/// A remembered fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FaultRow {
    pub record: FaultRecord,
    /// How often it has failed.
    pub tries: u32,
    /// Whose submission it is, where it is about one.
    pub whose: Option<Whose>,
}

/// A submission, as people name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Whose {
    pub student: Student,
    pub problem: ProblemSlug,
    pub attempt: u32,
}

fn fault_row(row: &Row<'_>) -> rusqlite::Result<FaultRow> {
    let (step, reason): (String, String) = (row.get(2)?, row.get(3)?);
    let student: Option<Student> = row.get(7)?;
    let whose = student.map(|student| {
        Ok::<_, rusqlite::Error>(Whose {
            student,
            problem: row.get(8)?,
            attempt: row.get(9)?,
        })
    });
    Ok(FaultRow {
        record: FaultRecord {
            work: row.get(0)?,
            submission: row.get(1)?,
            fault: Fault::new(step, reason),
            next_try_ms: row.get(4)?,
            last_ms: row.get(5)?,
        },
        tries: row.get(6)?,
        whose: whose.transpose()?,
    })
}

impl Writer {
    /// Remembers that a submission could not be judged, and says how often that has failed.
    pub fn fault(&self, fault: FaultRecord) -> Result<u32, StoreError> {
        self.call(move |connection| {
            let tries = put_fault(connection, &fault)?;
            if let Some(submission) = fault.submission {
                let event = NewEvent {
                    kind: EventKind::Fault,
                    ms: fault.last_ms,
                    about: About::Submission(submission),
                    json: "",
                };
                event.put(connection)?;
            }
            Ok(tries)
        })
    }

    /// Keeps which languages cannot be tried now, and forgets it of those whose work is well again.
    pub fn language_faults(
        &self,
        faults: Vec<FaultRecord>,
        healthy: Vec<Digest>,
    ) -> Result<(), StoreError> {
        self.call(move |connection| {
            for fault in &faults {
                put_fault(connection, fault)?;
            }
            for work in &healthy {
                execute(connection, "DELETE FROM faults WHERE work_key = ?1", [work])?;
            }
            Ok(())
        })
    }
}

/// How often it was met before is counted on.
fn put_fault(connection: &Connection, new: &FaultRecord) -> rusqlite::Result<u32> {
    connection
        .prepare_cached(
            "INSERT INTO faults (work_key, submission_id, step, reason, tries, next_try_ms, last_ms)
             VALUES (?1, ?2, ?3, ?4, 1, ?5, ?6)
             ON CONFLICT (work_key) DO UPDATE SET
                 submission_id = excluded.submission_id, step = excluded.step,
                 reason = excluded.reason, tries = tries + 1,
                 next_try_ms = excluded.next_try_ms, last_ms = excluded.last_ms
             RETURNING tries",
        )?
        .query_row(
            params![
                new.work,
                new.submission,
                new.fault.step,
                new.fault.reason,
                new.next_try_ms,
                new.last_ms
            ],
            |row| row.get(0),
        )
}

impl Reader {
    /// The faults that were last seen last, at most `limit`.
    pub fn faults(&self, limit: u32) -> Result<Vec<FaultRow>, StoreError> {
        self.rows(
            "SELECT work_key, submission_id, step, reason, next_try_ms, last_ms, tries,
                 student, problem, attempt
             FROM faults LEFT JOIN submissions ON submissions.id = submission_id
             ORDER BY last_ms DESC, work_key LIMIT ?1",
            [limit],
            fault_row,
        )
    }
}

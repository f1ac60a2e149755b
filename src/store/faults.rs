//! What keeps submissions from being judged: faults of ours, which are tried again, and packages
//! that are broken.

use rusqlite::{Connection, params};

use super::events::{About, EventKind, put_event};
use super::row::{put, row};
use super::writer::execute;
use super::{Reader, StoreError, Writer};
use crate::domain::{Digest, Fault, ProblemSlug, SubmissionId, SubmissionName};

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
    /// The submission, where it is about one.
    pub name: Option<SubmissionName>,
}

row! { SubmissionName { student, problem, attempt } }

row! { FaultRecord {
    work = "work_key", submission = "submission_id", fault: Fault, next_try_ms, last_ms,
} }

row! { FaultRow { record: FaultRecord, tries, name: Option<SubmissionName> } }

impl Writer {
    /// Remembers that a submission could not be judged, and says how often that has failed.
    pub fn fault(&self, fault: FaultRecord) -> Result<u32, StoreError> {
        self.call(move |connection| {
            let tries = put_fault(connection, &fault)?;
            if let Some(submission) = fault.submission {
                let about = About::Submission(submission);
                put_event(connection, EventKind::Fault, fault.last_ms, &about, "")?;
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
        self.select(
            "FROM faults LEFT JOIN submissions ON submissions.id = submission_id
             ORDER BY last_ms DESC, work_key LIMIT ?1",
            [limit],
        )
    }
}

/// A package as the daemon last found it, so that other processes learn which are broken, even after
/// a crash, and the next start sees what has changed meanwhile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackageRow {
    pub problem: ProblemSlug,
    /// Why nobody can be judged with it; `None` if it is sound.
    pub broken: Option<String>,
    /// Whether that is a fault of this machine and not of the package.
    pub is_ours: bool,
    /// What its files looked like when it was read.
    pub fingerprint: Digest,
    /// Since when it has been so, in milliseconds since 1970 UTC.
    pub since_ms: i64,
}

row! { PackageRow { problem, broken, is_ours, fingerprint, since_ms } }

/// A change of a package.
#[derive(Debug, Clone)]
pub struct PackageChange {
    pub problem: ProblemSlug,
    /// What it is now; `None` if it is gone.
    pub row: Option<PackageRow>,
    /// What the logs say about it; `None` if they do not mention it.
    pub event_json: Option<String>,
    /// When, in milliseconds since 1970 UTC.
    pub ms: i64,
}

impl Writer {
    /// Stores changes of packages, all in one transaction.
    pub fn put_packages(&self, changes: Vec<PackageChange>) -> Result<(), StoreError> {
        self.call(move |connection| {
            let mut changes = changes.iter();
            changes.try_for_each(|change| put_package(connection, change))
        })
    }
}

fn put_package(connection: &Connection, change: &PackageChange) -> rusqlite::Result<()> {
    if let Some(row) = &change.row {
        put(
            connection,
            "INSERT OR REPLACE INTO packages",
            &[
                ("problem", &row.problem),
                ("since_ms", &row.since_ms),
                ("fingerprint", &row.fingerprint),
                ("is_ours", &row.is_ours),
                ("broken", &row.broken),
            ],
        )?;
    } else {
        let forget = "DELETE FROM packages WHERE problem = ?1";
        execute(connection, forget, [&change.problem])?;
    }
    if let Some(json) = &change.event_json {
        let about = About::Problem(&change.problem);
        put_event(connection, EventKind::Package, change.ms, &about, json)?;
    }
    Ok(())
}

impl Reader {
    /// The packages, by name.
    pub fn packages(&self) -> Result<Vec<PackageRow>, StoreError> {
        self.select("FROM packages ORDER BY problem", [])
    }

    /// Those that nobody can be judged with, by name, and why.
    pub fn broken_packages(&self) -> Result<Vec<PackageRow>, StoreError> {
        let mut rows = self.packages()?;
        rows.retain(|row| row.broken.is_some());
        Ok(rows)
    }
}

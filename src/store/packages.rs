//! The packages as the daemon last found them, so that other processes learn which are broken, even
//! after a crash, and the next start sees what has changed meanwhile.

use rusqlite::{Connection, Row};

use super::events::{About, EventKind, NewEvent};
use super::writer::execute;
use super::{Reader, StoreError, Writer};
use crate::domain::{Digest, ProblemSlug};

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
        execute(
            connection,
            "INSERT OR REPLACE INTO packages (problem, since_ms, fingerprint, is_ours, broken)
             VALUES (?1, ?2, ?3, ?4, ?5)",
            (
                &row.problem,
                row.since_ms,
                row.fingerprint,
                row.is_ours,
                &row.broken,
            ),
        )?;
    } else {
        let forget = "DELETE FROM packages WHERE problem = ?1";
        execute(connection, forget, [&change.problem])?;
    }
    if let Some(json) = &change.event_json {
        let event = NewEvent {
            kind: EventKind::Package,
            ms: change.ms,
            about: About::Problem(&change.problem),
            json,
        };
        event.put(connection)?;
    }
    Ok(())
}

fn package_row(row: &Row<'_>) -> rusqlite::Result<PackageRow> {
    Ok(PackageRow {
        problem: row.get(0)?,
        broken: row.get(1)?,
        is_ours: row.get(2)?,
        fingerprint: row.get(3)?,
        since_ms: row.get(4)?,
    })
}

impl Reader {
    /// The packages, by name.
    pub fn packages(&self) -> Result<Vec<PackageRow>, StoreError> {
        let query =
            "SELECT problem, broken, is_ours, fingerprint, since_ms FROM packages ORDER BY problem";
        self.rows(query, [], package_row)
    }

    /// Those that nobody can be judged with, by name, and why.
    pub fn broken_packages(&self) -> Result<Vec<PackageRow>, StoreError> {
        let mut rows = self.packages()?;
        rows.retain(|row| row.broken.is_some());
        Ok(rows)
    }
}

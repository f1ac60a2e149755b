//! Reads what is not about one submission: events, remembered files, numbers, and whether the store
//! is sound.

use rusqlite::{OptionalExtension, Row, params};

use super::columns::unsigned;
use super::record::{Counts, EventKind, EventRow};
use super::stale::SUPERSEDED;
use super::{Reader, StoreError};

/// Complaints of [`Reader::check`] that are listed.
const COMPLAINTS_MAX: usize = 20;

impl Reader {
    /// The next page of remembered files in the order of their paths: path and fingerprint. The
    /// first page follows the empty path.
    #[expect(
        clippy::type_complexity,
        reason = "a list of pairs needs no name of its own"
    )]
    pub fn seen_files_after(
        &self,
        after: &[u8],
        limit: u32,
    ) -> Result<Vec<(Vec<u8>, Vec<u8>)>, StoreError> {
        self.ask(|connection| {
            connection
                .prepare_cached(
                    "SELECT path, fingerprint FROM seen_files WHERE path > ?1 ORDER BY path LIMIT ?2",
                )?
                .query_map(params![after, limit], |row| Ok((row.get(0)?, row.get(1)?)))?
                .collect()
        })
    }

    /// The number of the last event, 0 for none.
    pub fn last_event(&self) -> Result<i64, StoreError> {
        self.ask(|connection| {
            connection
                .prepare_cached("SELECT coalesce(max(id), 0) FROM events")?
                .query_row([], |row| row.get(0))
        })
    }

    /// The latest events of a kind, the oldest of them first.
    pub fn latest_events(&self, kind: EventKind, limit: u32) -> Result<Vec<EventRow>, StoreError> {
        self.ask(|connection| {
            let mut rows: Vec<EventRow> = connection
                .prepare_cached(
                    "SELECT id, ms, kind, submission_id, json
                     FROM events WHERE kind = ?1 ORDER BY id DESC LIMIT ?2",
                )?
                .query_map(params![kind, limit], event)?
                .collect::<rusqlite::Result<_>>()?;
            rows.reverse();
            Ok(rows)
        })
    }

    /// The next page of the events that the logs tell of: verdicts, rejections, hacks and packages.
    pub fn log_events_after(&self, after: i64, limit: u32) -> Result<Vec<EventRow>, StoreError> {
        self.ask(|connection| {
            connection
                .prepare_cached(
                    "SELECT id, ms, kind, submission_id, json
                     FROM events WHERE kind IN (?3, ?4, ?5, ?6) AND id > ?1 ORDER BY id LIMIT ?2",
                )?
                .query_map(
                    params![
                        after,
                        limit,
                        EventKind::Verdict,
                        EventKind::Rejected,
                        EventKind::Hack,
                        EventKind::Package
                    ],
                    event,
                )?
                .collect()
        })
    }

    /// A remembered number.
    pub fn mark(&self, name: &str) -> Result<Option<i64>, StoreError> {
        self.ask(|connection| {
            connection
                .prepare_cached("SELECT value FROM marks WHERE name = ?1")?
                .query_row([name], |row| row.get(0))
                .optional()
        })
    }

    /// The store in numbers, all of one moment.
    pub fn counts(&self) -> Result<Counts, StoreError> {
        self.ask(|connection| {
            let moment = connection.unchecked_transaction()?;
            let count = |from: &str| -> rusqlite::Result<u64> {
                moment
                    .prepare_cached(&format!("SELECT count(*) FROM {from}"))?
                    .query_row([], |row| unsigned(row, 0))
            };
            let verdicts = moment
                .prepare_cached("SELECT verdict, count(*) FROM judgements GROUP BY verdict")?
                .query_map([], |row| Ok((row.get(0)?, unsigned(row, 1)?)))?
                .collect::<rusqlite::Result<Vec<_>>>()?;
            let received = count("submissions")?;
            let waiting = count("submissions WHERE judged = 0")?;
            Ok(Counts {
                received,
                judged: received - waiting,
                waiting,
                superseded: count(&format!("submissions WHERE {SUPERSEDED}"))?,
                unreported: count("judgements WHERE reported = 0")?,
                rejected: count("rejections")?,
                faults: count("faults WHERE submission_id IS NOT NULL")?,
                verdicts,
            })
        })
    }

    /// Reads the whole store and lists what is wrong with it. Slow where the store is large.
    pub fn check(&self) -> Result<Vec<String>, StoreError> {
        self.ask(|connection| {
            let mut complaints: Vec<String> = connection
                .prepare(&format!("PRAGMA quick_check({COMPLAINTS_MAX})"))?
                .query_map([], |row| row.get(0))?
                .collect::<rusqlite::Result<_>>()?;
            complaints.retain(|complaint| complaint != "ok");
            let mut statement = connection.prepare("PRAGMA foreign_key_check")?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                if complaints.len() >= COMPLAINTS_MAX {
                    break;
                }
                let (table, parent): (String, String) = (row.get(0)?, row.get(2)?);
                complaints.push(format!("a row of {table} points to no row of {parent}"));
            }
            Ok(complaints)
        })
    }
}

fn event(row: &Row<'_>) -> rusqlite::Result<EventRow> {
    Ok(EventRow {
        id: row.get(0)?,
        ms: row.get(1)?,
        kind: row.get(2)?,
        submission: row.get(3)?,
        json: row.get(4)?,
    })
}

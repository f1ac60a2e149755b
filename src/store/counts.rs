//! The store in numbers, and whether it is sound.

use std::path::Path;

use rusqlite::Connection;
use serde::{Serialize, Serializer};

use super::reader::{STORE_FILE, only, pair, to_read};
use super::submissions::SUPERSEDED;
use super::{Reader, StoreError, schema};
use crate::domain::Verdict;

/// Complaints of [`Reader::check`] that are listed.
const COMPLAINTS_MAX: usize = 20;

/// What the store holds, in numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    pub received: u64,
    /// Submissions with a judgement.
    pub judged: u64,
    /// Submissions without one.
    pub waiting: u64,
    /// Those of them that have a newer attempt of the same student for the same problem in the same
    /// language.
    pub superseded: u64,
    /// Those with a judgement whose facts were dropped at an upgrade: it stands until they are
    /// measured again.
    #[serde(rename = "to_measure_again")]
    pub dropped: u64,
    /// Events after which a report is to be written, and is not known to be on the disk.
    #[serde(skip)]
    pub unreported: u64,
    /// Files that are no submissions, as they lie there now.
    pub rejected: u64,
    /// Pieces of work that fail on our side.
    pub faults: u64,
    /// Judgements by verdict; the verdicts that occur.
    #[serde(serialize_with = "as_map")]
    pub verdicts: Vec<(Verdict, u64)>,
}

fn as_map<S: Serializer>(verdicts: &[(Verdict, u64)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(verdicts.iter().copied())
}

impl Counts {
    /// How far the judging is that an upgrade has made necessary; `None` where there is none.
    pub fn judged_again(&self) -> Option<String> {
        let done = self.judged.saturating_sub(self.dropped);
        (self.dropped > 0)
            .then(|| format!("judging again after the upgrade: {done} of {}", self.judged))
    }
}

impl Reader {
    /// The store in numbers, all of one moment.
    pub fn counts(&self) -> Result<Counts, StoreError> {
        self.ask(|connection| {
            let moment = connection.unchecked_transaction()?;
            let count = |from: &str| -> rusqlite::Result<u64> {
                moment
                    .prepare_cached(&format!("SELECT count(*) FROM {from}"))?
                    .query_row([], only)
            };
            let verdicts = moment
                .prepare_cached("SELECT verdict, count(*) FROM judgements GROUP BY verdict")?
                .query_map([], pair)?
                .collect::<rusqlite::Result<Vec<_>>>()?;
            let received = count("submissions")?;
            let waiting = count("submissions WHERE judged = 0")?;
            Ok(Counts {
                received,
                judged: received - waiting,
                waiting,
                superseded: count(&format!("submissions WHERE {SUPERSEDED}"))?,
                dropped: count("judgements WHERE dropped = 1")?,
                unreported: count(
                    "events WHERE kind IN ('verdict', 'confirmed', 'report') AND id >
                         (SELECT coalesce(max(value), 0) FROM marks WHERE name = 'reports')",
                )?,
                rejected: count("rejections")?,
                faults: count("faults WHERE submission_id IS NOT NULL")?,
                verdicts,
            })
        })
    }

    /// Reads the whole store and lists what is wrong with it. Slow where the store is large.
    pub fn check(&self) -> Result<Vec<String>, StoreError> {
        self.ask(complaints)
    }
}

/// The same for a store of any version that this one can read or convert.
pub fn check(folder: &Path) -> Result<Vec<String>, StoreError> {
    let file = folder.join(STORE_FILE);
    let sql = |error| StoreError::sql(&file, error);
    let connection = to_read(&file).map_err(sql)?;
    schema::look(&connection, &file)?;
    complaints(&connection).map_err(sql)
}

fn complaints(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut complaints: Vec<String> = connection
        .prepare(&format!("PRAGMA quick_check({COMPLAINTS_MAX})"))?
        .query_map([], only)?
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
}

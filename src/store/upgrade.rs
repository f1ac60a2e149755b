//! Makes a store of another version one of this version: its record is converted, and facts of
//! another layout are dropped.
//!
//! All of it is one transaction, after a copy beside the store: whatever ends it, the store is as
//! it was before, or done.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use super::reader::{self, STORE_FILE, only, to_copy};
use super::schema::{
    self, FACTS, FIRST_LAYOUT, Found, LAYOUT, RECORD, create, has_these_facts, sign,
};
use super::{Reader, StoreError};
use crate::util::crash::point;
use crate::util::files::{remove, sync_name};

/// What makes each layout of the record the next one, from [`FIRST_LAYOUT`] on. A conversion says
/// what the tables were then, and is never changed.
const CONVERSIONS: [&str; 3] = [
    "
DROP INDEX judgements_by_fold;
DROP INDEX judgements_for_board;
ALTER TABLE judgements DROP COLUMN document;
ALTER TABLE judgements ADD COLUMN dropped INTEGER NOT NULL DEFAULT 0 CHECK (dropped IN (0, 1));
CREATE INDEX judgements_dropped ON judgements (submission_id) WHERE dropped = 1;
-- Everything that refers to it follows; what does so beside the submissions is dropped.
ALTER TABLE blobs RENAME TO sources;
DELETE FROM sources WHERE digest NOT IN (SELECT source_digest FROM submissions);
CREATE TABLE unproposed (
    submission_id INTEGER PRIMARY KEY REFERENCES submissions (id),
    problem TEXT NOT NULL,
    filled TEXT NOT NULL CHECK (filled IN ('student', 'problem'))
) STRICT;
CREATE TABLE versions (
    name TEXT NOT NULL PRIMARY KEY,
    version TEXT NOT NULL
) STRICT, WITHOUT ROWID;
",
    "
DROP TABLE pages_due;
DROP INDEX IF EXISTS judgements_unreported;
ALTER TABLE judgements DROP COLUMN reported;
DROP INDEX IF EXISTS searches_untold;
DROP INDEX IF EXISTS searches_told_to_staff;
ALTER TABLE searches DROP COLUMN told;
-- Reports follow what is measured again; results of hacks are as they were.
INSERT OR REPLACE INTO marks (name, value)
    SELECT column1, (SELECT coalesce(max(id), 0) FROM events)
    FROM (VALUES ('reports'), ('pages'), ('hack results'));
",
    // What is judged again after the upgrade says what it got in each group.
    "
ALTER TABLE judgements ADD COLUMN group_points TEXT;
ALTER TABLE judgement_history ADD COLUMN group_points TEXT;
",
];

/// How the names of copies end, and of what is not a whole copy yet.
const COPY: &str = ".bak";
const HALF: &str = ".half";

/// What is said of all judgements: none is up to date.
const DROPPED: &str = "UPDATE judgements SET dropped = 1, fold_digest = zeroblob(32)";

/// Every table of the database that this one has too.
const TABLES: &str =
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite^_%' ESCAPE '^'";

/// A connection that writes to a store of this version: one of an earlier version is converted, and
/// where there is none it is made.
pub(super) fn open(file: &Path) -> Result<Connection, StoreError> {
    let sql = |error| StoreError::sql(file, error);
    let connection = reader::to_write(file).map_err(sql)?;
    // Another program's file, or one of a later version, is left exactly as it is.
    let found = schema::look(&connection, file)?;
    reader::refuse_damaged(&connection, file)?;
    reader::keep_a_log(&connection).map_err(sql)?;
    upgrade(&connection, file, found)?;
    Ok(connection)
}

/// Brings what was found up to date.
fn upgrade(connection: &Connection, file: &Path, found: Found) -> Result<(), StoreError> {
    let sql = |error| StoreError::sql(file, error);
    let done = match found {
        Found::Fresh => create(connection),
        Found::Store => sign(connection),
        Found::OtherFacts => remake(connection, &[]),
        Found::Earlier(layout) => {
            copy_beside(file, layout)?;
            let done = usize::try_from(layout - FIRST_LAYOUT).unwrap_or_default();
            remake(connection, &CONVERSIONS[done..])
        }
    };
    done.map_err(|error| {
        // Not in a transaction any more where SQLite has rolled it back by itself.
        let _ = connection.execute_batch("ROLLBACK");
        sql(error)
    })
}

/// A copy of the store as it was, for whoever wants to go back.
fn copy_beside(file: &Path, layout: i64) -> Result<(), StoreError> {
    let named = |ending: &str| {
        let mut name = file.as_os_str().to_owned();
        name.push(format!("-v{layout}{ending}"));
        PathBuf::from(name)
    };
    let (copy, half) = (named(COPY), named(HALF));
    let failed = |error| StoreError::folder(&copy, error);
    remove(&half).map_err(failed)?;
    copy_into(file, &half)?;
    point("store half copied");
    File::open(&half)
        .and_then(|half| half.sync_all())
        .and_then(|()| fs::rename(&half, &copy))
        .and_then(|()| sync_name(&copy))
        .map_err(failed)?;
    point("store copied");
    Ok(())
}

/// The copies that upgrades have left in a state folder.
pub fn copies(folder: &Path) -> Vec<PathBuf> {
    let is_copy = |name: &str| {
        name.strip_prefix(STORE_FILE)
            .is_some_and(|rest| rest.starts_with("-v"))
    };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let paths = entries.filter(|entry| entry.file_name().to_str().is_some_and(is_copy));
    let mut paths: Vec<PathBuf> = paths.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

fn remake(connection: &Connection, conversions: &[&str]) -> rusqlite::Result<()> {
    // Tables that others refer to are dropped and renamed.
    connection.pragma_update(None, "foreign_keys", false)?;
    connection.execute_batch("BEGIN EXCLUSIVE")?;
    for conversion in conversions {
        connection.execute_batch(conversion)?;
    }
    if has_these_facts(connection)? {
        // Everything is judged again from them, and no program is run for that.
        connection.execute_batch("DELETE FROM documents")?;
    } else {
        make_facts_anew(connection)?;
    }
    connection.execute_batch(DROPPED)?;
    connection.pragma_update(None, "user_version", LAYOUT)?;
    sign(connection)?;
    point("store half upgraded");
    connection.execute_batch("COMMIT")?;
    point("store upgraded");
    connection.pragma_update(None, "foreign_keys", true)
}

/// Whatever an earlier or later version called its facts: what is not the record goes.
fn make_facts_anew(connection: &Connection) -> rusqlite::Result<()> {
    let record = Connection::open_in_memory()?;
    record.execute_batch(RECORD)?;
    let record = tables(&record)?;
    for table in tables(connection)?.difference(&record) {
        connection.execute_batch(&format!("DROP TABLE \"{table}\""))?;
    }
    connection.execute_batch(FACTS)
}

fn tables(connection: &Connection) -> rusqlite::Result<BTreeSet<String>> {
    connection.prepare(TABLES)?.query_map([], only)?.collect()
}

impl Reader {
    /// Writes the store, as it is now, into a new file; one that is empty counts as new.
    pub fn copy_to(&self, copy: &Path) -> Result<(), StoreError> {
        copy_into(&self.file, copy)
    }
}

/// The same for the store in `file`, whatever its layout, while a daemon may write to it.
fn copy_into(file: &Path, copy: &Path) -> Result<(), StoreError> {
    // One read transaction: the writer goes on meanwhile, and nothing of that is in the copy.
    let connection = to_copy(file).map_err(|error| StoreError::sql(file, error))?;
    connection
        .execute("VACUUM INTO ?1", [copy.to_string_lossy()])
        .map(drop)
        .map_err(|error| StoreError::sql(copy, error))
}

//! Connections to the store's file: the writer's, and those that only read.

use std::path::Path;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::StoreError;

/// The store's file in the state folder.
pub const STORE_FILE: &str = "verdictd.db";
/// Its write-ahead log, beside it.
pub(super) const JOURNAL_FILE: &str = "verdictd.db-wal";
/// Bytes of a page. Most of a store is programs of several hundred KiB, which are read again for
/// every hack: in the customary pages of 4 KiB that takes twice as long.
const PAGE_BYTES: u32 = 16 * 1024;
/// Pages in the write-ahead log after which they are brought into the file: some 4 MiB, so that a
/// small disk has room for it.
const JOURNAL_PAGES: u32 = 256;
/// The write-ahead log is cut back to this after a checkpoint, in bytes.
const JOURNAL_BYTES_MAX: i64 = 64 * 1024 * 1024;
/// How long a connection waits for another one's lock. Only a checkpoint holds one.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
/// Statements that stay prepared.
const STATEMENTS_MAX: usize = 64;
/// A store up to this size is read through at every start, in bytes.
const READ_THROUGH_BYTES_MAX: u64 = 32 * 1024 * 1024;

/// The writer's connection, which creates the file if there is none.
pub(super) fn to_write(file: &Path) -> rusqlite::Result<Connection> {
    let connection = open(
        file,
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE,
    )?;
    // For a store that is made now; an older one keeps the size that it has.
    connection.pragma_update(None, "page_size", PAGE_BYTES)?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    Ok(connection)
}

/// A connection that cannot write.
pub(super) fn to_read(file: &Path) -> rusqlite::Result<Connection> {
    let connection = open(file, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    connection.pragma_update(None, "query_only", true)?;
    Ok(connection)
}

/// A connection that cannot write to the store, but into a copy of it.
pub(super) fn to_copy(file: &Path) -> rusqlite::Result<Connection> {
    open(file, OpenFlags::SQLITE_OPEN_READ_ONLY)
}

fn open(file: &Path, access: OpenFlags) -> rusqlite::Result<Connection> {
    let flags = access | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(file, flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS_MAX);
    // Otherwise a statement is prepared again whenever it gets another value that its plan could
    // depend on, which takes longer than to run it.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    // What undoes one command of a transaction is small; in a temporary file more would be written
    // for it than in the store, and a full disk of temporary files would keep the store from its
    // work.
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    connection.pragma_update(None, "trusted_schema", false)?;
    Ok(connection)
}

/// Lets readers go on while the writer writes.
pub(super) fn keep_a_log(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| {
        let mode: String = row.get(0)?;
        if mode.eq_ignore_ascii_case("wal") {
            return Ok(());
        }
        Err(rusqlite::Error::ToSqlConversionFailure(
            format!("the file system allows no write-ahead log, only {mode:?}").into(),
        ))
    })?;
    connection.pragma_update_and_check(None, "wal_autocheckpoint", JOURNAL_PAGES, |_| Ok(()))?;
    connection.pragma_update_and_check(
        None,
        "journal_size_limit",
        JOURNAL_BYTES_MAX,
        |_| Ok(()),
    )?;
    // A copy of a store has no log yet; the first look makes it.
    connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))
}

/// Reads a small store through, and says what makes no sense in it. In a large one that would take
/// too long at every start: there `verdictd doctor` does it, and damage is noticed where it is met.
pub(super) fn refuse_damaged(connection: &Connection, file: &Path) -> Result<(), StoreError> {
    let metadata = std::fs::metadata(file).map_err(|error| StoreError::folder(file, error))?;
    if metadata.len() > READ_THROUGH_BYTES_MAX {
        return Ok(());
    }
    let complaint: String = connection
        .query_row("PRAGMA quick_check(1)", [], |row| row.get(0))
        .map_err(|error| StoreError::sql(file, error))?;
    if complaint == "ok" {
        return Ok(());
    }
    Err(StoreError::Damaged {
        file: file.to_owned(),
        reason: complaint,
    })
}

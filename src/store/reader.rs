//! Connections to the store's file: the writer's, and those that only read. As many readers as are
//! wanted; none waits for the writer. What there is to read is beside what writes it.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::types::FromSql;
use rusqlite::{Connection, OpenFlags, OptionalExtension, Params, Row};

use super::row::{self, FromRow};
use super::{StoreError, schema};

/// A view of the store. It can be sent to a thread, not shared between two.
#[derive(Debug)]
pub struct Reader {
    connection: Connection,
    pub(super) file: PathBuf,
}

impl Reader {
    /// Opens the store in `folder` for reading, whether a daemon runs or not.
    pub fn open(folder: &Path) -> Result<Self, StoreError> {
        let file = folder.join(STORE_FILE);
        if !file.exists() {
            return Err(StoreError::Missing { file });
        }
        let connection = to_read(&file).map_err(|error| StoreError::sql(&file, error))?;
        schema::check_readable(&connection, &file)?;
        Ok(Self { connection, file })
    }

    pub(super) fn ask<T>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        work(&self.connection).map_err(|error| StoreError::sql(&self.file, error))
    }

    /// The rows that a query finds.
    pub(super) fn rows<T>(
        &self,
        query: &str,
        bind: impl Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        self.ask(|connection| {
            let mut statement = connection.prepare_cached(query)?;
            statement.query_map(bind, read)?.collect()
        })
    }

    /// The values that a query finds, of the type's columns; `rest` begins with `FROM`.
    pub(super) fn select<T: FromRow>(
        &self,
        rest: &str,
        bind: impl Params,
    ) -> Result<Vec<T>, StoreError> {
        self.rows(&selecting::<T>(rest), bind, row::read)
    }

    /// The first of them.
    pub(super) fn select_first<T: FromRow>(
        &self,
        rest: &str,
        bind: impl Params,
    ) -> Result<Option<T>, StoreError> {
        self.row(&selecting::<T>(rest), bind, row::read)
    }

    /// Of the rows that a query finds, the first `most` that are wanted. They are read one by one
    /// until there are so many, or `wants` breaks off: what is not wanted hides nothing that is.
    pub(super) fn select_wanted<T: FromRow>(
        &self,
        rest: &str,
        bind: impl Params,
        most: usize,
        wants: &mut dyn FnMut(&T) -> ControlFlow<(), bool>,
    ) -> Result<Vec<T>, StoreError> {
        self.ask(|connection| {
            let mut statement = connection.prepare_cached(&selecting::<T>(rest))?;
            let mut rows = statement.query(bind)?;
            let mut wanted = Vec::new();
            while wanted.len() < most
                && let Some(row) = rows.next()?
            {
                let row = row::read(row)?;
                match wants(&row) {
                    ControlFlow::Continue(true) => wanted.push(row),
                    ControlFlow::Continue(false) => {}
                    ControlFlow::Break(()) => break,
                }
            }
            Ok(wanted)
        })
    }

    /// The first row that a query finds.
    pub(super) fn row<T>(
        &self,
        query: &str,
        bind: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, StoreError> {
        self.ask(|connection| {
            let mut statement = connection.prepare_cached(query)?;
            statement.query_row(bind, read).optional()
        })
    }
}

/// A query for the columns of a type.
pub(super) fn selecting<T: FromRow>(rest: &str) -> String {
    format!("SELECT {} {rest}", row::columns::<T>())
}

/// Reads a row of one column.
pub(super) fn only<T: FromSql>(row: &Row<'_>) -> rusqlite::Result<T> {
    row.get(0)
}

/// Reads a row of two columns.
pub(super) fn pair<T: FromSql, U: FromSql>(row: &Row<'_>) -> rusqlite::Result<(T, U)> {
    Ok((row.get(0)?, row.get(1)?))
}

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

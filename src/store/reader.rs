//! Reads the store, through a connection that cannot write. As many readers as are wanted; none
//! waits for the writer. What there is to read is beside what writes it.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use rusqlite::types::FromSql;
use rusqlite::{Connection, OptionalExtension, Params, Row};

use super::connection::{STORE_FILE, to_read};
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

//! Numbers under names, as how far the logs are; and what intake remembers of files.

use rusqlite::Connection;

use super::reader::{only, pair};
use super::writer::execute;
use super::{Reader, StoreError, Unawaited, Writer};

/// A path, and what intake knows the file by.
pub type SeenFile = (Vec<u8>, Vec<u8>);

impl Writer {
    /// Remembers a number under a name, without waiting for the commit.
    pub fn set_mark_later(&self, name: &'static str, value: i64, failure: &Unawaited) {
        self.call_later(failure, move |connection| set_mark(connection, name, value));
    }

    /// The same, after the commit.
    #[cfg(test)]
    pub fn set_mark(&self, name: &'static str, value: i64) -> Result<(), StoreError> {
        self.call(move |connection| set_mark(connection, name, value))
    }

    /// Forgets files that are gone.
    pub fn forget_files(&self, paths: Vec<Vec<u8>>) -> Result<(), StoreError> {
        self.call(move |connection| {
            paths
                .iter()
                .try_for_each(|path| forget_file(connection, path))
        })
    }
}

fn set_mark(connection: &Connection, name: &str, value: i64) -> rusqlite::Result<()> {
    let put = "INSERT OR REPLACE INTO marks (name, value) VALUES (?1, ?2)";
    execute(connection, put, (name, value)).map(drop)
}

pub(super) fn put_seen_file(
    connection: &Connection,
    path: &[u8],
    fingerprint: &[u8],
) -> rusqlite::Result<()> {
    let put = "INSERT OR REPLACE INTO seen_files (path, fingerprint) VALUES (?1, ?2)";
    execute(connection, put, (path, fingerprint)).map(drop)
}

pub(super) fn forget_file(connection: &Connection, path: &[u8]) -> rusqlite::Result<()> {
    execute(connection, "DELETE FROM seen_files WHERE path = ?1", [path]).map(drop)
}

impl Reader {
    /// A remembered number.
    pub fn mark(&self, name: &str) -> Result<Option<i64>, StoreError> {
        self.row("SELECT value FROM marks WHERE name = ?1", [name], only)
    }

    /// The next page of remembered files in the order of their paths; the first page follows the
    /// empty path.
    pub fn seen_files_after(&self, after: &[u8], limit: u32) -> Result<Vec<SeenFile>, StoreError> {
        self.rows(
            "SELECT path, fingerprint FROM seen_files WHERE path > ?1 ORDER BY path LIMIT ?2",
            (after, limit),
            pair,
        )
    }
}

//! Bytes by their digest: the students' sources; and the facts' files of builds, outputs, answers.

use std::iter;
use std::sync::Arc;

use rusqlite::{Connection, MAIN_DB, OptionalExtension as _, Row};

use super::writer::execute;
use super::{Reader, StoreError};
use crate::domain::Digest;
use crate::util::hash;

/// The table of the record, which an upgrade keeps.
pub(super) const SOURCES: &str = "sources";
/// The table of the facts.
pub(super) const BLOBS: &str = "blobs";

pub(super) fn put_blob(
    connection: &Connection,
    table: &str,
    digest: &Digest,
    bytes: &[u8],
) -> rusqlite::Result<()> {
    let put = format!("INSERT INTO {table} (digest, bytes) VALUES (?1, ?2) ON CONFLICT DO NOTHING");
    execute(connection, &put, (digest, bytes)).map(drop)
}

/// What is longer, in bytes, is read straight into its place. As a column of a row, SQLite would
/// put it together in a buffer of its own first, which for a program takes twice as long.
const COLUMN_BYTES_MAX: u32 = 16 * 1024;

impl Reader {
    /// Some of the facts' bytes, by their digest.
    pub fn blob(&self, digest: &Digest) -> Result<Option<Arc<[u8]>>, StoreError> {
        self.bytes(BLOBS, digest)
    }

    pub(super) fn bytes(
        &self,
        table: &str,
        digest: &Digest,
    ) -> Result<Option<Arc<[u8]>>, StoreError> {
        let query = format!(
            "SELECT rowid, length(bytes), CASE WHEN length(bytes) <= ?2 THEN bytes END
             FROM {table} WHERE digest = ?1"
        );
        let bytes = self.ask(|connection| {
            let mut statement = connection.prepare_cached(&query)?;
            let read = |row: &Row<'_>| match row.get_ref(2)?.as_blob_or_null()? {
                Some(bytes) => Ok(bytes.into()),
                None => long_blob(connection, table, row.get(0)?, row.get(1)?),
            };
            statement
                .query_row((digest, COLUMN_BYTES_MAX), read)
                .optional()
        })?;
        match bytes {
            // SQLite does not notice when the disk has changed bytes inside a value.
            Some(bytes) if hash::digest(&bytes) != *digest => Err(StoreError::Damaged {
                file: self.file.clone(),
                reason: format!("the bytes kept as {digest} are others"),
            }),
            bytes => Ok(bytes),
        }
    }
}

fn long_blob(
    connection: &Connection,
    table: &str,
    row: i64,
    length: u32,
) -> rusqlite::Result<Arc<[u8]>> {
    let mut bytes: Arc<[u8]> = iter::repeat_n(0, length as usize).collect();
    let blob = connection.blob_open(MAIN_DB, table, "bytes", row, true)?;
    // Nobody else has it yet.
    if let Some(bytes) = Arc::get_mut(&mut bytes) {
        blob.read_at_exact(bytes, 0)?;
    }
    Ok(bytes)
}

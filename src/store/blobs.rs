//! Bytes by their digest: sources, files of builds, outputs, answers.

use std::sync::Arc;

use rusqlite::Connection;

use super::writer::execute;
use super::{Reader, StoreError};
use crate::domain::Digest;
use crate::util::hash;

pub(super) fn put_blob(
    connection: &Connection,
    digest: &Digest,
    bytes: &[u8],
) -> rusqlite::Result<()> {
    let put = "INSERT INTO blobs (digest, bytes) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
    execute(connection, put, (digest, bytes)).map(drop)
}

impl Reader {
    /// Some bytes, by their digest.
    pub fn blob(&self, digest: &Digest) -> Result<Option<Arc<[u8]>>, StoreError> {
        let query = "SELECT bytes FROM blobs WHERE digest = ?1";
        let bytes: Option<Arc<[u8]>> =
            self.row(query, [digest], |row| Ok(row.get_ref(0)?.as_blob()?.into()))?;
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

//! A copy of the store as it is at one moment, also while a daemon writes to it.

use std::path::Path;

use super::connection::to_copy;
use super::{Reader, StoreError};

impl Reader {
    /// Writes the store, as it is now, into a new file; one that is empty counts as new.
    pub fn copy_to(&self, copy: &Path) -> Result<(), StoreError> {
        copy_into(&self.file, copy)
    }
}

/// The same for the store in `file`, whatever its layout.
pub(super) fn copy_into(file: &Path, copy: &Path) -> Result<(), StoreError> {
    // One read transaction: the writer goes on meanwhile, and nothing of that is in the copy.
    let connection = to_copy(file).map_err(|error| StoreError::sql(file, error))?;
    connection
        .execute("VACUUM INTO ?1", [copy.to_string_lossy()])
        .map(drop)
        .map_err(|error| StoreError::sql(copy, error))
}

//! The programs that a package promises to be right: `submissions/accepted`. They vouch for hacks,
//! and `check` judges them on every test.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

use super::error::PackageError;
use super::folder::{ACCEPTED_FOLDER, entries};
use super::program::PROGRAM_BYTES_MAX;
use crate::util::files::read_regular;

/// Programs that are asked about a hack, the first by name: each may take some seconds.
const EXAMPLES_MAX: usize = 64;
/// Entries of the folder that are looked at.
const ENTRIES_MAX: usize = 1_000;

/// A program that has to be accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Example {
    /// Its path in the package.
    pub path: String,
    pub file_name: String,
    pub source: Arc<[u8]>,
}

impl Example {
    /// What tells its language.
    pub fn extension(&self) -> &str {
        let extension = Path::new(&self.file_name).extension();
        extension.and_then(OsStr::to_str).unwrap_or_default()
    }
}

/// The accepted examples of a package, by name; what is no program is passed over, for `check`
/// complains about it.
/// The error: this machine could not read one.
pub fn accepted_examples(package_folder: &Path) -> Result<Vec<Example>, PackageError> {
    let folder = package_folder.join(ACCEPTED_FOLDER);
    let entries =
        entries(&folder, ENTRIES_MAX).map_err(|error| PackageError::unread(&folder, error))?;
    let mut examples = Vec::new();
    for entry in entries {
        match read_regular(&entry.path, PROGRAM_BYTES_MAX) {
            Ok(source) => examples.push(Example {
                path: format!("{ACCEPTED_FOLDER}/{}", entry.name),
                file_name: entry.name,
                source: Arc::from(source),
            }),
            Err(error) => match PackageError::unread(&entry.path, error) {
                ours if ours.ours => return Err(ours),
                _ => {}
            },
        }
        if examples.len() == EXAMPLES_MAX {
            break;
        }
    }
    Ok(examples)
}

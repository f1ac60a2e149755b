//! Whether files have changed since they were read.

use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::hash::Key;

/// What tells one state of a file from another: the time of its last change, its size, and which
/// file it is. `None` where there is none.
type Stamp = Option<(i64, i64, u64, u64)>;

/// Files, and how they were before they were read: what is written meanwhile is read the next time.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Watched(Vec<(PathBuf, Stamp)>);

impl Watched {
    /// These files as they are now.
    pub fn of(files: impl IntoIterator<Item = PathBuf>) -> Self {
        let stamped = files.into_iter().map(|file| {
            let stamp = stamp(&file);
            (file, stamp)
        });
        Self(stamped.collect())
    }

    /// Whether one of them is another one now.
    pub fn has_changed(&self) -> bool {
        self.0.iter().any(|(file, before)| stamp(file) != *before)
    }

    /// Adds which files they are, and how they were, to a key.
    pub fn add_to(&self, key: Key) -> Key {
        self.0.iter().fold(key, |key, (file, stamp)| {
            let key = key.part(file.as_os_str().as_bytes());
            match stamp {
                None => key.part(b""),
                Some((seconds, nanoseconds, size, inode)) => key
                    .part(&seconds.to_le_bytes())
                    .part(&nanoseconds.to_le_bytes())
                    .part(&size.to_le_bytes())
                    .part(&inode.to_le_bytes()),
            }
        })
    }
}

fn stamp(file: &Path) -> Stamp {
    let now = std::fs::metadata(file).ok()?;
    Some((now.mtime(), now.mtime_nsec(), now.size(), now.ino()))
}

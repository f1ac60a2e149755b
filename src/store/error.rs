//! What can go wrong with the store, told apart by what a person or the daemon does about it.

use std::error::Error as _;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rusqlite::ErrorCode;
use rusqlite::ffi;

use crate::domain::{Fault, FaultKind};
use crate::util::disk::{Lack, lack};
use crate::util::files::is_no_room;

/// Why the store did not do what it was asked. It can be cloned because one failed commit fails
/// every command in it.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreError {
    /// The state folder cannot be made or used.
    #[error("cannot use the state folder {}", folder.display())]
    Folder {
        folder: PathBuf,
        source: Arc<io::Error>,
    },
    /// The state folder or the store cannot be used as it is; why, and the way out.
    #[error("{0}")]
    Refused(String),
    /// Half of the course is in its archive.
    #[error("{}: this course was being put away into {target} when that was ended; run `verdictd archive {target}` again, which does the rest", folder.display())]
    Archiving { folder: PathBuf, target: String },
    /// There is no store yet.
    #[error("there is no store at {}; `verdictd serve` makes one", file.display())]
    Missing { file: PathBuf },
    /// The file's bytes make no sense.
    #[error(
        "the store {} is damaged ({reason}); move it away together with the files beside it whose names begin alike: \
         the next start judges everything in the submissions folder anew; \
         `sqlite3 FILE .recover` may save what is in the damaged file",
        file.display()
    )]
    Damaged { file: PathBuf, reason: String },
    /// There is no room left on the disk. What was asked is not done and may be asked again.
    #[error("the disk of the store {} is full{hint}; make room there", file.display())]
    DiskFull {
        file: PathBuf,
        /// What it lacks, where that is not room for bytes.
        hint: &'static str,
    },
    /// The writer has stopped.
    #[error("the store is closed")]
    Closed,
    /// Anything else that SQLite says.
    #[error("cannot read or write the store {}", file.display())]
    Sql {
        file: PathBuf,
        source: Arc<rusqlite::Error>,
    },
}

impl StoreError {
    /// What an error of SQLite means for the store in `file`.
    pub(super) fn sql(file: &Path, error: rusqlite::Error) -> Self {
        let file = file.to_owned();
        let damaged = |reason: String, file| Self::Damaged { file, reason };
        match &error {
            rusqlite::Error::SqliteFailure(failure, words) => match failure.code {
                // The shared-memory file beside the store grows by ftruncate, which fails in its
                // own way on a full disk.
                ErrorCode::DiskFull => Self::full(&file),
                _ if failure.extended_code == ffi::SQLITE_IOERR_SHMSIZE => Self::full(&file),
                // Without an inode the files beside the store cannot be made; SQLite does not say
                // why.
                ErrorCode::CannotOpen if lack(&file) == Some(Lack::Inodes) => Self::full(&file),
                ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt => {
                    damaged(words.clone().unwrap_or_else(|| failure.to_string()), file)
                }
                _ => Self::Sql {
                    file,
                    source: Arc::new(error),
                },
            },
            rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::IntegralValueOutOfRange(..)
            | rusqlite::Error::InvalidColumnType(..) => damaged(error.to_string(), file),
            _ => Self::Sql {
                file,
                source: Arc::new(error),
            },
        }
    }

    fn full(file: &Path) -> Self {
        Self::DiskFull {
            file: file.to_owned(),
            hint: lack(file).map_or("", Lack::hint),
        }
    }

    pub(super) fn folder(folder: &Path, error: io::Error) -> Self {
        if is_no_room(&error) {
            return Self::full(folder);
        }
        Self::Folder {
            folder: folder.to_owned(),
            source: Arc::new(error),
        }
    }
}

/// What it means for a piece of work. The error's own text says what could not be done.
impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        let kind = match error {
            StoreError::DiskFull { .. } => FaultKind::NoRoom,
            StoreError::Damaged { .. } | StoreError::Closed => FaultKind::StoreLost,
            _ => FaultKind::Retry,
        };
        let reason = match error.source() {
            Some(source) => format!("{error}: {source}"),
            None => error.to_string(),
        };
        Self::new("use the store", reason).of_kind(kind)
    }
}

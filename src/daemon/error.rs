//! Why the daemon cannot run, or cannot forget a student.

use std::path::PathBuf;

use crate::domain::{Complaint, Fault};
use crate::sandbox::Refusal;
use crate::store::StoreError;

/// Why the daemon cannot run, or cannot forget a student.
#[derive(Debug, thiserror::Error)]
pub enum DaemonError {
    /// A file or a folder that somebody has to put right: of the configuration, or one that cannot be
    /// removed.
    #[error(transparent)]
    Config(#[from] Complaint),
    /// A folder that has to be there.
    #[error("{}: there is no such folder; make it (mkdir), or name another one under [folders] of {}", folder.display(), config.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// The file that names it.
        config: PathBuf,
    },
    /// The server for other machines cannot be used as it is named.
    #[error("[cluster] of {}: {error}", config.display())]
    Cluster {
        /// The file that names the server.
        config: PathBuf,
        /// What is wrong.
        error: String,
    },
    /// A protection is missing.
    #[error(transparent)]
    Sandbox(#[from] Refusal),
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The folder of the students' reports.
    #[error("{}: the folders of the reports cannot be made: {source}", folder.display())]
    Reports {
        /// The folder.
        folder: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The store was lost while the daemon ran.
    #[error("the daemon ends, because nothing can be kept any more: {0}")]
    Lost(Fault),
    /// Threads, signals, the timer.
    #[error("start the daemon: {0}")]
    Start(#[from] std::io::Error),
}

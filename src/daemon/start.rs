//! What the daemon starts with: at first its configuration alone; when it starts anew in the same
//! process, because config.toml was read again or a student is to be forgotten, also what the run
//! before it has found out. And why it cannot run.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::shared::Languages;
use crate::config::{self, Config};
use crate::domain::{Because, Complaint, Fault};
use crate::overview::Grading;
use crate::sandbox::{self, Refusal};
use crate::store::StoreError;

/// What the daemon starts with.
pub struct Start {
    pub config: Arc<Config>,
    /// Why what is not judged as it should be is judged again.
    pub because: Because,
    /// The languages as they were tried before.
    pub languages: Option<Arc<Languages>>,
    /// What the course's files said before: of a file with a mistake it stays in force.
    pub grading: Arc<Grading>,
    /// The configuration that stays in force if nothing can be opened with this one.
    pub before: Option<Arc<Config>>,
    /// The last event of this store that was announced.
    pub announced: Option<i64>,
}

impl Start {
    /// The first start of a process.
    pub fn first(config: Config) -> Self {
        Self {
            config: Arc::new(config),
            because: Because::Away,
            languages: None,
            grading: Arc::default(),
            before: None,
            announced: None,
        }
    }
}

/// Reads the configuration.
pub fn read_config(file: &Path) -> Result<Config, Complaint> {
    let config = config::load(file)?;
    let folders = &config.folders;
    for (key, folder) in [
        ("submissions", &folders.submissions),
        ("problems", &folders.problems),
        ("reports", &folders.reports),
        ("staff", &folders.staff),
        ("state", &folders.state),
    ] {
        if let Some(shown) = sandbox::seen_by_all(folder) {
            let reason = format!(
                "the folder {key}, {}, lies in {}, which every judged program can read: keep it elsewhere",
                folder.display(),
                shown.display()
            );
            return Err(Complaint::new(file, reason));
        }
    }
    Ok(config)
}

/// What follows where a configuration cannot be used.
pub fn refused(error: &dyn std::error::Error) -> String {
    format!("{error}\nthe configuration stays as it was")
}

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

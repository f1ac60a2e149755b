//! What the daemon lets be seen by those who look on while it works: they can change nothing, and
//! it waits for none of them.

use std::path::PathBuf;
use std::sync::{Arc, RwLock};

use super::activity::Activity;
use crate::overview::Scoreboard;
use crate::store::{Reader, StoreError};

/// A look at a running daemon.
#[derive(Debug, Clone)]
pub struct View {
    /// The state folder.
    pub(super) state: PathBuf,
    /// Everybody's attempts, a moment behind the store.
    pub board: Arc<RwLock<Scoreboard>>,
    /// What is being done.
    pub activity: Arc<Activity>,
}

impl View {
    /// A connection to the store that can only read.
    pub fn reader(&self) -> Result<Reader, StoreError> {
        Reader::open(&self.state)
    }

    /// A look at a daemon of which there is only this.
    #[cfg(test)]
    pub fn sample(state: PathBuf, board: Scoreboard) -> Self {
        Self {
            state,
            board: Arc::new(RwLock::new(board)),
            activity: Arc::new(Activity::new(1)),
        }
    }
}

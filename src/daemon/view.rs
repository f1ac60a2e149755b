//! What the daemon lets be seen by those who look on while it works: they can change nothing, and it waits for none of them.

use std::path::PathBuf;
use std::sync::{Arc, RwLock};

use super::activity::Activity;
use crate::overview::{Board, Counts};
use crate::store::{Reader, StoreError};

/// A look at a running daemon.
#[derive(Debug, Clone)]
pub struct View {
    /// The state folder.
    pub(super) state: PathBuf,
    /// Everybody's attempts, a moment behind the store.
    pub board: Arc<RwLock<Board>>,
    /// Which attempt counts.
    pub counts: Counts,
    /// What is being done.
    pub activity: Arc<Activity>,
}

impl View {
    /// A connection to the store that can only read.
    pub fn reader(&self) -> Result<Reader, StoreError> {
        Reader::open(&self.state)
    }
}

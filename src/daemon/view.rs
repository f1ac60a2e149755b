//! What the daemon lets be seen by those who look on while it works: they can change nothing, and
//! it waits for none of them.

use std::path::PathBuf;
use std::sync::{Arc, RwLock};

use tokio::sync::watch;

use super::activity::Activity;
use crate::exports::Course;
use crate::overview::{Counts, Scoreboard};
use crate::store::{Reader, StoreError};

/// A look at a running daemon.
#[derive(Debug, Clone)]
pub struct View {
    /// The state folder.
    pub(super) state: PathBuf,
    /// Everybody's attempts, a moment behind the store.
    pub board: Arc<RwLock<Scoreboard>>,
    /// The course as it is now; a reload replaces it.
    pub(super) course: watch::Receiver<Arc<Course>>,
    /// What is being done.
    pub activity: Arc<Activity>,
}

impl View {
    /// A connection to the store that can only read.
    pub fn reader(&self) -> Result<Reader, StoreError> {
        Reader::open(&self.state)
    }

    /// Which attempt counts, as of now.
    pub fn counts(&self) -> Counts {
        self.course.borrow().counts
    }

    /// A look at a daemon of which there is only this.
    #[cfg(test)]
    pub fn sample(state: PathBuf, board: Scoreboard, course: watch::Receiver<Arc<Course>>) -> Self {
        Self {
            state,
            board: Arc::new(RwLock::new(board)),
            course,
            activity: Arc::new(Activity::new(1)),
        }
    }
}

//! The signals that the daemon follows. It hears them from the first moment at which it is ready,
//! also while it starts anew: none is lost between two runs.

use std::time::Duration;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::timeout;

use crate::util::signals;

pub struct Signals {
    ending: signals::Signals,
    hang_up: Signal,
}

/// What a signal asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    Stop,
    /// Read the configuration again.
    Reload,
}

impl Signals {
    /// Within a runtime.
    pub fn new() -> std::io::Result<Self> {
        Ok(Self {
            ending: signals::Signals::new()?,
            hang_up: signal(SignalKind::hangup())?,
        })
    }

    pub async fn next(&mut self) -> Asked {
        tokio::select! {
            () = self.ending.next() => Asked::Stop,
            _ = self.hang_up.recv() => Asked::Reload,
        }
    }

    /// Whether somebody asks it to stop within this time.
    pub async fn stop_within(&mut self, time: Duration) -> bool {
        timeout(time, self.stop()).await.is_ok()
    }

    /// Waits until somebody asks it to stop. Another wish is kept for [`Self::next`].
    pub async fn stop(&mut self) {
        self.ending.next().await;
    }
}

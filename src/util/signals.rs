//! The signals that ask a process to stop, or the daemon to read its configuration again.

use std::time::Duration;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::timeout;

/// They are heard one after the other.
pub struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    /// From now on they do not end the process by themselves. Within a runtime.
    pub fn new() -> std::io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    /// The next one.
    pub async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

/// Those that the daemon follows. It hears them from the first moment at which it is ready, also
/// while it starts anew: none is lost between two runs.
pub struct DaemonSignals {
    ending: Signals,
    hang_up: Signal,
}

/// What a signal asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    Stop,
    /// Read the configuration again.
    Reload,
}

impl DaemonSignals {
    /// Within a runtime.
    pub fn new() -> std::io::Result<Self> {
        Ok(Self {
            ending: Signals::new()?,
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

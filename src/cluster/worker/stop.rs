//! When a worker has to end: at a signal, or when a test says so.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;

/// What ends a worker: the first time when it has done what it does, the second time at once.
pub enum Stop {
    /// SIGTERM and SIGINT.
    Signals,
    /// Whenever this changes.
    Told(watch::Receiver<u32>),
}

/// The same while it is listened for.
pub enum Listening {
    Signals(Signal, Signal),
    Told(watch::Receiver<u32>),
}

impl Stop {
    /// Listens, inside a runtime.
    pub fn listen(self) -> io::Result<Listening> {
        Ok(match self {
            Self::Signals => Listening::Signals(
                signal(SignalKind::terminate())?,
                signal(SignalKind::interrupt())?,
            ),
            Self::Told(told) => Listening::Told(told),
        })
    }
}

impl Listening {
    /// Waits for the next time.
    pub async fn next(&mut self) {
        match self {
            Self::Signals(terminate, interrupt) => {
                tokio::select! {
                    _ = terminate.recv() => {}
                    _ = interrupt.recv() => {}
                }
            }
            Self::Told(told) => {
                if told.changed().await.is_err() {
                    // Nobody is left who could say it.
                    std::future::pending::<()>().await;
                }
            }
        }
    }
}

//! A word to a runner that what it runs is not wanted any more: work that can wait has to go when
//! other work comes.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::event::{EventfdFlags, eventfd};
use rustix::io::write;

use crate::domain::{Fault, FaultKind};

/// The word. Its clones are one; it cannot be taken back.
#[derive(Debug, Clone)]
pub struct Cancel(Arc<Word>);

#[derive(Debug)]
struct Word {
    is_said: AtomicBool,
    /// Readable from then on, so that a runner that sleeps wakes up at once. Nobody reads it.
    event: OwnedFd,
}

impl Cancel {
    /// Nothing is cancelled yet.
    pub fn new() -> io::Result<Self> {
        let event = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        Ok(Self(Arc::new(Word {
            is_said: AtomicBool::new(false),
            event,
        })))
    }

    /// Says it. Whatever is being run is killed, and nothing more is run.
    pub fn cancel(&self) {
        self.0.is_said.store(true, Ordering::Release);
        // It fails only where the counter is at its end: then it is readable already.
        let _ = write(&self.0.event, &1_u64.to_ne_bytes());
    }

    /// Whether it was said.
    pub fn is_cancelled(&self) -> bool {
        self.0.is_said.load(Ordering::Acquire)
    }

    /// Fails if it was said.
    pub fn check(&self) -> Result<(), Fault> {
        if self.is_cancelled() {
            return Err(cancelled());
        }
        Ok(())
    }

    /// What becomes readable, to poll it.
    pub(super) fn event(&self) -> BorrowedFd<'_> {
        self.0.event.as_fd()
    }
}

/// What a runner answers that was told so.
pub(super) fn cancelled() -> Fault {
    Fault::new("run the program", "it is not wanted any more").of_kind(FaultKind::Cancelled)
}

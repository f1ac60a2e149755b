//! An order that is out with a worker, and what the worker says about it on the way to whoever has
//! given it; how many bytes of that wait to be read.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender};
use std::time::Instant;

use async_nats::Message;

use crate::cluster::subjects::Name;
use crate::places::Doing;
use crate::util::clock::now_ms;

/// What is said about an order, until it is not out any more. `None` says that it never reached its
/// worker.
pub type Letters = Receiver<Option<Letter>>;
/// The other end.
pub type Giver = Sender<Option<Letter>>;

/// An order that is out.
pub struct Out {
    /// With which worker.
    pub worker: Name,
    /// What is judged, and how far that is.
    pub doing: Doing,
    /// Whether it is given up when others wait.
    pub can_wait: bool,
    /// The way to whoever has given it, which ends with it.
    pub giver: Giver,
    /// Bytes about it that wait to be read.
    pub held: Arc<AtomicUsize>,
    given: Instant,
    /// When something of it has come last.
    pub moved: Instant,
    /// When it was last known to be there.
    pub heard: Instant,
}

impl Out {
    /// It goes out now.
    pub fn new(worker: &Name, what: &Arc<str>, can_wait: bool, giver: Giver, now: Instant) -> Self {
        Self {
            worker: worker.clone(),
            doing: Doing {
                what: Arc::clone(what),
                since_ms: now_ms(),
                progress: None,
            },
            can_wait,
            giver,
            held: Arc::default(),
            given: now,
            moved: now,
            heard: now,
        }
    }

    /// Whether nothing was ever heard of it: neither has anything come, nor did its worker name it.
    pub fn is_unheard(&self) -> bool {
        self.heard == self.given
    }
}

/// How an order ended, for those who look on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Done,
    Failed,
    Lost,
    /// Nobody wants its facts any more.
    Unwanted,
}

/// What a worker says about an order that is out.
pub struct Letter {
    /// Without its head.
    pub message: Message,
    pub held: Held,
}

/// Bytes that nobody has dealt with, counted for as long as they are there.
pub struct Held(Arc<AtomicUsize>, usize);

impl Held {
    /// So many more.
    pub fn new(count: &Arc<AtomicUsize>, bytes: usize) -> Self {
        count.fetch_add(bytes, Ordering::Relaxed);
        Self(Arc::clone(count), bytes)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.0.fetch_sub(self.1, Ordering::Relaxed);
    }
}

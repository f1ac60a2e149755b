//! What the threads tell each other: the dispatcher by messages, the others by their inboxes.
//!
//! An [`Actor`] has an inbox, which it empties between two rounds of its work. Putting something in
//! never waits: the thread itself may be waiting for whoever does.

use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use super::hacks::Recorded;
use super::notice::PackageNews;
use super::packages::Changes;
use super::queue::Waiting;
use super::shared::Tried;
use crate::domain::{Digest, Fault, Rejection};
use crate::package::Library;
use crate::util::sync::lock;

/// One message.
pub enum Message {
    /// A slot measures nothing more of its submission: another one can be taken in hand.
    Measured,
    /// A submission is published, and what its judgement was folded from; or it could not be
    /// judged.
    Finished {
        waiting: Waiting,
        result: Result<Digest, Fault>,
    },
    /// A submission is in the store.
    Received(Waiting),
    /// A file came again that is in the store already; it may still have no verdict.
    Known(Waiting),
    /// A rejection is in the store.
    Rejected(Rejection),
    /// Packages have changed.
    Library(Box<LibraryUpdate>),
    /// The intake has looked; nothing is left to take, or something is.
    Quiet(bool),
    /// The intake's thread has failed too often.
    IntakeGone,
    /// What came of trying languages, and when those are tried again that could not be tried.
    Tried(Tried, Duration),
    /// A thread has something to say about how it works.
    Said(String),
}

/// What a look has brought, when it is recorded: from now on it may be judged with.
pub struct LibraryUpdate {
    /// All packages, broken ones included.
    pub library: Arc<Library>,
    /// What has changed.
    pub changes: Changes,
    /// What people should hear of it.
    pub told: Vec<PackageNews>,
    /// The hacks among it.
    pub recorded: Recorded,
}

/// What was told, and not heard yet.
#[derive(Default)]
pub struct Inbox<T> {
    told: Mutex<Told<T>>,
    changed: Condvar,
}

#[derive(Default)]
struct Told<T> {
    news: T,
    /// Whether the thread is to end.
    is_over: bool,
}

impl<T: Default> Inbox<T> {
    /// Tells something.
    pub fn tell(&self, change: impl FnOnce(&mut T)) {
        change(&mut self.held().news);
        self.changed.notify_one();
    }

    fn end(&self) {
        self.held().is_over = true;
        self.changed.notify_one();
    }

    /// What was told within a time, at once unless `is_quiet` says that it is nothing; nothing is
    /// told twice. `None` where the thread is to end.
    pub fn wait(&self, pause: Duration, is_quiet: impl Fn(&T) -> bool) -> Option<T> {
        let waits = |told: &mut Told<T>| !told.is_over && is_quiet(&told.news);
        let (mut told, _) = match self.changed.wait_timeout_while(self.held(), pause, waits) {
            Ok(waited) => waited,
            Err(poisoned) => poisoned.into_inner(),
        };
        (!told.is_over).then(|| std::mem::take(&mut told.news))
    }

    fn held(&self) -> MutexGuard<'_, Told<T>> {
        lock(&self.told)
    }
}

/// A thread with an inbox.
pub struct Actor<T> {
    inbox: Arc<Inbox<T>>,
    thread: JoinHandle<()>,
}

impl<T: Default + Send + 'static> Actor<T> {
    /// Starts the thread.
    pub fn start(
        name: &str,
        work: impl FnOnce(&Arc<Inbox<T>>) + Send + 'static,
    ) -> std::io::Result<Self> {
        let inbox = Arc::new(Inbox::default());
        let own = Arc::clone(&inbox);
        let thread = Builder::new()
            .name(name.to_owned())
            .spawn(move || work(&own))?;
        Ok(Self { inbox, thread })
    }

    /// Puts something into its inbox.
    pub fn tell(&self, change: impl FnOnce(&mut T)) {
        self.inbox.tell(change);
    }

    /// Has it end when it has done what it does.
    pub fn stop(&self) {
        self.inbox.end();
    }

    /// The same, and waits for that; when nobody receives its messages any more.
    pub fn join(self) {
        self.stop();
        // A thread that failed has said so by the panic's own message.
        let _ = self.thread.join();
    }
}

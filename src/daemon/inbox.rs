//! Threads and what they are sent.
//!
//! An [`Actor`] has an inbox, which it empties between two rounds of its work. Putting something in
//! never waits: the thread itself may be waiting for whoever does.

use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use crate::util::sync::lock;

/// What was told, and not heard yet.
#[derive(Default)]
pub struct Inbox<T> {
    told: Mutex<T>,
    changed: Condvar,
}

impl<T: Default> Inbox<T> {
    /// Tells something.
    pub fn tell(&self, change: impl FnOnce(&mut T)) {
        change(&mut self.held());
        self.changed.notify_one();
    }

    /// What was told within a time, at once where `quiet` says that there is something; nothing is
    /// told twice.
    pub fn wait(&self, pause: Duration, quiet: impl Fn(&T) -> bool) -> T {
        let waits = |told: &mut T| quiet(told);
        let (mut told, _) = match self.changed.wait_timeout_while(self.held(), pause, waits) {
            Ok(waited) => waited,
            Err(poisoned) => poisoned.into_inner(),
        };
        std::mem::take(&mut told)
    }

    fn held(&self) -> MutexGuard<'_, T> {
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

    /// Waits for the thread's end, after this was put into its inbox, and when nobody receives its
    /// messages any more.
    pub fn join(self, stop: impl FnOnce(&mut T)) {
        self.tell(stop);
        // A thread that failed has said so by the panic's own message.
        let _ = self.thread.join();
    }
}

//! What a thread is told between two rounds of its work. Telling never waits: the thread itself may be waiting for whoever tells.

use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::Duration;

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

    /// What was told within a time, at once where `quiet` says that there is something; nothing is told twice.
    pub fn wait(&self, pause: Duration, quiet: impl Fn(&T) -> bool) -> T {
        let waits = |told: &mut T| quiet(told);
        let (mut told, _) = match self.changed.wait_timeout_while(self.held(), pause, waits) {
            Ok(waited) => waited,
            Err(poisoned) => poisoned.into_inner(),
        };
        std::mem::take(&mut told)
    }

    fn held(&self) -> MutexGuard<'_, T> {
        // Every change is one step, so a thread that failed has left it whole.
        match self.told.lock() {
            Ok(told) => told,
            Err(poisoned) => poisoned.into_inner(),
        }
    }
}

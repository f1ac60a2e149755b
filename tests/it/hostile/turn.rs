//! Whole suites of hostile programs take turns: more of them at once than a small machine has cores
//! would only show that it is too busy to judge.

use std::sync::{Condvar, Mutex};
use std::time::Duration;

/// Suites that run at once.
const AT_ONCE: usize = 2;
/// How long a suite waits for its turn.
const PATIENCE: Duration = Duration::from_mins(10);

static RUNNING: Mutex<usize> = Mutex::new(0);
static GIVEN_BACK: Condvar = Condvar::new();

/// A suite's turn, given back when it is dropped.
pub struct Turn(());

impl Turn {
    pub fn wait() -> Self {
        let running = RUNNING.lock().unwrap();
        let (mut running, waited) = GIVEN_BACK
            .wait_timeout_while(running, PATIENCE, |running| *running >= AT_ONCE)
            .unwrap();
        assert!(!waited.timed_out(), "waited in vain for a turn");
        *running += 1;
        Self(())
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        // A failed suite gives its turn back as well.
        if let Ok(mut running) = RUNNING.lock() {
            *running -= 1;
        }
        GIVEN_BACK.notify_one();
    }
}

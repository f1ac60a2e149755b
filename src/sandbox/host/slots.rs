//! Who runs when: many jobs side by side, or one alone. First come, first served, so that neither
//! kind keeps the other waiting for ever.

use std::sync::{Condvar, Mutex, PoisonError};

use crate::util::sync::lock;

/// The slots of one sandbox. As many wait as there are workers at most, and each slot is free again
/// with the end of its job, which has caps.
#[derive(Default)]
pub struct Slots {
    /// Every change is one step, so a thread that failed has left it whole.
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// The number of the next that comes.
    next: u64,
    /// The number of the next that is let in.
    admitted: u64,
    running: usize,
    alone: bool,
}

impl Slots {
    /// Waits for a slot.
    pub fn take(&self, alone: bool) -> Slot<'_> {
        let mut state = lock(&self.state);
        let number = state.next;
        state.next += 1;
        let has_to_wait = |state: &mut State| {
            state.admitted != number || state.alone || (alone && state.running > 0)
        };
        let mut state = self
            .changed
            .wait_while(state, has_to_wait)
            .unwrap_or_else(PoisonError::into_inner);
        state.admitted += 1;
        state.running += 1;
        state.alone = alone;
        drop(state);
        // The one behind may run beside this one.
        self.changed.notify_all();
        Slot(self)
    }
}

/// A slot, until it is dropped.
pub struct Slot<'a>(&'a Slots);

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        let mut state = lock(&self.0.state);
        state.running -= 1;
        state.alone = false;
        drop(state);
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use std::sync::{Arc, mpsc};
    use std::thread;
    use std::time::{Duration, Instant};

    use super::{Slots, lock};

    /// How long anything may take before it counts as hanging.
    const WAIT_MAX: Duration = Duration::from_mins(2);

    #[test]
    fn one_alone_meets_nobody() {
        let slots = Slots::default();
        let (inside, met) = (AtomicUsize::new(0), AtomicBool::new(false));
        thread::scope(|scope| {
            for worker in 0..8 {
                let (slots, inside, met) = (&slots, &inside, &met);
                scope.spawn(move || {
                    for round in 0..200 {
                        let alone = (worker + round) % 3 == 0;
                        let slot = slots.take(alone);
                        let others = inside.fetch_add(1, Ordering::SeqCst);
                        thread::yield_now();
                        let after = inside.fetch_sub(1, Ordering::SeqCst) - 1;
                        if alone && others + after > 0 {
                            met.store(true, Ordering::SeqCst);
                        }
                        drop(slot);
                    }
                });
            }
        });
        assert!(!met.into_inner());
    }

    #[test]
    fn many_run_side_by_side() {
        let slots = Arc::new(Slots::default());
        let (came, arrivals) = mpsc::channel();
        let mut releases = Vec::new();
        for _ in 0..3 {
            let (slots, came) = (Arc::clone(&slots), came.clone());
            let (release, released) = mpsc::channel::<()>();
            releases.push(release);
            // Nobody joins them: one that is never let in would hold up the test.
            thread::spawn(move || {
                let _slot = slots.take(false);
                let _ = came.send(());
                // Until the test is over, so that all three are in at once.
                let _ = released.recv();
            });
        }
        let inside = releases
            .iter()
            .take_while(|_| arrivals.recv_timeout(WAIT_MAX).is_ok())
            .count();
        assert_eq!(inside, 3);
    }

    #[test]
    fn who_comes_later_does_not_overtake() {
        let slots = Arc::new(Slots::default());
        let (order, came) = mpsc::channel();
        let first = slots.take(false);
        let mut threads = Vec::new();
        for (name, alone) in [("alone", true), ("later", false)] {
            let (slots, order) = (Arc::clone(&slots), order.clone());
            let waiting = lock(&slots.state).next + 1;
            let own = Arc::clone(&slots);
            threads.push(thread::spawn(move || {
                let _slot = own.take(alone);
                order.send(name).unwrap();
            }));
            // It has its number before the next one comes.
            let began = Instant::now();
            while lock(&slots.state).next != waiting {
                assert!(began.elapsed() < WAIT_MAX, "{name} never came");
                thread::yield_now();
            }
        }
        drop(first);
        assert_eq!(came.recv_timeout(WAIT_MAX), Ok("alone"));
        assert_eq!(came.recv_timeout(WAIT_MAX), Ok("later"));
        for thread in threads {
            thread.join().unwrap();
        }
    }
}

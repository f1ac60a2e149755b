//! Who runs when: many jobs side by side, or one alone. First come, first served, so that neither
//! kind keeps the other waiting for ever.

use std::sync::{Condvar, Mutex, MutexGuard};

/// The turns of one sandbox. As many wait as there are workers at most, and each turn ends with its
/// job, which has caps.
#[derive(Default)]
pub struct Turns {
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

impl Turns {
    /// Waits for a turn.
    pub fn take(&self, alone: bool) -> Turn<'_> {
        let mut state = self.held();
        let number = state.next;
        state.next += 1;
        while state.admitted != number || state.alone || (alone && state.running > 0) {
            state = match self.changed.wait(state) {
                Ok(state) => state,
                Err(poisoned) => poisoned.into_inner(),
            };
        }
        state.admitted += 1;
        state.running += 1;
        state.alone = alone;
        drop(state);
        // The one behind may run beside this one.
        self.changed.notify_all();
        Turn { turns: self }
    }

    /// Every change is one step, so a thread that failed has left it whole.
    fn held(&self) -> MutexGuard<'_, State> {
        match self.state.lock() {
            Ok(state) => state,
            Err(poisoned) => poisoned.into_inner(),
        }
    }
}

/// A turn; it ends when it is dropped.
pub struct Turn<'a> {
    turns: &'a Turns,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut state = self.turns.held();
        state.running -= 1;
        state.alone = false;
        drop(state);
        self.turns.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use std::sync::{Arc, mpsc};
    use std::thread;
    use std::time::{Duration, Instant};

    use super::Turns;

    /// How long anything may take before it counts as hanging.
    const PATIENCE: Duration = Duration::from_mins(2);

    #[test]
    fn one_alone_meets_nobody() {
        let turns = Turns::default();
        let (inside, met) = (AtomicUsize::new(0), AtomicBool::new(false));
        thread::scope(|scope| {
            for worker in 0..8 {
                let (turns, inside, met) = (&turns, &inside, &met);
                scope.spawn(move || {
                    for round in 0..200 {
                        let alone = (worker + round) % 3 == 0;
                        let turn = turns.take(alone);
                        let others = inside.fetch_add(1, Ordering::SeqCst);
                        thread::yield_now();
                        let after = inside.fetch_sub(1, Ordering::SeqCst) - 1;
                        if alone && others + after > 0 {
                            met.store(true, Ordering::SeqCst);
                        }
                        drop(turn);
                    }
                });
            }
        });
        assert!(!met.into_inner());
    }

    #[test]
    fn many_run_side_by_side() {
        let turns = Arc::new(Turns::default());
        let (came, arrivals) = mpsc::channel();
        let mut releases = Vec::new();
        for _ in 0..3 {
            let (turns, came) = (Arc::clone(&turns), came.clone());
            let (release, released) = mpsc::channel::<()>();
            releases.push(release);
            // Nobody joins them: one that is never let in would hold up the test.
            thread::spawn(move || {
                let _turn = turns.take(false);
                let _ = came.send(());
                // Until the test is over, so that all three are in at once.
                let _ = released.recv();
            });
        }
        let inside = releases
            .iter()
            .take_while(|_| arrivals.recv_timeout(PATIENCE).is_ok())
            .count();
        assert_eq!(inside, 3);
    }

    #[test]
    fn who_comes_later_does_not_overtake() {
        let turns = Arc::new(Turns::default());
        let (order, came) = mpsc::channel();
        let first = turns.take(false);
        let mut threads = Vec::new();
        for (name, alone) in [("alone", true), ("later", false)] {
            let (turns, order) = (Arc::clone(&turns), order.clone());
            let waiting = turns.held().next + 1;
            let own = Arc::clone(&turns);
            threads.push(thread::spawn(move || {
                let _turn = own.take(alone);
                order.send(name).unwrap();
            }));
            // It has its number before the next one comes.
            let began = Instant::now();
            while turns.held().next != waiting {
                assert!(began.elapsed() < PATIENCE, "{name} never came");
                thread::yield_now();
            }
        }
        drop(first);
        assert_eq!(came.recv_timeout(PATIENCE), Ok("alone"));
        assert_eq!(came.recv_timeout(PATIENCE), Ok("later"));
        for thread in threads {
            thread.join().unwrap();
        }
    }
}

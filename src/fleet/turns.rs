//! Keeps orders in the order of submissions, though several planners plan at a time.

use std::collections::BTreeSet;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::util::sync::lock;

/// Gives out turns.
pub struct Turns {
    held: Mutex<Held>,
    changed: Condvar,
}

struct Held {
    /// The next turn to give out.
    next: u64,
    /// The first one that is not over.
    first: u64,
    /// Later ones that are over.
    over: BTreeSet<u64>,
    /// How many may be out at a time.
    width: u64,
}

/// A turn: over when it is dropped.
pub struct Turn<'t> {
    turns: &'t Turns,
    number: u64,
}

impl Default for Turns {
    fn default() -> Self {
        Self {
            held: Mutex::new(Held {
                next: 0,
                first: 0,
                over: BTreeSet::new(),
                width: 1,
            }),
            changed: Condvar::new(),
        }
    }
}

impl Turns {
    /// How many planners plan at a time from now on.
    pub fn widen(&self, width: usize) {
        lock(&self.held).width = width.max(1) as u64;
        self.changed.notify_all();
    }

    /// Waits until one more may plan.
    pub fn next(&self) -> Turn<'_> {
        let mut held = self.wait(|held| held.next - held.first >= held.width);
        held.next += 1;
        Turn {
            turns: self,
            number: held.next - 1,
        }
    }

    fn wait(&self, waits: impl Fn(&Held) -> bool) -> MutexGuard<'_, Held> {
        let waits = |held: &mut Held| waits(held);
        let held = self.changed.wait_while(lock(&self.held), waits);
        held.unwrap_or_else(PoisonError::into_inner)
    }
}

impl Turn<'_> {
    /// Waits until all earlier ones are over.
    pub fn wait(&self) {
        drop(self.turns.wait(|held| held.first < self.number));
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut held = lock(&self.turns.held);
        held.over.insert(self.number);
        loop {
            let first = held.first;
            if !held.over.remove(&first) {
                break;
            }
            held.first += 1;
        }
        drop(held);
        self.turns.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Barrier, Mutex};

    use super::Turns;

    #[test]
    fn several_plan_at_a_time_and_are_done_in_turn() {
        const WIDTH: usize = 3;
        let (turns, done) = (Turns::default(), Mutex::new(Vec::new()));
        turns.widen(WIDTH);
        let together = Barrier::new(WIDTH);
        std::thread::scope(|scope| {
            let out: Vec<_> = (0..WIDTH).map(|number| (number, turns.next())).collect();
            for (number, turn) in out.into_iter().rev() {
                let (done, together) = (&done, &together);
                scope.spawn(move || {
                    // Nobody is done before all have begun.
                    together.wait();
                    turn.wait();
                    done.lock().unwrap().push(number);
                });
            }
        });
        assert_eq!(*done.lock().unwrap(), [0, 1, 2]);
        // One that has nothing to do holds up nobody.
        let (first, second) = (turns.next(), turns.next());
        drop(second);
        drop(first);
        turns.next().wait();
    }
}

//! Where jobs run: each worker has a core of its own, so that programs that are judged side by side
//! do not push each other about,
//! and a job that runs alone gets the quietest core of the machine.
//!
//! A job waits for its slot: many run side by side, or one alone. First come, first served, so that
//! neither kind keeps the other waiting for ever.
//!
//! Placing is for measuring, not for safety: where the kernel refuses it, jobs run wherever they
//! like.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use rustix::thread::sched_getcpu;

use crate::util::cores::{AlreadyClaimed, Claim, Cores, Spare};
use crate::util::sync::lock;

/// How long the cores are watched for the quietest: some of the kernel's ticks, of which there are
/// at least a hundred a second.
const WATCH_TIME: Duration = Duration::from_millis(50);

/// The cores of the machine and whose they are.
pub struct Places {
    cores: Cores,
    /// The cores of the workers, that of the first one first.
    order: Vec<usize>,
    slots: Slots,
    /// What keeps other daemons off these cores.
    claims: Vec<Claim>,
}

/// A worker's place.
pub struct Place {
    places: Arc<Places>,
    /// The processor, as the kernel numbers it; none where the machine does not tell of any.
    pub processor: Option<usize>,
}

impl Places {
    /// Those of this machine. The first worker gets the core on which this is called:
    /// there the kernel found time for it, while another daemon's programs may be busy on others.
    pub fn find() -> Self {
        Self::of(Cores::find(), sched_getcpu())
    }

    /// The same for a daemon with so many workers: they get cores on which no other daemon of this
    /// machine measures, as far as there are any. Says how many have to share one.
    pub fn claim(workers: usize) -> (Self, usize) {
        let mut places = Self::find();
        let wanted = workers.min(places.order.len());
        let shared = places.prefer(wanted, Claim::of);
        (places, shared)
    }

    fn of(cores: Cores, here: usize) -> Self {
        let first = cores.cores.iter().position(|core| core.contains(&here));
        let mut order: Vec<usize> = (0..cores.cores.len()).collect();
        order.rotate_left(first.unwrap_or(0));
        Self {
            order,
            cores,
            slots: Slots::default(),
            claims: Vec::new(),
        }
    }

    /// Puts the cores in front that can be claimed, as many as are wanted, and leaves those out that
    /// are somebody else's and not needed. Says how many of those are needed.
    fn prefer(
        &mut self,
        wanted: usize,
        claim: impl Fn(usize) -> Result<Option<Claim>, AlreadyClaimed>,
    ) -> usize {
        let (mut free, mut taken) = (Vec::new(), Vec::new());
        for &core in &self.order {
            let name = self.cores.cores[core].first().copied().unwrap_or(core);
            match claim(name) {
                Err(AlreadyClaimed) => taken.push(core),
                // One that is not wanted is given back at once.
                Ok(claim) => {
                    if free.len() < wanted {
                        self.claims.extend(claim);
                    }
                    free.push(core);
                }
            }
        }
        let shared = wanted.saturating_sub(free.len());
        free.extend(taken.into_iter().take(shared));
        self.order = free;
        shared
    }

    /// The place of the worker of this number, from 0: a core that no other worker has, as long as
    /// there are any.
    pub fn place(self: &Arc<Self>, worker: usize) -> Place {
        let count = self.order.len().max(1);
        // Where there are more workers than cores, the second one on a core gets the other
        // hyper-thread.
        let core = self.order.get(worker % count);
        let processors = core.and_then(|&core| self.cores.cores.get(core));
        let round = worker / count;
        Place {
            places: Arc::clone(self),
            processor: processors.and_then(|all| all.get(round % all.len().max(1)).copied()),
        }
    }
}

impl Place {
    /// Waits until a job may run.
    pub fn slot(&self, alone: bool) -> Slot<'_> {
        self.places.slots.take(alone)
    }

    /// The quietest processor of the machine, by what others do on it now. To be asked while no job
    /// runs.
    pub fn quietest(&self) -> Option<usize> {
        let cores = &self.places.cores;
        if cores.processors() < 2 {
            return self.processor;
        }
        let before = Spare::now();
        std::thread::sleep(WATCH_TIME);
        cores.quietest(&before, &Spare::now(), self.processor)
    }
}

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
    use std::sync::Arc;

    use super::{AlreadyClaimed, Places};
    use crate::util::cores::Cores;

    #[test]
    fn workers_keep_off_the_cores_of_other_daemons() {
        let cores = Cores {
            cores: vec![vec![0, 4], vec![1, 5], vec![2, 6], vec![3, 7]],
            parallelism: 8,
        };
        for (taken, wanted, expected, shared) in [
            // Nobody else: as without claims.
            (&[][..], 4, [1, 2, 3, 0], 0),
            // Another daemon has two cores; helpers beyond the workers keep off them as well.
            (&[1, 2][..], 2, [3, 0, 7, 4], 0),
            (&[1][..], 1, [2, 3, 0, 6], 0),
            // Too few are free: what is free first.
            (&[1, 2, 3][..], 2, [0, 1, 4, 5], 1),
            (&[0, 1, 2, 3][..], 4, [1, 2, 3, 0], 4),
        ] {
            let mut places = Places::of(cores.clone(), 1);
            let is_free = |core: usize| (!taken.contains(&core)).then_some(None);
            let claim = |core| is_free(core).ok_or(AlreadyClaimed);
            assert_eq!(places.prefer(wanted, claim), shared, "{taken:?}");
            let places = Arc::new(places);
            let found = [0, 1, 2, 3].map(|worker| places.place(worker).processor.unwrap());
            assert_eq!(found, expected, "{taken:?}");
        }
    }
}

#[cfg(test)]
mod slot_tests {
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

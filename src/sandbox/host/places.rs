//! Where jobs run: each worker has a core of its own, so that programs that are judged side by side
//! do not push each other about,
//! and a job that runs alone gets the quietest core of the machine.
//!
//! Placing is for measuring, not for safety: where the kernel refuses it, jobs run wherever they
//! like.

use std::sync::Arc;
use std::time::Duration;

use rustix::thread::sched_getcpu;

use super::slots::{Slot, Slots};
use crate::util::claims::{Claim, Taken};
use crate::util::cores::{Cores, Spare};

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
        claim: impl Fn(usize) -> Result<Option<Claim>, Taken>,
    ) -> usize {
        let (mut free, mut taken) = (Vec::new(), Vec::new());
        for &core in &self.order {
            let name = self.cores.cores[core].first().copied().unwrap_or(core);
            match claim(name) {
                Err(Taken) => taken.push(core),
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{Places, Taken};
    use crate::util::cores::Cores;

    #[test]
    fn each_worker_has_a_core_of_its_own_while_there_are_any() {
        let cores = Cores {
            cores: vec![vec![0, 2], vec![1, 3]],
            parallelism: 4,
        };
        // One a core, beginning where it is opened; then the other hyper-threads; then nothing is
        // left to share.
        for (here, expected) in [
            (0, [0, 1, 2, 3, 0]),
            (3, [1, 0, 3, 2, 1]),
            (9, [0, 1, 2, 3, 0]),
        ] {
            let places = Arc::new(Places::of(cores.clone(), here));
            for (worker, processor) in expected.into_iter().enumerate() {
                assert_eq!(places.place(worker).processor, Some(processor), "{here}");
            }
        }
    }

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
            let claim = |core: usize| {
                if taken.contains(&core) {
                    Err(Taken)
                } else {
                    Ok(None)
                }
            };
            assert_eq!(places.prefer(wanted, claim), shared, "{taken:?}");
            let places = Arc::new(places);
            let found = [0, 1, 2, 3].map(|worker| places.place(worker).processor.unwrap());
            assert_eq!(found, expected, "{taken:?}");
        }
    }

    #[test]
    fn a_machine_that_tells_nothing_has_no_places() {
        let cores = Cores {
            cores: Vec::new(),
            parallelism: 1,
        };
        let places = Arc::new(Places::of(cores, 0));
        assert_eq!(places.place(0).processor, None);
    }
}

//! Where jobs run: each worker has a core of its own, so that programs that are judged side by side do not push each other about,
//! and a job that runs alone gets the quietest core of the machine.
//!
//! Placing is for measuring, not for safety: where the kernel refuses it, jobs run wherever they like.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use rustix::process::Pid;
use rustix::thread::{CpuSet, sched_getcpu, sched_setaffinity};

use super::turns::{Turn, Turns};
use crate::util::cores::{Cores, Spare};

/// How long the cores are watched for the quietest: some of the kernel's ticks, of which there are at least a hundred a second.
const WATCH_TIME: Duration = Duration::from_millis(50);

/// The cores of the machine and who has them.
pub struct Places {
    cores: Cores,
    /// Leases of each core.
    leased: Mutex<Vec<usize>>,
    turns: Turns,
}

/// A worker's right to a core. Given back when it is dropped.
pub struct Lease {
    places: Arc<Places>,
    core: Option<usize>,
    /// The processor, as the kernel numbers it; none where the machine does not tell of any.
    pub processor: Option<usize>,
}

impl Places {
    /// Those of this machine.
    pub fn find() -> Self {
        Self::of(Cores::find())
    }

    fn of(cores: Cores) -> Self {
        Self {
            leased: Mutex::new(vec![0; cores.cores.len()]),
            cores,
            turns: Turns::default(),
        }
    }

    /// A core that no other worker has, or as few as possible. Of several that are free, the one where the caller runs:
    /// there the kernel found time for it, while another daemon's programs may be busy on the first ones.
    pub fn lease(self: &Arc<Self>) -> Lease {
        self.lease_near(sched_getcpu())
    }

    fn lease_near(self: &Arc<Self>, here: usize) -> Lease {
        let mut leased = self.held();
        let core = (0..leased.len())
            .min_by_key(|&core| (leased[core], !self.cores.cores[core].contains(&here)));
        let processor = core.map(|core| {
            let processors = &self.cores.cores[core];
            let processor = processors[leased[core] % processors.len()];
            leased[core] += 1;
            processor
        });
        drop(leased);
        Lease {
            places: Arc::clone(self),
            core,
            processor,
        }
    }

    fn held(&self) -> MutexGuard<'_, Vec<usize>> {
        // Every change is one step, so a thread that failed has left it whole.
        match self.leased.lock() {
            Ok(leased) => leased,
            Err(poisoned) => poisoned.into_inner(),
        }
    }
}

impl Lease {
    /// Waits for the turn of a job.
    pub fn turn(&self, alone: bool) -> Turn<'_> {
        self.places.turns.take(alone)
    }

    /// The quietest processor of the machine, by what others do on it now. To be asked while no job runs.
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

impl Drop for Lease {
    fn drop(&mut self) {
        if let Some(core) = self.core {
            self.places.held()[core] -= 1;
        }
    }
}

/// Keeps a process, and everything that it starts from now on, on one processor.
pub fn keep_on(process: Pid, processor: usize) {
    if processor < CpuSet::MAX_CPU {
        let mut set = CpuSet::new();
        set.set(processor);
        // One that has been taken out of service since; then the kernel chooses.
        let _ = sched_setaffinity(Some(process), &set);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::Places;
    use crate::util::cores::Cores;

    #[test]
    fn each_worker_has_a_core_of_its_own_while_there_are_any() {
        let places = Arc::new(Places::of(Cores {
            cores: vec![vec![0, 2], vec![1, 3]],
            parallelism: 4,
        }));
        let first = places.lease_near(3);
        let second = places.lease_near(3);
        let third = places.lease_near(9);
        let processors = [&first, &second, &third].map(|lease| lease.processor);
        // One a core; then the other hyper-thread of the first.
        assert_eq!(processors, [Some(1), Some(0), Some(2)]);
        drop(first);
        assert_eq!(places.lease_near(0).processor, Some(1));
    }

    #[test]
    fn a_machine_that_tells_nothing_has_no_places() {
        let places = Arc::new(Places::of(Cores {
            cores: Vec::new(),
            parallelism: 1,
        }));
        assert_eq!(places.lease_near(0).processor, None);
    }
}

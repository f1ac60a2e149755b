//! The processor's cores: which of its threads share one, which are busy, and how many programs can
//! be measured side by side, and which of them other daemons measure on.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixListener};

use rustix::thread::{CpuSet, sched_getaffinity};

/// What is read of a list of siblings, in bytes.
const SIBLINGS_BYTES_MAX: u64 = 4 * 1024;
/// What is read of the kernel's counters, in bytes: those of the processors stand first.
const STAT_BYTES_MAX: u64 = 256 * 1024;

/// How the names begin by which cores are claimed.
const CLAIM: &str = "verdictd/core";

/// The cores that this process may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cores {
    /// The processors of each core, as the kernel numbers them; on a core with hyper-threads there
    /// are two. Without any that may not be used.
    pub cores: Vec<Vec<usize>>,
    /// How many processors' worth of time this process gets, a quota of its control group included.
    pub parallelism: usize,
}

impl Cores {
    /// Those of this machine.
    pub fn find() -> Self {
        let parallelism = std::thread::available_parallelism().map_or(1, usize::from);
        let allowed: Vec<usize> = sched_getaffinity(None)
            .map(|set| (0..CpuSet::MAX_CPU).filter(|&at| set.is_set(at)).collect())
            .unwrap_or_default();
        Self::of(&allowed, &siblings, parallelism)
    }

    /// Those of a machine where these processors may be used, with their lists of siblings.
    fn of(
        allowed: &[usize],
        siblings: &dyn Fn(usize) -> Option<String>,
        parallelism: usize,
    ) -> Self {
        let mut cores: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for &processor in allowed {
            // A processor that tells nothing of itself is a core of its own.
            let first = siblings(processor)
                .and_then(|list| first_of(&list))
                .unwrap_or(processor);
            cores.entry(first).or_default().push(processor);
        }
        Self {
            cores: cores.into_values().collect(),
            parallelism: parallelism.max(1),
        }
    }

    /// Programs that can be measured side by side without one making the other slow: one a core,
    /// not one a hyper-thread, and not more than the quota.
    pub fn workers(&self) -> usize {
        self.cores.len().min(self.parallelism).max(1)
    }

    /// All processors.
    pub fn processors(&self) -> usize {
        self.cores.iter().map(Vec::len).sum()
    }

    /// The processor that had the most time to spare between two looks; a core is as busy as the
    /// busiest of its processors.
    /// Where several are equally quiet it is `home`, if that is one of them.
    pub fn quietest(&self, before: &Spare, after: &Spare, home: Option<usize>) -> Option<usize> {
        let spare = |processor: usize| {
            let at = |look: &Spare| look.0.get(&processor).copied().unwrap_or(0);
            at(after).saturating_sub(at(before))
        };
        let of_core = |core: &[usize]| core.iter().map(|&one| spare(one)).min();
        self.cores
            .iter()
            .flat_map(|core| core.iter().map(move |&one| (of_core(core), one)))
            .max_by_key(|&(of_core, one)| (of_core, spare(one), Some(one) == home))
            .map(|(_, one)| one)
    }
}

fn siblings(processor: usize) -> Option<String> {
    let path = format!("/sys/devices/system/cpu/cpu{processor}/topology/thread_siblings_list");
    beginning(&path, SIBLINGS_BYTES_MAX)
}

/// The beginning of a file of the kernel's.
fn beginning(path: &str, bytes_max: u64) -> Option<String> {
    let mut text = String::new();
    File::open(path)
        .and_then(|file| file.take(bytes_max).read_to_string(&mut text))
        .ok()?;
    Some(text)
}

/// The first of a list such as `0,4` or `0-1`.
fn first_of(list: &str) -> Option<usize> {
    list.split([',', '-']).next()?.trim().parse().ok()
}

/// How much time each processor has had to spare since the machine started, in the kernel's ticks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Spare(BTreeMap<usize, u64>);

impl Spare {
    /// As it is now; nothing where the kernel does not say.
    pub fn now() -> Self {
        Self::of(&beginning("/proc/stat", STAT_BYTES_MAX).unwrap_or_default())
    }

    fn of(stat: &str) -> Self {
        let line = |line: &str| {
            let mut words = line
                .strip_prefix("cpu")
                .filter(|rest| rest.starts_with(|first: char| first.is_ascii_digit()))?
                .split_ascii_whitespace();
            let processor = words.next()?.parse().ok()?;
            // user, nice, system, then idle and waiting for a disk.
            let spare = words
                .skip(3)
                .take(2)
                .map_while(|word| word.parse::<u64>().ok());
            Some((processor, spare.sum()))
        };
        // The line of all processors together has no number.
        let lines = stat.lines().take_while(|line| line.starts_with("cpu"));
        Self(lines.filter_map(line).take(CpuSet::MAX_CPU).collect())
    }
}

/// Time that the host of this virtual machine gave to others, and all time, of all processors since
/// the start, in ticks.
pub fn stolen() -> Option<(u64, u64)> {
    stolen_of(&beginning("/proc/stat", STAT_BYTES_MAX)?)
}

fn stolen_of(stat: &str) -> Option<(u64, u64)> {
    let line = stat.lines().next()?.strip_prefix("cpu ")?;
    let ticks: Vec<u64> = line
        .split_ascii_whitespace()
        .take(8)
        .map_while(|word| word.parse().ok())
        .collect();
    Some((*ticks.get(7)?, ticks.iter().sum()))
}

/// A core that is claimed, until it is dropped: each daemon of this machine, whosever it is, holds a
/// name for every core on which it measures. The kernel keeps the names, as those of sockets in its
/// abstract name space, and takes them back from a process that ends, however it ends. The sockets
/// take no connections.
#[derive(Debug)]
pub struct Claim(#[expect(dead_code, reason = "holding it is what claims")] UnixListener);

impl Claim {
    /// Claims a core by the number of its first processor, unless another daemon has it. Where the
    /// kernel has no such names, every core is free.
    pub fn of(core: usize) -> Result<Option<Self>, AlreadyClaimed> {
        let name = format!("{CLAIM}/{core}");
        match SocketAddr::from_abstract_name(name).and_then(|name| UnixListener::bind_addr(&name)) {
            Ok(held) => Ok(Some(Self(held))),
            Err(error) if error.kind() == std::io::ErrorKind::AddrInUse => Err(AlreadyClaimed),
            Err(error) => {
                tracing::debug!(%error, "cores cannot be claimed");
                Ok(None)
            }
        }
    }
}

/// Another daemon measures there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AlreadyClaimed;

#[cfg(test)]
mod tests {
    use super::{Claim, Cores, Spare, stolen_of};

    /// A machine whose processors are paired like this, one core a list.
    fn machine(lists: &[&str], allowed: &[usize], parallelism: usize) -> Cores {
        let siblings = |processor: usize| {
            let has_it = |list: &&&str| list.split(',').any(|one| one.parse() == Ok(processor));
            lists.iter().find(has_it).map(|list| format!("{list}\n"))
        };
        Cores::of(allowed, &siblings, parallelism)
    }

    #[test]
    fn as_many_workers_as_can_be_measured_honestly() {
        let paired = ["0,4", "1,5", "2,6", "3,7"];
        let all: Vec<usize> = (0..8).collect();
        for (lists, allowed, parallelism, workers) in [
            // Hyper-threads count once.
            (&paired[..], &all[..], 8, 4),
            // Two cores without.
            (&["0", "1"][..], &all[..2], 2, 2),
            // A process that may use one core, with both its threads.
            (&paired[..], &[1, 5][..], 2, 1),
            // One thread of each of three cores.
            (&paired[..], &[0, 1, 6][..], 3, 3),
            // A container's quota of two processors, and of less than one.
            (&paired[..], &all[..], 2, 2),
            (&paired[..], &all[..], 1, 1),
            // A kernel that says nothing of siblings, or of anything.
            (&[][..], &all[..4], 4, 4),
            (&[][..], &[][..], 0, 1),
        ] {
            let cores = machine(lists, allowed, parallelism);
            assert_eq!(cores.workers(), workers, "{lists:?} {allowed:?}");
            assert_eq!(cores.processors(), allowed.len());
        }
    }

    #[test]
    fn the_quietest_core_has_quiet_siblings() {
        let look = |spare: [u64; 4]| Spare(spare.into_iter().enumerate().collect());
        let before = look([100, 100, 100, 100]);
        let paired = machine(&["0,2", "1,3"], &[0, 1, 2, 3], 4);
        for (after, home, quietest) in [
            // Processor 0 is idle, but its sibling is not.
            ([110, 106, 100, 107], None, 3),
            ([110, 110, 110, 110], Some(1), 1),
            ([105, 110, 105, 110], Some(0), 3),
        ] {
            let found = paired.quietest(&before, &look(after), home);
            assert_eq!(found, Some(quietest), "{after:?}");
        }
        let none = Cores::of(&[], &|_| None, 1);
        assert_eq!(none.quietest(&before, &before, None), None);
    }

    #[test]
    fn the_kernels_counters_are_read() {
        let stat = "cpu  10 0 5 100 2 0 0 7 0 0\ncpu0 5 0 2 60 1 0 0 3 0 0\ncpu1 5 0 3 40 1 0 0 4 0 0\nintr 5 6\n";
        assert_eq!(Spare::of(stat), Spare([(0, 61), (1, 41)].into()));
        assert_eq!(stolen_of(stat), Some((7, 124)));
        assert_eq!(Spare::of("nonsense"), Spare::default());
        assert_eq!(stolen_of("cpu 1 2"), None);
    }

    #[test]
    fn a_core_is_claimed_once_until_it_is_given_back() {
        // No machine has as many.
        let core = 1_000_000 + std::process::id() as usize;
        let held = Claim::of(core);
        assert!(held.is_ok());
        assert!(Claim::of(core).is_err());
        assert!(Claim::of(core + 1).is_ok());
        drop(held);
        assert!(Claim::of(core).is_ok());
    }
}

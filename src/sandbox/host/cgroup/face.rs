//! The group of a room and the place where groups are made, whichever version of control groups is
//! behind them.

use std::os::fd::BorrowedFd;
use std::time::Duration;

use crate::domain::{Caps, Fault};

/// Memory that earlier jobs left charged to a group, page cache and kernel objects, beyond what
/// init has.
/// Where it is more the next job gets a fresh group, in a fresh room: it goes away at a time that
/// nobody knows, and would then be the job's to use, or to answer for.
pub const LEFTOVER_BYTES_MAX: u64 = 1024 * 1024;
/// The same for a job with a large cap: this part of it. Jobs that follow each other fast leave
/// what the kernel frees only some milliseconds later.
pub const LEFTOVER_PART: u64 = 64;

/// What earlier jobs may have left to a job with this cap.
pub fn leftover_max(cap_bytes: u64) -> u64 {
    LEFTOVER_BYTES_MAX.max(cap_bytes / LEFTOVER_PART)
}

/// How far the bound of a group may lie above the job's cap and what was there before it; below
/// this it is not set anew.
pub const BOUND_SLACK_BYTES: u64 = 256 * 1024;
/// Init is one process of its group.
pub const INIT_PROCESSES: u64 = 1;

/// The bound that gives a job its cap on top of what is charged already; `now` where that is near
/// enough.
pub fn bound_of(cap_bytes: u64, before_bytes: u64, now_bytes: u64) -> u64 {
    let least = cap_bytes.saturating_add(before_bytes);
    if (least..=least.saturating_add(BOUND_SLACK_BYTES)).contains(&now_bytes) {
        now_bytes
    } else {
        least.saturating_add(BOUND_SLACK_BYTES / 2)
    }
}

/// What a job used, by the kernel's counters.
#[derive(Debug, Clone, Copy, Default)]
pub struct Usage {
    /// CPU time of all processes; none where it is not counted here.
    pub cpu: Option<Duration>,
    /// The most memory in use at one time, what earlier jobs left and the kernel had not taken back
    /// yet included; none where it is not counted here.
    pub memory_bytes: Option<u64>,
    /// A process was killed because the job reached its cap.
    pub memory_exceeded: bool,
}

/// The group of one room, used by one job after the other.
///
/// A process that moves from group to group waits for the whole machine (on a machine that forks,
/// for many milliseconds),
/// so the room's init moves in once, before anybody waits for the room, and its jobs are born where
/// they belong.
pub trait Group: Send {
    /// The files to which the room's init writes `0` to move in.
    fn home_files(&self) -> Vec<BorrowedFd<'_>>;
    /// The folder of a version 2 group that init is born into with `CLONE_INTO_CGROUP`, where there
    /// is one.
    fn birth(&self) -> Option<BorrowedFd<'_>>;
    /// The files to which each job writes `0` to join, on kernels where one group cannot count job
    /// after job.
    fn join_files(&self) -> Vec<BorrowedFd<'_>>;
    /// Kills everything in it at once, init too, where the kernel can (`cgroup.kill`); where it
    /// cannot, does nothing.
    fn kill(&self);
    /// Makes it ready for the next job: nobody but init in it, its counters at a known point, the
    /// caps in force.
    /// False where earlier jobs left so much that it cannot serve another.
    fn begin(&mut self, caps: &Caps) -> Result<bool, Fault>;
    /// Whether the CPU time is that of init too.
    fn counts_init(&self) -> bool;
    /// CPU time of this job until now, and of what init did for it.
    fn cpu(&self) -> Result<Option<Duration>, Fault>;
    /// What this job used. All its processes are gone.
    fn finish(&mut self) -> Result<Usage, Fault>;
}

/// What of control groups is there and permitted: nothing, or why not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offers {
    /// The version's word: `cgroup v1`.
    pub version: &'static str,
    /// Bounding and measuring memory.
    pub memory: Result<(), String>,
    /// Bounding the number of processes.
    pub processes: Result<(), String>,
    /// Counting CPU time.
    pub cpu: Result<(), String>,
}

impl Offers {
    /// Nothing, for one reason.
    pub fn nothing(why: &str) -> Self {
        Self {
            version: "cgroups",
            memory: Err(why.to_owned()),
            processes: Err(why.to_owned()),
            cpu: Err(why.to_owned()),
        }
    }
}

/// A place where groups can be made.
pub trait Hierarchy: Send + Sync {
    /// What it offers.
    fn offers(&self) -> Offers;
    /// A group of its own for one room.
    fn group(&self) -> Result<Box<dyn Group>, Fault>;
}

#[cfg(test)]
mod tests {
    use super::{BOUND_SLACK_BYTES, bound_of};

    #[test]
    fn a_bound_is_kept_while_it_is_near_enough() {
        let first = bound_of(1 << 26, 500, 0);
        let least = (1 << 26) + 500;
        assert!((least..=least + BOUND_SLACK_BYTES).contains(&first));
        assert_eq!(bound_of(1 << 26, 4000, first), first);
        assert_ne!(bound_of(1 << 26, 1 << 20, first), first);
        assert_ne!(bound_of(1 << 25, 500, first), first);
    }
}

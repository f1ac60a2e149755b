//! What the init of a room may still do, that no job can ever do more than nothing, and the limits
//! that the kernel keeps for each process of a job.
//!
//! The cgroup bounds the job; the limits are the back-stop, and what a cgroup has no word for.
//! Address space and data are left alone: runtimes reserve far more than they use, and a big static
//! array must end as "out of memory", not as a failed start.

use std::ffi::CStr;
use std::os::fd::OwnedFd;

use rustix::fs::{Mode, OFlags};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use rustix::thread::{CapabilitiesSecureBits, CapabilitySet, CapabilitySets};

use crate::domain::Fault;
use crate::sandbox::channel::AtStep;
use crate::sandbox::wire::JobOrder;

/// What init needs to start and end jobs: to give them their identity, their files and their
/// limits, and to kill them.
const INIT: CapabilitySet = CapabilitySet::CHOWN
    .union(CapabilitySet::DAC_OVERRIDE)
    .union(CapabilitySet::FOWNER)
    .union(CapabilitySet::KILL)
    .union(CapabilitySet::SETGID)
    .union(CapabilitySet::SETUID)
    .union(CapabilitySet::SYS_NICE)
    .union(CapabilitySet::SYS_RESOURCE);

/// How gladly the kernel ends a process when memory is used up: a job's first of all on the
/// machine, init never.
pub const JOB_OOM_SCORE: &[u8] = b"1000";
const INIT_OOM_SCORE: &[u8] = b"-1000";
/// Where a process finds its own score in a view of the processes.
pub const OOM_SCORE_FILE: &CStr = c"self/oom_score_adj";
/// Where init and the jobs are one user: a job that hides itself from its own user must not hide
/// from init, which counts what the jobs use.
const SAME_USER: CapabilitySet = CapabilitySet::SYS_PTRACE;

/// How much init is preferred to the jobs, so that it can end them when they are many.
const INIT_NICENESS: i32 = -20;

/// Has init spared when memory is used up. An ordinary user may not; its jobs are preferred to it
/// by their own score all the same.
pub fn spare(processes: &OwnedFd) {
    let flags = OFlags::WRONLY | OFlags::CLOEXEC;
    if let Ok(file) = rustix::fs::openat(processes, OOM_SCORE_FILE, flags, Mode::empty()) {
        let _ = rustix::io::write(&file, INIT_OOM_SCORE);
    }
}

/// Gives up all but that, and everything for whatever is started later.
/// The niceness that this process had, where it could make itself preferred to others.
pub fn reduce(same_user: bool) -> Result<Option<i32>, Fault> {
    let step = || "bound capabilities";
    for capability in CapabilitySet::all().iter() {
        match rustix::thread::remove_capability_from_bounding_set(capability) {
            // A kernel older than the table does not know the newest.
            Ok(()) | Err(rustix::io::Errno::INVAL) => {}
            Err(error) => return Err(error).step(step),
        }
    }
    rustix::thread::set_capabilities_secure_bits(
        CapabilitiesSecureBits::NO_ROOT | CapabilitiesSecureBits::NO_ROOT_LOCKED,
    )
    .step(step)?;
    let had = rustix::thread::capabilities(None).step(step)?;
    let needed = if same_user { INIT | SAME_USER } else { INIT };
    let keep = CapabilitySets {
        effective: had.effective & needed,
        permitted: had.permitted & needed,
        inheritable: CapabilitySet::empty(),
    };
    rustix::thread::set_capabilities(None, keep).step(step)?;
    // Whatever the daemon's own service may do: no job is preferred to others.
    for resource in [Resource::Nice, Resource::Rtprio] {
        let nothing = Rlimit {
            current: Some(0),
            maximum: Some(0),
        };
        setrlimit(resource, nothing).step(|| "bound priorities")?;
    }
    let niceness = rustix::process::getpriority_process(None).step(step)?;
    // An ordinary user may not; then it is one process among equals.
    let preferred = rustix::process::setpriority_process(None, INIT_NICENESS).is_ok();
    Ok(preferred.then_some(niceness))
}

const SET: [Resource; 8] = [
    Resource::Core,
    Resource::Nofile,
    Resource::Fsize,
    Resource::Stack,
    Resource::Msgqueue,
    Resource::Sigpending,
    Resource::Cpu,
    Resource::Nproc,
];

/// Signals that may wait, and timers: they count for a user, who may be the daemon's own.
const SIGNALS_MAX: u64 = 1_024;

/// The hard limits that the daemon was started with. A service may have lowered them, and only some
/// may raise them again.
pub struct Ceilings([u64; SET.len()]);

impl Ceilings {
    /// Those of this process.
    pub fn find() -> Self {
        Self(SET.map(|resource| getrlimit(resource).maximum.unwrap_or(u64::MAX)))
    }

    /// Sets all limits of the calling process, none above its ceiling. Does not allocate.
    pub fn apply(&self, order: &JobOrder) -> rustix::io::Result<()> {
        let values = [
            // Not 0: where cores go to a helper of the machine, only a limit of 1 keeps it from
            // being started.
            Some(both(1)),
            Some(both(u64::from(order.open_files))),
            Some(both(order.disk_bytes)),
            Some(both(order.stack_bytes)),
            Some(both(0)),
            Some(both(SIGNALS_MAX)),
            Some((order.cpu_seconds, order.cpu_seconds.saturating_add(1))),
            order.processes.map(|most| both(u64::from(most))),
        ];
        for ((resource, ceiling), value) in SET.into_iter().zip(self.0).zip(values) {
            let Some((current, maximum)) = value else {
                continue;
            };
            let limit = Rlimit {
                current: Some(current.min(ceiling)),
                maximum: Some(maximum.min(ceiling)),
            };
            setrlimit(resource, limit)?;
        }
        Ok(())
    }
}

fn both(value: u64) -> (u64, u64) {
    (value, value)
}

//! The limits that the kernel keeps for each process. The cgroup bounds the job; these are the
//! back-stop, and what a cgroup has no word for.
//!
//! Address space and data are left alone: runtimes reserve far more than they use, and a big static
//! array must end as "out of memory", not as a failed start.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::sandbox::wire::JobOrder;

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

//! The limits that the kernel keeps for each process. The cgroup bounds the job; these are the back-stop, and what a cgroup has no word for.
//!
//! Address space and data are left alone: runtimes reserve far more than they use, and a big static array must end as "out of memory", not as a failed start.

use std::time::Duration;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::wire::JobOrder;

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

/// The hard limits that the daemon was started with. A service may have lowered them, and only some may raise them again.
pub struct Ceilings([u64; SET.len()]);

impl Ceilings {
    /// Those of this process.
    pub fn find() -> Self {
        Self(SET.map(|resource| getrlimit(resource).maximum.unwrap_or(u64::MAX)))
    }

    /// Sets all limits of the calling process, none above its ceiling. Does not allocate.
    pub fn apply(&self, order: &JobOrder) -> rustix::io::Result<()> {
        let values = [
            // Not 0: where cores go to a helper of the machine, only a limit of 1 keeps it from being started.
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

/// Seconds of CPU time after which the kernel itself ends a process: for the case that we are not there to do it.
///
/// It is far above the job's cap, because the kernel counts a process's ticks here, and not as precisely as it counts for the group:
/// on a busy machine a process that happens to run at the ticks would be ended before it has used what it may.
pub fn cpu_seconds(cap: Duration) -> u64 {
    cap.as_secs().saturating_add(1).saturating_mul(2)
}

fn both(value: u64) -> (u64, u64) {
    (value, value)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::cpu_seconds;

    #[test]
    fn the_kernel_ends_nobody_who_is_within_the_cap() {
        for cap_ms in [1, 400, 999, 1_000, 2_500, 5_000, 30_000, 3_600_000] {
            let cap = Duration::from_millis(cap_ms);
            let kernels = Duration::from_secs(cpu_seconds(cap));
            assert!(kernels >= 2 * cap && kernels <= 2 * cap + Duration::from_secs(2));
        }
        assert_eq!(cpu_seconds(Duration::MAX), u64::MAX);
    }
}

//! The limits that the kernel keeps for each process. The cgroup bounds the job; these are the back-stop, and what a cgroup has no word for.
//!
//! Address space and data are left alone: runtimes reserve far more than they use, and a big static array must end as "out of memory", not as a failed start.

use rustix::process::{Resource, Rlimit, setrlimit};

use super::wire::JobOrder;

/// Sets all limits of the calling process. Does not allocate.
pub fn apply(order: &JobOrder) -> rustix::io::Result<()> {
    let both = |value: u64| Rlimit {
        current: Some(value),
        maximum: Some(value),
    };
    // Not 0: where cores go to a helper of the machine, only a limit of 1 keeps it from being started.
    setrlimit(Resource::Core, both(1))?;
    setrlimit(Resource::Nofile, both(u64::from(order.open_files)))?;
    setrlimit(Resource::Fsize, both(order.disk_bytes))?;
    setrlimit(Resource::Stack, both(order.stack_bytes))?;
    setrlimit(Resource::Msgqueue, both(0))?;
    setrlimit(
        Resource::Cpu,
        Rlimit {
            current: Some(order.cpu_seconds),
            maximum: Some(order.cpu_seconds + 1),
        },
    )?;
    if let Some(processes) = order.processes {
        setrlimit(Resource::Nproc, both(u64::from(processes)))?;
    }
    Ok(())
}

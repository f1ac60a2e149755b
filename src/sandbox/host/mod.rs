//! What runs in the daemon's own process: it starts zygotes, asks them for rooms, watches the jobs,
//! counts what they use and reads what they leave.

mod cgroup;
mod collect;
mod link;
mod places;
mod runner;
mod sandbox;
mod streams;
mod supervise;
mod talk;
mod wait;

use rustix::thread::CapabilitySet;

use crate::sandbox::wire::Identity;

pub use self::runner::{SandboxRunner, retry_shortage};
pub use self::sandbox::{Sandbox, descriptors_needed, examine};

/// Users and groups of the jobs, one a worker, where the daemon is root; and inside a user
/// namespace, where it is not.
const FIRST_ID: u32 = 61_000;
/// Workers with a user of their own.
pub const WORKERS_MAX: usize = 1_000;
/// Where the numbers begin of those who run what the workers' jobs talk with.
const FIRST_PARTNER: usize = WORKERS_MAX / 2;

/// Who the jobs of a worker are.
pub fn identity(worker: usize) -> Identity {
    let user = rustix::process::geteuid();
    if is_privileged() {
        let offset = u32::try_from(worker % WORKERS_MAX).unwrap_or(0);
        Identity {
            id: FIRST_ID + offset,
            mapped: None,
        }
    } else {
        Identity {
            id: FIRST_ID,
            mapped: Some((user.as_raw(), rustix::process::getegid().as_raw())),
        }
    }
}

/// Whether this process may make namespaces and change identities by itself. Root in a container
/// often may not.
pub fn is_privileged() -> bool {
    let needed = CapabilitySet::SYS_ADMIN | CapabilitySet::SETUID | CapabilitySet::SETGID;
    rustix::process::geteuid().is_root()
        && rustix::thread::capabilities(None).is_ok_and(|sets| sets.effective.contains(needed))
}

//! What runs in the daemon's own process: it starts zygotes, asks them for rooms, watches the jobs,
//! counts what they use and reads what they leave.

mod capabilities;
mod cgroup;
mod collect;
mod identity;
mod link;
mod places;
mod runner;
mod sandbox;
mod streams;
mod supervise;

pub use self::runner::{SandboxRunner, retry_shortage};
pub use self::sandbox::{Sandbox, descriptors_needed, examine};

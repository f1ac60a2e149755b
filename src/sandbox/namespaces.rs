//! New namespaces for the zygote: its own users (where the daemon is not root), processes, mounts, network, System V objects, host name and cgroup view.

use std::fs;
use std::io;

use super::sys;
use super::wire::RoomOrder;
use crate::domain::Fault;

/// The steps of this module, as faults name them.
pub const USER_STEP: &str = "make a user namespace";
/// See above.
pub const NETWORK_STEP: &str = "make a network namespace";

/// Leaves the machine's namespaces. The next child of this process is the init of the new process namespace.
pub fn enter(order: &RoomOrder) -> Result<(), Fault> {
    if let Some((user, group)) = order.identity.mapped {
        sys::unshare(libc::CLONE_NEWUSER).map_err(|error| Fault::new(USER_STEP, error))?;
        map_user(order.identity.id, user, group)
            .map_err(|error| Fault::new("map the user of the sandbox", error))?;
    }
    if order.own_network {
        sys::unshare(libc::CLONE_NEWNET).map_err(|error| Fault::new(NETWORK_STEP, error))?;
    }
    sys::unshare(
        libc::CLONE_NEWPID
            | libc::CLONE_NEWNS
            | libc::CLONE_NEWIPC
            | libc::CLONE_NEWUTS
            | libc::CLONE_NEWCGROUP,
    )
    .map_err(|error| Fault::new("make namespaces", error))
}

fn map_user(inside: u32, user: u32, group: u32) -> io::Result<()> {
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{inside} {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("{inside} {group} 1"))
}

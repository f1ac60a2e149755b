//! New namespaces: users (where the daemon is not root), network and host name once for a worker;
//! processes, mounts, System V objects and the view of control groups for each room.

use std::fs;
use std::io;

use crate::domain::{Fault, Shortage};
use crate::sandbox::channel::{AtStep, NETWORK_NAMESPACE, USER_NAMESPACE};
use crate::sandbox::sys;
use crate::sandbox::wire::Settings;

/// What a job is told that the machine is called.
const HOST_NAME: &[u8] = b"sandbox";

/// Leaves the namespaces that a worker needs only once. Nothing of a job can stay behind in them:
/// an empty network has no sockets when its processes are gone, and no job may change it or the
/// host name.
pub fn settle(settings: &Settings) -> Result<(), Fault> {
    if let Some((user, group)) = settings.identity.mapped {
        sys::unshare(libc::CLONE_NEWUSER).map_err(|error| refused(USER_NAMESPACE, error))?;
        map_user(settings.identity.id, user, group)
            .map_err(|error| Fault::new("map the user of the sandbox", error))?;
    }
    if settings.own_network {
        sys::unshare(libc::CLONE_NEWNET).map_err(|error| refused(NETWORK_NAMESPACE, error))?;
    }
    sys::unshare(libc::CLONE_NEWUTS)
        .map_err(|error| refused("make a host name namespace", error))?;
    rustix::system::sethostname(HOST_NAME).step(|| "set the host name")
}

/// Leaves the rest. The next child of this process is the init of the new process namespace.
pub fn begin_room() -> Result<(), Fault> {
    sys::unshare(
        libc::CLONE_NEWPID | libc::CLONE_NEWNS | libc::CLONE_NEWIPC | libc::CLONE_NEWCGROUP,
    )
    .map_err(|error| refused("make namespaces", error))
}

fn refused(step: &str, error: io::Error) -> Fault {
    let short = Shortage::of_namespaces(&error);
    Fault::new(step, error).short_of(short)
}

fn map_user(inside: u32, user: u32, group: u32) -> io::Result<()> {
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{inside} {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("{inside} {group} 1"))
}

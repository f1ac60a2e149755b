//! What a machine can run out of for a while, through nobody's fault: programs that are judged side
//! by side, other
//! services, a limit that somebody has set low.

use std::io;

use serde::{Deserialize, Serialize};

/// What the machine is short of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Shortage {
    /// Open files, of this process or of the machine.
    Descriptors,
    /// Processes or threads, of this user, of its control group or of the machine.
    Processes,
    /// Memory.
    Memory,
    /// The memory that the kernel lets system call filters have, all of them together.
    Filters,
    /// Namespaces of this user.
    Namespaces,
}

/// The kernel's own "not supported", which has no name outside of it. Installing a filter says so
/// when there is no
/// memory left for its machine code.
const ENOTSUPP: i32 = 524;

impl Shortage {
    /// What the machine lacks, as a failed call says; `None` if it failed for another reason.
    pub fn of(error: &io::Error) -> Option<Self> {
        Some(match error.raw_os_error()? {
            libc::EMFILE | libc::ENFILE => Self::Descriptors,
            libc::EAGAIN => Self::Processes,
            libc::ENOMEM | libc::ENOBUFS => Self::Memory,
            ENOTSUPP => Self::Filters,
            libc::EUSERS => Self::Namespaces,
            _ => return None,
        })
    }

    /// The same for a call that makes namespaces, where "no space" is not about a disk.
    pub fn of_namespaces(error: &io::Error) -> Option<Self> {
        match error.raw_os_error()? {
            libc::ENOSPC => Some(Self::Namespaces),
            _ => Self::of(error),
        }
    }

    /// As in "the machine is short of …".
    pub fn words(self) -> &'static str {
        match self {
            Self::Descriptors => "descriptors for open files",
            Self::Processes => "processes",
            Self::Memory => "memory",
            Self::Filters => "memory for system call filters",
            Self::Namespaces => "namespaces",
        }
    }

    /// What a person can do where it lasts.
    pub fn remedy(self) -> &'static str {
        match self {
            Self::Descriptors => {
                "raise the limit of open files (ulimit -n, LimitNOFILE= of the service, sysctl fs.file-max), or end what has so many open"
            }
            Self::Processes => {
                "raise the limit of processes (ulimit -u, TasksMax= of the service, sysctl kernel.pid_max kernel.threads-max), or end what has started so many"
            }
            Self::Memory => {
                "end what uses the memory, or give the daemon's control group or the machine more; fewer workers need less"
            }
            Self::Filters => {
                "other programs' filters have used up the kernel's limit for them, mostly for moments only; where it lasts, raise it: sysctl -w net.core.bpf_jit_limit=1073741824"
            }
            Self::Namespaces => {
                "raise the limits of namespaces: sysctl -w user.max_user_namespaces=10000 user.max_pid_namespaces=10000 user.max_mnt_namespaces=10000 user.max_ipc_namespaces=10000 user.max_uts_namespaces=10000 user.max_net_namespaces=10000 user.max_cgroup_namespaces=10000"
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::Shortage;

    #[test]
    fn errors_of_a_machine_that_runs_out_are_known() {
        let of = |number| Shortage::of(&io::Error::from_raw_os_error(number));
        for (number, expected) in [
            (23, Some(Shortage::Descriptors)),
            (24, Some(Shortage::Descriptors)),
            (11, Some(Shortage::Processes)),
            (12, Some(Shortage::Memory)),
            (524, Some(Shortage::Filters)),
            // A full disk, and what no waiting changes.
            (28, None),
            (1, None),
            (2, None),
            (13, None),
        ] {
            assert_eq!(of(number), expected, "error {number}");
        }
        let full = io::Error::from_raw_os_error(28);
        assert_eq!(Shortage::of_namespaces(&full), Some(Shortage::Namespaces));
        assert_eq!(Shortage::of(&io::Error::other("no")), None);
    }
}

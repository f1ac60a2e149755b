//! What went wrong on our side.

use std::fmt;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};

use serde::{Deserialize, Serialize};

/// Something failed that is not the program's doing: set-up of the sandbox, a full disk, a broken
/// package.
///
/// A fault is recorded, retried a bounded number of times, shown as "not judged", and never becomes
/// a verdict.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub struct Fault {
    /// The step that failed, in a few words: `mount tmpfs on the root`.
    pub step: String,
    /// Why, in the words of whoever refused.
    pub reason: String,
    /// What it calls for.
    pub kind: FaultKind,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(of) = self.shortage() {
            write!(f, "the machine is short of {}: ", of.words())?;
        }
        write!(f, "{}: {}", self.step, self.reason)
    }
}

/// What a fault calls for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum FaultKind {
    /// The piece of work is tried again, a bounded number of times.
    #[default]
    Retry,
    /// The machine is short of something for the moment: tried again every few seconds while that
    /// lasts, and for some minutes nothing is counted as a try.
    Short(Shortage),
    /// The machine was busy with other work while a run near its time limit was measured again: it
    /// is measured again some minutes later, a bounded number of times, and nothing is counted as a
    /// try.
    Busy,
    /// There is no room on a disk: everything waits until there is, and nothing is counted as a
    /// try.
    NoRoom,
    /// The daemon is ending, and no machine is there that can measure it: it waits for the next
    /// start, and nothing is counted as a try.
    NoPlace,
    /// Whoever wanted it does not want it any more: nothing has failed, and nothing is recorded.
    Cancelled,
    /// The store cannot be used any more: nothing can be kept, so the daemon ends.
    StoreLost,
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "callers hand over errors that they are done with"
)]
impl Fault {
    /// A fault at a step.
    pub fn new(step: impl Into<String>, reason: impl ToString) -> Self {
        Self {
            step: step.into(),
            reason: reason.to_string(),
            kind: FaultKind::Retry,
        }
    }

    /// A system call that failed at a step: for what the machine is short of, or for another
    /// reason.
    pub fn of_call(step: impl Into<String>, error: impl Into<io::Error>) -> Self {
        let error = error.into();
        let short = Shortage::of(&error);
        Self::new(step, error).short_of(short)
    }

    /// What this work says. A bug of ours in it is a fault like any other, so that it stops nothing
    /// beside it; the panic's own message is on standard error.
    pub fn caught<T>(step: &str, work: impl FnOnce() -> Result<T, Self>) -> Result<T, Self> {
        let bug = || Self::new(step, "a bug in verdictd; see standard error");
        catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(bug()))
    }

    /// The same fault of another kind.
    #[must_use]
    pub fn of_kind(self, kind: FaultKind) -> Self {
        Self { kind, ..self }
    }

    /// The same fault, for lack of this.
    #[must_use]
    pub fn short_of(self, shortage: Option<Shortage>) -> Self {
        match shortage {
            Some(of) => self.of_kind(FaultKind::Short(of)),
            None => self,
        }
    }

    /// What the machine is short of, where that is the reason.
    pub fn shortage(&self) -> Option<Shortage> {
        match self.kind {
            FaultKind::Short(of) => Some(of),
            _ => None,
        }
    }
}

/// What a machine can run out of for a while, through nobody's fault: programs that are judged side
/// by side, other services, a limit that somebody has set low.
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
/// when there is no memory left for its machine code.
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

//! The ordered steps by which a fresh child becomes the program. They run in memory shared with the
//! room's init: no allocation, no lock, no panic.

use std::ffi::CString;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{Mode, OFlags};
use rustix::process::DumpableBehavior;
use rustix::thread::{CapabilitySet, CapabilitySets};
use rustix::time::{ClockId, clock_gettime};

use super::privileges::{Ceilings, JOB_OOM_SCORE, OOM_SCORE_FILE};
use crate::sandbox::job::WORK_FOLDER;
use crate::sandbox::sys::{self, StringArray};
use crate::sandbox::wire::{Identity, JobOrder};

/// The steps, in order, as faults name them.
const STEPS: &[&str] = &[
    "join the cgroup",
    "be the first to go when memory is used up",
    "make a session",
    "connect standard input and output",
    "mark descriptors",
    "set resource limits",
    "enter the working folder",
    "drop groups",
    "drop the identity",
    "drop capabilities",
    "restrict with landlock",
    "start",
];

/// Everything that the child needs, made before it exists.
pub struct Program<'a> {
    /// What to run.
    pub order: &'a JobOrder,
    /// Path of the program.
    pub path: CString,
    /// Its arguments.
    pub arguments: StringArray,
    /// Its environment.
    pub environment: StringArray,
    /// Who it is.
    pub identity: Identity,
    /// What it is set back to, where init is preferred to others.
    pub niceness: Option<i32>,
    /// What its limits may be at most.
    pub ceilings: &'a Ceilings,
    /// A view of the processes that can be written.
    pub processes: BorrowedFd<'a>,
    /// What landlock holds it to.
    pub rules: Option<BorrowedFd<'a>>,
    /// Standard input, output and error.
    pub streams: &'a [OwnedFd],
    /// The files of cgroups to join.
    pub cgroups: &'a [OwnedFd],
    /// Where the CPU time of the steps is left, in nanoseconds.
    pub setup_cpu_ns: &'a AtomicU64,
    /// Where the moment of its start is left, in nanoseconds of the monotonic clock.
    pub started_ns: &'a AtomicU64,
}

/// The name of a step's number.
pub fn step_name(step: u32) -> &'static str {
    STEPS.get(step as usize).copied().unwrap_or("start")
}

impl Program<'_> {
    /// Becomes the program; returns only where a step failed: its number and the error's.
    pub fn exec_program(&self) -> (u32, i32) {
        let mut step = 0;
        if let Err(error) = self.prepare(&mut step) {
            return (step, error.raw_os_error());
        }
        let error = sys::execute(&self.path, &self.arguments, &self.environment);
        (step, error.raw_os_error().unwrap_or(0))
    }

    /// Prefers it to all other processes when memory is used up, so that init never goes instead.
    fn be_the_first_to_go(&self) -> rustix::io::Result<()> {
        // Its memory is init's still, which is hidden: from an ordinary user's own processes too,
        // this one included. No job runs now that could look.
        let hidden = self.identity.mapped.is_some();
        if hidden {
            set_dumpable(DumpableBehavior::Dumpable)?;
        }
        let flags = OFlags::WRONLY | OFlags::CLOEXEC;
        let score = rustix::fs::openat(self.processes, OOM_SCORE_FILE, flags, Mode::empty());
        if hidden {
            set_dumpable(DumpableBehavior::NotDumpable)?;
        }
        rustix::io::write(&score?, JOB_OOM_SCORE).map(drop)
    }

    fn prepare(&self, step: &mut u32) -> rustix::io::Result<()> {
        for group in self.cgroups {
            rustix::io::write(group, b"0")?;
        }
        *step += 1;
        self.be_the_first_to_go()?;
        *step += 1;
        rustix::process::setsid()?;
        if let Some(niceness) = self.niceness {
            rustix::process::setpriority_process(None, niceness)?;
        }
        *step += 1;
        if let [input, output, error, ..] = self.streams {
            rustix::stdio::dup2_stdin(input.as_fd())?;
            rustix::stdio::dup2_stdout(output.as_fd())?;
            rustix::stdio::dup2_stderr(error.as_fd())?;
        }
        *step += 1;
        sys::close_on_exec_from(3).map_err(|error| errno(&error))?;
        *step += 1;
        self.ceilings.apply(self.order)?;
        *step += 1;
        rustix::process::chdir(WORK_FOLDER)?;
        rustix::process::umask(Mode::from_raw_mode(0o022));
        *step += 1;
        // In a user namespace of one user, groups can neither be changed nor be used.
        if self.identity.mapped.is_none() {
            rustix::thread::set_thread_groups(&[])?;
        }
        *step += 1;
        let group = rustix::process::Gid::from_raw(self.identity.id);
        let user = rustix::process::Uid::from_raw(self.identity.id);
        rustix::thread::set_thread_res_gid(group, group, group)?;
        rustix::thread::set_thread_res_uid(user, user, user)?;
        *step += 1;
        drop_capabilities()?;
        // The keeper has given all signals their default action already.
        sys::unblock_signals();
        *step += 1;
        if let Some(rules) = self.rules {
            sys::restrict_to(rules).map_err(|error| errno(&error))?;
        }
        *step += 1;
        self.started_ns.store(monotonic_ns(), Ordering::Relaxed);
        self.setup_cpu_ns.store(thread_cpu_ns(), Ordering::Relaxed);
        Ok(())
    }
}

fn set_dumpable(how: DumpableBehavior) -> rustix::io::Result<()> {
    rustix::process::set_dumpable_behavior(how)
}

fn errno(error: &std::io::Error) -> rustix::io::Errno {
    rustix::io::Errno::from_raw_os_error(error.raw_os_error().unwrap_or(libc::EIO))
}

/// The monotonic clock, in nanoseconds.
pub fn monotonic_ns() -> u64 {
    nanoseconds(clock_gettime(ClockId::Monotonic))
}

/// CPU time of this thread, in nanoseconds.
pub fn thread_cpu_ns() -> u64 {
    nanoseconds(clock_gettime(ClockId::ThreadCPUTime))
}

fn nanoseconds(now: rustix::time::Timespec) -> u64 {
    u64::try_from(now.tv_sec).unwrap_or(0) * 1_000_000_000 + u64::try_from(now.tv_nsec).unwrap_or(0)
}

fn drop_capabilities() -> rustix::io::Result<()> {
    rustix::thread::set_capabilities(
        None,
        CapabilitySets {
            effective: CapabilitySet::empty(),
            permitted: CapabilitySet::empty(),
            inheritable: CapabilitySet::empty(),
        },
    )
}

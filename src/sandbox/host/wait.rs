//! Waiting: sleeping until something happens, and reading how a process ended.

use std::os::fd::BorrowedFd;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

use crate::domain::{End, Fault};
use crate::sandbox::channel::timespec;

/// Sleeps until something happens at one of these, or until then; says where something happened.
pub fn ready<'s, Source>(
    sources: impl Iterator<Item = (Source, BorrowedFd<'s>, PollFlags)>,
    until: Instant,
) -> Result<Vec<Source>, Fault> {
    let polled = sources.map(|(source, at, flags)| (source, PollFd::from_borrowed_fd(at, flags)));
    let (sources, mut ready): (Vec<_>, Vec<_>) = polled.unzip();
    poll_for(&mut ready, until.saturating_duration_since(Instant::now()))?;
    let happened = sources.into_iter().zip(&ready);
    let happened = happened.filter(|(_, one)| !one.revents().is_empty());
    Ok(happened.map(|(source, _)| source).collect())
}

/// Waits at most so long. A signal ends the waiting, and then nothing has happened.
pub fn poll_for(ready: &mut [PollFd<'_>], time: Duration) -> Result<(), Fault> {
    match poll(ready, Some(&timespec(time))) {
        Ok(_) | Err(Errno::INTR) => Ok(()),
        Err(error) => Err(Fault::new("wait for the program", error)),
    }
}

/// Reads a wait status.
pub fn end_of(status: i32) -> Result<End, Fault> {
    if libc::WIFEXITED(status) {
        Ok(End::Exited(libc::WEXITSTATUS(status)))
    } else if libc::WIFSIGNALED(status) {
        Ok(End::Signalled(libc::WTERMSIG(status)))
    } else {
        Err(Fault::new(
            "wait for the program",
            format!("wait status {status:#x}"),
        ))
    }
}

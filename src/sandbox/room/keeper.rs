//! The outer process of a room: it builds the room, starts its init inside, and afterwards does the
//! one thing that init may not: it mounts.
//!
//! It stands outside the room's process namespace, so that no job can see it or send it a signal,
//! whoever the job runs as.

use std::fs::File;
use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;

use rustix::process::{Pid, Signal};
use rustix::thread::{CpuSet, sched_setaffinity};

use super::mounts::Base;
use super::scratch::Scratch;
use super::{init, namespaces};
use crate::domain::Fault;
use crate::sandbox::channel::Channel;
use crate::sandbox::steps::{AtStep, fail};
use crate::sandbox::sys::{self, Waited};
use crate::sandbox::wire::{self, Reply, Request, Settings};

/// Where the init of a room, and with it every job, is counted.
pub struct Home {
    /// The folder of the group that it is born into.
    pub birth: Option<OwnedFd>,
    /// The files by which it moves into further groups.
    pub files: Vec<OwnedFd>,
}

/// Begins a room, furnishes it as the first message says, and keeps it until its init has ended.
pub fn keep(channel: &Channel, settings: Settings, home: Home) -> Result<(), Fault> {
    let result = build(channel, settings, home);
    if let Err(fault) = &result {
        // Said as the answer to the order, which may come later. Where the daemon is gone, there is
        // nobody to tell.
        let _ = fail(channel, fault);
    }
    result
}

fn build(channel: &Channel, settings: Settings, home: Home) -> Result<(), Fault> {
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))
        .step(|| "tie to the parent")?;
    sys::reset_signals();
    rustix::process::umask(rustix::fs::Mode::empty());
    namespaces::begin_room()?;
    let base = Base::lay()?;
    channel.send(&Reply::Begun, &[base.app()])?;
    let (ours, theirs) = Channel::pair()?;
    let birth = home.birth.as_ref().map(OwnedFd::as_fd);
    let forked = sys::fork_into(birth).step(|| "start the init of a room")?;
    if forked.is_none() {
        drop(ours);
        let result = init::live(channel, theirs, settings, home.files, base);
        if let Err(fault) = &result {
            let _ = fail(channel, fault);
        }
        sys::exit_now(i32::from(result.is_err()))
    }
    drop((theirs, home));
    let init = forked.and_then(Pid::from_raw);
    let keep_init_on = |processor| {
        if let Some(init) = init {
            keep_on(init, processor);
        }
    };
    let result = furnish(channel, base).and_then(|stands| {
        if !stands {
            return Ok(());
        }
        // Not before: until now the job of the room before may have been running there.
        settings.processor.into_iter().for_each(keep_init_on);
        ours.send(&Request::Room, &[])?;
        serve(&ours, &keep_init_on)
    });
    // Without the link init ends. The daemon's socket ends when this process does: not before the
    // last process of the room is reaped.
    drop(ours);
    while !matches!(sys::wait_any(true), Ok(Waited::Nobody) | Err(_)) {}
    result
}

/// Waits for the order and does it; whether there was one.
fn furnish(channel: &Channel, base: Base) -> Result<bool, Fault> {
    let Some((Request::Room, mut descriptors)) = channel.receive()? else {
        return Ok(false);
    };
    let parcel = descriptors
        .pop()
        .ok_or_else(|| Fault::new("take the room", "no parcel"))?;
    let shown: Vec<PathBuf> = wire::unpack(&mut File::from(parcel)).step(|| "read the room")?;
    base.furnish(&shown)?;
    drop(base);
    Ok(true)
}

/// Does what init asks for, until init is gone and with it everything in its namespace.
fn serve(link: &Channel, keep_init_on: &impl Fn(usize)) -> Result<(), Fault> {
    let mut scratch = Scratch::none();
    while let Some((request, _)) = link.receive()? {
        match request {
            Request::Renew { disk_bytes } => match scratch.renew(disk_bytes) {
                Ok(root) => link.send(&Reply::Renewed, &[root])?,
                Err(fault) => fail(link, &fault)?,
            },
            // Init cannot: its filter forbids it, so that no job can.
            Request::Place { processor } => {
                keep_init_on(processor);
                link.send(&Reply::Placed, &[])?;
            }
            _ => break,
        }
    }
    Ok(())
}

/// Keeps a process, and everything that it starts from now on, on one processor.
fn keep_on(process: Pid, processor: usize) {
    if processor < CpuSet::MAX_CPU {
        let mut set = CpuSet::new();
        set.set(processor);
        // One that has been taken out of service since; then the kernel chooses.
        let _ = sched_setaffinity(Some(process), &set);
    }
}

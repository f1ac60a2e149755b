//! The processes that stand around the rooms of a worker. Each has one thread and knows nothing but
//! its sockets. Where the daemon is gone its sockets end, the inits exit, and the kernel kills
//! whatever is left in their namespaces.
//!
//! The *zygote* leaves the machine's users, network and host name once, and then starts rooms by
//! forking itself. A room is two processes. Its *keeper* builds the room, starts its init inside,
//! and afterwards does the one thing that init may not: it mounts. It stands outside the room's
//! process namespace, so that no job can see it or send it a signal, whoever the job runs as. Its
//! *init* runs the jobs and may do neither more nor less than that needs.

use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;
use std::process::ExitCode;

use rustix::process::{Pid, Signal};
use rustix::thread::{CpuSet, sched_setaffinity};

use super::init;
use super::mounts::Base;
use super::scratch::Scratch;
use crate::domain::{Fault, Shortage};
use crate::sandbox::channel::{AtStep, Channel, NETWORK_NAMESPACE, USER_NAMESPACE, fail};
use crate::sandbox::sys::{self, Waited};
use crate::sandbox::wire::{self, Reply, Request, Settings};

/// Runs as a zygote until the socket on standard input ends.
pub fn main() -> ExitCode {
    match serve_daemon() {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn serve_daemon() -> Result<(), Fault> {
    // These are read once, before Linux 6.4 from a file of /proc that an ordinary user's namespaces
    // close.
    let _ = rustix::param::page_size();
    let _ = rustix::param::clock_ticks_per_second();
    let socket =
        rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3).step(|| "take the socket")?;
    let null = File::open("/dev/null").step(|| "open /dev/null")?;
    rustix::stdio::dup2_stdin(&null).step(|| "close the input")?;
    drop(null);
    let channel = Channel::new(socket);
    let Some((Request::Settle(settings), _)) = channel.receive()? else {
        return Ok(());
    };
    if let Err(fault) = schedule_as_usual().and_then(|()| settle(&settings)) {
        return fail(&channel, &fault);
    }
    // Its rooms are not waited for here; they say themselves how they end.
    sys::forget_children();
    channel.send(&Reply::Settled, &[])?;
    while let Some((request, descriptors)) = channel.receive()? {
        let Request::Begin { birth } = request else {
            return Err(Fault::new("serve", "an unexpected request"));
        };
        if sys::fork().step(|| "fork")?.is_none() {
            drop(channel);
            begin(settings, birth, descriptors);
        }
    }
    Ok(())
}

/// Some runtimes print to standard output that they do not know the policy that they run under.
fn schedule_as_usual() -> Result<(), Fault> {
    sys::schedule_as_usual().map_err(|error| {
        let reason = format!(
            "{error}: start the daemon without `chrt`, or without CPUSchedulingPolicy= in its unit"
        );
        Fault::new("leave the daemon's scheduling policy", reason)
    })
}

fn begin(settings: Settings, birth: bool, descriptors: Vec<OwnedFd>) -> ! {
    let mut descriptors = descriptors.into_iter();
    let code = match descriptors.next() {
        None => 1,
        Some(socket) => {
            let home = Home {
                birth: if birth { descriptors.next() } else { None },
                files: descriptors.collect(),
            };
            i32::from(keep(&Channel::new(socket), settings, home).is_err())
        }
    };
    sys::exit_now(code)
}

/// Where the init of a room, and with it every job, is counted.
struct Home {
    /// The folder of the group that it is born into.
    birth: Option<OwnedFd>,
    /// The files by which it moves into further groups.
    files: Vec<OwnedFd>,
}

/// Begins a room, furnishes it as the first message says, and keeps it until its init has ended.
fn keep(channel: &Channel, settings: Settings, home: Home) -> Result<(), Fault> {
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
    begin_room()?;
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
    sys::unshare(libc::CLONE_NEWPID | libc::CLONE_NEWNS | libc::CLONE_NEWIPC)
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

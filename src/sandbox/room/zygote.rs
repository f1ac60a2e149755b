//! The small process behind a worker: it leaves the machine's users, network and host name once,
//! and then starts rooms by forking itself.
//!
//! A room is two processes. Its *keeper* stands outside the room's process namespace and owns its
//! mounts; its *init* runs the jobs and may do neither more nor less than that needs.
//! Each has one thread and knows nothing but its sockets. Where the daemon is gone its sockets end,
//! the inits exit, and the kernel kills whatever is left in their namespaces.

use std::fs::File;
use std::os::fd::OwnedFd;
use std::process::ExitCode;

use super::keeper::{self, Home};
use super::namespaces;
use crate::domain::Fault;
use crate::sandbox::channel::Channel;
use crate::sandbox::steps::{AtStep, fail};
use crate::sandbox::sys;
use crate::sandbox::wire::{Reply, Request, Settings};

/// Runs as a zygote until the socket on standard input ends.
pub fn main() -> ExitCode {
    match serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn serve() -> Result<(), Fault> {
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
    if let Err(fault) = namespaces::settle(&settings) {
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

fn begin(settings: Settings, birth: bool, descriptors: Vec<OwnedFd>) -> ! {
    let mut descriptors = descriptors.into_iter();
    let code = match descriptors.next() {
        None => 1,
        Some(socket) => {
            let home = Home {
                birth: if birth { descriptors.next() } else { None },
                files: descriptors.collect(),
            };
            i32::from(keeper::keep(&Channel::new(socket), settings, home).is_err())
        }
    };
    sys::exit_now(code)
}

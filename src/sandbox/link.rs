//! The daemon's end of a zygote: starts it, speaks with it, ends it.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::AppFile;
use super::sys;
use super::wire::{self, MESSAGE_BYTES_MAX, Reply, Request, RoomOrder};
use crate::domain::Fault;

/// The hidden first argument that makes this binary a zygote.
pub const ARGUMENT: &str = "__sandbox-zygote";
/// How long any step of the zygote may take that does not wait for a program.
pub const STEP_TIME_MAX: Duration = Duration::from_secs(20);

/// A running zygote with its room. Dropping it ends everything in the room.
pub struct Zygote {
    socket: OwnedFd,
    child: Child,
}

impl Zygote {
    /// Starts one and waits until its room stands.
    pub fn start(order: &RoomOrder, app: &[AppFile]) -> Result<Self, Fault> {
        let io = |error: std::io::Error| Fault::new("start the sandbox", error);
        let (ours, theirs) = sys::message_pair().map_err(io)?;
        let parcel = wire::pack(order, app).map_err(io)?;
        let child = Command::new("/proc/self/exe")
            .arg0("verdictd")
            .arg(ARGUMENT)
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::from(theirs))
            .stdout(Stdio::null())
            // A Ctrl-C at the terminal goes to the daemon's whole group; the program that is judged must not die of it.
            .process_group(0)
            .spawn()
            .map_err(io)?;
        let zygote = Self {
            socket: ours,
            child,
        };
        zygote.send(&Request::Room, &[parcel.as_fd()])?;
        match zygote.receive_within(STEP_TIME_MAX)?.0 {
            Reply::Ready => Ok(zygote),
            other => Err(unexpected(other)),
        }
    }

    /// The socket, to poll it.
    pub fn socket(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }

    /// Sends a request.
    pub fn send(&self, request: &Request, descriptors: &[BorrowedFd<'_>]) -> Result<(), Fault> {
        let bytes =
            serde_json::to_vec(request).map_err(|error| Fault::new("write a request", error))?;
        sys::send(self.socket.as_fd(), &bytes, descriptors)
            .map_err(|error| Fault::new("speak with the sandbox", error))
    }

    /// Receives a reply, and the working folder where it comes along.
    pub fn receive(&self) -> Result<(Reply, Option<OwnedFd>), Fault> {
        let mut bytes = [0; MESSAGE_BYTES_MAX];
        let (length, mut descriptors) = sys::receive(self.socket.as_fd(), &mut bytes)
            .map_err(|error| Fault::new("listen to the sandbox", error))?;
        if length == 0 {
            return Err(Fault::new(
                "listen to the sandbox",
                "its process has ended unexpectedly",
            ));
        }
        let reply = serde_json::from_slice(&bytes[..length])
            .map_err(|error| Fault::new("read a reply", error))?;
        Ok((reply, descriptors.pop()))
    }

    /// The same, but not forever.
    pub fn receive_within(&self, time: Duration) -> Result<(Reply, Option<OwnedFd>), Fault> {
        let end = Instant::now() + time;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let mut ready = [PollFd::new(&self.socket, PollFlags::IN)];
            match poll(&mut ready, Some(&timespec(left))) {
                Ok(0) => return Err(Fault::new("listen to the sandbox", "it does not answer")),
                Ok(_) => return self.receive(),
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(Fault::new("listen to the sandbox", error)),
            }
        }
    }
}

impl Drop for Zygote {
    fn drop(&mut self) {
        sys::hang_up(self.socket.as_fd());
        // Its init dies with it, and with the init everything in the namespace.
        let _ = self.child.kill();
        let _ = self.child.wait();
        // The init holds the other end of the socket: the end of the stream says that it is gone too.
        let _ = self.drain();
    }
}

impl Zygote {
    fn drain(&self) -> Result<(), Fault> {
        loop {
            self.receive_within(STEP_TIME_MAX)?;
        }
    }
}

/// What a reply means that is not the expected one.
pub fn unexpected(reply: Reply) -> Fault {
    match reply {
        Reply::Failed { step, reason } => Fault::new(step, reason),
        other => Fault::new("listen to the sandbox", format!("unexpected {other:?}")),
    }
}

/// A time as the kernel wants it.
pub fn timespec(time: Duration) -> Timespec {
    Timespec {
        tv_sec: i64::try_from(time.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: i64::from(time.subsec_nanos()),
    }
}

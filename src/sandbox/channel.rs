//! A connection of messages between two parts of the sandbox, as either side uses it.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::{AddressFamily, Shutdown, SocketFlags, SocketType};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::sys;
use super::wire::MESSAGE_BYTES_MAX;
use crate::domain::Fault;

/// One end. What is sent is JSON, with descriptors beside it.
pub struct Channel {
    socket: OwnedFd,
}

impl Channel {
    /// An end that was inherited or received.
    pub fn new(socket: OwnedFd) -> Self {
        Self { socket }
    }

    /// Both ends of a new one.
    pub fn pair() -> Result<(Self, Self), Fault> {
        let (one, other) = rustix::net::socketpair(
            AddressFamily::UNIX,
            SocketType::SEQPACKET,
            SocketFlags::CLOEXEC,
            None,
        )
        .map_err(|error| Fault::of_call("make a channel", error))?;
        Ok((Self::new(one), Self::new(other)))
    }

    /// The socket, to poll it or to pass it on.
    pub fn socket(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }

    /// The socket itself.
    pub fn into_socket(self) -> OwnedFd {
        self.socket
    }

    /// Sends one message.
    pub fn send(
        &self,
        message: &impl Serialize,
        descriptors: &[BorrowedFd<'_>],
    ) -> Result<(), Fault> {
        let bytes =
            serde_json::to_vec(message).map_err(|error| Fault::new("write a message", error))?;
        sys::send(self.socket.as_fd(), &bytes, descriptors)
            .map_err(|error| Fault::of_call("speak with the sandbox", error))
    }

    /// Receives one message; none where the other side is gone.
    pub fn receive<Message: DeserializeOwned>(
        &self,
    ) -> Result<Option<(Message, Vec<OwnedFd>)>, Fault> {
        let mut bytes = [0; MESSAGE_BYTES_MAX];
        let (length, descriptors) = sys::receive(self.socket.as_fd(), &mut bytes)
            .map_err(|error| Fault::of_call("listen to the sandbox", error))?;
        if length == 0 {
            return Ok(None);
        }
        let message = serde_json::from_slice(&bytes[..length])
            .map_err(|error| Fault::new("read a message", error))?;
        Ok(Some((message, descriptors)))
    }

    /// The same, but does not wait longer than this.
    pub fn receive_within<Message: DeserializeOwned>(
        &self,
        time: Duration,
    ) -> Result<Option<(Message, Vec<OwnedFd>)>, Fault> {
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

    /// The same, where the end of the other side is a fault.
    pub fn answer_within<Message: DeserializeOwned>(
        &self,
        time: Duration,
    ) -> Result<(Message, Vec<OwnedFd>), Fault> {
        self.receive_within(time)?.ok_or_else(|| {
            Fault::new(
                "listen to the sandbox",
                "its process has ended unexpectedly",
            )
        })
    }

    /// Says that nothing more will be sent.
    pub fn hang_up(&self) {
        // Where the other side is gone there is nobody to tell.
        let _ = rustix::net::shutdown(&self.socket, Shutdown::Write);
    }
}

/// A time as the kernel wants it.
pub fn timespec(time: Duration) -> Timespec {
    Timespec {
        tv_sec: i64::try_from(time.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: i64::from(time.subsec_nanos()),
    }
}

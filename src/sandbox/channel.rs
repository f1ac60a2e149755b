//! A connection of messages between two parts of the sandbox, as either side uses it, and the steps
//! of setting up a room: the names by which faults tell them, and how a failed one is told.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::retry_on_intr;
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags,
    SendAncillaryBuffer, SendAncillaryMessage, SendFlags, Shutdown, SocketFlags, SocketType,
    recvmsg, sendmsg,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::wire::{MESSAGE_BYTES_MAX, Reply};
use crate::domain::Fault;

/// Descriptors that one message may carry.
const DESCRIPTORS_MAX: usize = 16;
/// Room for them beside a message.
const ANCILLARY_BYTES: usize = rustix::cmsg_space!(ScmRights(DESCRIPTORS_MAX));

/// How long any step of the sandbox may take that does not wait for a program.
pub const STEP_TIME_MAX: Duration = Duration::from_secs(20);

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
        let mut space = [MaybeUninit::uninit(); ANCILLARY_BYTES];
        let mut beside = SendAncillaryBuffer::new(&mut space);
        let fits = descriptors.is_empty()
            || (descriptors.len() <= DESCRIPTORS_MAX
                && beside.push(SendAncillaryMessage::ScmRights(descriptors)));
        if !fits {
            return Err(Fault::new("speak with the sandbox", "too many descriptors"));
        }
        let parts = [IoSlice::new(&bytes)];
        retry_on_intr(|| sendmsg(&self.socket, &parts, &mut beside, SendFlags::NOSIGNAL))
            .map(drop)
            .map_err(|error| Fault::of_call("speak with the sandbox", error))
    }

    /// Receives one message; none where the other side is gone.
    pub fn receive<Message: DeserializeOwned>(
        &self,
    ) -> Result<Option<(Message, Vec<OwnedFd>)>, Fault> {
        let mut bytes = [0; MESSAGE_BYTES_MAX];
        let mut space = [MaybeUninit::uninit(); ANCILLARY_BYTES];
        let mut beside = RecvAncillaryBuffer::new(&mut space);
        let received = retry_on_intr(|| {
            let mut parts = [IoSliceMut::new(&mut bytes)];
            let flags = RecvFlags::CMSG_CLOEXEC;
            recvmsg(&self.socket, &mut parts, &mut beside, flags)
        })
        .map_err(|error| Fault::of_call("listen to the sandbox", error))?;
        let descriptors = beside
            .drain()
            .filter_map(|message| match message {
                RecvAncillaryMessage::ScmRights(descriptors) => Some(descriptors),
                _ => None,
            })
            .flatten()
            .collect();
        if received
            .flags
            .intersects(ReturnFlags::TRUNC | ReturnFlags::CTRUNC)
        {
            return Err(Fault::new("listen to the sandbox", "a message was cut"));
        }
        if received.bytes == 0 {
            return Ok(None);
        }
        let message = serde_json::from_slice(&bytes[..received.bytes])
            .map_err(|error| Fault::new("read a message", error))?;
        Ok(Some((message, descriptors)))
    }

    /// The same, but does not wait longer than [`STEP_TIME_MAX`].
    pub fn receive_in_time<Message: DeserializeOwned>(
        &self,
    ) -> Result<Option<(Message, Vec<OwnedFd>)>, Fault> {
        let end = Instant::now() + STEP_TIME_MAX;
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
    pub fn answer<Message: DeserializeOwned>(&self) -> Result<(Message, Vec<OwnedFd>), Fault> {
        self.receive_in_time()?.ok_or_else(|| {
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

/// Names the step of a failed call.
pub trait AtStep<T> {
    /// The result, a failure with the step's name.
    fn step<S: Into<String>>(self, step: impl FnOnce() -> S) -> Result<T, Fault>;
}

impl<T, E: Into<io::Error>> AtStep<T> for Result<T, E> {
    fn step<S: Into<String>>(self, step: impl FnOnce() -> S) -> Result<T, Fault> {
        self.map_err(|error| Fault::of_call(step(), error))
    }
}

/// The step that a kernel without filters, or without memory for one more, fails at.
pub const FILTER: &str = "install the system call filter";
/// Making the namespace in which the daemon's user is another one.
pub const USER_NAMESPACE: &str = "make a user namespace";
/// Making the empty network.
pub const NETWORK_NAMESPACE: &str = "make a network namespace";

/// Characters of a step and of a reason that are sent.
const WORDS_CHARACTERS_MAX: usize = 500;

/// Says that a step failed, in a message of a bounded size.
pub fn fail(channel: &Channel, fault: &Fault) -> Result<(), Fault> {
    let bounded = |text: &str| text.chars().take(WORDS_CHARACTERS_MAX).collect();
    let fault = Fault {
        step: bounded(&fault.step),
        reason: bounded(&fault.reason),
        kind: fault.kind,
    };
    channel.send(&Reply::Failed(fault), &[])
}

/// What a reply means that is not the expected one.
pub fn unexpected(reply: Reply) -> Fault {
    match reply {
        Reply::Failed(fault) => fault,
        other => Fault::new("listen to the sandbox", format!("unexpected {other:?}")),
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::os::fd::AsFd as _;

    use super::{Channel, DESCRIPTORS_MAX};
    use crate::sandbox::wire::{MESSAGE_BYTES_MAX, sealed};

    #[test]
    fn descriptors_travel_beside_messages_and_both_are_bounded() {
        let (ours, theirs) = Channel::pair().unwrap();
        let file = sealed("words", &[b"words"]).unwrap();
        let many = vec![file.as_fd(); DESCRIPTORS_MAX];
        ours.send(&"many", &many).unwrap();
        ours.send(&"none", &[]).unwrap();
        let more = vec![file.as_fd(); DESCRIPTORS_MAX + 1];
        assert!(ours.send(&"too many", &more).is_err());
        let (message, received): (String, _) = theirs.receive().unwrap().unwrap();
        assert_eq!((&*message, received.len()), ("many", DESCRIPTORS_MAX));
        let flags = rustix::io::fcntl_getfd(&received[0]).unwrap();
        assert!(flags.contains(rustix::io::FdFlags::CLOEXEC));
        let first = File::from(received.into_iter().next().unwrap());
        assert_eq!(std::io::read_to_string(first).unwrap(), "words");
        let (message, received): (String, _) = theirs.receive().unwrap().unwrap();
        assert_eq!((message.as_str(), received.len()), ("none", 0));
        ours.send(&"x".repeat(MESSAGE_BYTES_MAX), &[]).unwrap();
        assert!(theirs.receive::<String>().is_err());
        drop(ours);
        assert!(theirs.receive::<String>().unwrap().is_none());
    }
}

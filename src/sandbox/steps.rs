//! The steps of setting up a room: the names by which faults tell them, and how a failed one is
//! told.

use std::io;

use super::channel::Channel;
use super::wire::Reply;
use crate::domain::Fault;

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

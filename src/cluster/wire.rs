//! The messages between a daemon and a worker on another machine.
//!
//! A message is one line of JSON; bytes that it names follow it raw, one after the other. No message
//! is longer than [`MESSAGE_BYTES_MAX`], so the server's own bound of 1 MiB is never met.
//!
//! Every request of a worker is answered by the daemon itself, and is sent again until it is, so an
//! acknowledgement of the server means nothing. What arrives twice or too late is dropped and
//! counted: a fact is taken only if its order is out with this worker and its number is the next
//! one.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read as _};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::domain::{Compared, Digest, Fault, Identity, LanguageId, Speed};
use crate::judge::order::{Ended, Fact, Go, Order, Progress};

/// Raised with every change of a message; both ends refuse another one.
pub const SHAPE: u16 = 2;
/// The longest message, in bytes.
pub const MESSAGE_BYTES_MAX: usize = 768 * 1024;
/// The longest JSON line of a message: the largest fact has the words of a compiler and the names of
/// 1,024 files.
pub const LINE_BYTES_MAX: usize = 512 * 1024;
/// Bytes of an order or a fact that are longer travel in parts of this length.
pub const PART_BYTES: usize = 512 * 1024;
/// Bytes that a fact names travel with it up to this length, and longer ones ahead of it.
pub const INLINE_BYTES_MAX: usize = 64 * 1024;
/// Orders in one answer, in bytes of JSON.
pub const ENVELOPE_BYTES_MAX: usize = 256 * 1024;
/// Facts are gathered for this long, or until they have [`INLINE_BYTES_MAX`] bytes.
pub const GATHER_MS: u64 = 50;

/// 128 random bits, in hexadecimal: one issue of an order, or one life of a process.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Id(pub String);

impl Id {
    /// One that nobody else has.
    pub fn random() -> io::Result<Self> {
        let mut bits = [0; 16];
        File::open("/dev/urandom")?.read_exact(&mut bits)?;
        Ok(Self(format!("{:032x}", u128::from_ne_bytes(bits))))
    }
}

/// What a daemon tells all workers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct News {
    /// [`SHAPE`].
    pub shape: u16,
    /// The daemon's life: another one has forgotten every order that was out.
    pub daemon: Id,
    /// Orders that wait for a place now.
    pub waiting: usize,
    /// Orders that can wait until no course has others.
    pub idle: usize,
}

/// A worker is there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Beat {
    /// [`SHAPE`].
    pub shape: u16,
    /// The worker's life.
    pub worker: Id,
    /// What it is: with its first beat, after each change, and when it is asked for.
    pub about: Option<Box<About>>,
    /// Orders that it does or has taken.
    pub doing: Vec<Doing>,
}

/// What a worker is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct About {
    /// This program's version.
    pub version: String,
    /// The machine, in words: as reports name it.
    pub machine: String,
    /// Orders that it does at a time.
    pub places: usize,
    /// Digest of what its sandbox enforces.
    pub sandbox: Digest,
    /// Each protection of its sandbox, in words: name and whether it holds.
    pub protections: Vec<String>,
    /// Languages that work there.
    pub languages: BTreeMap<LanguageId, Identity>,
    /// How fast it measures.
    pub speed: Speed,
}

/// How far an order is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Doing {
    /// Which order.
    pub order: Id,
    /// How far; none where it waits for a place.
    pub progress: Option<Progress>,
}

/// The answer to [`Beat`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Standing {
    /// The daemon's life.
    pub daemon: Id,
    /// Whether the next beat has to say what the worker is.
    pub is_unknown: bool,
    /// Languages whose orders it may get.
    pub languages: Vec<LanguageId>,
    /// Why it gets no orders, or none of some languages: for people at the worker's terminal.
    pub why_not: Vec<String>,
    /// Orders that are not out with this worker any more: nobody takes their facts.
    pub drop: Vec<Id>,
}

/// A place is free.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ask {
    /// The worker's life.
    pub worker: Id,
    /// Whether an order that can wait is welcome: not where another course has others.
    pub takes_idle: bool,
}

/// The answer to [`Ask`]: orders for one place, to be done one after the other. None where nothing
/// suits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Envelope {
    /// The daemon's life.
    pub daemon: Id,
    /// The orders.
    pub orders: Vec<Sent>,
}

/// An order that is out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sent {
    /// This issue of it.
    pub id: Id,
    /// The order.
    pub order: Order,
    /// Whether it is given up when others wait.
    pub can_wait: bool,
}

/// Facts of an order, in their order. The bytes that they name follow, unless they came in parts or
/// the order names them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Facts {
    /// The worker's life.
    pub worker: Id,
    /// Which order.
    pub order: Id,
    /// The number of the first fact; an order's first one has 1.
    pub first: u64,
    /// The facts, in the order they came.
    pub list: Vec<Fact>,
    /// Lengths of the bytes that follow, in bytes.
    pub lengths: Vec<u64>,
    /// What it does now.
    pub progress: Option<Progress>,
    /// How it ended, after these facts.
    pub ended: Option<Result<Ended, Fault>>,
}

/// A part of bytes that a later fact of the order names; the part follows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// The worker's life.
    pub worker: Id,
    /// Which order.
    pub order: Id,
    /// Digest of the whole.
    pub digest: Digest,
    /// Where the part begins, in bytes.
    pub at: u64,
    /// Length of the whole, in bytes.
    pub of: u64,
}

/// The answer to [`Facts`] and [`Part`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Taken {
    /// Whether the order goes on. It stops too where it is not out with this worker.
    pub go: Go,
}

/// Bytes that the server does not have; they are put there before the answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Want {
    /// The worker's life.
    pub worker: Id,
    /// For which order.
    pub order: Id,
    /// Which bytes.
    pub digest: Digest,
}

/// The answer to [`Want`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Found {
    /// They are on the server now.
    There,
    /// The daemon does not have them either.
    Gone,
    /// The order is not out with this worker.
    Stop,
}

/// Was this asked before? The answer is an `Option<Compared>`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Question {
    /// The worker's life.
    pub worker: Id,
    /// For which order.
    pub order: Id,
    /// What is asked.
    pub asked: Digest,
}

/// The answer to [`Question`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// What was said.
    pub said: Option<Compared>,
}

/// What is wrong with a message.
#[derive(Debug, thiserror::Error)]
pub enum WireError {
    /// It is not what this version writes.
    #[error("a message cannot be read: {0}")]
    Json(#[from] serde_json::Error),
    /// It is longer than any may be.
    #[error("a message of {0} bytes is longer than any may be")]
    Long(usize),
    /// The bytes that follow are not those that it names.
    #[error("the bytes after a message are not those that it names")]
    Bytes,
}

/// A message, and the bytes that follow it.
pub fn write(message: &impl Serialize, bytes: &[&[u8]]) -> Result<Vec<u8>, WireError> {
    let mut written = serde_json::to_vec(message)?;
    written.push(b'\n');
    if written.len() > LINE_BYTES_MAX {
        return Err(WireError::Long(written.len()));
    }
    for bytes in bytes {
        written.extend_from_slice(bytes);
    }
    if written.len() > MESSAGE_BYTES_MAX {
        return Err(WireError::Long(written.len()));
    }
    Ok(written)
}

/// Reads a message, and says what follows it.
pub fn read<T: DeserializeOwned>(message: &[u8]) -> Result<(T, &[u8]), WireError> {
    if message.len() > MESSAGE_BYTES_MAX {
        return Err(WireError::Long(message.len()));
    }
    let line = message.iter().position(|byte| *byte == b'\n');
    let (line, rest) = message.split_at(line.ok_or(WireError::Bytes)? + 1);
    Ok((serde_json::from_slice(line)?, rest))
}

//! The messages between a daemon and a worker on another machine.
//!
//! A message is one line of JSON; what it announces follows it raw. No message is longer than
//! [`MESSAGE_BYTES_MAX`], so the server's own bound of 1 MiB is never met.
//!
//! Nothing here is numbered or sent twice but the end of an order: facts are keyed, and what is lost
//! of them is planned again. How an order ended says how many facts there were; where fewer have
//! come, the order is as good as left in the middle.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read as _};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::domain::{Compared, Digest, Fault, Identity, LanguageId, Speed};
use crate::judge::order::{Ended, Fact, Order, Progress};
use crate::util::hash::digest;

/// Raised with every change of a message; either end refuses another version.
pub const PROTOCOL_VERSION: u16 = 5;
/// The longest message, in bytes.
pub const MESSAGE_BYTES_MAX: usize = 768 * 1024;
/// The longest JSON line of a message: the largest order has 256 tests, and the largest fact the
/// words of a compiler and the names of 1,024 files.
pub const LINE_BYTES_MAX: usize = 512 * 1024;
/// Bytes of an order or a fact that are longer travel in parts of this length.
pub const PART_BYTES: usize = 512 * 1024;
/// Bytes that a fact names travel with it up to this length together, and longer ones ahead of it.
pub const INLINE_BYTES_MAX: usize = 64 * 1024;

/// 128 random bits, in hexadecimal: one issue of an order, or one life of a process.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Id(pub String);

impl Id {
    /// One that nobody else has.
    pub fn random() -> io::Result<Self> {
        Ok(Self(format!("{:032x}", u128::from_ne_bytes(random()?))))
    }
}

/// Random bytes.
pub fn random<const COUNT: usize>() -> io::Result<[u8; COUNT]> {
    let mut bytes = [0; COUNT];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// What a daemon tells all workers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct News {
    /// [`PROTOCOL_VERSION`].
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
pub struct Heartbeat {
    /// [`PROTOCOL_VERSION`].
    pub shape: u16,
    /// The worker's life.
    pub worker: Id,
    /// [`About::digest`] of what it is.
    pub is: Digest,
    /// What it is, where the daemon has asked for it.
    pub about: Option<Box<About>>,
    /// Orders that it does.
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

impl About {
    /// Tells both ends whether they know the same.
    pub fn digest(&self) -> Digest {
        digest(&serde_json::to_vec(self).unwrap_or_default())
    }
}

#[cfg(test)]
impl About {
    /// A worker for tests, with one place and no language.
    pub fn sample() -> Self {
        Self {
            version: "1".to_owned(),
            machine: "a machine".to_owned(),
            places: 1,
            sandbox: Digest([0; 32]),
            protections: Vec::new(),
            languages: BTreeMap::new(),
            speed: crate::util::samples::speed(1, 0.0),
        }
    }
}

/// How far an order is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Doing {
    pub order: Id,
    /// How far; none where nothing has begun.
    pub progress: Option<Progress>,
}

/// The answer to [`Heartbeat`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct HeartbeatReply {
    /// Whether the worker has to say what it is.
    pub is_unknown: bool,
    /// Whether it has to prove that it is as fast as it says.
    pub has_to_prove: bool,
    /// Whether it gets orders.
    pub is_used: bool,
    /// Why it gets no orders, or none of some languages: for people at the worker's terminal.
    pub why_not: Vec<String>,
    /// Orders that are not out with this worker any more: nobody takes their facts.
    pub drop: Vec<Id>,
}

/// A worker asks for work that proves its speed, and brings what came of the last.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Proving {
    /// The worker's life.
    pub worker: Id,
    /// What came of the last challenge.
    pub answer: Option<u64>,
}

/// The answer to [`Proving`]: a seed and rounds of [`Chain`](crate::util::calibrate::Chain), as soon
/// as possible; nothing where that is all for now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Challenge(pub Option<(u64, u32)>);

/// A place is free.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Take {
    /// The worker's life.
    pub worker: Id,
    /// How long the daemon may wait for an order, in milliseconds.
    pub wait_ms: u64,
    /// Whether an order that can wait is welcome: not where another course has others.
    pub takes_idle: bool,
}

/// The answer to [`Take`]: an order, if there was one that suits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Given {
    /// The daemon's life.
    pub daemon: Id,
    /// What there is to do.
    pub order: Option<Box<OrderMessage>>,
}

/// An order that is out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OrderMessage {
    /// This issue of it.
    pub id: Id,
    /// The order.
    pub order: Order,
    /// Whether it is given up when others wait.
    pub can_wait: bool,
}

/// The first line of everything about an order that is out. What is said is a message of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// The worker's life.
    pub worker: Id,
    pub order: Id,
}

/// What a worker says about an order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Said {
    /// A fact. The bytes that it names follow, each of one of these lengths, unless they came in
    /// parts or the order names them. Nobody answers.
    Fact(Box<Fact>, Vec<u64>),
    /// The next part of bytes that are so long as a whole, for the next fact; it follows.
    Part(u64),
    /// The server does not have these bytes; they are put there before the answer.
    Want(Digest),
    /// Was this asked before?
    Question(Digest),
    /// That was all, after so many facts.
    Ended(u64, Result<Ended, Fault>),
}

/// The answer to [`Said`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Answer {
    /// The order is not out with this worker any more.
    Stop,
    /// It was taken.
    Taken,
    /// The bytes are on the server now.
    There,
    /// The daemon does not have them either.
    Gone,
    /// What was said to this question before.
    Before(Option<Compared>),
}

/// What is wrong with what the other end says.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum Wrong {
    #[error("a message that cannot be read: {0}")]
    Message(String),
    #[error("a message of {0} bytes, which is longer than any may be")]
    Long(usize),
    #[error("a fact that is not about its order")]
    Elsewhere,
    #[error("a fact without the bytes that it names ({0:?})")]
    Bytes(Digest),
    #[error("bytes of another length than a message says")]
    Lengths,
    #[error("a fact with more bytes than any may have")]
    TooLong,
    #[error("more facts than its order has things to say")]
    Many,
}

impl From<serde_json::Error> for Wrong {
    fn from(error: serde_json::Error) -> Self {
        Self::Message(error.to_string())
    }
}

/// A message, and the bytes that follow it.
pub fn write(message: &impl Serialize, bytes: &[&[u8]]) -> Result<Vec<u8>, Wrong> {
    let mut written = serde_json::to_vec(message)?;
    written.push(b'\n');
    if written.len() > LINE_BYTES_MAX {
        return Err(Wrong::Long(written.len()));
    }
    for bytes in bytes {
        written.extend_from_slice(bytes);
    }
    if written.len() > MESSAGE_BYTES_MAX {
        return Err(Wrong::Long(written.len()));
    }
    Ok(written)
}

/// Reads a message, and says what follows it.
pub fn read<T: DeserializeOwned>(message: &[u8]) -> Result<(T, &[u8]), Wrong> {
    if message.len() > MESSAGE_BYTES_MAX {
        return Err(Wrong::Long(message.len()));
    }
    let line = message.iter().position(|byte| *byte == b'\n');
    let (line, rest) = message.split_at(line.ok_or(Wrong::Lengths)? + 1);
    Ok((serde_json::from_slice(line)?, rest))
}

//! An order on its way to a place, and how the planner that waits for it and the place that does it
//! talk to each other.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};

use super::choose::Wants;
use super::place::Place;
use crate::domain::{Compared, Digest, Fault, Submission};
use crate::judge::order::{Blob, Bytes, Ended, Fact, Go, Order, Sink, Source};
use crate::sandbox::Cancel;
use crate::toolchain::Toolchain;

/// Facts of one order that may wait to be kept; a place with one more waits.
const REPLIES_MAX: usize = 16;

/// An order on its way to a place.
pub struct Task {
    /// The order.
    pub order: Order,
    /// What it asks of a place.
    pub wants: Wants,
    /// Bytes that it needs in any case, so that the place does not wait for them. Where many wait
    /// some are left out, and are asked for.
    pub bytes: HashMap<Digest, Arc<[u8]>>,
    /// The languages that the order names.
    pub toolchain: Arc<Toolchain>,
    /// What is judged, for those who look on. It never leaves this machine.
    pub submission: Submission,
    /// What it is called in messages of this machine.
    pub what: Arc<str>,
    /// See [`About::cancel`].
    pub cancel: Option<Cancel>,
    /// Whether the submission has been measured already, and this is what is left: other students'
    /// programs may go first.
    pub is_rest: bool,
    planner: SyncSender<Reply>,
}

/// What a planner hears from a place.
pub enum Reply {
    /// A place has it now.
    Given(Arc<Place>),
    /// No place is there any more that it wants: it was not begun.
    Unwanted,
    /// A fact, and the bytes that it names.
    Fact(Fact, Vec<Blob>),
    /// These bytes are needed too.
    Blob(Digest, SyncSender<Result<Option<Arc<[u8]>>, Fault>>),
    /// Was this asked before?
    Opinion(Digest, SyncSender<Result<Option<Compared>, Fault>>),
    /// The order has ended.
    Ended(Result<Ended, Fault>),
}

/// Nobody waits for this order any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gone;

/// What a task is made of, beside the order.
pub struct About<'a> {
    /// See [`Task::toolchain`].
    pub toolchain: &'a Arc<Toolchain>,
    /// See [`Task::submission`].
    pub submission: &'a Submission,
    /// See [`Task::what`].
    pub what: &'a Arc<str>,
    /// Where it is done only while nothing else waits: says when it is not wanted any more.
    pub cancel: Option<&'a Cancel>,
}

impl Task {
    /// A task, and where its planner hears of it.
    pub fn new(
        order: Order,
        wants: Wants,
        bytes: HashMap<Digest, Arc<[u8]>>,
        about: &About<'_>,
    ) -> (Self, Receiver<Reply>) {
        let (planner, replies) = sync_channel(REPLIES_MAX);
        let task = Self {
            order,
            wants,
            bytes,
            toolchain: Arc::clone(about.toolchain),
            submission: about.submission.clone(),
            what: Arc::clone(about.what),
            cancel: about.cancel.cloned(),
            is_rest: false,
            planner,
        };
        (task, replies)
    }

    /// Whether it is done only while nothing else waits.
    pub fn can_wait(&self) -> bool {
        self.cancel.is_some()
    }

    /// Tells the planner. Waits while the planner has too much to do.
    pub fn tell(&self, reply: Reply) -> Result<(), Gone> {
        self.planner.send(reply).map_err(|_| Gone)
    }

    /// The same without waiting.
    pub fn try_tell(&self, reply: Reply) -> Told {
        match self.planner.try_send(reply) {
            Ok(()) => Told::Yes,
            Err(TrySendError::Full(reply)) => Told::Busy(reply),
            Err(TrySendError::Disconnected(_)) => Told::Gone,
        }
    }

    fn ask<T>(&self, question: impl FnOnce(SyncSender<T>) -> Reply) -> Result<T, Fault> {
        let (asked, answer) = sync_channel(1);
        self.tell(question(asked)).map_err(|Gone| gone())?;
        answer.recv().map_err(|_| gone())
    }
}

/// A task is where its own bytes come from.
impl Source for Task {
    fn blob(&self, digest: &Digest) -> Result<Option<Arc<[u8]>>, Fault> {
        match self.bytes.get(digest) {
            Some(bytes) => Ok(Some(Arc::clone(bytes))),
            None => self.ask(|asked| Reply::Blob(*digest, asked))?,
        }
    }

    fn opinion(&self, question: &Digest) -> Result<Option<Compared>, Fault> {
        self.ask(|asked| Reply::Opinion(*question, asked))?
    }
}

/// A task is where its own facts go.
impl Sink for &Task {
    fn fact(&mut self, fact: &Fact, bytes: Bytes<'_>) -> Result<Go, Fault> {
        let told = self.tell(Reply::Fact(fact.clone(), bytes.to_vec()));
        Ok(if told.is_ok() { Go::On } else { Go::Stop })
    }
}

/// Whether a planner that was not waited for has heard a reply.
pub enum Told {
    /// It has.
    Yes,
    /// It has too much to do; here is the reply again.
    Busy(Reply),
    /// Nobody waits for replies any more.
    Gone,
}

/// The other end of a task is gone without a word.
pub fn gone() -> Fault {
    Fault::new("measure", "the thread at the other end is gone")
}

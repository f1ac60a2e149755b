//! An order on its way to a place, and how the planner that waits for it and the place that does it
//! talk to each other.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, sync_channel};

use super::orders::Orders;
use crate::domain::{Compared, Digest, Fault, Submission};
use crate::judge::order::{Blob, Bytes, Ended, Fact, Go, Order, Sink, Source, Worker};
use crate::toolchain::Toolchain;

/// Facts of one order that may wait to be kept; a place with one more waits.
const FACTS_MAX: usize = 16;

/// An order on its way to a place.
pub struct Task {
    /// The order.
    pub order: Order,
    /// The bytes that it needs in any case, so that the place does not wait for them.
    pub bytes: HashMap<Digest, Arc<[u8]>>,
    /// The languages that the order names.
    pub toolchain: Arc<Toolchain>,
    /// What is judged, for those who look on. It never leaves this machine.
    pub submission: Submission,
    /// What it is called in messages of this machine.
    pub what: Arc<str>,
    planner: SyncSender<Reply>,
}

/// What a planner hears from a place.
pub enum Reply {
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

impl Task {
    /// Tells the planner. Waits while the planner has too much to do.
    pub fn tell(&self, reply: Reply) -> Result<(), Gone> {
        self.planner.send(reply).map_err(|_| Gone)
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

/// All places together, for whoever brings a submission to its judgement.
pub struct Workers<'a> {
    /// Orders that wait.
    pub orders: &'a Orders,
    /// The languages that the orders name.
    pub toolchain: &'a Arc<Toolchain>,
    /// What is judged, for those who look on.
    pub submission: &'a Submission,
    /// What it is called in messages.
    pub what: &'a Arc<str>,
    /// Is called as soon as an order waits.
    pub queued: &'a mut dyn FnMut(),
}

impl Worker for Workers<'_> {
    fn measure(
        &mut self,
        order: &Order,
        source: &dyn Source,
        sink: &mut dyn Sink,
    ) -> Result<Ended, Fault> {
        let mut bytes = HashMap::new();
        for digest in order.needs() {
            bytes.extend(source.blob(digest)?.map(|blob| (*digest, blob)));
        }
        let (planner, replies) = sync_channel(FACTS_MAX);
        let task = Task {
            order: order.clone(),
            bytes,
            toolchain: Arc::clone(self.toolchain),
            submission: self.submission.clone(),
            what: Arc::clone(self.what),
            planner,
        };
        self.orders.put(task).map_err(|Gone| gone())?;
        (self.queued)();
        for reply in replies {
            match reply {
                // Where this returns early, the place stops at its next fact.
                Reply::Fact(fact, bytes) => match sink.fact(&fact, &bytes)? {
                    Go::On => {}
                    Go::Stop => return Ok(Ended::Stopped),
                },
                // A place that does not wait for the answer has failed, and says so.
                Reply::Blob(digest, asked) => drop(asked.send(source.blob(&digest))),
                Reply::Opinion(question, asked) => drop(asked.send(source.opinion(&question))),
                Reply::Ended(ended) => return ended,
            }
        }
        Err(gone())
    }
}

fn gone() -> Fault {
    Fault::new("measure", "the thread at the other end is gone")
}

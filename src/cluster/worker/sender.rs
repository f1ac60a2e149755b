//! Sends the facts of one order: gathered for a moment, in their order, each message again until it
//! is answered. Long bytes go ahead in parts; what the order names itself is not sent back.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc::Receiver;
use tokio::time::{Instant, timeout_at};

use super::link::{Link, Out, Unanswered};
use crate::cluster::subjects::Kind;
use crate::cluster::wire::{self, Facts, GATHER_MS, INLINE_BYTES_MAX, PART_BYTES, Part, Taken};
use crate::domain::{Digest, Fault};
use crate::judge::order::{Blob, Ended, Fact, Go, Order, Step, Work};
use crate::util::crash::point;
use crate::util::sync::lock;

/// Facts that wait to be sent; a place with one more waits.
pub const WAITING_MAX: usize = 16;
/// Facts of one message.
const FACTS_MAX: usize = 256;

/// What a place says of an order.
pub enum Item {
    /// A fact, and the bytes that it names.
    Fact(Fact, Vec<Blob>),
    /// The order has ended.
    Ended(Result<Ended, Fault>),
}

/// Where messages go.
pub trait Post {
    /// Sends a message again and again until it is answered.
    fn post(
        &self,
        kind: Kind,
        message: &[u8],
    ) -> impl Future<Output = Result<Taken, Unanswered>> + Send;
}

/// The way to the daemon that gave an order.
pub struct ToDaemon<'a> {
    /// The connection.
    pub link: &'a Link,
    /// The order.
    pub out: &'a Out,
}

impl Post for ToDaemon<'_> {
    async fn post(&self, kind: Kind, message: &[u8]) -> Result<Taken, Unanswered> {
        self.link.about(self.out, kind, message).await
    }
}

/// The bytes that whoever gave an order has for certain.
pub fn known_there(order: &Order) -> HashSet<Digest> {
    let Work::Judge { steps, .. } = &order.work else {
        return HashSet::new();
    };
    let runs = steps.iter().filter_map(|step| match step {
        Step::Run { test, .. } => Some([test.input, test.expected]),
        Step::Ask { .. } => None,
    });
    runs.flatten().collect()
}

/// What was sent of an order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sent {
    /// Facts that were taken.
    pub facts: u64,
    /// Whether its end was.
    pub has_ended: bool,
}

/// The sender of one order.
pub struct Sender<'a, P> {
    /// Where to.
    pub post: P,
    /// The worker's life.
    pub worker: &'a wire::Id,
    /// The order.
    pub out: &'a Out,
    /// Bytes that are not sent.
    pub known: HashSet<Digest>,
}

impl<P: Post> Sender<'_, P> {
    /// Sends everything; says what was taken. It ends early where nobody wants the order any more,
    /// and then the place finds nobody at the other end.
    pub async fn run(self, mut items: Receiver<Item>) -> Sent {
        let mut sent = Sent::default();
        while let Some(first) = items.recv().await {
            let batch = gather(first, &mut items).await;
            let (count, ends) = (batch.facts.len() as u64, batch.ended.is_some());
            match self.send(batch, sent.facts + 1).await {
                // After the end every answer says that the order is over.
                Ok(go) if ends || go == Go::On => {
                    sent.facts += count;
                    sent.has_ended = ends;
                }
                Ok(_) => self.out.drop_it(),
                Err(why) => {
                    tracing::debug!(order = %self.out.id.0, %why, "facts are not taken");
                    self.out.drop_it();
                }
            }
            if ends || self.out.is_dropped() {
                break;
            }
        }
        sent
    }

    async fn send(&self, batch: Batch, first: u64) -> Result<Go, Unanswered> {
        let mut seen = self.known.clone();
        let (mut inline, mut lengths, mut room) = (Vec::new(), Vec::new(), INLINE_BYTES_MAX);
        for (digest, bytes) in batch.blobs {
            if !seen.insert(digest) {
                continue;
            }
            if bytes.len() <= room {
                room -= bytes.len();
                lengths.push(bytes.len() as u64);
                inline.push(bytes);
            } else if self.send_parts(&digest, &bytes).await? == Go::Stop {
                return Ok(Go::Stop);
            }
        }
        let mut message = Facts {
            worker: self.worker.clone(),
            order: self.out.id.clone(),
            first,
            facts: batch.facts,
            lengths,
            progress: *lock(&self.out.progress),
            ended: batch.ended,
        };
        let bytes: Vec<&[u8]> = inline.iter().map(|bytes| &**bytes).collect();
        let written = match wire::write(&message, &bytes) {
            Ok(written) => written,
            Err(error) => {
                message.facts.clear();
                message.lengths.clear();
                message.ended = Some(Err(Fault::new("send facts", error)));
                let Ok(written) = wire::write(&message, &[]) else {
                    return Ok(Go::Stop);
                };
                written
            }
        };
        let go = self.post.post(Kind::Facts, &written).await?.go;
        point("facts answered");
        Ok(go)
    }

    async fn send_parts(&self, digest: &Digest, bytes: &[u8]) -> Result<Go, Unanswered> {
        for (number, chunk) in bytes.chunks(PART_BYTES).enumerate() {
            let part = Part {
                worker: self.worker.clone(),
                order: self.out.id.clone(),
                digest: *digest,
                at: (number * PART_BYTES) as u64,
                of: bytes.len() as u64,
            };
            let Ok(written) = wire::write(&part, &[chunk]) else {
                return Ok(Go::Stop);
            };
            let taken = self.post.post(Kind::Part, &written).await?;
            if taken.go == Go::Stop {
                return Ok(Go::Stop);
            }
        }
        Ok(Go::On)
    }
}

/// What goes into one message.
#[derive(Default)]
struct Batch {
    facts: Vec<Fact>,
    blobs: Vec<(Digest, Arc<[u8]>)>,
    ended: Option<Result<Ended, Fault>>,
    bytes: usize,
}

impl Batch {
    fn add(&mut self, item: Item) {
        match item {
            Item::Fact(fact, blobs) => {
                // A fact that cannot be written is found out when it is sent.
                let line = serde_json::to_vec(&fact).map_or(0, |line| line.len());
                let blobs_len: usize = blobs.iter().map(|(_, bytes)| bytes.len()).sum();
                self.bytes = self.bytes.saturating_add(line).saturating_add(blobs_len);
                self.facts.push(fact);
                self.blobs.extend(blobs);
            }
            Item::Ended(ended) => self.ended = Some(ended),
        }
    }

    fn is_full(&self) -> bool {
        self.ended.is_some() || self.bytes >= INLINE_BYTES_MAX || self.facts.len() >= FACTS_MAX
    }
}

/// What comes within a moment after this.
async fn gather(first: Item, items: &mut Receiver<Item>) -> Batch {
    let until = Instant::now() + Duration::from_millis(GATHER_MS);
    let mut batch = Batch::default();
    batch.add(first);
    while !batch.is_full() {
        match timeout_at(until, items.recv()).await {
            Ok(Some(item)) => batch.add(item),
            Ok(None) | Err(_) => break,
        }
    }
    batch
}

#[cfg(test)]
#[path = "sender_tests.rs"]
mod tests;

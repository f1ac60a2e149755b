//! Hands an order's facts over: in their order, several at a time, and again until the daemon
//! answers. The place that measures them goes on meanwhile.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout_at};

use super::link::{Link, Taken, Unanswered};
use crate::cluster::subjects::Kind;
use crate::cluster::wire::{self, Facts, GATHER_MS, INLINE_BYTES_MAX, PART_BYTES, Part};
use crate::domain::{Digest, Fault};
use crate::judge::order::{Blob, Bytes, Ended, Fact, Go, Order, Progress, Sink, Step, Work};

/// Facts that wait to be sent; a place with one more waits.
const WAITING_MAX: usize = 64;
/// How long an order's facts are sent again before it is given up: the daemon has given it to
/// somebody else long before.
const GIVEN_UP: Duration = Duration::from_mins(1);
/// Pause after a request that nobody answered at once.
const PAUSE: Duration = Duration::from_millis(300);

enum Item {
    /// A fact, its length as JSON, and the bytes that have to be sent with it.
    Fact(Box<Fact>, usize, Vec<Blob>),
    Ended(Result<Ended, Fault>),
}

/// The bytes that whoever gave an order has at hand for certain. The files of a program may be
/// gone there: where it was built again, they travel.
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

/// The place's end of it.
pub struct Sending<'a> {
    taken: &'a Taken,
    items: Sender<Item>,
    link: &'a Link,
    /// Bytes that the daemon has, since the order names them.
    named: HashSet<Digest>,
}

impl<'a> Sending<'a> {
    /// Begins to hand an order's facts over. The task ends when the daemon has all of them, or
    /// wants no more.
    pub fn begin(
        link: &'a Arc<Link>,
        taken: &'a Arc<Taken>,
        named: HashSet<Digest>,
    ) -> (Self, JoinHandle<u64>) {
        let (items, waiting) = channel(WAITING_MAX);
        let pump = Pump {
            link: Arc::clone(link),
            taken: Arc::clone(taken),
            next: 1,
        };
        let task = link.handle.spawn(pump.run(waiting));
        let sending = Self {
            taken,
            items,
            link,
            named,
        };
        (sending, task)
    }

    fn put(&self, item: Item) -> Go {
        // The other end is gone where nobody takes the facts any more.
        let is_taken = self.link.block(self.items.send(item)).is_ok();
        if is_taken && !self.taken.is_dropped() {
            Go::On
        } else {
            Go::Stop
        }
    }

    /// Says how the order ended.
    pub fn end(self, ended: Result<Ended, Fault>) {
        self.put(Item::Ended(ended));
    }
}

impl Sink for &Sending<'_> {
    fn begins(&mut self, progress: Progress) {
        self.taken.is_at(progress);
    }

    fn fact(&mut self, fact: &Fact, bytes: Bytes<'_>) -> Result<Go, Fault> {
        if let Fact::Built { .. } = fact {
            // Later orders for this program name its files, and are likely to come here.
            for (digest, bytes) in bytes {
                self.link.keep(digest, bytes);
            }
        }
        let json = serde_json::to_vec(fact).map_err(|error| Fault::new("send a fact", error))?;
        let bytes = bytes.iter();
        let unknown = bytes.filter(|(digest, _)| !self.named.contains(digest));
        let item = Item::Fact(
            Box::new(fact.clone()),
            json.len(),
            unknown.cloned().collect(),
        );
        Ok(self.put(item))
    }
}

/// What came in a moment.
#[derive(Default)]
struct Gathered {
    facts: Vec<Fact>,
    bytes: Vec<Blob>,
    /// Bytes of JSON and of what goes with it.
    length: usize,
    ended: Option<Result<Ended, Fault>>,
}

impl Gathered {
    /// Adds an item; returns the bytes that have to be sent ahead of it.
    fn add(&mut self, item: Item) -> Vec<Blob> {
        match item {
            Item::Ended(ended) => {
                self.ended = Some(ended);
                Vec::new()
            }
            Item::Fact(fact, json, bytes) => {
                let (short, long): (Vec<Blob>, Vec<Blob>) = bytes
                    .into_iter()
                    .partition(|(_, bytes)| bytes.len() <= INLINE_BYTES_MAX);
                // A program may have a thousand files: together they would be too long.
                let is_short =
                    short.iter().map(|(_, bytes)| bytes.len()).sum::<usize>() <= INLINE_BYTES_MAX;
                self.facts.push(*fact);
                self.length += json;
                if !is_short {
                    return short.into_iter().chain(long).collect();
                }
                self.length += short.iter().map(|(_, bytes)| bytes.len()).sum::<usize>();
                self.bytes.extend(short);
                long
            }
        }
    }

    fn is_full(&self) -> bool {
        self.ended.is_some() || self.length >= INLINE_BYTES_MAX
    }
}

/// Sends what a place has measured.
struct Pump {
    link: Arc<Link>,
    taken: Arc<Taken>,
    /// The number of the next fact.
    next: u64,
}

impl Pump {
    /// Returns how many facts the daemon has taken.
    async fn run(mut self, mut waiting: Receiver<Item>) -> u64 {
        while let Some(first) = waiting.recv().await {
            if !self.send(first, &mut waiting).await {
                self.taken.give_up();
                break;
            }
        }
        self.link.forget(&self.taken);
        self.next - 1
    }

    /// Gathers for a moment, and sends it; false where nobody takes it.
    async fn send(&mut self, first: Item, waiting: &mut Receiver<Item>) -> bool {
        let mut gathered = Gathered::default();
        let mut item = Some(first);
        let until = tokio::time::Instant::now() + Duration::from_millis(GATHER_MS);
        while let Some(next) = item {
            for (digest, bytes) in gathered.add(next) {
                if !self.send_parts(&digest, &bytes).await {
                    return false;
                }
            }
            item = None;
            if !gathered.is_full() {
                item = timeout_at(until, waiting.recv()).await.ok().flatten();
            }
        }
        let count = gathered.facts.len() as u64;
        let facts = Facts {
            worker: self.link.life.clone(),
            order: self.taken.id.clone(),
            first: self.next,
            lengths: gathered
                .bytes
                .iter()
                .map(|(_, bytes)| bytes.len() as u64)
                .collect(),
            list: gathered.facts,
            progress: self.taken.progress(),
            ended: gathered.ended,
        };
        let bytes: Vec<&[u8]> = gathered.bytes.iter().map(|(_, bytes)| &**bytes).collect();
        self.next += count;
        self.until_answered(Kind::Facts, &facts, &bytes).await == Go::On || facts.ended.is_some()
    }

    async fn send_parts(&self, digest: &Digest, bytes: &[u8]) -> bool {
        for (number, part) in bytes.chunks(PART_BYTES).enumerate() {
            let about = Part {
                worker: self.link.life.clone(),
                order: self.taken.id.clone(),
                digest: *digest,
                at: (number * PART_BYTES) as u64,
                of: bytes.len() as u64,
            };
            if self.until_answered(Kind::Part, &about, &[part]).await == Go::Stop {
                return false;
            }
        }
        true
    }

    async fn until_answered(
        &self,
        kind: Kind,
        message: &impl serde::Serialize,
        bytes: &[&[u8]],
    ) -> Go {
        let began = Instant::now();
        while !self.taken.is_dropped() && began.elapsed() < GIVEN_UP {
            let sent = self
                .link
                .request::<wire::Taken>(&self.taken.course, kind, message, bytes);
            match sent.await {
                Ok(taken) => return taken.go,
                Err(error @ Unanswered::Wire(_)) => {
                    tracing::warn!(%error, "facts that cannot be sent");
                    return Go::Stop;
                }
                Err(error) => {
                    tracing::debug!(%error, "sent again");
                    sleep(PAUSE).await;
                }
            }
        }
        Go::Stop
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::hash::digest;

    fn item(length: usize, count: usize) -> Item {
        let blob = |number: usize| {
            let bytes: Arc<[u8]> = vec![u8::try_from(number).unwrap(); length].into();
            (digest(&bytes), bytes)
        };
        let fact = Fact::Lost(digest(b"fact"));
        Item::Fact(Box::new(fact), 100, (0..count).map(blob).collect())
    }

    #[test]
    fn a_message_has_its_bytes_up_to_a_bound_and_the_rest_goes_ahead() {
        type Case<'c> = (&'c [(usize, usize)], usize, usize, bool);
        // Lengths and numbers of bytes of the facts; how many go ahead, how many with the message,
        // and whether another fact has room.
        let long = INLINE_BYTES_MAX;
        let cases: [Case<'_>; 6] = [
            (&[(10, 1), (10, 2)], 0, 3, true),
            (&[(0, 1)], 0, 1, true),
            (&[(long, 1)], 0, 1, false),
            (&[(long + 1, 1)], 1, 0, true),
            (&[(100, 1), (long / 2, 3)], 3, 1, true),
            (&[(10, 1), (long - 10, 1)], 0, 2, false),
        ];
        for (items, ahead, beside, has_room) in cases {
            let mut gathered = Gathered::default();
            let mut early = 0;
            for (length, count) in items {
                early += gathered.add(item(*length, *count)).len();
            }
            assert_eq!((early, gathered.bytes.len()), (ahead, beside), "{items:?}");
            assert_eq!(!gathered.is_full(), has_room, "{items:?}");
            assert_eq!(gathered.facts.len(), items.len());
        }
        let mut gathered = Gathered::default();
        gathered.add(Item::Ended(Ok(Ended::Done)));
        assert!(gathered.is_full(), "the end is sent at once");
    }
}

//! Hands an order's facts over, one after the other. They are not sent again: those that are lost are
//! planned again, because the end of the order says how many there were.

use std::collections::HashSet;
use std::sync::Arc;

use super::link::{Link, Taken};
use crate::cluster::wire::{Answer, INLINE_BYTES_MAX, PART_BYTES, Said};
use crate::domain::{Digest, Fault};
use crate::judge::order::{Blob, Bytes, Fact, Flow, Order, Progress, Sink, Step, Work};

/// Where the facts of an order go.
pub struct Report<'a> {
    link: &'a Link,
    taken: &'a Taken,
    /// Bytes that the daemon has at hand for certain. The files of a program may be gone there:
    /// where it was built again, they travel.
    known: HashSet<Digest>,
    /// Facts that were sent.
    pub facts: u64,
}

impl<'a> Report<'a> {
    /// Of this order.
    pub fn new(link: &'a Arc<Link>, taken: &'a Taken, order: &Order) -> Self {
        let steps = match &order.work {
            Work::Judge(work) => work.steps.as_slice(),
            Work::Call(_) => &[],
        };
        let runs = steps.iter().filter_map(|step| match step {
            Step::Run { test, .. } => Some([test.input, test.expected]),
            Step::Ask { .. } => None,
        });
        Self {
            link,
            taken,
            known: runs.flatten().collect(),
            facts: 0,
        }
    }

    /// Sends long bytes ahead of their fact, in parts; the next one when the last has arrived.
    fn send_parts(&self, bytes: &[u8]) -> bool {
        let said = Said::Part(bytes.len() as u64);
        bytes.chunks(PART_BYTES).all(|part| {
            let answer = self.link.block(self.link.say(self.taken, &said, &[part]));
            matches!(answer, Ok(Answer::Taken))
        })
    }
}

/// What travels with a fact, and what ahead of it: as much goes with it as a message has room for.
fn split<'b>(bytes: impl Iterator<Item = &'b Blob>) -> (Vec<&'b [u8]>, Vec<&'b [u8]>) {
    let mut room = INLINE_BYTES_MAX;
    bytes.map(|(_, bytes)| &**bytes).partition(|bytes| {
        let has_room = bytes.len() <= room;
        room -= if has_room { bytes.len() } else { 0 };
        has_room
    })
}

impl Sink for Report<'_> {
    fn begins(&mut self, progress: Progress) {
        self.taken.is_at(progress);
    }

    fn fact(&mut self, fact: &Fact, bytes: Bytes<'_>) -> Result<Flow, Fault> {
        if let Fact::Built { .. } = fact {
            // Later orders for this program name its files, and are likely to come here.
            for (digest, bytes) in bytes {
                self.link.keep(digest, bytes);
            }
        }
        let unknown = bytes
            .iter()
            .filter(|(digest, _)| !self.known.contains(digest));
        let (inline, ahead) = split(unknown);
        let lengths = inline.iter().map(|bytes| bytes.len() as u64).collect();
        let said = Said::Fact(Box::new(fact.clone()), lengths);
        let has_all = ahead.iter().all(|bytes| self.send_parts(bytes));
        let sent = self
            .link
            .block(self.link.publish(self.taken, &said, &inline));
        self.facts += 1;
        if has_all && sent.is_ok() && !self.taken.is_dropped() {
            return Ok(Flow::Continue);
        }
        // It would be measured in vain.
        self.taken.give_up();
        Ok(Flow::Stop)
    }
}

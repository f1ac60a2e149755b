//! Every so many orders one is measured on a second machine too, to see whether the machines agree.
//! Its facts are compared and thrown away: no verdict waits for it, and none changes by it.

use std::collections::HashMap;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::SyncSender;
use std::time::Instant;

use super::choose::Wants;
use super::hear::{Heard, hear};
use super::orders::Orders;
use super::place::Place;
use super::task::{About, Task};
use super::twice::differences;
use crate::domain::{Compared, Digest, Fault, Submission};
use crate::judge::order::{Bytes, Ended, Fact, Go, Order, Sink, Source, Step, TestStep, Work};
use crate::judge::{Archive, TestStanding, settle};
use crate::toolchain::Toolchain;

/// Which orders are measured twice, and where they go then.
pub struct Twice {
    every: NonZeroU32,
    orders: AtomicU32,
    seconds: SyncSender<Second>,
}

impl Twice {
    /// One in so many. Where `seconds` is full, fewer.
    pub fn new(every: NonZeroU32, seconds: SyncSender<Second>) -> Self {
        Self {
            every,
            orders: AtomicU32::new(0),
            seconds,
        }
    }

    /// The order that is measured now, if it is one of those.
    pub(super) fn begin(&self, task: &Task) -> Option<Second> {
        let Work::Judge {
            program: Some(_), ..
        } = &task.order.work
        else {
            return None;
        };
        let before = self.orders.fetch_add(1, Ordering::Relaxed);
        (before % self.every == self.every.get() - 1).then(|| Second {
            order: task.order.clone(),
            wants: task.wants.clone(),
            bytes: task.bytes.clone(),
            toolchain: Arc::clone(&task.toolchain),
            submission: task.submission.clone(),
            what: Arc::clone(&task.what),
            facts: Vec::new(),
            first: None,
        })
    }

    /// An order was measured for the first time, to its end.
    pub(super) fn end(&self, second: Second, first: Arc<Place>) {
        let first = Some(first);
        // There is no room where the other machines have too much to do: then this one is left out.
        let _ = self.seconds.try_send(Second { first, ..second });
    }
}

/// An order that was measured, and is to be measured again elsewhere.
pub struct Second {
    order: Order,
    wants: Wants,
    bytes: HashMap<Digest, Arc<[u8]>>,
    toolchain: Arc<Toolchain>,
    submission: Submission,
    what: Arc<str>,
    /// What the first machine said.
    pub(super) facts: Vec<Fact>,
    first: Option<Arc<Place>>,
}

/// What two machines said of one order.
#[derive(Debug, PartialEq, Eq)]
pub struct Agreement {
    /// What was judged, as messages of this machine name it.
    pub what: Arc<str>,
    /// The workers, that whose facts count first.
    pub workers: [Arc<str>; 2],
    /// How they differ.
    pub differences: Vec<String>,
}

impl Second {
    /// Has it measured by another machine; none where that cannot be done now.
    pub fn measure(self, orders: &Orders, archive: &dyn Archive) -> Option<Agreement> {
        let first = self.first?;
        let mut order = self.order;
        if let Work::Judge { steps, .. } = &mut order.work {
            for step in steps {
                if let Step::Run { before, .. } = step {
                    *before = None;
                }
            }
        }
        let mut wants = Wants {
            machine: None,
            not_machine: Some(Arc::clone(&first.machine)),
            since: Instant::now(),
            ..self.wants
        };
        let about = About {
            toolchain: &self.toolchain,
            submission: &self.submission,
            what: &self.what,
            cancel: None,
        };
        let mut said = Said::default();
        let mut rest = Some(order.clone());
        let mut measured_by = None;
        // What is near a limit there is measured there again, as for a verdict.
        while let Some(order) = rest {
            let (task, replies) =
                Task::new(order.clone(), wants.clone(), self.bytes.clone(), &about);
            orders.put(task).ok()?;
            let Heard { place, ended } = hear(&replies, None, &Fresh(archive), &mut said).ok()?;
            let (place, Some(Ok(Ended::Done))) = (place?, ended) else {
                return None;
            };
            wants.machine = Some(Arc::clone(&place.machine));
            measured_by = Some(place);
            rest = said.repeats(order);
        }
        let place = measured_by?;
        Some(Agreement {
            what: self.what,
            workers: [Arc::clone(&first.worker), Arc::clone(&place.worker)],
            differences: differences(&order, &self.facts, &said.0),
        })
    }
}

/// Bytes that are known; a checker is asked again.
struct Fresh<'a>(&'a dyn Archive);

impl Source for Fresh<'_> {
    fn blob(&self, digest: &Digest) -> Result<Option<Arc<[u8]>>, Fault> {
        self.0.blob(digest)
    }

    fn opinion(&self, _: &Digest) -> Result<Option<Compared>, Fault> {
        Ok(None)
    }
}

/// Facts that nobody keeps.
#[derive(Default)]
struct Said(Vec<Fact>);

impl Said {
    /// What of an order is to be measured again; none where nothing is.
    fn repeats(&self, mut order: Order) -> Option<Order> {
        let Work::Judge { how, steps, .. } = &mut order.work else {
            return None;
        };
        let latest = |test: &TestStep| {
            let mut facts = self.0.iter().rev();
            facts.find_map(|fact| match fact {
                Fact::Ran { key, facts } if key.input == test.input => Some(facts.clone()),
                _ => None,
            })
        };
        steps.retain_mut(|step| {
            let Step::Run { test, before } = step else {
                return false;
            };
            *before = latest(test);
            let facts = before.as_deref();
            settle(how, true, &test.expected, facts, None) == TestStanding::Near
        });
        (!steps.is_empty()).then_some(order)
    }
}

impl Sink for Said {
    fn fact(&mut self, fact: &Fact, _: Bytes<'_>) -> Result<Go, Fault> {
        self.0.push(fact.clone());
        Ok(Go::On)
    }
}

/// Notes facts on their way to where they are kept.
pub(super) struct Noting<'s> {
    pub sink: &'s mut dyn Sink,
    pub facts: Option<&'s mut Vec<Fact>>,
}

impl Sink for Noting<'_> {
    fn fact(&mut self, fact: &Fact, bytes: Bytes<'_>) -> Result<Go, Fault> {
        if let Some(facts) = &mut self.facts {
            facts.push(fact.clone());
        }
        self.sink.fact(fact, bytes)
    }
}

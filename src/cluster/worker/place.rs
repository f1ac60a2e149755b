//! A place: a thread with a sandbox, which does one order at a time.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use tokio::task::JoinHandle;

use super::fetch::{Fetch, Kept};
use super::link::{Link, Taken};
use super::note::Note;
use super::pace::Speedometer;
use super::sender::{Sending, known_there};
use crate::cluster::subjects::Name;
use crate::cluster::wire::{Envelope, Sent};
use crate::domain::{Digest, Fault, FaultKind};
use crate::judge::Station;
use crate::judge::order::{Ended, Order, Worker as _};
use crate::sandbox::{Cancel, Runner};
use crate::toolchain::Toolchain;

/// A place, and what it works with.
pub struct Place<'a> {
    /// What it shares with the others.
    pub link: &'a Arc<Link>,
    /// Its sandbox; it makes itself anew after a fault.
    pub runner: &'a mut dyn Runner,
    /// Languages of this machine's own configuration.
    pub toolchain: &'a Toolchain,
    /// What the sandbox enforces.
    pub sandbox: Digest,
    /// How the machine is called in facts.
    pub machine: Arc<str>,
    /// The worker's speed; none where nobody measures it again.
    pub speed: Option<&'a Speedometer>,
}

impl Place<'_> {
    /// Does orders until the worker is told to stop.
    pub fn work(&mut self) {
        let kept = Kept::default();
        // The facts of the last order are still on their way when the next one begins.
        let mut last: Option<JoinHandle<u64>> = None;
        let mut free = Instant::now();
        while !self.link.is_stopping() {
            if let Some((course, envelope)) = self.link.ask(free) {
                self.envelope(&course, envelope, &kept, &mut last);
                free = Instant::now();
            } else if let Some(speed) = self.speed {
                speed.measure_if_due(self.link);
            }
        }
        self.arrived(last);
    }

    fn envelope(
        &mut self,
        course: &Name,
        envelope: Envelope,
        kept: &Kept,
        last: &mut Option<JoinHandle<u64>>,
    ) {
        let daemon = envelope.daemon;
        let take = |sent: Sent| {
            let Sent {
                id,
                order,
                can_wait,
            } = sent;
            // Without a word that ends it, it is done like any other.
            let cancel = can_wait.then(Cancel::new).and_then(Result::ok);
            (self.link.take(id, course, &daemon, cancel), order)
        };
        let orders: Vec<(Arc<Taken>, Order)> = envelope.orders.into_iter().map(take).collect();
        for (taken, order) in orders {
            if taken.is_dropped() {
                self.link.forget(&taken);
                self.tell_dropped(&taken, &order);
                continue;
            }
            let sent = self.order(&taken, &order, kept);
            self.arrived(last.replace(sent));
        }
    }

    /// Waits until the facts of an order have arrived, or nobody takes them.
    fn arrived(&self, facts: Option<JoinHandle<u64>>) {
        if let Some(facts) = facts {
            // A task that failed has said so by the panic's own message.
            let _ = self.link.block(facts);
        }
    }

    fn tell_dropped(&self, taken: &Taken, order: &Order) {
        if taken.can_wait() {
            return;
        }
        (self.link.tell)(&Note::Dropped {
            course: taken.course.clone(),
            problem: order.problem.to_string(),
        });
    }

    /// Does an order; its facts are handed over meanwhile, and a little longer.
    fn order(&mut self, taken: &Arc<Taken>, order: &Order, kept: &Kept) -> JoinHandle<u64> {
        let (sending, facts) = Sending::begin(self.link, taken, known_there(order));
        let ended = self.measured(taken, order, kept, &sending);
        if taken.is_dropped() {
            self.tell_dropped(taken, order);
        } else if !taken.can_wait() || ended.is_err() {
            // A search has thousands of orders.
            (self.link.tell)(&Note::Did {
                course: taken.course.clone(),
                problem: order.problem.to_string(),
                failed: ended.as_ref().err().map(ToString::to_string),
            });
        }
        sending.end(ended);
        facts
    }

    fn measured(
        &mut self,
        taken: &Arc<Taken>,
        order: &Order,
        kept: &Kept,
        sending: &Sending<'_>,
    ) -> Result<Ended, Fault> {
        if let Some(fault) = refusal(order, &self.sandbox, self.toolchain) {
            return Err(fault);
        }
        let fetch = Fetch {
            link: self.link,
            taken,
            kept,
        };
        self.runner.heed(taken.cancel.as_ref());
        let machine = Arc::clone(&self.machine);
        let mut station = Station::new(self.runner, self.toolchain, machine);
        let mut sink = sending;
        let measure = AssertUnwindSafe(|| station.measure(order, &fetch, &mut sink));
        // One order never stops the others, not even by a bug of ours.
        let ended = catch_unwind(measure).unwrap_or_else(|_| {
            let reason = "a bug in the worker; see its standard error";
            Err(Fault::new("measure", reason))
        });
        self.runner.heed(None);
        match ended {
            Err(fault) if fault.kind == FaultKind::Cancelled => Ok(Ended::Left),
            ended => ended,
        }
    }
}

/// Why an order cannot be done here, if it cannot.
fn refusal(order: &Order, sandbox: &Digest, toolchain: &Toolchain) -> Option<Fault> {
    if order.sandbox != *sandbox {
        return Some(Fault::new(
            "take an order",
            "the sandbox of this worker does not enforce what the order asks for: `verdictd doctor` shows what it does",
        ));
    }
    order.work.programs().into_iter().find_map(|program| {
        let id = program.language.as_ref()?;
        let here = toolchain.language(id).and_then(|language| {
            let version = toolchain.identify(id).ok()?;
            Some(toolchain.fingerprint(language, &version))
        });
        (here != Some(program.fingerprint)).then(|| {
            Fault::new(
                "take an order",
                format!("`{id}` is missing on this worker, or has another version or other commands than `{}`", program.version),
            )
        })
    })
}

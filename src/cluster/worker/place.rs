//! A place: a thread with a sandbox, which does one order at a time. One that has nothing to do
//! measures the worker's speed again now and then.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::task::JoinHandle;

use super::fetch::{Fetch, Kept};
use super::link::{Link, Taken};
use super::note::Note;
use super::report::Report;
use crate::cluster::wire::About;
use crate::domain::{Digest, Fault, FaultKind};
use crate::judge::Station;
use crate::judge::order::{Ended, Order, Worker as _};
use crate::sandbox::Runner;
use crate::toolchain::Toolchain;
use crate::util::calibrate::Pace;

/// Pause between two measurements of the speed.
const PAUSE: Duration = Duration::from_mins(1);
/// The same while a course gives this worker no orders: perhaps it measured in a busy moment.
const REFUSED_PAUSE: Duration = Duration::from_secs(3);

/// The worker's speed, for all places together, and when it was measured.
pub struct Speedometer(Mutex<(Pace, Instant)>);

impl Speedometer {
    /// It was measured just now.
    pub fn new(pace: Pace) -> Self {
        Self(Mutex::new((pace, Instant::now())))
    }

    /// Measures again where that is due and no other place does.
    fn measure_if_due(&self, link: &Link) {
        let Ok(mut held) = self.0.try_lock() else {
            return;
        };
        let is_refused = link.is_refused();
        if held.1.elapsed() < if is_refused { REFUSED_PAUSE } else { PAUSE } {
            return;
        }
        let speed = held.0.measure();
        held.1 = Instant::now();
        let about = link.about();
        if about.speed != speed {
            link.set_about(About {
                speed,
                ..About::clone(&about)
            });
        }
    }
}

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
        // The end of the last order is still on its way when the next one begins.
        let mut last: Option<JoinHandle<()>> = None;
        loop {
            if let Some((taken, sent)) = self.link.take() {
                let end = self.order(&taken, &sent.order, &kept);
                self.arrived(last.replace(end));
            } else if self.link.is_stopping() {
                break;
            } else if let Some(speed) = self.speed {
                speed.measure_if_due(self.link);
            }
        }
        self.arrived(last);
    }

    /// Waits until the end of an order has arrived, or nobody wants to hear of it.
    fn arrived(&self, end: Option<JoinHandle<()>>) {
        if let Some(end) = end {
            // A task that failed has said so by the panic's own message.
            let _ = self.link.block(end);
        }
    }

    /// Does an order, and hands its facts over. Its end is handed over meanwhile.
    fn order(&mut self, taken: &Arc<Taken>, order: &Order, kept: &Kept) -> JoinHandle<()> {
        let mut report = Report::new(self.link, taken, order);
        let ended = if taken.is_dropped() {
            Ok(Ended::Left)
        } else {
            self.measured(taken, order, kept, &mut report)
        };
        let (course, problem) = (taken.course.clone(), order.problem.to_string());
        let is_search = taken.cancel.is_some();
        if taken.is_dropped() {
            if !is_search {
                (self.link.tell)(&Note::Dropped { course, problem });
            }
        } else if !is_search || ended.is_err() {
            // A search has thousands of orders.
            let failed = ended.as_ref().err().map(ToString::to_string);
            (self.link.tell)(&Note::Done {
                course,
                problem,
                failed,
            });
        }
        let (link, taken, facts) = (Arc::clone(self.link), Arc::clone(taken), report.facts);
        self.link
            .handle
            .spawn(async move { link.end(&taken, facts, ended).await })
    }

    fn measured(
        &mut self,
        taken: &Taken,
        order: &Order,
        kept: &Kept,
        report: &mut Report<'_>,
    ) -> Result<Ended, Fault> {
        if let Some(fault) = refusal(order, &self.sandbox, self.toolchain) {
            return Err(fault);
        }
        let fetch = Fetch {
            link: self.link,
            taken,
            kept,
        };
        self.runner.set_cancel(taken.cancel.as_ref());
        let machine = Arc::clone(&self.machine);
        let mut station = Station::new(self.runner, self.toolchain, machine);
        let measure = AssertUnwindSafe(|| station.measure(order, &fetch, report));
        // One order never stops the others, not even by a bug of ours.
        let ended = catch_unwind(measure).unwrap_or_else(|_| {
            let reason = "a bug in the worker; see its standard error";
            Err(Fault::new("measure", reason))
        });
        self.runner.set_cancel(None);
        match ended {
            Err(fault) if fault.kind == FaultKind::Cancelled => Ok(Ended::Left),
            ended => ended,
        }
    }
}

/// Why an order cannot be done here, if it cannot.
fn refusal(order: &Order, sandbox: &Digest, toolchain: &Toolchain) -> Option<Fault> {
    let refused = |reason: &dyn ToString| Some(Fault::new("take an order", reason.to_string()));
    if order.sandbox != *sandbox {
        return refused(
            &"the sandbox of this worker does not enforce what the order asks for: `verdictd doctor` shows what it does",
        );
    }
    let fingerprint = |id| {
        let version = toolchain.identify(id).ok()?;
        Some(toolchain.fingerprint(toolchain.language(id)?, &version))
    };
    order.work.programs().into_iter().find_map(|program| {
        let id = program.language.as_ref()?;
        if fingerprint(id) == Some(program.fingerprint) {
            return None;
        }
        refused(&format!(
            "`{id}` is missing on this worker, or has another version or other commands than `{}`",
            program.version
        ))
    })
}

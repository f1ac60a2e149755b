//! A place: a thread with a sandbox, which does one order at a time. One that has nothing to do
//! measures the worker's speed again now and then.
//!
//! An order's bytes come from what the place has in memory, the worker's disk, the server, and at
//! last the daemon, which puts them on the server again. Its facts are handed over one after the
//! other. They are not sent again: those that are lost are planned again, because the end of the
//! order says how many there were.

use std::collections::{HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::task::JoinHandle;

use super::Note;
use super::link::{Link, Taken};
use crate::cluster::blobs;
use crate::cluster::wire::{About, Answer, INLINE_BYTES_MAX, PART_BYTES, Said};
use crate::domain::bounds::ARTIFACT_BYTES_MAX;
use crate::domain::{Compared, Digest, Fault, FaultKind};
use crate::judge::Station;
use crate::judge::order::{
    Blob, Bytes, Ended, Fact, Flow, Order, Progress, Sink, Source, Step, Work, Worker as _,
};
use crate::sandbox::Runner;
use crate::toolchain::Toolchain;
use crate::util::calibrate::Pace;
use crate::util::sync::lock;

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

/// Bytes that a place keeps in memory for its next orders.
const KEPT_BYTES_MAX: usize = 64 * 1024 * 1024;
/// How often bytes are asked for that the server lacks. It may lose them again at once.
const TRIES: u32 = 5;

/// Bytes in memory, each once: the sandbox knows an input that it has laid out by its address.
#[derive(Default)]
pub struct Kept(Mutex<HashMap<Digest, Arc<[u8]>>>);

impl Kept {
    /// Keeps bytes. Where there are too many, all others go: what is needed is on the disk.
    fn add(&self, digest: Digest, bytes: &Arc<[u8]>) {
        let mut kept = lock(&self.0);
        let held: usize = kept.values().map(|bytes| bytes.len()).sum();
        if held + bytes.len() > KEPT_BYTES_MAX {
            kept.clear();
        }
        kept.insert(digest, Arc::clone(bytes));
    }
}

/// Where the bytes of an order come from.
pub struct Fetch<'a> {
    pub link: &'a Link,
    pub taken: &'a Taken,
    pub kept: &'a Kept,
}

fn fetch_fault(reason: impl ToString) -> Fault {
    Fault::new("fetch what an order needs", reason)
}

impl Fetch<'_> {
    async fn of_server(&self, wanted: &Digest) -> Result<Option<Vec<u8>>, Fault> {
        let (link, taken) = (self.link, self.taken);
        let mut last = String::new();
        for _ in 0..TRIES {
            match blobs::get(&link.client, &taken.course, wanted, ARTIFACT_BYTES_MAX).await {
                Ok(Some(bytes)) => return Ok(Some(bytes)),
                Ok(None) => "the server loses what is put there".clone_into(&mut last),
                Err(fault) => last = fault.reason,
            }
            match link.say(taken, &Said::Want(*wanted), &[]).await {
                Ok(Answer::Gone) => return Ok(None),
                Ok(Answer::Stop) => return Err(fetch_fault("the order was cancelled")),
                Ok(_) => {}
                Err(fault) => last = fault.reason,
            }
            if taken.is_dropped() {
                break;
            }
        }
        Err(fetch_fault(last))
    }
}

impl Source for Fetch<'_> {
    fn blob(&self, wanted: &Digest) -> Result<Option<Arc<[u8]>>, Fault> {
        if let Some(bytes) = lock(&self.kept.0).get(wanted) {
            return Ok(Some(Arc::clone(bytes)));
        }
        let cache = self.link.cache.as_ref();
        let bytes = if let Some(bytes) = cache.and_then(|cache| cache.get(wanted)) {
            bytes
        } else {
            let Some(bytes) = self.link.block(self.of_server(wanted))? else {
                return Ok(None);
            };
            self.link.keep(wanted, &bytes);
            bytes
        };
        let bytes: Arc<[u8]> = bytes.into();
        self.kept.add(*wanted, &bytes);
        Ok(Some(bytes))
    }

    /// What nobody answers is asked of the checker again: that costs work and nothing else.
    fn comparison(&self, question: &Digest) -> Result<Option<Compared>, Fault> {
        let said = Said::Question(*question);
        let asked = self.link.say(self.taken, &said, &[]);
        match self.link.block(asked) {
            Ok(Answer::Before(said)) => Ok(said),
            _ => Ok(None),
        }
    }
}

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
            Work::Call { .. } => &[],
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

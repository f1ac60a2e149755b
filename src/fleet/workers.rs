//! All places together, for whoever brings a submission to its judgement.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use super::choose::Wants;
use super::hear::{Heard, hear};
use super::orders::Orders;
use super::place::Place;
use super::second::{Noting, Twice};
use super::task::{About, Gone, Reply, Task, gone};
use super::turns::Turn;
use crate::domain::{Digest, Fault, FaultKind};
use crate::judge::order::{Ended, Order, Sink, Source, Step, Work, Worker};
use crate::sandbox::Cancel;
use crate::util::excerpt::visible_line;
use crate::util::words::amount;

/// Workers that may be lost or fail at one submission before that is a fault of which people hear.
pub const FAILURES_MAX: usize = 3;
/// Files of built programs that waiting orders hold, in bytes: beyond that, whoever takes an order
/// asks for them.
const HELD_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// What comparing an output takes, about.
const ASK_WORK: Duration = Duration::from_millis(1);
/// Longest words of a worker's fault that are repeated, in characters.
const WORDS_MAX: usize = 300;

/// All places together, for one judgement of a submission.
pub struct Workers<'a> {
    orders: &'a Orders,
    about: About<'a>,
    /// Until an order waits, others wait for it; none where nobody does.
    turn: Option<Turn<'a>>,
    /// Which orders are measured on a second machine too, if some are.
    twice: Option<&'a Twice>,
    /// CPU time of a run of the program, as far as it is known.
    run: Option<Duration>,
    /// Whether a place has done an order of it.
    is_begun: bool,
    /// Workers that were lost or failed, and how.
    failures: Vec<(Arc<str>, String)>,
}

impl<'a> Workers<'a> {
    /// Those that take orders from this queue. The first order waits for its turn, if it has one.
    pub fn new(
        orders: &'a Orders,
        about: About<'a>,
        turn: Option<Turn<'a>>,
        twice: Option<&'a Twice>,
    ) -> Self {
        Self {
            orders,
            about,
            turn,
            twice,
            run: None,
            is_begun: false,
            failures: Vec::new(),
        }
    }

    fn wants(&self, order: &Order) -> Wants {
        let programs = order.work.programs();
        let languages = programs
            .iter()
            .filter_map(|program| program.language.clone());
        let program = match &order.work {
            Work::Judge { program, .. } => program.as_ref(),
            _ => None,
        };
        let built = program.and_then(|program| program.built.as_ref());
        let files = built.into_iter().flat_map(|built| &built.files);
        Wants {
            languages: languages.collect(),
            build: program.map(|program| program.key),
            files: files.map(|file| (file.digest, None)).collect(),
            machine: None,
            not_machine: None,
            avoid: self
                .failures
                .iter()
                .map(|(worker, _)| Arc::clone(worker))
                .collect(),
            expected: self.expected(order),
            since: Instant::now(),
        }
    }

    fn expected(&self, order: &Order) -> Option<Duration> {
        let Work::Judge { program, steps, .. } = &order.work else {
            return None;
        };
        let is_built = program
            .as_ref()
            .is_none_or(|program| program.built.is_some());
        let step = |step: &Step| match step {
            Step::Run { before, .. } => {
                let before = before.as_ref().map(|facts| facts.cpu);
                before.or(self.run)
            }
            Step::Ask { .. } => Some(ASK_WORK),
        };
        let mut all = steps.iter().map(step);
        let all = all.try_fold(Duration::ZERO, |sum, one| Some(sum.saturating_add(one?)));
        all.filter(|_| is_built)
    }

    /// The order as it can be done now: what was measured near a limit is measured again on the
    /// machine that measured it first; where that is gone, it is measured anew on another one.
    fn for_machine(&self, order: &Order, wants: &mut Wants) -> Order {
        let mut order = order.clone();
        let Work::Judge { steps, .. } = &mut order.work else {
            return order;
        };
        let mut most = steps.len();
        for (index, step) in steps.iter_mut().enumerate() {
            let Step::Run { before, .. } = step else {
                continue;
            };
            let Some(facts) = before else {
                continue;
            };
            let there = Wants {
                machine: Some(Arc::clone(&facts.machine)),
                ..wants.clone()
            };
            if !self.orders.can(&there) {
                *before = None;
            } else if wants.machine.is_none() {
                wants.machine = there.machine;
            } else if wants.machine != there.machine {
                // From here on it is another order, for another machine.
                most = index;
                break;
            }
        }
        steps.truncate(most);
        order
    }

    fn task(&self, order: &Order, source: &dyn Source) -> Result<(Task, Receiver<Reply>), Fault> {
        let mut wants = self.wants(order);
        let order = self.for_machine(order, &mut wants);
        let has_room = self.orders.held_bytes() < HELD_BYTES_MAX;
        let mut bytes = HashMap::new();
        for digest in order.needs() {
            let is_file = |(file, _): &&mut (Digest, _)| file == digest;
            let file = wants.files.iter_mut().find(is_file);
            if file.is_some() && !has_room {
                continue;
            }
            let Some(blob) = source.blob(digest)? else {
                continue;
            };
            if let Some((_, length)) = file {
                *length = Some(blob.len() as u64);
            }
            bytes.insert(*digest, blob);
        }
        Ok(Task::new(order, wants, bytes, &self.about))
    }

    /// A worker was lost or failed: another one does the rest, unless that was the last try.
    fn failed(&mut self, place: &Place, how: &str) -> Result<Ended, Fault> {
        let how: String = visible_line(how).chars().take(WORDS_MAX).collect();
        tracing::warn!(
            what = &**self.about.what,
            worker = &*place.worker,
            how,
            "worker failed"
        );
        self.failures.push((Arc::clone(&place.worker), how));
        if self.failures.len() < FAILURES_MAX {
            return Ok(Ended::Left);
        }
        Err(self.fault())
    }

    /// What people hear of the workers that failed.
    fn fault(&self) -> Fault {
        let failures = self.failures.iter();
        let failures: Vec<String> = failures
            .map(|(worker, how)| format!("{worker}: {how}"))
            .collect();
        let workers: BTreeSet<&str> = self.failures.iter().map(|(worker, _)| &**worker).collect();
        let who = match workers.len() {
            1 => "the only worker that can do it failed at it",
            _ => "workers failed at it",
        };
        let reason = format!(
            "{who}, {} in all: {}",
            amount(self.failures.len(), "time"),
            failures.join("; ")
        );
        Fault::new("have it measured on another machine", reason)
    }
}

impl Worker for Workers<'_> {
    fn expects(&mut self, run: Option<Duration>) {
        self.run = run;
    }

    fn measure(
        &mut self,
        order: &Order,
        source: &dyn Source,
        sink: &mut dyn Sink,
    ) -> Result<Ended, Fault> {
        loop {
            let (mut task, replies) = self.task(order, source)?;
            task.is_rest = self.is_begun;
            if let Some(turn) = &self.turn {
                turn.wait();
            }
            let mut second = self.twice.and_then(|twice| twice.begin(&task));
            let put = self.orders.put(task);
            self.turn = None;
            put.map_err(|Gone| gone())?;
            let mut noting = Noting {
                sink: &mut *sink,
                facts: second.as_mut().map(|second| &mut second.facts),
            };
            let Heard { place, ended } = hear(&replies, self.about.cancel, source, &mut noting)?;
            let Some(ended) = ended else {
                // The machine is gone that it waited for: again, for those that are there.
                continue;
            };
            self.is_begun = true;
            if let (Some(twice), Some(second), Some(place), Ok(Ended::Done)) =
                (self.twice, second, &place, &ended)
            {
                twice.end(second, Arc::clone(place));
            }
            if let Some(cancel) = self.about.cancel {
                return given_up(ended, cancel);
            }
            return match (ended, place) {
                (Ok(Ended::Left), Some(place)) => self.failed(&place, "it is gone"),
                (Err(fault), Some(place))
                    if !place.is_local && fault.kind != FaultKind::Cancelled =>
                {
                    let again = self.failed(&place, &fault.to_string());
                    // Whoever is not used any more is not waited for.
                    if again.is_ok() && !self.orders.can(&self.wants(order)) {
                        return Err(self.fault());
                    }
                    again
                }
                (ended, _) => ended,
            };
        }
    }
}

/// How an order ended that can wait: no worker tries it again where one gave it up.
fn given_up(ended: Result<Ended, Fault>, cancel: &Cancel) -> Result<Ended, Fault> {
    cancel.check()?;
    match ended {
        Ok(Ended::Left) => Err(other_work()),
        ended => ended,
    }
}

/// A machine has had something else to do, or is gone.
fn other_work() -> Fault {
    let reason = "the machine has other work, or is gone";
    Fault::new("have it measured on another machine", reason).of_kind(FaultKind::Cancelled)
}

//! All places together, for whoever brings a submission to its judgement: borrows one for each
//! order, and has another one do what a machine has lost or failed at.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::line::{Ticket, Wants};
use super::machine::Machine;
use super::pool::Pool;
use crate::domain::{Fault, FaultKind, Submission};
use crate::judge::order::{
    Bytes, Ended, Fact, Flow, JudgeWork, Order, Progress, Sink, Source, Step, Work, Worker,
};
use crate::sandbox::Cancel;
use crate::toolchain::Toolchain;
use crate::util::excerpt::visible_line;
use crate::util::words::amount;

/// Times that machines may be lost or fail at one submission before that is a fault of which people
/// hear.
pub const FAILURES_MAX: usize = 3;
/// Longest words of a machine's fault that are repeated, in characters.
const WORDS_MAX: usize = 300;

/// All places together, for one judgement of a submission.
pub struct Borrower<'a> {
    pool: &'a Pool,
    ticket: Ticket,
    submission: &'a Submission,
    toolchain: &'a Arc<Toolchain>,
    /// Says when a search is not wanted any more.
    cancel: Option<&'a Cancel>,
    /// Whether a place has done an order of it.
    is_begun: bool,
    /// Machines that were lost or failed, and how.
    failures: Vec<(Arc<str>, String)>,
}

impl<'a> Borrower<'a> {
    /// For a submission with this place in line.
    pub fn new(
        pool: &'a Pool,
        ticket: Ticket,
        submission: &'a Submission,
        toolchain: &'a Arc<Toolchain>,
    ) -> Self {
        Self {
            pool,
            ticket,
            submission,
            toolchain,
            cancel: None,
            is_begun: false,
            failures: Vec::new(),
        }
    }

    /// For a search, which is done only while nothing else waits, and while it is wanted.
    pub fn searching(
        pool: &'a Pool,
        searcher: usize,
        submission: &'a Submission,
        toolchain: &'a Arc<Toolchain>,
        cancel: &'a Cancel,
    ) -> Self {
        Self {
            cancel: Some(cancel),
            ..Self::new(pool, Ticket::Search(searcher), submission, toolchain)
        }
    }

    fn wants(&self, order: &Order) -> Wants {
        let programs = order.work.programs();
        let languages = programs
            .iter()
            .filter_map(|program| program.language.clone());
        let program = order.work.judge().and_then(|work| work.program.as_ref());
        let built = program.and_then(|program| program.built.as_ref());
        let files = built.into_iter().flat_map(|built| &built.files);
        let failures = self.failures.iter();
        Wants {
            submission: self.submission.id,
            is_rest: self.is_begun,
            languages: languages.collect(),
            files: files.map(|file| file.digest).collect(),
            machine: None,
            avoid: failures.map(|(name, _)| Arc::clone(name)).collect(),
        }
    }

    /// What was measured near a limit is measured again on the machine that measured it first; where
    /// that is gone, it is measured anew on another one. What another machine has to measure again
    /// is left to the next order.
    fn keep_to_machine(&self, order: &mut Order, wants: &mut Wants) {
        let Work::Judge(JudgeWork { steps, .. }) = &mut order.work else {
            return;
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
            if !self.pool.can(&there) {
                *before = None;
            } else if wants.machine.is_none() {
                wants.machine = there.machine;
            } else if wants.machine != there.machine {
                most = index;
                break;
            }
        }
        steps.truncate(most);
    }

    /// A machine was lost or failed: another one does the rest, unless that was the last try.
    fn failed(&mut self, machine: &Machine, how: &str) -> Result<Ended, Fault> {
        let how: String = visible_line(how).chars().take(WORDS_MAX).collect();
        let Submission {
            student, problem, ..
        } = self.submission;
        let name = &*machine.name;
        tracing::warn!(%student, %problem, machine = name, how, "a machine has failed at an order");
        self.failures.push((Arc::clone(&machine.name), how));
        if self.failures.len() < FAILURES_MAX {
            return Ok(Ended::Left);
        }
        Err(self.fault())
    }

    /// What people hear of the machines that failed.
    fn fault(&self) -> Fault {
        let failures = self.failures.iter();
        let failures: Vec<String> = failures
            .map(|(name, how)| format!("{name}: {how}"))
            .collect();
        let names: BTreeSet<&str> = self.failures.iter().map(|(name, _)| &**name).collect();
        let who = match names.len() {
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

    /// How an order of a search ended: no other machine tries it where one gave it up.
    fn searched(&self, ended: Result<Ended, Fault>) -> Result<Ended, Fault> {
        if let Some(cancel) = self.cancel {
            cancel.check()?;
        }
        if ended == Ok(Ended::Left) {
            let reason = "the machine has other work, or is gone";
            let fault = Fault::new("have it measured on another machine", reason);
            return Err(fault.of_kind(FaultKind::Cancelled));
        }
        ended
    }
}

impl Worker for Borrower<'_> {
    fn measure(
        &mut self,
        order: &Order,
        source: &dyn Source,
        sink: &mut dyn Sink,
    ) -> Result<Ended, Fault> {
        // Each turn but the last finds a machine gone that was there before.
        loop {
            let (mut asked, mut wants) = (order.clone(), self.wants(order));
            self.keep_to_machine(&mut asked, &mut wants);
            let is_for_one = wants.machine.is_some();
            let mut lent = match self.pool.borrow(self.ticket, wants, self.cancel) {
                // The machine is gone that it waited for.
                Err(fault) if fault.kind == FaultKind::NoPlace && is_for_one => continue,
                lent => lent?,
            };
            let machine = Arc::clone(lent.machine());
            let mut watched = Watched {
                sink: &mut *sink,
                fault: None,
            };
            lent.place()
                .is_for(self.submission, self.toolchain, self.cancel);
            let ended = lent.place().measure(&asked, source, &mut watched);
            drop(lent);
            if let Some(own) = watched.fault {
                return Err(own);
            }
            let ended = match ended {
                // It was not begun.
                Err(fault) if fault.kind == FaultKind::NoPlace && !machine.is_local => continue,
                ended => ended,
            };
            if self.cancel.is_some() {
                return self.searched(ended);
            }
            self.is_begun = true;
            return match ended {
                Ok(Ended::Left) => self.failed(&machine, "it is gone"),
                Err(fault) if !machine.is_local && fault.kind != FaultKind::Cancelled => {
                    let again = self.failed(&machine, &fault.to_string());
                    // A machine that is not used any more is not waited for.
                    if again.is_ok() && !self.pool.can(&self.wants(order)) {
                        return Err(self.fault());
                    }
                    again
                }
                ended => ended,
            };
        }
    }
}

/// Tells what this end fails at from what a machine does.
struct Watched<'s> {
    sink: &'s mut dyn Sink,
    fault: Option<Fault>,
}

impl Sink for Watched<'_> {
    fn begins(&mut self, progress: Progress) {
        self.sink.begins(progress);
    }

    fn fact(&mut self, fact: &Fact, bytes: Bytes<'_>) -> Result<Flow, Fault> {
        let went = self.sink.fact(fact, bytes);
        self.fault = went.as_ref().err().cloned();
        went
    }
}

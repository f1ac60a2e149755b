//! What the daemon finds out while nothing has to be judged: why programs fail, and whether
//! accepted ones can be broken.
//!
//! A thread with a sandbox of its own searches on this machine, and one for every two places of
//! other machines has its runs measured there, as orders that can wait: the other place of the two
//! stays free for what is handed in. When something has to be judged, whatever they run is
//! cancelled at once. What they find goes into the store, and the reports follow it.

mod desk;
mod look;
mod target;
mod turn;

use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use rustix::process::setpriority_process;
use tokio::sync::watch;

use self::desk::{Desk, Time};
use self::look::Looking;
use self::target::{Own, Target, is_here, with_target};
use self::turn::{Candidate, Memory, Turn};
use super::shared::{Setup, Shared};
use crate::config::Workers;
use crate::domain::{Digest, Explanation, Fault, FaultKind, Submission};
use crate::explain::{Broken, Inputs, OTHERS_MAX, Progress, Scope, attack, explain};
use crate::judge::subject;
use crate::store::{NewProposal, Reader, Searched};
use crate::util::clock::now_ms;
use crate::util::crash::point;
use crate::util::hash::digest;
use crate::util::sync::lock;

/// Searches that go on at a time, on all machines.
const SEARCHERS_MAX: usize = 8;

/// The least that the kernel knows: everything else goes first.
const NICENESS: i32 = 19;

/// The searchers, as the dispatcher knows them.
pub struct SearchHandle {
    /// Hears what is in force, and whether something has to be judged.
    pub desk: Arc<Desk>,
    threads: Vec<JoinHandle<()>>,
}

impl SearchHandle {
    /// Starts the threads. `runner` and the numbers after it are those of their sandboxes: no
    /// worker's.
    pub fn start(
        shared: &Arc<Shared>,
        in_force: watch::Receiver<Setup>,
        runner: usize,
    ) -> std::io::Result<Self> {
        let is_alone = in_force.borrow().config.cluster.nats.is_none();
        let common = Arc::new(Common {
            shared: Arc::clone(shared),
            desk: Arc::new(Desk::new(in_force)),
            memory: Mutex::default(),
            runner,
        });
        let count = if is_alone { 1 } else { SEARCHERS_MAX };
        let start = |number| {
            let common = Arc::clone(&common);
            let thread = Builder::new().name(format!("searcher-{number}"));
            thread.spawn(move || {
                // What it computes itself gives way too. Where that fails, it only takes its share.
                let _ = setpriority_process(None, NICENESS);
                let mut searcher = Searcher {
                    number,
                    shared: &common.shared,
                    common: &common,
                    reader: None,
                };
                searcher.work();
            })
        };
        let threads = (0..count).map(start).collect::<std::io::Result<_>>()?;
        let desk = Arc::clone(&common.desk);
        Ok(Self { desk, threads })
    }

    /// Drops what is searched, and waits for the threads' end.
    pub fn join(self) {
        self.desk.end();
        for thread in self.threads {
            // A thread that failed has said so by the panic's own message.
            let _ = thread.join();
        }
    }
}

/// What all searchers share.
struct Common {
    shared: Arc<Shared>,
    desk: Arc<Desk>,
    memory: Mutex<Memory>,
    /// The number of the first sandbox.
    runner: usize,
}

/// A thread that searches. The first one does so on this machine, the others on other machines.
struct Searcher<'a> {
    number: usize,
    shared: &'a Shared,
    common: &'a Common,
    reader: Option<Reader>,
}

/// A search about a submission's program.
type Search<'s> = fn(&Searcher<'s>, &Candidate, Target<'_>) -> Result<Ended, Fault>;

/// How a search ended.
enum Ended {
    /// It is done, after so much CPU time.
    Done(Duration),
    /// What it found could not be kept: too many wait for the instructor's decision.
    NotKept(Duration),
    /// Other work came. With what was found until then the search goes on later.
    Stopped(Duration, Option<Box<Progress>>),
}

impl<'s> Searcher<'s> {
    fn work(&mut self) {
        let desk = &self.common.desk;
        let mut seen = 0;
        loop {
            let Some(time) = desk.time(self.number, seen) else {
                return;
            };
            if time.is_other {
                self.memory().forget();
            }
            let turn = match self.next(&time) {
                Ok(turn) => turn,
                Err(fault) => {
                    tracing::warn!(%fault, "cannot choose the next search");
                    self.reader = None;
                    None
                }
            };
            let Some(turn) = turn else {
                seen = desk.rest(self.number, &time);
                continue;
            };
            self.take(turn, &time);
        }
    }

    fn memory(&self) -> MutexGuard<'s, Memory> {
        lock(&self.common.memory)
    }

    /// Does what is next.
    fn take(&mut self, turn: Turn, time: &Time) {
        let explain = &time.setup.config.explain;
        let (candidate, budget, search): (_, _, Search<'s>) = match turn {
            Turn::Explain(candidate) => (candidate, explain.cpu, Self::explain),
            Turn::Attack(candidate) => (candidate, explain.hacks_cpu, Self::attack),
        };
        if time.cancel.is_cancelled() {
            return self.memory().put_back(&candidate);
        }
        let (submission, _) = &candidate;
        let (student, problem) = (&submission.student, &submission.problem);
        tracing::info!(%student, %problem, searcher = self.number, "a search begins");
        let left = self.memory().left(&candidate, budget);
        let ended = Fault::caught("search", || {
            // Each has two sandboxes.
            let own = Own {
                searcher: self.number,
                runner: self.common.runner + 2 * self.number,
            };
            with_target(self.shared, &own, submission, left, time, |target| {
                search(self, &candidate, target)
            })
        });
        let mut memory = self.memory();
        match ended {
            Ok(None) => memory.over(&candidate, Duration::ZERO),
            Ok(Some(Ended::Done(spent))) => memory.done(&candidate, spent),
            Ok(Some(Ended::NotKept(spent))) => memory.not_kept(&candidate, spent),
            Ok(Some(Ended::Stopped(spent, progress))) => {
                memory.stopped(&candidate, spent, budget, progress);
            }
            Err(fault) if matches!(fault.kind, FaultKind::Cancelled | FaultKind::NoPlace) => {
                memory.stopped(&candidate, Duration::ZERO, budget, None);
            }
            Err(fault) => {
                tracing::warn!(%student, %problem, %fault, "a search failed");
                memory.over(&candidate, Duration::ZERO);
                drop(memory);
                self.reader = None;
            }
        }
    }

    /// Whether this searcher may search now, as far as there are places for it.
    fn has_place(&self, time: &Time) -> bool {
        if is_here(self.number) {
            // Where other machines measure, this one runs no programs of students.
            return time.setup.config.judge.workers != Workers::Nobody;
        }
        2 * self.number <= self.shared.pool.places_elsewhere().next_multiple_of(2)
    }

    /// What is next. From then on it is nobody else's.
    fn next(&mut self, time: &Time) -> Result<Option<Turn>, Fault> {
        let explain = &time.setup.config.explain;
        if !explain.idle || !self.has_place(time) {
            return Ok(None);
        }
        let reader = self.shared.opened(&mut self.reader)?;
        let looking = Looking {
            shared: self.shared,
            reader,
            time,
            is_here: is_here(self.number),
        };
        // Nobody else looks meanwhile, so that what is found is not taken before.
        let mut memory = lock(&self.common.memory);
        for problem in memory.crowded() {
            memory.make_room(&problem, reader.proposal_places(&problem)?);
        }
        let look = looking.look(&memory)?;
        Ok(memory.next(&look))
    }
}

impl Searcher<'_> {
    /// Finds out why a program fails.
    fn explain(&self, candidate: &Candidate, target: Target<'_>) -> Result<Ended, Fault> {
        let Target {
            mut program,
            budget,
            oracle,
            ..
        } = target;
        let judged = program.judged()?;
        let subject = subject(&judged, program.about.package);
        let from = self.memory().resumed(candidate);
        let (explanation, progress) = match explain(&mut program, &judged, budget, from, oracle)? {
            Some(mut why) => {
                if let Some(found) = &mut why.explanation.counterexample {
                    let task = program.about.package.task();
                    found.task = task.map(|task| task.slug().to_owned());
                }
                (Some(why.explanation), Some(why.progress))
            }
            None => (None, None),
        };
        point("explained");
        let spent = program.spent;
        if program.is_stopped && !self.memory().is_last_try(candidate, spent >= budget.cpu) {
            return Ok(Ended::Stopped(spent, progress.map(Box::new)));
        }
        self.keep(candidate, subject, explanation, None)?;
        point("explanation kept");
        Ok(Ended::Done(spent))
    }

    /// Keeps the end of a search. `tried_to`: the last counterexample of another program that an
    /// accepted one was tried on.
    fn keep(
        &self,
        (submission, fold): &Candidate,
        subject: Digest,
        explanation: Option<Explanation>,
        tried_to: Option<i64>,
    ) -> Result<(), Fault> {
        let searched = Searched {
            submission: submission.id,
            fold: *fold,
            subject,
            ended_ms: now_ms(),
            explanation,
            tried_to,
        };
        self.shared.store.writer().put_search(searched)?;
        // Its report tells it.
        self.shared.tell_news(0);
        Ok(())
    }
}

impl Searcher<'_> {
    /// Tries to break an accepted program. If that was tried before, only with what broke other
    /// programs since.
    fn attack(&self, candidate: &Candidate, target: Target<'_>) -> Result<Ended, Fault> {
        let Target {
            submission,
            reader,
            mut program,
            budget,
            oracle,
        } = target;
        let judged = program.judged()?;
        let package = program.about.package;
        let subject = subject(&judged, package);
        let (id, problem) = (submission.id, &submission.problem);
        let known = reader.tried_to(id, subject)?;
        let (scope, mut others) = match known {
            None => (
                Scope::Everything,
                reader.latest_counterexamples(problem, OTHERS_MAX)?,
            ),
            Some(number) => (
                Scope::Others,
                reader.counterexamples_after(problem, number, OTHERS_MAX)?,
            ),
        };
        others.sort_by_key(|other| other.number);
        let (numbers, inputs): (Vec<i64>, Vec<Vec<u8>>) = others
            .into_iter()
            .map(|other| (other.number, other.input.into_bytes()))
            .unzip();
        let own = Inputs { package, oracle };
        let attacked = attack(&mut program, own, budget, inputs, scope)?;
        let spent = program.spent;
        if let Some(broken) = attacked.broken {
            point("hack found");
            if !self.propose(submission, broken)? {
                return Ok(Ended::NotKept(spent));
            }
        } else if program.is_stopped && !self.memory().is_last_try(candidate, spent >= budget.cpu) {
            return Ok(Ended::Stopped(spent, None));
        }
        let last = numbers[..attacked.others.min(numbers.len())].last();
        let tried_to = last.copied().or(known).unwrap_or_default();
        self.keep(candidate, subject, None, Some(tried_to))?;
        Ok(Ended::Done(spent))
    }

    /// False where too many wait for the instructor's decision.
    fn propose(&self, submission: &Submission, broken: Broken) -> Result<bool, Fault> {
        let Broken {
            input,
            verdict,
            evidence,
        } = broken;
        let proposal = NewProposal {
            problem: submission.problem.clone(),
            submission: submission.id,
            digest: digest(&input),
            input: input.to_vec(),
            verdict,
            evidence,
            found_ms: now_ms(),
        };
        let proposed = self.shared.store.writer().propose(proposal)?;
        let (student, problem) = (&submission.student, &submission.problem);
        tracing::info!(%student, %problem, proposed, "an input breaks an accepted program");
        point("hack proposed");
        self.shared.look_at_proposals();
        Ok(proposed)
    }
}

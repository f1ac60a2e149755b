//! What the daemon finds out while nothing has to be judged: why programs fail, and whether accepted
//! ones can be broken.
//!
//! A thread with a sandbox of its own searches on this machine, and one for every two places of
//! other machines has its runs measured there, as orders that can wait: the other place of the two
//! stays free for what is handed in. When something has to be judged, whatever they run is
//! cancelled at once. What they find goes into the store, and the reports follow it.

mod attack;
mod desk;
mod look;
mod target;
mod turn;
mod why;

use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use tokio::sync::watch;

use super::shared::{Setup, Shared};
use crate::config::Workers;
use crate::domain::{Fault, FaultKind};
use crate::explain::Progress;
use crate::store::Reader;
use crate::util::sync::lock;
use desk::{Desk, Time};
use look::Looking;
use rustix::process::setpriority_process;
use target::{SearchContext, Target, with_target};
use turn::{Candidate, Memory, Turn};

/// Searches that go on at a time, on all machines.
const SEARCHERS_MAX: usize = 8;

/// The least that the kernel knows: everything else goes first.
const NICENESS: i32 = 19;

/// The searchers, as the dispatcher knows them.
pub struct SearchHandle {
    desk: Arc<Desk>,
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

    /// Something has to be judged, or nothing has.
    pub fn set_idle(&self, is_idle: bool) {
        self.desk.set_idle(is_idle);
    }

    /// Something else is in force.
    pub fn begin_anew(&self) {
        self.desk.begin_anew();
    }

    /// There may be more to search, for example because a proposed hack was decided.
    pub fn look_again(&self) {
        self.desk.look_again();
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
            let context = SearchContext {
                shared: self.shared,
                searcher: self.number,
                runner: self.common.runner + 2 * self.number,
                is_here: self.number == 0,
            };
            with_target(&context, submission, left, time, |target| {
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
        if self.number == 0 {
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
            is_here: self.number == 0,
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

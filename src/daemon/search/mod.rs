//! What the daemon finds out while nothing has to be judged: why programs fail, and whether accepted
//! ones can be broken.
//!
//! One thread with a sandbox of its own, which is used only then. When something has to be judged,
//! its present run is cancelled at once. Whatever it finds goes into the store; the report is then
//! made again on the way of every other, by the planners, those who finish and the publisher.

mod attack;
mod desk;
mod target;
mod turn;
mod why;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use jiff::Timestamp;
use tokio::sync::mpsc::Sender;

use super::message::Message;
use super::queue::Waiting;
use super::shared::{Setup, Shared, store_fault};
use super::stale::fold_of;
use crate::config::Workers;
use crate::domain::{Digest, Fault, FaultKind, LanguageId, ProblemSlug, Submission, Verdict};
use crate::store::Reader;
use crate::util::sync;
use desk::{Desk, Time};
use target::{Target, with_target};
use turn::{Candidate, Look, Memory, Turn};

/// Why a submission is judged whose report is to tell what was found out.
pub const EXPLAINED: &str = "what was found out in idle time";
/// Submissions that are looked at for the next search.
const CANDIDATES_MAX: u32 = 1_000;
/// Submissions that are looked at because a deadline may have passed.
const LATER_MAX: u32 = 1_000;
/// The verdicts that are explained. What is beyond the output limit is no riddle, and what could
/// not be built has the compiler's words.
const EXPLAINED_VERDICTS: [Verdict; 5] = [
    Verdict::WrongAnswer,
    Verdict::PresentationError,
    Verdict::RuntimeError,
    Verdict::TimeLimit,
    Verdict::MemoryLimit,
];

/// The searcher, as the dispatcher knows it.
pub struct SearcherHandle {
    desk: Arc<Desk>,
    thread: JoinHandle<()>,
}

impl SearcherHandle {
    /// Starts the thread. `runner` and the number after it are those of its sandboxes: no worker's.
    pub fn start(
        shared: &Arc<Shared>,
        setup: &Setup,
        runner: usize,
        messages: Sender<Message>,
    ) -> std::io::Result<Self> {
        let desk = Arc::new(Desk::new(setup));
        let (own, shared) = (Arc::clone(&desk), Arc::clone(shared));
        let thread = Builder::new().name("searcher".to_owned());
        let thread = thread.spawn(move || {
            let mut searcher = Searcher {
                shared: &shared,
                runner,
                messages,
                memory: Memory::default(),
                reader: None,
            };
            searcher.work(&own);
        })?;
        Ok(Self { desk, thread })
    }

    /// Something has to be judged, or nothing has.
    pub fn set_idle(&self, is_idle: bool) {
        self.desk.set_idle(is_idle);
    }

    /// From here on this is in force.
    pub fn know(&self, setup: &Setup) {
        self.desk.know(setup);
    }

    /// Drops what is searched, and waits for the thread's end.
    pub fn join(self) {
        self.desk.end();
        // A thread that failed has said so by the panic's own message.
        let _ = self.thread.join();
    }
}

struct Searcher<'a> {
    shared: &'a Shared,
    runner: usize,
    messages: Sender<Message>,
    memory: Memory,
    reader: Option<Reader>,
}

/// A search about a submission's program.
type Search<'s> = fn(&Searcher<'s>, &Candidate, Target<'_>) -> Result<Ended, Fault>;

/// How a search ended.
enum Ended {
    /// It is done, after so much CPU time.
    Done(Duration),
    /// Other work came.
    Stopped(Duration),
}

impl<'s> Searcher<'s> {
    fn work(&mut self, desk: &Desk) {
        loop {
            let time = match desk.time() {
                Ok(Some(time)) => time,
                Ok(None) => return,
                Err(fault) => {
                    tracing::warn!(%fault, "no search");
                    return;
                }
            };
            if time.is_other {
                self.memory.forget();
            }
            let turn = match self.next(&time) {
                Ok(Some(turn)) => turn,
                Ok(None) => {
                    desk.rest(&time);
                    continue;
                }
                Err(fault) => {
                    tracing::warn!(%fault, "no search");
                    self.reader = None;
                    desk.rest(&time);
                    continue;
                }
            };
            if !self.take(turn, &time) {
                return;
            }
        }
    }

    /// Does what is next; false when the daemon is gone.
    fn take(&mut self, turn: Turn, time: &Time) -> bool {
        let explain = &time.setup.config.explain;
        let (candidate, budget, search): (_, _, Search<'s>) = match turn {
            Turn::Tell(candidate) => return self.tell(candidate),
            Turn::Explain(candidate) => (candidate, explain.cpu, Self::explain),
            Turn::Attack(candidate) => (candidate, explain.hacks_cpu, Self::attack),
        };
        let (submission, _) = &candidate;
        let (student, problem) = (&submission.student, &submission.problem);
        tracing::info!(%student, %problem, "a search begins");
        let left = self.memory.left(&candidate, budget);
        let work = AssertUnwindSafe(|| {
            let place = (self.shared, self.runner);
            with_target(place, submission, left, time, |target| {
                search(self, &candidate, target)
            })
        });
        let bug = || Fault::new("search", "a bug in verdictd; see standard error");
        let ended = catch_unwind(work).unwrap_or_else(|_| Err(bug()));
        match ended {
            Ok(None) => self.memory.over(&candidate, Duration::ZERO),
            Ok(Some(Ended::Done(spent))) => self.memory.over(&candidate, spent),
            Ok(Some(Ended::Stopped(spent))) => {
                self.memory.stopped(&candidate, spent, budget);
            }
            Err(fault) if fault.kind == FaultKind::Cancelled => {
                self.memory.stopped(&candidate, Duration::ZERO, budget);
            }
            Err(fault) => {
                tracing::warn!(%student, %problem, %fault, "a search failed");
                self.memory.over(&candidate, Duration::ZERO);
                self.reader = None;
            }
        }
        true
    }

    /// Has the report made again.
    fn tell(&mut self, candidate: Candidate) -> bool {
        self.memory.told(&candidate);
        let (submission, _) = candidate;
        let waiting = Waiting {
            submission,
            judged: true,
            because: Arc::from(EXPLAINED),
        };
        self.messages
            .blocking_send(Message::Explained(waiting))
            .is_ok()
    }

    /// What is next.
    fn next(&mut self, time: &Time) -> Result<Option<Turn>, Fault> {
        let explain = &time.setup.config.explain;
        // Where other machines measure, this one runs no programs of students.
        if !explain.idle || time.setup.config.judge.workers == Workers::Nobody {
            return Ok(None);
        }
        let reader = self.shared.opened(&mut self.reader)?;
        let read = store_fault("look for something to search");
        let mut current = Current::new(self.shared, &time.setup);
        let mut unsearched = |verdicts: &[Verdict]| -> Result<Vec<Candidate>, Fault> {
            let mut found = Vec::new();
            for verdict in verdicts {
                found.extend(reader.unsearched(*verdict, CANDIDATES_MAX).map_err(&read)?);
            }
            found.retain(|candidate| current.is_of(candidate));
            found.sort_by_key(|(submission, _)| std::cmp::Reverse(submission.id));
            Ok(found)
        };
        let failing = unsearched(&EXPLAINED_VERDICTS)?;
        let accepted = if explain.hacks_cpu.is_zero() {
            Vec::new()
        } else {
            unsearched(&[Verdict::Accepted])?
        };
        let mut untold = reader.untold(CANDIDATES_MAX).map_err(&read)?;
        let later = reader.told_to_staff(LATER_MAX).map_err(&read)?;
        let is_over = |(submission, _): &Candidate| is_deadline_over(self.shared, submission);
        untold.extend(later.into_iter().filter(is_over));
        Ok(self.memory.next(&Look {
            untold,
            failing,
            accepted,
        }))
    }
}

/// Whether no attempt of this student at this problem brings points any more.
pub fn is_deadline_over(shared: &Shared, submission: &Submission) -> bool {
    let board = sync::read(&shared.board);
    let rules = &board.grading().rules;
    let window = rules.window(&submission.student, &submission.problem);
    window.is_over(Timestamp::now())
}

/// What judgements are folded from now: asked once for each language of a problem.
struct Current<'a> {
    shared: &'a Shared,
    setup: &'a Setup,
    known: BTreeMap<(ProblemSlug, LanguageId), Option<Digest>>,
}

impl<'a> Current<'a> {
    fn new(shared: &'a Shared, setup: &'a Setup) -> Self {
        Self {
            shared,
            setup,
            known: BTreeMap::new(),
        }
    }

    /// Whether a judgement is the current one: another is judged again first, or cannot be.
    fn is_of(&mut self, (submission, fold): &Candidate) -> bool {
        let key = (submission.problem.clone(), submission.language.clone());
        let (shared, setup) = (self.shared, self.setup);
        let now = self
            .known
            .entry(key)
            .or_insert_with_key(|(problem, language)| fold_of(shared, setup, problem, language));
        *now == Some(*fold)
    }
}

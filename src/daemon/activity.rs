//! What the daemon does at this moment, for whoever looks on: a slot a worker, and the head of the
//! queue. The record is the store; this is only news. Those who look on can change nothing, and the
//! daemon waits for none of them.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, RwLock};
use std::time::{Duration, Instant};

use super::state::State;
use crate::domain::Submission;
use crate::judge::Progress;
use crate::overview::Scoreboard;
use crate::places::OtherMachines;
use crate::store::{Proposed, Reader, StoreError};
use crate::util::clock::as_ms;
use crate::util::sync::lock;

/// Submissions of the queue's head that are shown.
const HEAD_MAX: usize = 10;
/// The head is looked up this often at most: in a long queue that takes a moment.
const HEAD_PAUSE: Duration = Duration::from_millis(200);

/// What a worker does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    pub submission: Submission,
    /// How far it is.
    pub step: Progress,
}

/// Everybody who waits.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Line {
    /// Submissions that wait for a worker.
    pub waiting: usize,
    /// Submissions that could not be judged because of faults.
    pub faulted: usize,
    /// Those that are next, as of a moment ago.
    pub head: Vec<Submission>,
}

/// What the daemon does.
#[derive(Debug)]
pub struct Activity {
    slots: Vec<Mutex<Option<Run>>>,
    line: Mutex<(Line, Option<Instant>)>,
    /// Submissions in hand: those that are being run, and those that are next.
    in_hand: AtomicUsize,
    /// The other machines, as of a moment ago; none where no server is named.
    machines: Mutex<Option<Arc<OtherMachines>>>,
    /// Hacks that wait for the instructor to decide.
    proposed: Mutex<Proposed>,
    /// Why nothing can be judged.
    standstill: Mutex<Option<String>>,
    start: Instant,
    /// When the dispatcher was last seen, in milliseconds after the start.
    beat_ms: AtomicU64,
}

impl Activity {
    /// Nothing is done yet by so many workers.
    pub fn new(workers: usize) -> Self {
        Self {
            slots: (0..workers).map(|_| Mutex::default()).collect(),
            line: Mutex::default(),
            in_hand: AtomicUsize::new(0),
            machines: Mutex::default(),
            proposed: Mutex::default(),
            standstill: Mutex::default(),
            start: Instant::now(),
            beat_ms: AtomicU64::new(0),
        }
    }

    fn slot(&self, worker: usize) -> Option<MutexGuard<'_, Option<Run>>> {
        Some(lock(self.slots.get(worker)?))
    }

    /// A slot takes a submission.
    pub(super) fn taken(&self) {
        self.in_hand.fetch_add(1, Ordering::AcqRel);
    }

    /// It measures nothing more of it.
    pub(super) fn handed_on(&self) {
        self.in_hand.fetch_sub(1, Ordering::AcqRel);
    }

    /// A worker begins with a submission.
    pub(crate) fn begin(&self, worker: usize, submission: &Submission) {
        if let Some(mut slot) = self.slot(worker) {
            *slot = Some(Run {
                submission: submission.clone(),
                step: Progress::Building,
            });
        }
    }

    /// It has come a step further.
    pub(crate) fn step(&self, worker: usize, step: Progress) {
        if let Some(mut slot) = self.slot(worker)
            && let Some(run) = slot.as_mut()
        {
            run.step = step;
        }
    }

    /// It has nothing to do.
    pub(super) fn end(&self, worker: usize) {
        if let Some(mut slot) = self.slot(worker) {
            *slot = None;
        }
    }

    /// So many hacks are proposed.
    pub(super) fn propose(&self, proposed: Proposed) {
        *lock(&self.proposed) = proposed;
    }

    /// How many hacks are proposed.
    pub fn proposed(&self) -> Proposed {
        *lock(&self.proposed)
    }

    /// Whether nobody waits for a verdict.
    pub fn is_idle(&self) -> bool {
        lock(&self.line).0.waiting == 0 && self.in_hand.load(Ordering::Acquire) == 0
    }

    /// Notes how many wait and who is next.
    pub(super) fn look_at(&self, state: &State) {
        self.queue(state.waiting(), state.faulted(), |most| {
            let next = state.next(most);
            next.map(|waiting| waiting.submission.clone()).collect()
        });
    }

    /// How many wait; who is next is asked for where that is not known well enough.
    fn queue(&self, waiting: usize, faulted: usize, head: impl FnOnce(usize) -> Vec<Submission>) {
        let mut held = lock(&self.line);
        let (line, looked) = &mut *held;
        let is_short = line.head.len() < waiting.min(HEAD_MAX);
        let is_old = looked.is_none_or(|looked| looked.elapsed() >= HEAD_PAUSE);
        if is_short || is_old || waiting == 0 {
            line.head = head(HEAD_MAX);
            *looked = Some(Instant::now());
        }
        (line.waiting, line.faulted) = (waiting, faulted);
        line.head.truncate(waiting);
    }

    /// The other machines are like this now.
    pub fn show(&self, machines: Arc<OtherMachines>) {
        *lock(&self.machines) = Some(machines);
    }

    /// The other machines; none where no server is named.
    pub fn machines(&self) -> Option<Arc<OtherMachines>> {
        lock(&self.machines).clone()
    }

    /// Why nothing can be judged now, if nothing can.
    pub(super) fn stand_still(&self, why: Option<String>) {
        *lock(&self.standstill) = why;
    }

    /// The same for those who look on.
    pub fn standstill(&self) -> Option<String> {
        lock(&self.standstill).clone()
    }

    /// The dispatcher is alive.
    pub(super) fn beat(&self) {
        let now_ms = as_ms(self.start.elapsed());
        self.beat_ms.store(now_ms, Ordering::Relaxed);
    }

    /// What each worker does.
    pub fn runs(&self) -> Vec<Option<Run>> {
        self.slots.iter().map(|slot| lock(slot).clone()).collect()
    }

    /// Who waits.
    pub fn line(&self) -> Line {
        let mut line = lock(&self.line).0.clone();
        let here = self.runs().iter().flatten().count();
        let elsewhere = self.machines().map_or(0, |machines| machines.out());
        let running = here + elsewhere;
        let in_hand = self.in_hand.load(Ordering::Acquire);
        line.waiting += in_hand.saturating_sub(running);
        line
    }

    /// How long the dispatcher has not been seen.
    pub fn silence(&self) -> Duration {
        let beat = Duration::from_millis(self.beat_ms.load(Ordering::Relaxed));
        self.start.elapsed().saturating_sub(beat)
    }
}

/// A look at a running daemon.
#[derive(Debug, Clone)]
pub struct View {
    /// The state folder.
    pub(super) state: PathBuf,
    /// Everybody's attempts, a moment behind the store.
    pub board: Arc<RwLock<Scoreboard>>,
    /// What is being done.
    pub activity: Arc<Activity>,
}

impl View {
    /// A connection to the store that can only read.
    pub fn reader(&self) -> Result<Reader, StoreError> {
        Reader::open(&self.state)
    }

    /// A look at a daemon of which there is only this.
    #[cfg(test)]
    pub fn sample(state: PathBuf, board: Scoreboard) -> Self {
        Self {
            state,
            board: Arc::new(RwLock::new(board)),
            activity: Arc::new(Activity::new(1)),
        }
    }
}

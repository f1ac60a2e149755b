//! The daemon's state, pure: an event in, effects out. It reads no clock and touches no file.

mod event;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::queue::{Queue, Waiting};
use crate::domain::bounds::FAULT_TRIES_MAX;
use crate::domain::{Fault, FaultKind, ProblemSlug, Student, Submission, SubmissionId};
use crate::util::clock::{Backoff, as_ms};

pub use event::{Effect, Ending, Event};

/// After a fault of a submission.
const FAULT_PAUSES: Backoff = Backoff::doubling(Duration::from_secs(1), Duration::MAX);
/// After the quick tries: a fault that lasts is tried on slowly.
const SLOW_PAUSES: Backoff = Backoff::doubling(Duration::from_mins(10), Duration::MAX);
/// Slow tries: after them, about ten hours later, it waits for its cause to change.
const SLOW_TRIES_MAX: u32 = 6;
/// The pauses before a run near its limit is measured again that a busy machine disturbed, in
/// milliseconds: a short disturbance is soon over, and a long one gets ten minutes.
const BUSY_PAUSES_MS: [i64; 4] = [10_000, 50_000, 180_000, 360_000];

/// Tries that a busy machine disturbs before each further one counts like any fault. A run that
/// stays on one machine has its verdict long before.
const BUSY_TRIES_MAX: u32 = 20;

/// After a try that found the machine short of something.
const SHORT_PAUSES: Backoff = Backoff::doubling(Duration::from_secs(1), Duration::from_secs(4));
/// Tries of one submission that meet a shortage, some quarter of an hour; each further one counts
/// like any fault.
const SHORT_TRIES_MAX: u32 = 225;
/// Where somebody waits for the end of all work, they wait for this many: most of a minute.
const SHORT_TRIES_MAX_ONCE: u32 = 15;
/// After a try that found no room on a disk.
const ROOM_PAUSES: Backoff = Backoff::doubling(Duration::from_secs(1), Duration::from_secs(8));

#[derive(Debug)]
struct Faulted {
    waiting: Waiting,
    /// Those that count.
    tries: u32,
    /// Those that found the machine short of something, since the last that did not.
    short: u32,
    /// Those that a busy machine disturbed.
    busy: u32,
    next: Next,
}

/// When something that failed is tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    At(i64),
    Now,
    /// Not before its cause has changed.
    Waits,
}

impl Faulted {
    /// Whether somebody who waits for the end of all work waits for this too.
    fn is_tried_soon(&self) -> bool {
        if self.busy > 0 {
            self.busy < BUSY_TRIES_MAX
        } else if self.short > 0 {
            self.short < SHORT_TRIES_MAX_ONCE
        } else {
            self.tries < FAULT_TRIES_MAX
        }
    }
}

/// All wait for something to pass, and one submission after the other tries whether it has. Nothing
/// is counted as a try meanwhile.
#[derive(Debug, Default)]
struct Gate {
    /// Those that have failed; none where nobody waits.
    tries: u32,
    next_ms: i64,
}

impl Gate {
    fn is_shut(&self) -> bool {
        self.tries > 0
    }

    fn is_due(&self, now_ms: i64) -> bool {
        self.is_shut() && self.next_ms <= now_ms
    }

    /// One that has tried, or was the first to meet it, has failed.
    fn shut(&mut self, now_ms: i64, pauses: Backoff) {
        self.tries += 1;
        self.next_ms = now_ms + ms(pauses.after(self.tries));
    }
}

fn ms(pause: Duration) -> i64 {
    as_ms(pause).cast_signed()
}

/// The daemon's state.
#[derive(Debug, Default)]
pub struct State {
    queue: Queue,
    /// How many submissions can be in hand that are not measured yet.
    slots: usize,
    /// The same with those that were measured since the start.
    slots_in_all: usize,
    /// How many were taken in hand since the start.
    taken: usize,
    /// Taken in hand, and not finished: it is judged, or is being published.
    in_flight: BTreeMap<SubmissionId, Student>,
    wanted_again: BTreeSet<SubmissionId>,
    faulted: BTreeMap<SubmissionId, Faulted>,
    /// Those that ended in a fault since one was judged.
    failing: BTreeSet<SubmissionId>,
    blocked: BTreeSet<ProblemSlug>,
    /// Shut while a disk is full.
    room: Gate,
    /// Shut while the machine is short of something. One submission alone may be what it is short
    /// for, so that it stops nobody else: only a second one that meets the shortage does, with none
    /// judged in between.
    means: Gate,
    /// Which submission met the shortage last, since one was judged.
    short_last: Option<SubmissionId>,
    once: bool,
    quiet: bool,
    draining: bool,
}

impl State {
    /// A state at the start; `once` leaves when nothing is left to judge. With `skip_superseded` a
    /// newer attempt takes the place of one that nobody has heard a verdict of.
    pub fn new(once: bool, skip_superseded: bool) -> Self {
        Self {
            queue: Queue::new(skip_superseded),
            once,
            ..Self::default()
        }
    }

    /// Submissions that wait for a worker.
    pub fn waiting(&self) -> usize {
        self.queue.len()
    }

    /// Those that are next, as far as that is known.
    pub fn next(&self, most: usize) -> impl Iterator<Item = &Waiting> {
        self.queue.next(most)
    }

    /// Submissions that could not be judged because of faults.
    pub fn faulted(&self) -> usize {
        self.faulted.len()
    }

    /// How many submissions ended in faults, with none judged between.
    pub fn fails(&self) -> usize {
        self.failing.len()
    }

    /// Whether a submission is to be judged once more when it is finished.
    pub fn is_wanted_again(&self, id: SubmissionId) -> bool {
        self.wanted_again.contains(&id)
    }

    /// Whether nothing has to be judged, as far as is known: there is time for other work.
    pub fn is_idle(&self) -> bool {
        let has_to_be_judged =
            |waiting: &Waiting| !self.blocked.contains(&waiting.submission.problem);
        self.quiet
            && !self.draining
            && !self.room.is_shut()
            && !self.is_short()
            && self.in_flight.is_empty()
            && !self.queue.any(has_to_be_judged)
    }

    /// Whether a submission waits because the machine was short of something at its last try.
    pub fn is_short(&self) -> bool {
        self.faulted.values().any(|faulted| faulted.short > 0)
    }

    /// Takes an event and says what to do.
    pub fn on(&mut self, event: Event) -> Vec<Effect> {
        let mut effects = Vec::new();
        // Once for each arrival, and now and then: what gives way takes a moment to be back.
        let may_crowd = matches!(event, Event::Wanted(_) | Event::Tick(_));
        match event {
            Event::Slots(slots) => {
                self.slots_in_all = self.slots_in_all - self.slots + slots;
                self.slots = slots;
            }
            Event::Ready => self.slots_in_all += 1,
            Event::Wanted(list) => {
                for waiting in list {
                    self.want(waiting, &mut effects);
                }
            }
            Event::Insist(ids) => self.try_anew(|id| ids.contains(&id)),
            Event::Quiet(quiet) => self.quiet = quiet,
            Event::Packages(blocked) => {
                self.blocked = blocked;
                self.try_anew(|_| true);
            }
            Event::Finished {
                waiting,
                ending,
                now_ms,
            } => {
                self.finished(waiting, ending, now_ms, &mut effects);
            }
            Event::Tick(now_ms) => {
                self.retry(|faulted| matches!(faulted.next, Next::At(next) if next <= now_ms));
                self.try_for_all(now_ms, &mut effects);
            }
            Event::Drain => self.draining = true,
        }
        self.give_out(&mut effects);
        if may_crowd {
            effects.extend(self.make_room());
        }
        if self.is_over() {
            effects.push(Effect::Leave);
        }
        effects
    }

    fn want(&mut self, waiting: Waiting, effects: &mut Vec<Effect>) {
        if self.queue.skip_superseded {
            self.supersede(&waiting, effects);
        }
        let id = waiting.submission.id;
        if self.in_flight.contains_key(&id) {
            self.wanted_again.insert(id);
        } else if !self.faulted.contains_key(&waiting.submission.id) {
            self.queue.push(waiting);
        }
    }

    /// Leaves out what this newer attempt takes the place of. What is being judged is judged to its
    /// end.
    fn supersede(&mut self, newer: &Waiting, effects: &mut Vec<Effect>) {
        let in_flight = &self.in_flight;
        let faulted = self.faulted.extract_if(.., |id, faulted| {
            faulted.waiting.is_superseded_by(newer) && !in_flight.contains_key(id)
        });
        let faulted: BTreeMap<SubmissionId, Waiting> =
            faulted.map(|(id, faulted)| (id, faulted.waiting)).collect();
        // One that failed and is to be tried now waits in the queue as well.
        let mut old = faulted;
        for waiting in self.queue.supersede(newer) {
            old.insert(waiting.submission.id, waiting);
        }
        effects.extend(old.into_values().map(Effect::Superseded));
    }

    fn finished(
        &mut self,
        waiting: Waiting,
        ending: Ending,
        now_ms: i64,
        effects: &mut Vec<Effect>,
    ) {
        self.in_flight.remove(&waiting.submission.id);
        let again = self.wanted_again.remove(&waiting.submission.id);
        let fault = match ending {
            Ending::Judged | Ending::Outdated => {
                let failed = self.faulted.remove(&waiting.submission.id);
                self.failing.clear();
                if std::mem::take(&mut self.room).is_shut() {
                    effects.push(Effect::Room);
                }
                self.short_last = None;
                let was_short = failed.is_some_and(|failed| failed.short > 0);
                if std::mem::take(&mut self.means).is_shut() || was_short {
                    effects.push(Effect::Relieved);
                }
                if again || ending == Ending::Outdated {
                    self.queue.push(waiting);
                }
                return;
            }
            Ending::Failed(fault) => fault,
        };
        match fault.kind {
            FaultKind::NoRoom => {
                self.room.shut(now_ms, ROOM_PAUSES);
                self.queue.push(waiting);
            }
            // It was not begun, or not finished: it gave way to another student's, or no machine is
            // there that can measure it and the daemon is ending.
            FaultKind::NoPlace | FaultKind::Cancelled => self.queue.push(waiting),
            _ if again => {
                // Something has changed while it was tried, perhaps the cause.
                self.faulted.remove(&waiting.submission.id);
                self.queue.push(waiting);
            }
            _ => self.put_off(waiting, fault, now_ms, effects),
        }
    }

    /// Has a submission that failed tried again after a pause.
    fn put_off(&mut self, waiting: Waiting, fault: Fault, now_ms: i64, effects: &mut Vec<Effect>) {
        let id = waiting.submission.id;
        let before = self.faulted.get(&id);
        let (mut tries, short, busy) = before.map_or((0, 0, 0), |before| {
            (before.tries, before.short, before.busy)
        });
        let mut counts = false;
        let (short, busy, pause_ms) = match fault.kind {
            FaultKind::Busy if busy < BUSY_TRIES_MAX => (0, busy + 1, Some(self.busy_ms(busy))),
            FaultKind::Short(_) if short < SHORT_TRIES_MAX => {
                self.meet_shortage(id, now_ms);
                (short + 1, 0, Some(ms(SHORT_PAUSES.after(short + 1))))
            }
            kind => {
                (tries, counts) = (tries + 1, true);
                self.failing.insert(id);
                let is_short = matches!(kind, FaultKind::Short(_));
                (if is_short { short } else { 0 }, 0, fault_ms(tries))
            }
        };
        let faulted = Faulted {
            waiting: waiting.clone(),
            tries,
            short,
            busy,
            next: pause_ms.map_or(Next::Waits, |pause_ms| Next::At(now_ms + pause_ms)),
        };
        self.faulted.insert(id, faulted);
        effects.push(Effect::Remember {
            waiting: waiting.clone(),
            fault,
            pause_ms,
        });
        if counts && tries == FAULT_TRIES_MAX {
            effects.push(Effect::GiveUp(waiting));
        }
    }

    /// The pause after a busy machine has disturbed a run near its limit. Whoever waits for the end
    /// of all work does not wait for a quieter hour.
    fn busy_ms(&self, before: u32) -> i64 {
        let [.., longest] = BUSY_PAUSES_MS;
        let pause_ms = BUSY_PAUSES_MS.get(before as usize);
        if self.once {
            0
        } else {
            pause_ms.copied().unwrap_or(longest)
        }
    }

    fn meet_shortage(&mut self, id: SubmissionId, now_ms: i64) {
        let last = self.short_last.replace(id);
        if self.means.is_shut() || last.is_some_and(|last| last != id) {
            self.means.shut(now_ms, SHORT_PAUSES);
        }
    }

    /// Has those tried at once that have failed, as if they never had.
    fn try_anew(&mut self, is_meant: impl Fn(SubmissionId) -> bool) {
        for (_, faulted) in self.faulted.iter_mut().filter(|(id, _)| is_meant(**id)) {
            (faulted.tries, faulted.short, faulted.busy) = (0, 0, 0);
        }
        self.retry(|faulted| is_meant(faulted.waiting.submission.id));
    }

    /// Puts faulted submissions back into the queue. They keep their count until they are judged,
    /// or their cause has changed.
    fn retry(&mut self, due: impl Fn(&Faulted) -> bool) {
        let in_flight = &self.in_flight;
        for faulted in self.faulted.values_mut().filter(|faulted| {
            due(faulted) && !in_flight.contains_key(&faulted.waiting.submission.id)
        }) {
            faulted.next = Next::Now;
            self.queue.push(faulted.waiting.clone());
        }
    }

    /// One submission tries whether there is room again, or what the machine was short of; the
    /// others wait for what it finds.
    fn try_for_all(&mut self, now_ms: i64, effects: &mut Vec<Effect>) {
        let is_due = if self.room.is_shut() {
            self.room.is_due(now_ms)
        } else {
            self.means.is_due(now_ms)
        };
        if is_due && self.in_flight.is_empty() && !self.draining {
            effects.extend(self.next_judge());
        }
    }

    fn give_out(&mut self, effects: &mut Vec<Effect>) {
        if self.draining || self.room.is_shut() || self.means.is_shut() {
            return;
        }
        while let Some(effect) = self.next_judge() {
            effects.push(effect);
        }
    }

    /// Where somebody waits of whom nothing is in hand: those in hand of students who have several.
    fn make_room(&self) -> Option<Effect> {
        let has_none = |waiting: &Waiting| {
            let student = &waiting.submission.student;
            !self.blocked.contains(&waiting.submission.problem)
                && !self.in_flight.values().any(|in_hand| in_hand == student)
        };
        let is_possible = self.is_busy() && !self.in_flight.is_empty() && !self.draining;
        if !is_possible || !self.queue.any(has_none) {
            return None;
        }
        let mut seen = BTreeSet::new();
        let several = self.in_flight.values();
        let several: BTreeSet<&Student> =
            several.filter(|student| !seen.insert(*student)).collect();
        let crowd = self.in_flight.iter();
        let crowd = crowd.filter(|(_, student)| several.contains(student));
        Some(Effect::MakeRoom(crowd.map(|(id, _)| *id).collect()))
    }

    /// The next submission, where one can be taken in hand. Those that an upgrade has measured again
    /// come after the others.
    fn next_judge(&mut self) -> Option<Effect> {
        if self.is_busy() {
            return None;
        }
        let blocked = &self.blocked;
        let may = |waiting: &Waiting| !blocked.contains(&waiting.submission.problem);
        let is_awaited = |waiting: &Waiting| may(waiting) && !waiting.is_confirmed_later();
        let waiting = self.queue.pop(is_awaited);
        let waiting = waiting.or_else(|| self.queue.pop(may))?;
        self.taken += 1;
        let Submission { id, student, .. } = &waiting.submission;
        self.in_flight.insert(*id, student.clone());
        Some(Effect::Judge(waiting))
    }

    fn is_busy(&self) -> bool {
        self.taken >= self.slots_in_all
    }

    fn is_over(&self) -> bool {
        let nothing_in_flight = self.in_flight.is_empty();
        if self.draining {
            return nothing_in_flight;
        }
        let full = self.room.tries >= FAULT_TRIES_MAX;
        let waits = || {
            let mut faulted = self.faulted.values();
            self.queue
                .any(|waiting| !self.blocked.contains(&waiting.submission.problem))
                || faulted.any(Faulted::is_tried_soon)
        };
        self.once && self.quiet && nothing_in_flight && (full || !waits())
    }
}

/// The pause after so many faults of a submission; none where it waits for its cause to change.
fn fault_ms(tries: u32) -> Option<i64> {
    let slow = tries.saturating_sub(FAULT_TRIES_MAX);
    if tries < FAULT_TRIES_MAX {
        return Some(ms(FAULT_PAUSES.after(tries)));
    }
    (slow < SLOW_TRIES_MAX).then(|| ms(SLOW_PAUSES.after(slow + 1)))
}

#[cfg(test)]
mod tests;

//! The daemon's state, pure: an event in, effects out. It reads no clock and touches no file.

mod event;
mod shortage;

use std::collections::{BTreeMap, BTreeSet};

use super::queue::{Queue, Waiting};
use crate::domain::bounds::FAULT_TRIES_MAX;
use crate::domain::{Fault, ProblemSlug, Student, Submission, SubmissionId};
pub use event::{Effect, Ending, Event};
use shortage::Shortages;

/// The pause after the first fault of a submission, in milliseconds; it doubles with each further
/// one.
const FAULT_PAUSE_MS: i64 = 500;

/// The pause after the quick tries, which doubles too: a fault that lasts is tried on slowly.
const SLOW_PAUSE_MS: i64 = 10 * 60 * 1_000;

/// Slow tries: after them, about ten hours later, it waits for its cause to change.
const SLOW_TRIES_MAX: u32 = 6;

/// The pauses before a run near its limit is measured again that a busy machine disturbed, in
/// milliseconds: a short disturbance is soon over, and a long one gets ten minutes.
const BUSY_PAUSES_MS: [i64; 4] = [10_000, 50_000, 180_000, 360_000];

/// Tries that a busy machine disturbs before each further one counts like any fault. A run that
/// stays on one machine has its verdict long before.
const BUSY_TRIES_MAX: u32 = 20;

/// The longest pause between two tries whether a full disk has room again, in milliseconds.
const ROOM_PAUSE_MS_MAX: i64 = 8_000;

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
            self.short < shortage::ONCE_TRIES_MAX
        } else {
            self.tries < FAULT_TRIES_MAX
        }
    }
}

/// There was no room on a disk at the last look.
#[derive(Debug, Clone, Copy)]
struct Full {
    tries: u32,
    next_ms: i64,
}

/// The daemon's state.
#[derive(Debug)]
pub struct State {
    queue: Queue,
    /// How many submissions can be in hand that are not measured yet.
    slots: usize,
    /// The same with those that were measured since the start.
    room: usize,
    /// How many were taken in hand since the start.
    taken: usize,
    /// Taken in hand, and not finished: it is judged, or is being published.
    in_flight: BTreeMap<SubmissionId, Student>,
    wanted_again: BTreeSet<SubmissionId>,
    faulted: BTreeMap<SubmissionId, Faulted>,
    /// Those that ended in a fault since one was judged.
    failing: BTreeSet<SubmissionId>,
    blocked: BTreeSet<ProblemSlug>,
    full: Option<Full>,
    shortages: Shortages,
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
            slots: 0,
            room: 0,
            taken: 0,
            in_flight: BTreeMap::new(),
            wanted_again: BTreeSet::new(),
            faulted: BTreeMap::new(),
            failing: BTreeSet::new(),
            blocked: BTreeSet::new(),
            full: None,
            shortages: Shortages::default(),
            once,
            quiet: false,
            draining: false,
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
            && self.full.is_none()
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
                self.room = self.room - self.slots + slots;
                self.slots = slots;
            }
            Event::Ready => self.room += 1,
            Event::Wanted(list) => {
                for waiting in list {
                    self.want(waiting, &mut effects);
                }
            }
            Event::Insist(ids) => {
                for (_, faulted) in self.faulted.iter_mut().filter(|(id, _)| ids.contains(id)) {
                    (faulted.tries, faulted.short, faulted.busy) = (0, 0, 0);
                }
                self.retry(|faulted| ids.contains(&faulted.waiting.submission.id));
            }
            Event::Quiet(quiet) => self.quiet = quiet,
            Event::Packages(blocked) => {
                self.blocked = blocked;
                for faulted in self.faulted.values_mut() {
                    (faulted.tries, faulted.short, faulted.busy) = (0, 0, 0);
                }
                self.retry(|_| true);
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
                self.try_for_room(now_ms, &mut effects);
                self.try_in_shortage(now_ms, &mut effects);
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
        match ending {
            Ending::Judged | Ending::Outdated => {
                let failed = self.faulted.remove(&waiting.submission.id);
                self.failing.clear();
                if self.full.take().is_some() {
                    effects.push(Effect::Room);
                }
                let was_short = failed.is_some_and(|failed| failed.short > 0);
                if self.shortages.end() || was_short {
                    effects.push(Effect::Relieved);
                }
                if again || ending == Ending::Outdated {
                    self.queue.push(waiting);
                }
            }
            Ending::NoRoom => {
                self.note_full(now_ms);
                self.queue.push(waiting);
            }
            Ending::PutBack => self.queue.push(waiting),
            Ending::Faulted(_) | Ending::Short(_) | Ending::Busy(_) if again => {
                // Something has changed while it was tried, perhaps the cause.
                self.faulted.remove(&waiting.submission.id);
                self.queue.push(waiting);
            }
            Ending::Faulted(fault) => self.fault(waiting, fault, now_ms, effects),
            Ending::Short(fault) => self.short(waiting, fault, now_ms, effects),
            Ending::Busy(fault) => self.busy(waiting, fault, now_ms, effects),
        }
    }

    fn fault(&mut self, waiting: Waiting, fault: Fault, now_ms: i64, effects: &mut Vec<Effect>) {
        let before = self.faulted.get(&waiting.submission.id);
        let (before, short) = before.map_or((0, 0), |before| (before.tries, before.short));
        let tries = before + 1;
        let slow = tries.saturating_sub(FAULT_TRIES_MAX);
        let pause_ms = if tries < FAULT_TRIES_MAX {
            Some(FAULT_PAUSE_MS << tries)
        } else {
            (slow < SLOW_TRIES_MAX).then(|| SLOW_PAUSE_MS << slow)
        };
        let faulted = Faulted {
            waiting: waiting.clone(),
            tries,
            short: if fault.shortage().is_some() { short } else { 0 },
            busy: 0,
            next: pause_ms.map_or(Next::Waits, |pause_ms| Next::At(now_ms + pause_ms)),
        };
        self.failing.insert(waiting.submission.id);
        self.faulted.insert(waiting.submission.id, faulted);
        effects.push(Effect::Remember {
            waiting: waiting.clone(),
            fault,
            pause_ms,
        });
        if tries == FAULT_TRIES_MAX {
            effects.push(Effect::GiveUp(waiting));
        }
    }

    /// A busy machine disturbed a run near its limit. Whoever waits for the end of all work does not
    /// wait for a quieter hour.
    fn busy(&mut self, waiting: Waiting, fault: Fault, now_ms: i64, effects: &mut Vec<Effect>) {
        let before = self.faulted.get(&waiting.submission.id);
        let (tries, busy) = before.map_or((0, 0), |before| (before.tries, before.busy));
        if busy >= BUSY_TRIES_MAX {
            return self.fault(waiting, fault, now_ms, effects);
        }
        let [.., longest] = BUSY_PAUSES_MS;
        let pause_ms = match BUSY_PAUSES_MS.get(busy as usize) {
            _ if self.once => 0,
            Some(pause_ms) => *pause_ms,
            None => longest,
        };
        let faulted = Faulted {
            waiting: waiting.clone(),
            tries,
            short: 0,
            busy: busy + 1,
            next: Next::At(now_ms + pause_ms),
        };
        self.faulted.insert(waiting.submission.id, faulted);
        effects.push(Effect::Remember {
            waiting,
            fault,
            pause_ms: Some(pause_ms),
        });
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

    fn note_full(&mut self, now_ms: i64) {
        let tries = 1 + self.full.map_or(0, |full| full.tries);
        let pause_ms = (FAULT_PAUSE_MS << tries.min(FAULT_TRIES_MAX)).min(ROOM_PAUSE_MS_MAX);
        self.full = Some(Full {
            tries,
            next_ms: now_ms + pause_ms,
        });
    }

    /// One submission tries whether there is room again; the others wait for what it finds.
    fn try_for_room(&mut self, now_ms: i64, effects: &mut Vec<Effect>) {
        let due = self.full.is_some_and(|full| full.next_ms <= now_ms);
        if due && self.in_flight.is_empty() && !self.draining {
            effects.extend(self.next_judge());
        }
    }

    /// A submission met a shortage.
    fn short(&mut self, waiting: Waiting, fault: Fault, now_ms: i64, effects: &mut Vec<Effect>) {
        let before = self.faulted.get(&waiting.submission.id);
        let (tries, short) = before.map_or((0, 0), |before| (before.tries, before.short));
        if short >= shortage::TRIES_MAX {
            return self.fault(waiting, fault, now_ms, effects);
        }
        self.shortages.note(waiting.submission.id, now_ms);
        let pause_ms = shortage::pause_ms(short + 1);
        let faulted = Faulted {
            waiting: waiting.clone(),
            tries,
            short: short + 1,
            busy: 0,
            next: Next::At(now_ms + pause_ms),
        };
        self.faulted.insert(waiting.submission.id, faulted);
        effects.push(Effect::Remember {
            waiting,
            fault,
            pause_ms: Some(pause_ms),
        });
    }

    /// One submission tries whether the machine has what it was short of; the others wait for what
    /// it finds.
    fn try_in_shortage(&mut self, now_ms: i64, effects: &mut Vec<Effect>) {
        let due = self.shortages.are_due(now_ms);
        if due && self.full.is_none() && self.in_flight.is_empty() && !self.draining {
            effects.extend(self.next_judge());
        }
    }

    fn give_out(&mut self, effects: &mut Vec<Effect>) {
        if self.draining || self.full.is_some() || self.shortages.all_wait() {
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
        self.taken >= self.room
    }

    fn is_over(&self) -> bool {
        let nothing_in_flight = self.in_flight.is_empty();
        if self.draining {
            return nothing_in_flight;
        }
        let full = self.full.is_some_and(|full| full.tries >= FAULT_TRIES_MAX);
        let waits = || {
            let mut faulted = self.faulted.values();
            self.queue
                .any(|waiting| !self.blocked.contains(&waiting.submission.problem))
                || faulted.any(Faulted::is_tried_soon)
        };
        self.once && self.quiet && nothing_in_flight && (full || !waits())
    }
}

#[cfg(test)]
mod tests;

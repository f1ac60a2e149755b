//! The daemon's state, pure: an event in, effects out. It reads no clock and touches no file.

use std::collections::{BTreeMap, BTreeSet};

use super::queue::{Queue, Waiting};
use crate::domain::bounds::FAULT_TRIES_MAX;
use crate::domain::{ProblemSlug, SubmissionId};

/// The pause after the first fault of a submission, in milliseconds; it doubles with each further one.
const FAULT_PAUSE_MS: i64 = 500;

/// The pause after the quick tries: a fault that lasts is tried on slowly, until its cause has changed.
const SLOW_PAUSE_MS: i64 = 10 * 60 * 1_000;

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A worker can take work.
    Ready(usize),
    /// These submissions need to be judged.
    Wanted(Vec<Waiting>),
    /// The intake has looked: is everything that lies in the folder taken?
    Quiet(bool),
    /// The packages were read; these are broken.
    Packages(BTreeSet<ProblemSlug>),
    /// A submission came to its end. The worker that had it may be ready long before.
    Finished {
        /// Which submission.
        waiting: Waiting,
        /// How.
        ending: Ending,
        /// Now, in milliseconds of a clock that never goes back.
        now_ms: i64,
    },
    /// Time has passed; now in milliseconds.
    Tick(i64),
    /// Finish what is being judged, then leave.
    Drain,
}

/// How the work on a submission ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// It has its verdict.
    Judged,
    /// Something changed meanwhile: it is wanted once more.
    Outdated,
    /// Something failed on our side.
    Faulted,
}

/// Something to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Give this submission to this worker.
    Judge {
        /// Which worker.
        worker: usize,
        /// Which submission.
        waiting: Waiting,
    },
    /// Say that a submission is not judged for now: its fault lasts.
    GiveUp(Waiting),
    /// Leave: nothing is left to do.
    Leave,
}

#[derive(Debug)]
struct Faulted {
    waiting: Waiting,
    tries: u32,
    /// When it is tried again; `None` while it is.
    next_ms: Option<i64>,
}

/// The daemon's state.
#[derive(Debug)]
pub struct State {
    queue: Queue,
    idle: BTreeSet<usize>,
    /// Given to a worker, and not finished: it is judged, or is being published.
    in_flight: BTreeSet<SubmissionId>,
    wanted_again: BTreeSet<SubmissionId>,
    faulted: BTreeMap<SubmissionId, Faulted>,
    broken: BTreeSet<ProblemSlug>,
    once: bool,
    quiet: bool,
    draining: bool,
}

impl State {
    /// A state at the start; `once` leaves when nothing is left to judge.
    pub fn new(once: bool) -> Self {
        Self {
            queue: Queue::default(),
            idle: BTreeSet::new(),
            in_flight: BTreeSet::new(),
            wanted_again: BTreeSet::new(),
            faulted: BTreeMap::new(),
            broken: BTreeSet::new(),
            once,
            quiet: false,
            draining: false,
        }
    }

    /// Submissions that wait for a worker.
    pub fn waiting(&self) -> usize {
        self.queue.len()
    }

    /// Submissions that could not be judged because of faults.
    pub fn faulted(&self) -> usize {
        self.faulted.len()
    }

    /// Takes an event and says what to do.
    pub fn on(&mut self, event: Event) -> Vec<Effect> {
        let mut effects = Vec::new();
        match event {
            Event::Ready(worker) => {
                self.idle.insert(worker);
            }
            Event::Wanted(list) => list.into_iter().for_each(|waiting| self.want(waiting)),
            Event::Quiet(quiet) => self.quiet = quiet,
            Event::Packages(broken) => {
                self.broken = broken;
                for faulted in self.faulted.values_mut() {
                    faulted.tries = 0;
                }
                self.retry(|_| true);
            }
            Event::Finished {
                waiting,
                ending,
                now_ms,
            } => effects.extend(self.finished(waiting, ending, now_ms)),
            Event::Tick(now_ms) => {
                self.retry(|faulted| faulted.next_ms.is_some_and(|next| next <= now_ms));
            }
            Event::Drain => self.draining = true,
        }
        self.give_out(&mut effects);
        if self.is_over() {
            effects.push(Effect::Leave);
        }
        effects
    }

    fn want(&mut self, waiting: Waiting) {
        if self.in_flight.contains(&waiting.id) {
            self.wanted_again.insert(waiting.id);
        } else if !self.faulted.contains_key(&waiting.id) {
            self.queue.push(waiting);
        }
    }

    fn finished(&mut self, waiting: Waiting, ending: Ending, now_ms: i64) -> Option<Effect> {
        self.in_flight.remove(&waiting.id);
        let again = self.wanted_again.remove(&waiting.id);
        match ending {
            Ending::Judged if !again => {
                self.faulted.remove(&waiting.id);
                None
            }
            Ending::Judged | Ending::Outdated => {
                self.faulted.remove(&waiting.id);
                self.queue.push(waiting);
                None
            }
            Ending::Faulted if again => {
                // Something has changed while it was tried, perhaps the cause.
                self.faulted.remove(&waiting.id);
                self.queue.push(waiting);
                None
            }
            Ending::Faulted => self.fault(waiting, now_ms),
        }
    }

    fn fault(&mut self, waiting: Waiting, now_ms: i64) -> Option<Effect> {
        let tries = 1 + self
            .faulted
            .get(&waiting.id)
            .map_or(0, |faulted| faulted.tries);
        let pause_ms = if tries < FAULT_TRIES_MAX {
            FAULT_PAUSE_MS << tries
        } else {
            SLOW_PAUSE_MS
        };
        let faulted = Faulted {
            waiting: waiting.clone(),
            tries: tries.min(FAULT_TRIES_MAX),
            next_ms: Some(now_ms + pause_ms),
        };
        self.faulted.insert(waiting.id, faulted);
        (tries == FAULT_TRIES_MAX).then_some(Effect::GiveUp(waiting))
    }

    /// Puts faulted submissions back into the queue. They keep their count until they are judged, or their cause has changed.
    fn retry(&mut self, due: impl Fn(&Faulted) -> bool) {
        let in_flight = &self.in_flight;
        for faulted in self
            .faulted
            .values_mut()
            .filter(|faulted| due(faulted) && !in_flight.contains(&faulted.waiting.id))
        {
            faulted.next_ms = None;
            self.queue.push(faulted.waiting.clone());
        }
    }

    fn give_out(&mut self, effects: &mut Vec<Effect>) {
        if self.draining {
            return;
        }
        while let Some(&worker) = self.idle.first() {
            let broken = &self.broken;
            let Some(waiting) = self.queue.pop(|waiting| !broken.contains(&waiting.problem)) else {
                return;
            };
            self.idle.remove(&worker);
            self.in_flight.insert(waiting.id);
            effects.push(Effect::Judge { worker, waiting });
        }
    }

    fn is_over(&self) -> bool {
        let nothing_in_flight = self.in_flight.is_empty();
        if self.draining {
            return nothing_in_flight;
        }
        self.once
            && self.quiet
            && nothing_in_flight
            && !self
                .queue
                .any(|waiting| !self.broken.contains(&waiting.problem))
            && self
                .faulted
                .values()
                .all(|faulted| faulted.tries >= FAULT_TRIES_MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::{Effect, Ending, Event, State};
    use crate::daemon::queue::Waiting;
    use crate::domain::bounds::FAULT_TRIES_MAX;
    use crate::domain::{ProblemSlug, Student, SubmissionId};

    fn waiting(id: i64) -> Waiting {
        Waiting {
            id: SubmissionId(id),
            student: Student::new("alpha").unwrap(),
            problem: ProblemSlug::new("curling").unwrap(),
            because: "received".into(),
        }
    }

    fn judge(worker: usize, id: i64) -> Effect {
        Effect::Judge {
            worker,
            waiting: waiting(id),
        }
    }

    fn finished(id: i64, ending: Ending, now_ms: i64) -> Event {
        Event::Finished {
            waiting: waiting(id),
            ending,
            now_ms,
        }
    }

    /// The worker hands its submission on, and that comes to its end.
    fn end(state: &mut State, id: i64, ending: Ending, now_ms: i64) -> Vec<Effect> {
        let mut effects = state.on(Event::Ready(0));
        effects.extend(state.on(finished(id, ending, now_ms)));
        effects
    }

    #[test]
    fn work_goes_to_idle_workers_in_order() {
        let mut state = State::new(false);
        assert_eq!(state.on(Event::Wanted(vec![waiting(1), waiting(2)])), []);
        assert_eq!(state.on(Event::Ready(0)), [judge(0, 1)]);
        assert_eq!(state.on(Event::Ready(1)), [judge(1, 2)]);
        assert_eq!(state.on(finished(1, Ending::Judged, 0)), []);
    }

    #[test]
    fn a_worker_goes_on_while_its_submission_is_published() {
        let mut state = State::new(true);
        state.on(Event::Quiet(true));
        state.on(Event::Ready(0));
        state.on(Event::Wanted(vec![waiting(1), waiting(2)]));
        assert_eq!(state.on(Event::Ready(0)), [judge(0, 2)]);
        assert_eq!(state.on(Event::Ready(0)), [], "two are being published");
        assert_eq!(
            state.on(Event::Wanted(vec![waiting(1)])),
            [],
            "what is not published yet is in nobody's hands a second time"
        );
        assert_eq!(state.on(finished(2, Ending::Judged, 0)), []);
        assert_eq!(state.on(finished(1, Ending::Judged, 0)), [judge(0, 1)]);
        assert_eq!(state.on(Event::Ready(0)), []);
        assert_eq!(
            state.on(finished(1, Ending::Judged, 0)),
            [Effect::Leave],
            "only now is everything published"
        );
    }

    #[test]
    fn a_drain_waits_for_what_is_being_published() {
        let mut state = State::new(false);
        state.on(Event::Ready(0));
        state.on(Event::Wanted(vec![waiting(1), waiting(2)]));
        assert_eq!(state.on(Event::Drain), []);
        assert_eq!(state.on(Event::Ready(0)), []);
        assert_eq!(
            state.on(finished(1, Ending::Faulted, 0)),
            [Effect::Leave],
            "a fault while it is published ends it too"
        );
        assert_eq!(state.faulted(), 1);
    }

    #[test]
    fn once_leaves_only_when_everything_is_judged() {
        let mut state = State::new(true);
        assert_eq!(state.on(Event::Ready(0)), []);
        assert_eq!(state.on(Event::Wanted(vec![waiting(1)])), [judge(0, 1)]);
        assert_eq!(state.on(Event::Quiet(true)), []);
        assert_eq!(
            end(&mut state, 1, Ending::Judged, 0),
            [Effect::Leave],
            "quiet, and nothing left"
        );
    }

    #[test]
    fn once_does_not_wait_for_a_broken_package() {
        let mut state = State::new(true);
        state.on(Event::Packages([waiting(1).problem].into()));
        state.on(Event::Ready(0));
        assert_eq!(state.on(Event::Wanted(vec![waiting(1)])), []);
        assert_eq!(state.on(Event::Quiet(true)), [Effect::Leave]);
        assert_eq!(
            state.on(Event::Packages([].into())),
            [judge(0, 1)],
            "once it is mended, its submissions go on"
        );
    }

    #[test]
    fn a_drain_finishes_what_runs_and_starts_nothing() {
        let mut state = State::new(false);
        state.on(Event::Ready(0));
        state.on(Event::Wanted(vec![waiting(1), waiting(2)]));
        assert_eq!(state.on(Event::Drain), []);
        assert_eq!(end(&mut state, 1, Ending::Judged, 0), [Effect::Leave]);
        assert_eq!(state.waiting(), 1);
    }

    #[test]
    fn a_fault_is_tried_again_later_and_later_and_then_waits() {
        let mut state = State::new(true);
        state.on(Event::Ready(0));
        state.on(Event::Quiet(true));
        assert_eq!(state.on(Event::Wanted(vec![waiting(1)])), [judge(0, 1)]);
        let mut now_ms = 0;
        let mut pauses_ms = Vec::new();
        for _ in 1..FAULT_TRIES_MAX {
            assert_eq!(end(&mut state, 1, Ending::Faulted, now_ms), []);
            let start_ms = now_ms;
            while state.on(Event::Tick(now_ms)).is_empty() {
                now_ms += 100;
            }
            pauses_ms.push(now_ms - start_ms);
        }
        assert!(
            pauses_ms.is_sorted_by(|one, next| one < next),
            "{pauses_ms:?}"
        );
        assert_eq!(
            end(&mut state, 1, Ending::Faulted, now_ms),
            [Effect::GiveUp(waiting(1)), Effect::Leave]
        );
        assert_eq!(state.faulted(), 1);
        assert_eq!(
            state.on(Event::Packages([].into())),
            [judge(0, 1)],
            "a changed package may be the changed cause"
        );
    }

    #[test]
    fn what_is_tried_again_is_never_in_two_hands() {
        let mut state = State::new(false);
        state.on(Event::Ready(0));
        state.on(Event::Wanted(vec![waiting(1)]));
        end(&mut state, 1, Ending::Faulted, 0);
        assert_eq!(state.on(Event::Tick(60_000)), [judge(0, 1)]);
        state.on(Event::Ready(1));
        assert_eq!(state.on(Event::Packages([].into())), []);
        assert_eq!(state.on(Event::Tick(120_000)), []);
        assert_eq!(end(&mut state, 1, Ending::Judged, 120_000), []);
        assert_eq!(state.faulted(), 0);
    }

    #[test]
    fn what_changes_while_it_is_judged_is_judged_again() {
        for ending in [Ending::Judged, Ending::Outdated] {
            let mut state = State::new(false);
            state.on(Event::Ready(0));
            state.on(Event::Wanted(vec![waiting(1)]));
            state.on(Event::Wanted(vec![waiting(1)]));
            assert_eq!(end(&mut state, 1, ending, 0), [judge(0, 1)]);
        }
    }
}

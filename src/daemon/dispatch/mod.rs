//! The dispatcher: one loop that turns messages, signals and time into events for the state, and
//! carries its effects out.

mod changes;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::mpsc::Receiver;
use tokio::time::{MissedTickBehavior, interval};

use super::activity::View;
use super::grading::GradingFiles;
use super::hacks::Waits;
use super::health::{Part, Standstill};
use super::in_force::InForce;
use super::languages;
use super::machines::MachinesWatch;
use super::message::Message;
use super::notice::{NOT_TRIED_AGAIN, Notice};
use super::queue::Waiting;
use super::requests::Requests;
use super::shared::Shared;
use super::slot::{Slots, remember_fault};
use super::start::Start;
use super::state::{Effect, Ending, Event, State};
use crate::config::Config;
use crate::domain::{Because, Digest, Fault, Submission, SubmissionId};
use crate::exports::CourseSource;
use crate::sandbox::Hold;
use crate::store::HackRow;
use crate::util::signals::{Asked, DaemonSignals};

/// Time between two looks at faults that are due.
const TICK: Duration = Duration::from_secs(1);
/// After so many looks it is said that something waits for a machine: workers take a few seconds to
/// be there.
const WITHOUT_PLACE_TICKS: u32 = 15;
const NO_PLACE: &str = "submissions wait for a machine that can measure them, and none is there: `verdictd status` shows the machines, and why some get no orders";
/// What follows where a submission has failed too often to be tried soon.
const GIVEN_UP: &str =
    "not judged; it is tried again at growing intervals, and when something changes";
/// After so many submissions that ended in faults, with none judged between, nothing can be judged.
const ONLY_FAULTS: usize = 3;

/// Why the loop ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// Nothing was left to do, or a first signal was followed in full.
    Drained,
    /// A second signal: at once.
    Now,
    /// Nothing can be kept any more.
    Lost(Fault),
}

/// What follows when everything that is in hand is finished.
#[derive(Debug)]
enum Next {
    /// More is judged.
    Stay,
    /// The daemon ends.
    Stop,
    /// It starts anew: what is in force is replaced only then.
    Again(Arc<Config>, Because),
}

/// The dispatcher and what it owns.
pub struct Dispatcher<'a> {
    shared: Arc<Shared>,
    in_force: InForce,
    state: State,
    slots: Slots,
    /// Looks in a row at which something waited that nobody can measure.
    without_place: u32,
    requests: Requests,
    waits: Waits,
    /// What is not judged by itself now, and the files that say so.
    held: BTreeMap<SubmissionId, Waiting>,
    files: GradingFiles,
    machines: MachinesWatch,
    /// Whether the whole plan is to be made again.
    plan_failed: bool,
    next: Next,
    listener: &'a mut dyn FnMut(&Notice),
    start: Instant,
}

/// What is left when the dispatcher has ended.
pub struct Rest {
    /// Submissions whose last try ended in a fault.
    pub faulted: usize,
    /// Submissions that are not judged by themselves now.
    pub held: usize,
    /// Whether something that was handed in could not be looked at or kept.
    pub intake_failed: bool,
    /// What is still in hand at a second signal.
    pub slots: Slots,
    /// With what the daemon is to start anew, if it is.
    pub again: Option<Start>,
}

enum Step {
    Message(Box<Message>),
    Notice(Notice),
    Asked(Asked),
    /// Something fails, or works again.
    Health,
    Tick,
}

impl<'a> Dispatcher<'a> {
    /// A dispatcher to which nothing has happened yet. `once` leaves when nothing is left to judge;
    /// for the `hacks` nothing is planned yet.
    pub fn new(
        shared: Arc<Shared>,
        in_force: InForce,
        slots: Slots,
        once: bool,
        hacks: Vec<HackRow>,
        listener: &'a mut dyn FnMut(&Notice),
    ) -> Self {
        let config = &in_force.setup.config;
        let state = &config.folders.state;
        let mut waits = Waits::default();
        waits.joined(hacks);
        let mut files = GradingFiles::new(CourseSource::of(config), &shared.grading);
        files.follow();
        Self {
            requests: Requests::new(state),
            machines: MachinesWatch::new(state),
            state: State::new(once, config.judge.skip_superseded),
            slots,
            without_place: 0,
            held: BTreeMap::new(),
            files,
            shared,
            in_force,
            waits,
            plan_failed: false,
            next: Next::Stay,
            listener,
            start: Instant::now(),
        }
    }

    /// Ends the threads that follow what is in force. Nothing more is assigned.
    pub fn close(self) -> Rest {
        let setup = &self.in_force.setup;
        let again = match self.next {
            Next::Stay | Next::Stop => None,
            Next::Again(config, because) => Some(Start {
                before: (!Arc::ptr_eq(&config, &setup.config)).then(|| Arc::clone(&setup.config)),
                config,
                because,
                languages: Some(Arc::clone(&setup.languages)),
                grading: Arc::clone(&self.files.grading),
                announced: None,
            }),
        };
        let rest = Rest {
            faulted: self.state.faulted(),
            held: self.held.len(),
            intake_failed: self.shared.health.is_failing(Part::Intake),
            again,
            slots: self.slots,
        };
        self.in_force.join();
        rest
    }

    /// Runs until there is nothing left to do, or a signal says so.
    pub async fn run(
        &mut self,
        start: &Start,
        signals: &mut DaemonSignals,
        messages: &mut Receiver<Message>,
        notices: &mut Receiver<Notice>,
    ) -> End {
        self.tell_start();
        let mut ticks = interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
        self.begin(start);
        let slots = self.slots.follow();
        if self.feed(Event::Slots(slots)) {
            return End::Drained;
        }
        loop {
            // The arms only say what happened; what follows from it is below.
            let step = tokio::select! {
                Some(message) = messages.recv() => Step::Message(Box::new(message)),
                Some(notice) = notices.recv() => Step::Notice(notice),
                asked = signals.next() => Step::Asked(asked),
                () = self.shared.health.changed() => Step::Health,
                _ = ticks.tick() => Step::Tick,
            };
            let over = match step {
                Step::Message(message) => self.on_message(*message),
                Step::Notice(notice) => {
                    self.notify([notice]);
                    false
                }
                Step::Asked(Asked::Stop) if matches!(self.next, Next::Stop) => return End::Now,
                Step::Asked(Asked::Stop) => {
                    self.say("finishing running submissions; a second signal stops at once");
                    self.leave(Next::Stop)
                }
                Step::Asked(Asked::Reload) => self.reload(),
                Step::Health => false,
                Step::Tick => self.tick(),
            };
            self.tell_health();
            if let Some(fault) = self.shared.health.lost() {
                return End::Lost(fault);
            }
            if over {
                return End::Drained;
            }
        }
    }

    /// Shows what is in the store already and was not shown before the end.
    pub fn drain_messages(&mut self, mut messages: Receiver<Message>) {
        messages.close();
        self.tell_health();
        while let Ok(message) = messages.try_recv() {
            match message {
                Message::Said(text) => self.say(text),
                Message::Received(waiting) => self.notify([Notice::Received(waiting.submission)]),
                Message::Rejected(rejection) => self.notify([Notice::Rejected(rejection)]),
                Message::Library(mut update) => self.tell_packages(&mut update),
                _ => {}
            }
        }
    }

    fn now_ms(&self) -> i64 {
        i64::try_from(self.start.elapsed().as_millis()).unwrap_or(i64::MAX)
    }

    fn notify(&mut self, notices: impl IntoIterator<Item = Notice>) {
        for notice in notices {
            (self.listener)(&notice);
        }
    }

    fn say(&mut self, text: impl Into<String>) {
        self.notify([Notice::Said(text.into())]);
    }

    /// Shows what fails, and what works again.
    fn tell_health(&mut self) {
        let notices = self.shared.health.take_notices();
        self.notify(notices);
    }

    fn tell_start(&mut self) {
        let (setup, shared) = (&self.in_force.setup, &self.shared);
        let protections = shared.sandbox.protections().iter();
        let missing: BTreeSet<String> = protections
            .filter(|protection| protection.hold != Hold::On)
            .map(|protection| protection.name.to_string())
            .collect();
        let started = Notice::Started {
            config: Arc::clone(&setup.config),
            languages: setup.languages.offered().cloned().collect(),
            problems: setup
                .library
                .iter()
                .filter_map(|(slug, loaded)| {
                    Some((slug.clone(), loaded.as_ref().ok()?.tests.len()))
                })
                .collect(),
            missing: missing.into_iter().collect(),
            view: View {
                state: setup.config.folders.state.clone(),
                board: Arc::clone(&shared.board),
                activity: Arc::clone(&shared.activity),
            },
        };
        self.notify([started]);
    }

    fn on_message(&mut self, message: Message) -> bool {
        match message {
            Message::Measured => return self.feed(Event::Ready),
            Message::Finished { waiting, result } => return self.on_finished(waiting, result),
            Message::Received(waiting) => {
                self.notify([Notice::Received(waiting.submission.clone())]);
                return self.want(waiting);
            }
            Message::Known(waiting) => return self.want(waiting),
            Message::Tried(tried, pause) => {
                let languages = self.in_force.setup.languages.with(tried);
                return self.offer(languages, pause);
            }
            Message::Rejected(rejection) => self.notify([Notice::Rejected(rejection)]),
            Message::Library(update) => self.take_packages(*update),
            Message::Quiet(quiet) => return self.feed(Event::Quiet(quiet)),
            Message::IntakeGone => {
                // An orderly end, said loudly, is better than a daemon that looks alive.
                let reason = "it failed again and again; nothing more is taken, and the daemon ends when it has judged what it is judging";
                let reason = reason.to_owned();
                self.notify([Notice::fault("intake", reason, NOT_TRIED_AGAIN)]);
                return self.drain();
            }
            Message::Said(text) => self.say(text),
        }
        false
    }

    /// A submission wants its verdict. One whose language cannot be used now stays in the store
    /// until it can.
    fn want(&mut self, waiting: Waiting) -> bool {
        let languages = &self.in_force.setup.languages;
        if languages.fault(&waiting.submission.language).is_some() {
            return false;
        }
        let free = self.without_held(vec![waiting], &BTreeSet::new());
        !free.is_empty() && self.feed(Event::Wanted(free))
    }

    fn on_finished(&mut self, waiting: Waiting, result: Result<Digest, Fault>) -> bool {
        let Submission {
            id,
            problem,
            language,
            ..
        } = &waiting.submission;
        let ending = match result {
            Ok(fold) => {
                let now = self.in_force.setup.fold_of(&self.shared, problem, language);
                if now.is_none_or(|now| now == fold) {
                    let judged = self.waits.judged(*id);
                    self.in_force.finish_hacks(&self.shared, judged);
                    if !self.state.is_wanted_again(*id) {
                        self.requests.settled(*id);
                    }
                    Ending::Judged
                } else {
                    Ending::Outdated
                }
            }
            Err(fault) => {
                let what = waiting.submission.whose();
                self.shared.health.submission_fails(&what, &fault);
                let languages = &self.in_force.setup.languages;
                if let Some(fewer) = languages::without_broken_compiler(languages, language) {
                    self.offer(fewer, Duration::ZERO);
                    self.in_force.try_again();
                }
                Ending::Failed(fault)
            }
        };
        let now_ms = self.now_ms();
        self.feed(Event::Finished {
            waiting,
            ending,
            now_ms,
        })
    }

    fn tick(&mut self) -> bool {
        self.look_for_places();
        if let Some(fault) = self.shared.store.lost() {
            self.shared.health.lose(fault);
        }
        let standstill = self.shared.health.standstill();
        self.shared.activity.stand_still(standstill);
        if std::mem::take(&mut self.plan_failed) {
            self.want_all(Because::Change);
        }
        if self.look_at_course() {
            return true;
        }
        self.take_requests();
        let shared = &self.shared;
        let machines = self.machines.look(&shared.pool, &shared.activity);
        self.notify(machines);
        self.shared.activity.beat();
        let slots = self.slots.follow();
        let now_ms = self.now_ms();
        self.feed(Event::Slots(slots)) || self.feed(Event::Tick(now_ms))
    }

    /// Nothing more is taken, and what is being judged is finished; true when it is time to leave.
    fn leave(&mut self, next: Next) -> bool {
        self.next = next;
        self.in_force.stop_intake();
        self.drain()
    }

    /// What is being judged is finished, as far as somebody can measure it; then the daemon leaves.
    fn drain(&mut self) -> bool {
        self.shared.pool.drain();
        self.feed(Event::Drain)
    }

    /// Says once when something waits and no machine is there for it.
    fn look_for_places(&mut self) {
        let fails = self.state.fails();
        let only_fails = (fails >= ONLY_FAULTS).then(|| Standstill {
            why: format!("the last {fails} submissions ended in faults and none was judged: `verdictd status` shows why"),
            is_all: true,
        });
        let pool = &self.shared.pool;
        let has_no_place = pool.places() == 0;
        if pool.lacks_places() || has_no_place && self.state.waiting() > 0 {
            self.without_place += 1;
        } else {
            self.without_place = 0;
        }
        if self.without_place == WITHOUT_PLACE_TICKS {
            self.say(NO_PLACE);
        }
        let no_place = (self.without_place >= WITHOUT_PLACE_TICKS).then(|| Standstill {
            why: NO_PLACE.to_owned(),
            is_all: has_no_place,
        });
        let standstill = no_place.or(only_fails);
        let is_short = self.state.is_short();
        self.shared.health.set_judging(is_short, standstill);
    }

    /// Gives the state an event and does what it says; true when it is time to leave.
    fn feed(&mut self, event: Event) -> bool {
        let mut over = false;
        for effect in self.state.on(event) {
            match effect {
                Effect::Judge(waiting) => self.assign(waiting),
                Effect::MakeRoom(crowd) => self.shared.pool.make_room(&crowd),
                Effect::GiveUp(waiting) => {
                    let what = waiting.submission.whose();
                    let reason = "it has failed too often".to_owned();
                    self.notify([Notice::fault(&what, reason, GIVEN_UP)]);
                    self.requests.settled(waiting.submission.id);
                }
                Effect::Remember {
                    waiting,
                    fault,
                    pause_ms,
                } => remember_fault(&self.shared, &waiting, &fault, pause_ms),
                Effect::Superseded(waiting) => {
                    let id = waiting.submission.id;
                    let judged = self.waits.judged(id);
                    self.in_force.finish_hacks(&self.shared, judged);
                    self.requests.settled(id);
                }
                Effect::Room => self.shared.health.ok(Part::Judging),
                Effect::Relieved => self.shared.health.relieved(),
                Effect::Leave => over = true,
            }
        }
        self.shared.activity.look_at(&self.state);
        self.in_force.set_idle(self.state.is_idle());
        self.notify([Notice::Load {
            waiting: self.state.waiting(),
            faulted: self.state.faulted(),
        }]);
        over
    }

    fn assign(&mut self, waiting: Waiting) {
        let setup = self.in_force.setup.clone();
        // There is room for as many as may be in hand; anything else is a bug, which is told.
        if !self.slots.judge(waiting, setup) {
            let reason = "they are gone".to_owned();
            self.notify([Notice::fault("slots", reason, NOT_TRIED_AGAIN)]);
        }
    }
}

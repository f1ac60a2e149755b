//! The dispatcher: one loop that turns messages, signals and time into events for the state, and
//! carries its effects out.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc::Receiver;
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval};

use super::hacks::{self, Waits};
use super::intake_thread::IntakeHandle;
use super::languages::LanguagesHandle;
use super::librarian::{LibrarianHandle, LibraryUpdate, broken};
use super::message::Message;
use super::notice::{Missing, Notice};
use super::publisher::{Draft, remember_fault};
use super::queue::Waiting;
use super::requests::Requests;
use super::shared::{Setup, Shared};
use super::state::{Effect, Ending, Event, State};
use super::tell_start;
use super::worker::{Assignment, rules_of};
use crate::domain::{Fault, ProblemSlug, Shortage, SubmissionId};
use crate::exports::Course;
use crate::judge::fold_key;
use crate::report::log::RECEIVED;
use crate::store::{HackRow, StoreError, TroubleFile};

/// Time between two looks at faults that are due.
const TICK: Duration = Duration::from_secs(1);

/// Why the loop ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Nothing was left to do, or a first signal was followed in full.
    Drained,
    /// A second signal: at once.
    Now,
}

/// The dispatcher and what it owns.
pub struct Dispatcher<'a> {
    pub shared: Arc<Shared>,
    pub setup: Setup,
    /// What the pages thread knows of the setup.
    pub course: watch::Sender<Arc<Course>>,
    pub librarian: LibrarianHandle,
    pub languages: LanguagesHandle,
    pub waits: Waits,
    /// Hacks that have joined, and for which nothing is planned yet.
    pub unplanned: Vec<HackRow>,
    pub requests: Requests,
    pub state: State,
    pub workers: Vec<SyncSender<Assignment>>,
    /// None where nothing new is taken.
    pub intake: Option<IntakeHandle>,
    pub listener: &'a mut dyn FnMut(&Notice),
    pub start: Instant,
    pub intake_failed: bool,
    pub plan_failed: bool,
    /// Why there is no room, each reason told once until there is.
    pub no_room: BTreeSet<String>,
    /// What the machine is short of, each told once until it has it again.
    pub short: BTreeSet<Shortage>,
    /// Where `status` reads what is the matter.
    pub told_status: Option<TroubleFile>,
    /// Why the daemon cannot go on.
    pub lost: Option<Fault>,
}

struct Signals {
    terminate: Signal,
    interrupt: Signal,
    reload: Signal,
}

impl Dispatcher<'_> {
    /// Runs until there is nothing left to do, or a signal says so.
    pub async fn run(&mut self, mut messages: Receiver<Message>) -> std::io::Result<End> {
        let mut signals = Signals {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            reload: signal(SignalKind::hangup())?,
        };
        // Not before: whoever reads that it is ready may send it a signal at once.
        tell_start(self);
        let mut ticks = interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
        let mut asked_to_stop = false;
        self.begin();
        for worker in 0..self.workers.len() {
            if self.feed(Event::Ready(worker)) {
                return Ok(End::Drained);
            }
        }
        loop {
            // The arms only say what happened; what follows from it is below.
            let step = tokio::select! {
                Some(message) = messages.recv() => Step::Message(message),
                _ = signals.terminate.recv() => Step::Stop,
                _ = signals.interrupt.recv() => Step::Stop,
                _ = signals.reload.recv() => Step::Reload,
                _ = ticks.tick() => Step::Tick,
            };
            let over = match step {
                Step::Message(message) => self.on_message(message),
                Step::Stop if asked_to_stop => return Ok(End::Now),
                Step::Stop => {
                    asked_to_stop = true;
                    self.say("finishing what is being judged; once more stops at once");
                    if let Some(intake) = &self.intake {
                        intake.stop();
                    }
                    self.feed(Event::Drain)
                }
                Step::Reload => self.reload(),
                Step::Tick => self.tick(),
            };
            if self.lost.is_some() {
                return Ok(End::Now);
            }
            if over {
                return Ok(End::Drained);
            }
        }
    }

    fn now_ms(&self) -> i64 {
        i64::try_from(self.start.elapsed().as_millis()).unwrap_or(i64::MAX)
    }

    pub(super) fn say(&mut self, text: &str) {
        (self.listener)(&Notice::Said(text.to_owned()));
    }

    /// Everything in the store that is not judged as it should be now.
    fn begin(&mut self) {
        self.state.on(Event::Packages(broken(&self.setup.library)));
        self.state.on(Event::SkipSuperseded(
            self.setup.config.judge.skip_superseded,
        ));
        self.state.on(Event::Quiet(self.intake.is_none()));
        self.begin_languages();
        self.take_requests();
        // Without an intake it was started for the requests alone.
        if self.intake.is_some() {
            self.want_all("what changed while the daemon was away");
        }
    }

    /// Looks for requests to judge anew.
    fn take_requests(&mut self) {
        let looked = match self.requests.look(&self.shared) {
            Ok(looked) => looked,
            Err(error) => {
                let fault = error.into_fault("look at requests");
                return self.tell_fault("requests", &fault, Missing::Work);
            }
        };
        for words in looked.refused {
            self.fault("requests", &words, Missing::Work, true);
        }
        for taken in looked.taken {
            let because: Arc<str> = Arc::from(taken.request.because());
            let changed = self
                .setup
                .library
                .keys()
                .filter(|slug| {
                    taken
                        .request
                        .problem
                        .as_ref()
                        .is_none_or(|only| only == *slug)
                })
                .map(|slug| (slug.clone(), Arc::clone(&because)))
                .collect();
            let wanted = self.want_stale(&changed);
            let left: BTreeSet<SubmissionId> =
                taken.submissions.intersection(&wanted).copied().collect();
            self.feed(Event::Insist(left.clone()));
            self.requests.begin(taken.file, left);
        }
    }

    /// Plans everything anew.
    pub(super) fn want_all(&mut self, because: &str) {
        let because: Arc<str> = Arc::from(because);
        let all = self.setup.library.keys().cloned();
        self.want_stale(&all.map(|slug| (slug, Arc::clone(&because))).collect());
    }

    /// Plans some problems anew, each because of what has changed.
    fn want_stale(&mut self, changed: &BTreeMap<ProblemSlug, Arc<str>>) -> BTreeSet<SubmissionId> {
        let start = Instant::now();
        match self.stale(changed) {
            Ok(list) => {
                let ids: BTreeSet<SubmissionId> =
                    list.iter().map(|waiting| waiting.submission.id).collect();
                self.begin_hacks(changed, &list);
                self.feed(Event::Wanted(list));
                let micros = start.elapsed().as_micros();
                tracing::info!(submissions = ids.len(), micros, "planned");
                ids
            }
            Err(error) => {
                // Nothing may be forgotten: the whole plan is made again at the next tick.
                self.plan_failed = true;
                let fault = error.into_fault("plan");
                self.tell_fault("plan", &fault, Missing::Work);
                BTreeSet::new()
            }
        }
    }

    /// Submissions whose judgement was folded from something else than what is in force now.
    fn stale(&self, changed: &BTreeMap<ProblemSlug, Arc<str>>) -> Result<Vec<Waiting>, StoreError> {
        let reader = self.shared.store.reader()?;
        let rules = rules_of(&self.setup, &self.shared);
        let received: Arc<str> = Arc::from(RECEIVED);
        let mut list = Vec::new();
        for (problem, language) in reader.groups()? {
            let Some(because) = changed.get(&problem) else {
                continue;
            };
            let Some(Ok(package)) = self.setup.library.get(&problem) else {
                continue;
            };
            let Some(fingerprint) = self.setup.languages.fingerprint(&language) else {
                continue;
            };
            let fold = fold_key(package, fingerprint, &rules);
            let mut stale = reader.stale(&problem, &language, fold)?;
            if self.setup.config.judge.skip_superseded {
                let superseded: BTreeSet<SubmissionId> = reader
                    .superseded(&problem, &language)?
                    .into_iter()
                    .collect();
                stale.retain(|(submission, _)| !superseded.contains(&submission.id));
            }
            list.extend(stale.into_iter().map(|(submission, judged)| Waiting {
                submission,
                judged,
                because: Arc::clone(if judged { because } else { &received }),
            }));
        }
        list.sort_by_key(|waiting| waiting.submission.id);
        Ok(list)
    }

    /// From here on it is known for whom a new hack waits.
    fn begin_hacks(&mut self, changed: &BTreeMap<ProblemSlug, Arc<str>>, list: &[Waiting]) {
        let (planned, unplanned) =
            std::mem::take(&mut self.unplanned)
                .into_iter()
                .partition(|row: &HackRow| {
                    // With a broken package nothing is planned; its hacks wait until it is fixed.
                    changed.contains_key(&row.problem)
                        && matches!(self.setup.library.get(&row.problem), Some(Ok(_)))
                });
        self.unplanned = unplanned;
        let mut news = Vec::new();
        for row in planned {
            let wanted = list
                .iter()
                .filter(|waiting| waiting.submission.problem == row.problem);
            let ids: Vec<SubmissionId> = wanted.map(|waiting| waiting.submission.id).collect();
            news.extend(self.waits.begin(row, ids.into_iter()));
        }
        self.pass_on(news);
    }

    fn pass_on(&self, news: Vec<hacks::Outcome>) {
        for news in news {
            match news {
                hacks::Outcome::Judged(row) => self.librarian.judged(row),
                hacks::Outcome::Stuck(row) => self.librarian.stuck(row),
            }
        }
    }

    fn on_message(&mut self, message: Message) -> bool {
        match message {
            Message::Progress {
                worker,
                what,
                progress,
            } => {
                (self.listener)(&Notice::Progress {
                    worker,
                    what: what.to_string(),
                    progress,
                });
                false
            }
            Message::Free(worker) => {
                (self.listener)(&Notice::Idle(worker));
                self.feed(Event::Ready(worker))
            }
            Message::Finished(draft) => self.on_finished(draft),
            Message::Received(waiting) => {
                (self.listener)(&Notice::Received(waiting.submission.clone()));
                self.want(waiting)
            }
            Message::Known(waiting) => self.want(waiting),
            Message::Tried(news) => self.take_tried(news),
            Message::Rejected(rejection) => {
                (self.listener)(&Notice::Rejected(rejection));
                false
            }
            Message::Library(news) => {
                self.take_packages(*news);
                false
            }
            Message::Hack(words) => {
                (self.listener)(&Notice::Hack(words));
                false
            }
            Message::PackageFault(fault) => {
                self.tell_fault("packages", &fault, Missing::Work);
                false
            }
            Message::PagesFault(fault) => {
                self.tell_fault("pages", &fault, Missing::Pages);
                false
            }
            Message::Quiet(quiet) => self.feed(Event::Quiet(quiet)),
            Message::IntakeFault(fault) => {
                self.intake_failed = true;
                self.tell_fault("intake", &fault, Missing::Work);
                false
            }
            Message::Recovered(what) => {
                self.recovered(what);
                false
            }
            Message::IntakeGone => self.intake_gone(),
            Message::Watching(text) => {
                self.say(&text);
                false
            }
        }
    }

    fn on_finished(&mut self, draft: Draft) -> bool {
        let waiting = draft.waiting;
        let ending = match draft.result {
            Ok(folded) => {
                let fold = folded.publication.fold;
                if folded.is_news {
                    (self.listener)(&Notice::Judged(folded.line));
                }
                if self.is_current(&waiting.submission, fold) {
                    let news = self.waits.judged(waiting.submission.id);
                    self.pass_on(news);
                    if !self.state.is_wanted_again(waiting.submission.id) {
                        self.requests.settled(waiting.submission.id);
                    }
                    Ending::Judged
                } else {
                    Ending::Outdated
                }
            }
            Err(fault) => {
                self.tell_fault(&draft.what, &fault, Missing::Verdict);
                self.look_at_compiler(&waiting.submission.language);
                super::trouble::ending_of(fault)
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
        self.look_around();
        if std::mem::take(&mut self.plan_failed) {
            self.want_all("a change");
        }
        self.take_requests();
        self.shared.activity.beat();
        let now_ms = self.now_ms();
        self.feed(Event::Tick(now_ms))
    }

    fn take_packages(&mut self, news: LibraryUpdate) {
        for news in news.told.into_iter().chain(news.changes.warnings) {
            (self.listener)(&Notice::Package(news));
        }
        for fault in &news.recorded.faults {
            tracing::error!(fault, "hack");
            self.say(&format!("fault: {fault}"));
        }
        for words in news.recorded.words {
            (self.listener)(&Notice::Hack(words));
        }
        if news.changes.slugs.is_empty() {
            return;
        }
        self.setup.library = news.library;
        self.course.send_replace(self.setup.course());
        for slug in news.changes.slugs.keys() {
            if let Some(Ok(package)) = self.setup.library.get(slug) {
                let joined = package.hacks.iter().filter(|hack| hack.joined());
                let in_force = joined.map(|hack| (hack.name.clone(), hack.digest));
                self.waits.keep(slug, &in_force.collect());
            }
        }
        self.unplanned = news.recorded.open;
        self.unplanned.retain(|row| !self.waits.has(row.id));
        self.tell_intake();
        self.feed(Event::Packages(broken(&self.setup.library)));
        self.want_stale(&news.changes.slugs);
    }

    pub(super) fn tell_intake(&self) {
        if let Some(intake) = &self.intake {
            intake.know(&self.setup);
        }
    }

    /// Gives the state an event and does what it says; true when it is time to leave.
    pub(super) fn feed(&mut self, event: Event) -> bool {
        let mut over = false;
        let effects = self.state.on(event);
        for effect in effects {
            match effect {
                Effect::Judge { worker, waiting } => self.give(worker, waiting),
                Effect::GiveUp(waiting) => {
                    let what = format!(
                        "{}/{}",
                        waiting.submission.student, waiting.submission.problem
                    );
                    self.fault(&what, "it has failed too often", Missing::Verdict, true);
                    let news = self.waits.gave_up(waiting.submission.id);
                    self.pass_on(news);
                    self.requests.settled(waiting.submission.id);
                }
                Effect::Remember {
                    waiting,
                    fault,
                    pause_ms,
                } => remember_fault(&self.shared, &waiting, &fault, pause_ms),
                Effect::Superseded(waiting) => {
                    let news = self.waits.judged(waiting.submission.id);
                    self.pass_on(news);
                    self.requests.settled(waiting.submission.id);
                }
                Effect::Room => self.tell_room("judging goes on"),
                Effect::Relieved => self.tell_relief(),
                Effect::Leave => over = true,
            }
        }
        self.shared.activity.look_at(&self.state);
        (self.listener)(&Notice::Load {
            waiting: self.state.waiting(),
            faulted: self.state.faulted(),
        });
        over
    }

    fn give(&mut self, worker: usize, waiting: Waiting) {
        let order = Assignment {
            waiting,
            setup: self.setup.clone(),
        };
        // An idle worker's place is empty, so this never waits; a worker that is gone is a bug that
        // ends the daemon.
        match self.workers[worker].try_send(order) {
            Ok(()) => {}
            Err(mpsc::TrySendError::Full(_) | mpsc::TrySendError::Disconnected(_)) => {
                let what = format!("worker {worker}");
                self.fault(&what, "it is gone", Missing::Work, true);
            }
        }
    }
}

enum Step {
    Message(Message),
    Stop,
    Reload,
    Tick,
}

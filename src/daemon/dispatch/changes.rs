//! What follows when something has changed: configuration, languages and packages come into force,
//! and what is not judged as it should be now is planned.
//!
//! What is not judged by itself now, because its problem opens later or its assignment has closed,
//! follows from the course's files and the clock, and is kept nowhere.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{Dispatcher, Next};
use crate::daemon::health::Part;
use crate::daemon::languages;
use crate::daemon::message::LibraryUpdate;
use crate::daemon::notice::{NOT_TRIED_AGAIN, Notice};
use crate::daemon::opening::check;
use crate::daemon::queue::Waiting;
use crate::daemon::shared::{Languages, Setup, Shared};
use crate::daemon::start::{DaemonError, Start, read_config, refused};
use crate::daemon::state::Event;
use crate::domain::{Because, Digest, ProblemSlug, SubmissionId};
use crate::overview::{Grading, Held};
use crate::store::{Had, StoreError};

impl Dispatcher<'_> {
    /// Everything in the store that is not judged as it should be now.
    pub(super) fn begin(&mut self, start: &Start) {
        let takes_nothing = self.in_force.intake.is_none();
        self.state.on(Event::Packages(self.blocked()));
        self.state.on(Event::Quiet(takes_nothing));
        let languages = Arc::clone(&self.in_force.setup.languages);
        self.notify(languages::changes(start.languages.as_deref(), &languages));
        languages::remember_faults(&self.shared, &languages, Duration::ZERO);
        self.in_force.try_again();
        self.take_requests();
        // Without an intake it was started for the requests alone.
        if !takes_nothing {
            self.want_all(start.because);
        }
    }

    /// Looks for requests to judge anew.
    pub(super) fn take_requests(&mut self) {
        let looked = match self.requests.look(&self.shared) {
            Ok(looked) => looked,
            Err(error) => return self.shared.health.fails(Part::Requests, &error.into()),
        };
        self.shared.health.ok(Part::Requests);
        if looked.decided {
            self.shared.look_at_proposals();
            // There may be room for a proposal again.
            self.in_force.search_again();
        }
        if looked.forgets && matches!(self.next, Next::Stay) {
            self.say(
                "a student is to be forgotten: finishing what is being judged, then starting again",
            );
            let config = Arc::clone(&self.in_force.setup.config);
            // The next tick says whether it is time to leave.
            self.leave(Next::Again(config, Because::Away));
        }
        for words in looked.refused {
            self.notify([Notice::fault("requests", words, NOT_TRIED_AGAIN)]);
        }
        for taken in looked.taken {
            let only = taken.request.problem.as_ref();
            let late = taken.request.late.then(|| taken.submissions.clone());
            let asked = late.unwrap_or_default();
            let wanted = self.want_some(
                |slug| only.is_none_or(|only| only == slug),
                taken.request.because(),
                &asked,
            );
            let left: BTreeSet<SubmissionId> =
                taken.submissions.intersection(&wanted).copied().collect();
            self.feed(Event::Insist(left.clone()));
            self.requests.begin(taken.file, left);
        }
    }

    /// Plans everything anew.
    pub(super) fn want_all(&mut self, because: Because) {
        self.want_some(|_| true, because, &BTreeSet::new());
    }

    fn want_some(
        &mut self,
        which: impl Fn(&ProblemSlug) -> bool,
        because: Because,
        asked: &BTreeSet<SubmissionId>,
    ) -> BTreeSet<SubmissionId> {
        let because: Arc<str> = Arc::from(because.words());
        let slugs = self.in_force.setup.library.keys();
        let changed = slugs.filter(|slug| which(slug));
        let changed = changed.map(|slug| (slug.clone(), Arc::clone(&because)));
        self.want_stale(&changed.collect(), asked)
    }

    /// Plans some problems anew, each because of what has changed; what is late only where it is
    /// `asked` for.
    fn want_stale(
        &mut self,
        changed: &BTreeMap<ProblemSlug, Arc<str>>,
        asked: &BTreeSet<SubmissionId>,
    ) -> BTreeSet<SubmissionId> {
        let start = Instant::now();
        match stale(&self.shared, &self.in_force.setup, changed) {
            Ok(list) => {
                self.shared.health.ok(Part::Planning);
                let list = self.without_held(list, asked);
                let ids: BTreeSet<SubmissionId> =
                    list.iter().map(|waiting| waiting.submission.id).collect();
                // With a broken package nothing is planned; its hacks wait until it is fixed.
                let library = &self.in_force.setup.library;
                let is_planned = |slug: &ProblemSlug| {
                    changed.contains_key(slug) && matches!(library.get(slug), Some(Ok(_)))
                };
                let judged = self.waits.planned(is_planned, &list);
                self.in_force.finish_hacks(&self.shared, judged);
                self.feed(Event::Wanted(list));
                let micros = start.elapsed().as_micros();
                tracing::info!(submissions = ids.len(), micros, "planned judgements");
                ids
            }
            Err(error) => {
                // Nothing may be forgotten: the whole plan is made again at the next tick.
                self.plan_failed = true;
                self.shared.health.fails(Part::Planning, &error.into());
                BTreeSet::new()
            }
        }
    }

    /// Shows what has changed in packages and hacks.
    pub(super) fn tell_packages(&mut self, update: &mut LibraryUpdate) {
        let news = update.told.drain(..);
        let news = news.chain(update.changes.warnings.drain(..));
        self.notify(news.map(Notice::Package));
        for fault in &update.recorded.faults {
            tracing::error!(fault, "cannot evaluate a hack");
            self.say(format!("fault: {fault}"));
        }
        self.notify(update.recorded.words.drain(..).map(Notice::Hack));
    }

    pub(super) fn take_packages(&mut self, mut update: LibraryUpdate) {
        self.tell_packages(&mut update);
        let changed = update.changes.slugs;
        if changed.is_empty() {
            return;
        }
        self.in_force.set_library(update.library);
        let library = &self.in_force.setup.library;
        for package in changed
            .keys()
            .filter_map(|slug| library.get(slug)?.as_ref().ok())
        {
            self.waits.keep(package);
        }
        self.waits.joined(update.recorded.open);
        self.feed(Event::Packages(self.blocked()));
        self.want_stale(&changed, &BTreeSet::new());
    }

    /// From here on these languages are in force; those with a fault are tried again after the
    /// pause. True when it is time to leave.
    pub(super) fn offer(&mut self, languages: Languages, pause: Duration) -> bool {
        let changes = languages::changes(Some(&self.in_force.setup.languages), &languages);
        self.notify(changes);
        let languages = Arc::new(languages);
        let mut over = false;
        if self.in_force.set_languages(Arc::clone(&languages)) {
            // What failed for want of a language is tried at once.
            self.want_all(Because::Languages);
            over = self.feed(Event::Packages(self.blocked()));
        }
        languages::remember_faults(&self.shared, &languages, pause);
        over
    }

    /// Reads config.toml again, and has the daemon start anew with it; a broken one is refused and
    /// the old one stays. True when it is time to leave.
    pub(super) fn reload(&mut self) -> bool {
        if matches!(self.next, Next::Stop) {
            return false;
        }
        let fresh = read_config(&self.in_force.setup.config.file).map_err(DaemonError::from);
        match fresh.and_then(|fresh| check(&fresh).map(|_| fresh)) {
            Ok(fresh) => {
                self.say(
                    "the configuration was read again: finishing what is being judged, then starting again with it",
                );
                self.leave(Next::Again(Arc::new(fresh), Because::Configuration))
            }
            Err(error) => {
                self.say(refused(&error));
                false
            }
        }
    }
}

impl Dispatcher<'_> {
    /// The problems that nothing is judged for now: their packages are broken, or they open later.
    pub(super) fn blocked(&self) -> BTreeSet<ProblemSlug> {
        let mut blocked = self.in_force.broken();
        blocked.extend(self.hidden(&self.files.grading));
        blocked
    }

    fn hidden(&self, grading: &Grading) -> BTreeSet<ProblemSlug> {
        let slugs = self.in_force.setup.library.keys();
        slugs.filter(|slug| grading.hides(slug)).cloned().collect()
    }

    /// Those that are judged now; what came after its assignment had closed is among them if
    /// somebody has `asked` for it.
    pub(super) fn without_held(
        &mut self,
        list: Vec<Waiting>,
        asked: &BTreeSet<SubmissionId>,
    ) -> Vec<Waiting> {
        let (held, free): (Vec<Waiting>, _) = list.into_iter().partition(|waiting| {
            let id = waiting.submission.id;
            match self.held_by(waiting) {
                None => false,
                Some(Held::Until(_)) => true,
                Some(Held::Closed) => !asked.contains(&id),
            }
        });
        let held = held.into_iter();
        self.held
            .extend(held.map(|waiting| (waiting.submission.id, waiting)));
        free
    }

    fn held_by(&self, waiting: &Waiting) -> Option<Held> {
        let submission = &waiting.submission;
        let source = || -> Option<Digest> {
            let entry = self.shared.store.reader().ok()?.entry(submission.id);
            Some(entry.ok()??.source)
        };
        let is_judged = waiting.had != Had::Nothing;
        self.files.grading.held(submission, is_judged, source)
    }

    /// Follows the course's files and the clock; true when it is time to leave.
    pub(super) fn look_at_course(&mut self) -> bool {
        let before = Arc::clone(&self.files.grading);
        if !self.files.follow() {
            return false;
        }
        let mut over = false;
        if self.hidden(&before) != self.hidden(&self.files.grading) {
            over |= self.feed(Event::Packages(self.blocked()));
        }
        for waiting in std::mem::take(&mut self.held).into_values() {
            over |= self.want(waiting);
        }
        over
    }
}

/// The submissions for some problems whose judgement was folded from something else than what is in
/// force now. Each is wanted because of what has changed.
pub fn stale(
    shared: &Shared,
    setup: &Setup,
    changed: &BTreeMap<ProblemSlug, Arc<str>>,
) -> Result<Vec<Waiting>, StoreError> {
    let reader = shared.store.reader()?;
    let received: Arc<str> = Arc::from(Because::Received.words());
    let upgraded: Arc<str> = Arc::from(Because::Upgrade.words());
    let mut list = Vec::new();
    for (problem, language) in reader.groups()? {
        let Some(because) = changed.get(&problem) else {
            continue;
        };
        let Some(fold) = setup.fold_of(shared, &problem, &language) else {
            continue;
        };
        let mut stale = reader.stale(&problem, &language, fold)?;
        if setup.config.judge.skip_superseded {
            let superseded = reader.superseded(&problem, &language)?;
            let superseded: BTreeSet<SubmissionId> = superseded.into_iter().collect();
            stale.retain(|(submission, _)| !superseded.contains(&submission.id));
        }
        list.extend(stale.into_iter().map(|(submission, had)| Waiting {
            submission,
            had,
            because: Arc::clone(match had {
                Had::Nothing => &received,
                Had::Outdated => because,
                Had::Dropped => &upgraded,
            }),
        }));
    }
    list.sort_by_key(|waiting| waiting.submission.id);
    Ok(list)
}

//! What the dispatcher does with what came of trying languages: which are new, which are gone, and
//! which nobody can be judged in for now.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use super::dispatch::Dispatcher;
use super::languages::{Trial, Tried, Which};
use super::librarian::broken;
use super::message::TriedNews;
use super::notice::{Missing, Notice};
use super::oracle::OracleHost;
use super::queue::Waiting;
use super::shared::{Languages, Shared};
use super::state::Event;
use super::worker::rules_of;
use crate::domain::{Digest, Fault, LanguageId, Submission};
use crate::judge::fold_key;
use crate::store::FaultRecord;
use crate::toolchain::{Availability, Language, Unresolved};
use crate::util::clock::now_ms;
use crate::util::hash::Key;

impl Dispatcher<'_> {
    /// Tells at the start what could not be tried, and has it tried again.
    pub(super) fn begin_languages(&mut self) {
        let languages = Arc::clone(&self.setup.languages);
        for (id, found) in &languages.tried {
            self.tell_change(&languages, id, None, found);
        }
        self.remember_faults(Duration::ZERO);
        self.try_again();
    }

    /// Takes over what came of trying languages, and says what is new; true when it is time to
    /// leave.
    pub(super) fn take_tried(&mut self, news: TriedNews) -> bool {
        let TriedNews {
            toolchain,
            tried,
            asked,
            pause,
        } = news;
        let old = Arc::clone(&self.setup.languages);
        let mut new = if Arc::ptr_eq(&toolchain, &old.toolchain) {
            old.tried.clone()
        } else {
            // The table itself is another one since the configuration was read again.
            Tried::new()
        };
        new.retain(|(id, _)| tried.iter().all(|(other, _)| other != id));
        new.extend(tried);
        new.sort_by(|(one, _), (other, _)| one.cmp(other));
        let new = Arc::new(Languages {
            toolchain,
            tried: new,
        });
        let mut changed = false;
        for (id, found) in &new.tried {
            changed |= self.tell_change(&new, id, old.found(id), found);
        }
        if asked && !changed {
            self.say("languages: nothing has changed");
        }
        let over = self.force(new);
        self.remember_faults(pause);
        over
    }

    /// Where a submission failed because its compiler fails on everything, nobody else is judged
    /// with it until it works again.
    pub(super) fn look_at_compiler(&mut self, id: &LanguageId) {
        let languages = Arc::clone(&self.setup.languages);
        let language = languages.toolchain.language(id);
        let Some(fault) = language.and_then(Language::take_trouble) else {
            return;
        };
        if languages.version(id).is_none() {
            return;
        }
        let mut tried = languages.tried.clone();
        for (other, found) in &mut tried {
            if other == id {
                *found = Err(fault.clone().into());
                self.tell_change(&languages, id, languages.found(id), found);
            }
        }
        self.force(Arc::new(Languages {
            toolchain: Arc::clone(&languages.toolchain),
            tried,
        }));
        self.remember_faults(Duration::ZERO);
        self.try_again();
    }

    /// A submission wants its verdict. One whose language cannot be used now stays in the store
    /// until it can.
    pub(super) fn want(&mut self, waiting: Waiting) -> bool {
        if self
            .setup
            .languages
            .fault(&waiting.submission.language)
            .is_some()
        {
            return false;
        }
        self.feed(Event::Wanted(vec![waiting]))
    }

    /// Whether a judgement was folded from what is still in force.
    pub(super) fn is_current(&self, submission: &Submission, fold: Digest) -> bool {
        let Some(Ok(package)) = self.setup.library.get(&submission.problem) else {
            return true;
        };
        let Some(fingerprint) = self.setup.languages.fingerprint(&submission.language) else {
            return true;
        };
        fold == fold_key(package, fingerprint, &rules_of(&self.setup, &self.shared))
    }

    /// From here on these languages are in force; true when it is time to leave.
    fn force(&mut self, languages: Arc<Languages>) -> bool {
        let old = std::mem::replace(&mut self.setup.languages, languages);
        let new = &self.setup.languages;
        let is_new = |id: &LanguageId| {
            new.fingerprint(id)
                .is_some_and(|now| old.fingerprint(id) != Some(now))
        };
        let back = new.offered().any(is_new);
        self.tell_intake();
        self.course.send_replace(self.setup.course());
        if back {
            self.librarian.reload(OracleHost {
                config: Arc::clone(&self.setup.config),
                languages: Arc::clone(&self.setup.languages),
                runner: self.workers.len(),
            });
            // What failed for want of a language is tried at once.
            self.want_all("the languages changed");
            return self.feed(Event::Packages(broken(&self.setup.library)));
        }
        false
    }

    /// Has the languages tried again that a fault kept from being tried.
    fn try_again(&self) {
        let languages = &self.setup.languages;
        let faulty: BTreeSet<LanguageId> = languages.faults().map(|(id, _)| id.clone()).collect();
        if !faulty.is_empty() {
            self.languages.try_now(Trial {
                toolchain: Arc::clone(&languages.toolchain),
                config: Arc::clone(&self.setup.config),
                which: Which::Only(faulty),
            });
        }
    }

    /// Says what is new about a language; false where nothing is.
    fn tell_change(
        &mut self,
        languages: &Languages,
        id: &LanguageId,
        before: Option<&Availability>,
        now: &Availability,
    ) -> bool {
        use Unresolved::{Fault as Faulty, Missing as Absent};
        let language = languages.toolchain.language(id);
        let name = language.map_or(id.as_str(), |language| language.name());
        let words = match (before, now) {
            (None, Ok(_) | Err(Absent(_)))
            | (Some(Err(Absent(_))), Err(Absent(_)))
            | (Some(Err(Faulty(_))), Err(Faulty(_))) => return false,
            (Some(Ok(old)), Ok(new)) if old == new => return false,
            (Some(Ok(_)), Ok(version)) => {
                format!("languages: {name} is now {version}")
            }
            (Some(Err(Absent(_))), Ok(version)) => {
                format!("languages: {name} is new ({version})")
            }
            (Some(Err(Faulty(_))), Ok(version)) => {
                format!("languages: {name} works ({version}); what waits for it is judged")
            }
            (Some(_), Err(Absent(missing))) => {
                format!("languages: {name} is no longer offered: {missing}")
            }
            (_, Err(Faulty(fault))) => {
                self.fault("languages", &fault.to_string(), Missing::Language, false);
                return true;
            }
        };
        (self.listener)(&Notice::Said(words));
        true
    }

    /// What `status` shows.
    fn remember_faults(&self, pause: Duration) {
        let last_ms = now_ms();
        let pause_ms = i64::try_from(pause.as_millis()).unwrap_or(i64::MAX);
        let languages = &self.setup.languages;
        let record = |id: &LanguageId, fault: &Fault| FaultRecord {
            work: work_key(id),
            submission: None,
            fault: fault.clone(),
            next_try_ms: Some(last_ms.saturating_add(pause_ms)),
            last_ms,
        };
        let faults: Vec<FaultRecord> = languages
            .faults()
            .map(|(id, fault)| record(id, fault))
            .collect();
        let healthy = languages
            .tried
            .iter()
            .filter(|(id, _)| languages.fault(id).is_none())
            .map(|(id, _)| work_key(id))
            .collect();
        remember(&self.shared, faults, healthy);
    }
}

/// The key under which the store keeps that a language cannot be tried.
fn work_key(id: &LanguageId) -> Digest {
    Key::new("language").part(id.as_str().as_bytes()).finish()
}

fn remember(shared: &Shared, faults: Vec<FaultRecord>, healthy: Vec<Digest>) {
    if let Err(error) = shared.store.writer().language_faults(faults, healthy) {
        // People were told of it; that the store cannot keep it changes nothing for students.
        tracing::warn!(%error, "the languages' faults could not be kept");
    }
    shared.tell_news(0);
}

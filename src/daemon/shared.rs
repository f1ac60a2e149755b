//! What the dispatcher, the workers and the intake hold together; all of it is read-only or guards
//! itself.

use std::sync::atomic::AtomicI64;
use std::sync::{Arc, RwLock};

use tokio::sync::watch;

use super::activity::Activity;
use super::health::Health;
use super::machines::Reference;
use crate::config::Config;
use crate::domain::{Digest, Fault, LanguageId, ProblemSlug};
use crate::exports::Course;
use crate::intake::{Known, KnownLanguage};
use crate::judge::{Rules, fold_key};
use crate::overview::{Grading, Scoreboard};
use crate::package::{Library, Package};
use crate::places::Pool;
use crate::report::Reports;
use crate::sandbox::Sandbox;
use crate::store::{Reader, Store};
use crate::toolchain::{Availability, Language, Toolchain, Unresolved};

/// Everything that stays while the daemon runs.
pub struct Shared {
    /// Where submissions, facts and judgements are.
    pub store: Store,
    /// Makes runners.
    pub sandbox: Sandbox,
    /// The reports.
    pub reports: Reports,
    /// Everybody's attempts, as far as the pages thread has read them.
    pub board: Arc<RwLock<Scoreboard>>,
    /// The last event that somebody has put into the store. Every change of it says that the store
    /// has something new, and no more: the store is the record.
    pub news: watch::Sender<i64>,
    /// The last event whose verdict was announced, if it is one.
    pub announced: AtomicI64,
    /// What is being done.
    pub activity: Arc<Activity>,
    /// What works and what does not.
    pub health: Health,
    /// What the course's files said to the run before, which stays in force where one has a mistake
    /// now.
    pub grading: Arc<Grading>,
    /// The places where programs are measured, here and on other machines.
    pub pool: Arc<Pool>,
    /// How fast this machine measures.
    pub speed: Reference,
    /// What machine this is, for the reports.
    pub machine: Arc<str>,
}

impl Shared {
    /// A connection to the store that a thread keeps once it is open.
    pub fn opened<'r>(&self, reader: &'r mut Option<Reader>) -> Result<&'r Reader, Fault> {
        Ok(match reader {
            Some(reader) => reader,
            None => reader.insert(self.store.reader()?),
        })
    }

    /// Has those who look on know how many hacks are proposed.
    pub fn look_at_proposals(&self) {
        let proposed = self.store.reader().and_then(|reader| reader.proposed());
        match proposed {
            Ok(proposed) => self.activity.propose(proposed),
            Err(error) => tracing::warn!(%error, "the proposed hacks could not be counted"),
        }
    }

    /// Wakes whoever shows what is in the store; `event` is the last one as far as the caller
    /// knows, 0 where it does not.
    pub fn tell_news(&self, event: i64) {
        self.news.send_modify(|last| *last = (*last).max(event));
    }
}

/// What is in force. Only a restart replaces the configuration. Whoever follows it has a receiver
/// of it.
#[derive(Clone)]
pub struct Setup {
    /// The configuration.
    pub config: Arc<Config>,
    /// The languages, and which of them work here.
    pub languages: Arc<Languages>,
    /// The packages.
    pub library: Arc<Library>,
}

impl Setup {
    /// What other programs read about the course.
    pub fn course(&self) -> Arc<Course> {
        let toolchain = &self.languages.toolchain;
        Arc::new(Course::new(&self.config, &self.library, toolchain))
    }

    /// The package of a problem.
    pub fn package(&self, problem: &ProblemSlug) -> Result<&Package, Fault> {
        let reason = match self.library.get(problem) {
            Some(Ok(package)) => return Ok(package),
            Some(Err(error)) => error.to_string(),
            None => format!("there is no problem `{problem}` any more"),
        };
        Err(Fault::new("read the package", reason))
    }

    /// A language that programs can be judged in, and its version.
    pub fn language(&self, id: &LanguageId) -> Result<(&Language, &str), Fault> {
        if let Some(fault) = self.languages.fault(id) {
            return Err(fault.clone());
        }
        let language = self.languages.toolchain.language(id);
        language.zip(self.languages.version(id)).ok_or_else(|| {
            Fault::new(
                "find the language",
                format!("`{id}` is not offered on this machine now"),
            )
        })
    }

    /// The settings of judging that are in force.
    pub fn rules(&self, shared: &Shared) -> Rules {
        rules(&self.config, &shared.sandbox, &shared.machine)
    }

    /// The names that mean something now, but for what the course's own files say of them.
    pub fn known_names(&self) -> Known {
        let languages = &self.languages;
        Known {
            problems: self.library.keys().cloned().collect(),
            languages: languages
                .toolchain
                .languages()
                .map(|language| KnownLanguage {
                    unavailable: unavailable(languages, language.id()),
                    ..KnownLanguage::new(language.name(), language.extensions())
                })
                .collect(),
            ignore: self.config.intake.ignore.clone(),
            ..Known::default()
        }
    }

    /// What a judgement in this language is folded from now; none where nobody can be judged in it.
    pub fn fold_of(
        &self,
        shared: &Shared,
        problem: &ProblemSlug,
        language: &LanguageId,
    ) -> Option<Digest> {
        let package = self.library.get(problem)?.as_ref().ok()?;
        let judged_by = self.languages.judged_by(language)?;
        Some(fold_key(package, judged_by, &self.rules(shared)))
    }
}

/// The settings of judging by a configuration.
pub fn rules(config: &Config, sandbox: &Sandbox, machine: &Arc<str>) -> Rules {
    Rules {
        stop_at_first_failure: config.judge.stop_at_first_failure,
        repeat_near_limit: config.judge.repeat_near_limit,
        waits_for_quiet: false,
        policy: sandbox.policy_digest(),
        build: config.build.clone(),
        machine: Arc::clone(machine),
        stack_bytes: None,
    }
}

fn unavailable(languages: &Languages, id: &LanguageId) -> Option<String> {
    match languages.found(id)? {
        Err(Unresolved::Missing { .. }) => Some("not offered here".to_owned()),
        // A file of a language that could not be tried is taken and waits in the store: the student
        // has handed it in.
        Err(Unresolved::Fault(_)) | Ok(_) => None,
    }
}

/// What came of trying languages.
pub type Tried = Vec<(LanguageId, Availability)>;

/// The languages, and which of them work here.
pub struct Languages {
    /// The table.
    pub toolchain: Arc<Toolchain>,
    /// What came of trying each.
    pub tried: Tried,
}

impl Languages {
    /// The same after some of them were tried again.
    pub fn with(&self, news: Tried) -> Self {
        let mut tried = self.tried.clone();
        tried.retain(|(id, _)| news.iter().all(|(other, _)| other != id));
        tried.extend(news);
        tried.sort_by(|(one, _), (other, _)| one.cmp(other));
        Self {
            toolchain: Arc::clone(&self.toolchain),
            tried,
        }
    }

    /// The version of a language that works here.
    pub fn version(&self, id: &LanguageId) -> Option<&str> {
        self.found(id)?.as_deref().ok()
    }

    /// What came of trying a language.
    pub fn found(&self, id: &LanguageId) -> Option<&Availability> {
        let mut tried = self.tried.iter();
        tried.find_map(|(tried, found)| (tried == id).then_some(found))
    }

    /// What keeps a language from being used, where that is a fault of ours.
    pub fn fault(&self, id: &LanguageId) -> Option<&Fault> {
        match self.found(id)? {
            Err(Unresolved::Fault(fault)) => Some(fault),
            Ok(_) | Err(Unresolved::Missing { .. }) => None,
        }
    }

    /// The languages that a fault of ours keeps from being used.
    pub fn faults(&self) -> impl Iterator<Item = (&LanguageId, &Fault)> {
        self.tried
            .iter()
            .filter_map(|(id, _)| Some((id, self.fault(id)?)))
    }

    /// The languages that work here.
    pub fn offered(&self) -> impl Iterator<Item = &LanguageId> {
        self.tried
            .iter()
            .filter(|(_, found)| found.is_ok())
            .map(|(id, _)| id)
    }

    /// A digest of what a verdict in a language depends on.
    pub fn judged_by(&self, id: &LanguageId) -> Option<Digest> {
        let language = self.toolchain.language(id)?;
        Some(self.toolchain.judged_by(language, self.version(id)?))
    }
}

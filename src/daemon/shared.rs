//! What the dispatcher, the workers and the intake hold together; all of it is read-only or guards
//! itself.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, RwLock};

use tokio::sync::watch;

use super::activity::Activity;
use super::speed::Reference;
use crate::config::{Config, Folders};
use crate::domain::{Digest, Fault, FaultKind, LanguageId, Shortage};
use crate::exports::{Course, ExportError};
use crate::fleet::Machines;
use crate::judge::Rules;
use crate::overview::Scoreboard;
use crate::package::Library;
use crate::report::{Entry, LogLine, Logs, Reports};
use crate::sandbox::Sandbox;
use crate::store::{Reader, Store, StoreError, Unawaited};
use crate::toolchain::{Availability, Toolchain, Unresolved};
use crate::util::crash::point;
use crate::util::disk::full_disks;
use crate::util::files::{is_no_room, is_unwritable};
use crate::util::sync::lock;

/// Everything that stays while the daemon runs.
pub struct Shared {
    /// Where submissions, facts and judgements are.
    pub store: Store,
    /// Makes runners.
    pub sandbox: Sandbox,
    /// verdicts.log and verdicts.jsonl.
    pub logs: Mutex<Logs>,
    /// The reports.
    pub reports: Reports,
    /// Whether reports of the last run could not be written at the start.
    pub reports_behind: AtomicBool,
    /// Everybody's attempts, as far as the pages thread has read them.
    pub board: Arc<RwLock<Scoreboard>>,
    /// The last event that somebody has told of. Every change of it says that the store has
    /// something new, and no more: the store is the record.
    pub news: watch::Sender<i64>,
    /// What is being done.
    pub activity: Arc<Activity>,
    /// The languages, where others have come into force since somebody last looked: other machines
    /// are compared by them.
    pub languages: Mutex<Option<Arc<Languages>>>,
    /// The machines beside this one.
    pub machines: Arc<Machines>,
    /// How fast this machine measures.
    pub speed: Reference,
    /// What machine this is, for the reports.
    pub machine: Arc<str>,
}

/// The name under which the store remembers how far the logs are.
pub const LOG_MARK: &str = "log";
/// Log lines read from the store at a time.
const LOG_LINES: u32 = 1_000;

/// Why the logs could not be written.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// The store could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The files could not be written.
    #[error(transparent)]
    Write(#[from] std::io::Error),
    /// An event is not what this version writes.
    #[error("an event in the store cannot be read: {0}")]
    Event(#[from] serde_json::Error),
    /// A disk is full, in words, and nobody waits for room on it.
    #[error("{0}; make room there and start again")]
    Full(String),
    /// Something that other programs read could not be made.
    #[error(transparent)]
    Export(ExportError),
}

impl From<ExportError> for LogError {
    fn from(error: ExportError) -> Self {
        match error {
            ExportError::Store(error) => Self::Store(error),
            ExportError::File(error) => Self::Write(error),
            other => Self::Export(other),
        }
    }
}

impl LogError {
    /// The same for somebody who does not wait for room: names what is full.
    pub fn of_start(self, folders: &Folders) -> Self {
        match self {
            Self::Write(error) if is_no_room(&error) => {
                let written = [folders.reports.as_path(), folders.staff.as_path()];
                Self::Full(full_disks(written).unwrap_or_else(|| error.to_string()))
            }
            other => other,
        }
    }

    /// What this means for a piece of work.
    pub fn into_fault(self, step: &str) -> Fault {
        match self {
            Self::Store(error) => error.into_fault(step),
            Self::Write(error) => file_fault(step, &error),
            Self::Event(_) | Self::Full(_) | Self::Export(_) => Fault::new(step, self),
        }
    }
}

/// What is said of a verdict whose report cannot be written.
pub const UNWRITABLE: &str = "judged; the report cannot be written";

/// What an error of the reports folder means for a piece of work.
pub fn file_fault(step: &str, error: &std::io::Error) -> Fault {
    if is_no_room(error) {
        // Without the file's name: whoever tells of it looks which disk is full, and says it once.
        let reason = "the disk of the reports or of the staff's files is full";
        return Fault::new(step, reason).of_kind(FaultKind::NoRoom);
    }
    if is_unwritable(error) {
        return Fault::new(step, format!("{UNWRITABLE}: {error}")).of_kind(FaultKind::NoRoom);
    }
    let short = Shortage::of(error);
    Fault::new(step, error).short_of(short)
}

/// What the logs tell of events, by the events' numbers.
pub type Entries = BTreeMap<i64, Entry>;

/// The log lines after an event, a page of them. What is known of them is not read again.
pub fn log_lines(reader: &Reader, after: i64, known: &Entries) -> Result<Vec<LogLine>, LogError> {
    reader
        .log_events_after(after, LOG_LINES)?
        .iter()
        .map(|event| match known.get(&event.id) {
            Some(entry) => Ok(LogLine::new(event.id, event.ms, entry.clone())),
            None => Ok(LogLine::of_event(event.id, event.ms, &event.json)?),
        })
        .collect()
}

/// What a failure of the store means for a step of a piece of work.
pub fn store_fault(step: &str) -> impl Fn(StoreError) -> Fault + '_ {
    move |error| error.into_fault(step)
}

impl Shared {
    /// A connection to the store that a thread keeps once it is open.
    pub fn opened<'r>(&self, reader: &'r mut Option<Reader>) -> Result<&'r Reader, Fault> {
        Ok(match reader {
            Some(reader) => reader,
            None => reader.insert(self.store.reader().map_err(store_fault("open the store"))?),
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

    /// Appends to the logs what the store has and they have not. `known` is what the caller has
    /// just put there.
    pub fn catch_up_logs(&self, reader: &Reader, known: &Entries) -> Result<(), LogError> {
        // A worker that failed while it wrote left a torn line at worst, which opening the logs
        // repairs.
        let mut logs = lock(&self.logs);
        loop {
            let lines = log_lines(reader, logs.reached(), known)?;
            if lines.is_empty() {
                self.tell_news(logs.reached());
                return Ok(());
            }
            logs.append(&lines)?;
            point("logs appended");
            // Nobody waits for it: the logs themselves say how far they are, as long as they are
            // there.
            let told = Unawaited::default();
            self.store
                .writer()
                .set_mark_later(LOG_MARK, logs.reached(), &told);
        }
    }
}

/// Everything that a reload replaces as a whole.
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
    /// What other programs are told of the course.
    pub fn course(&self) -> Arc<Course> {
        let toolchain = &self.languages.toolchain;
        Arc::new(Course::new(&self.config, &self.library, toolchain))
    }

    /// The settings of judging that are in force.
    pub fn rules(&self, shared: &Shared) -> Rules {
        let judge = &self.config.judge;
        Rules {
            stop_at_first_failure: judge.stop_at_first_failure,
            repeat_near_limit: judge.repeat_near_limit,
            waits_for_quiet: false,
            policy: shared.sandbox.policy_digest(),
            build: self.config.build.clone(),
            machine: Arc::clone(&shared.machine),
            stack_bytes: None,
        }
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
            Ok(_) | Err(Unresolved::Missing(_)) => None,
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

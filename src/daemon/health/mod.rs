//! What works and what does not, as every thread of the daemon tells it.
//!
//! A thread says `fails` whenever a try of its work has failed, and `ok` whenever one has
//! succeeded; when it tries again is its own affair. People hear of each fault once and of its end
//! once, and a full disk is one fault however many threads meet it. `state/trouble` tells `verdictd
//! status` the same: a file of constant size, which can be written on a full disk.

mod file;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use file::TroubleFile;
use tokio::sync::Notify;

use super::notice::{Notice, TRIED_AGAIN};
use crate::config::Folders;
use crate::domain::{Fault, FaultKind, Shortage, words};
use crate::util::clock::Backoff;
use crate::util::disk::{full_disks, unwritable};
use crate::util::sync::lock;

pub use file::read_trouble;

words! {
    /// A piece of the daemon that can fail by itself.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Part by name {
        /// Keeping what was judged.
        Judging = "judging",
        Intake = "intake",
        Packages = "packages",
        Planning = "planning",
        Requests = "requests",
        /// The students' reports, the logs, notes and results of hacks.
        Reports = "reports",
        /// Pages, the staff's files, and what other programs read.
        Pages = "pages",
    }
}

impl Part {
    /// What follows a fault.
    fn next(self) -> &'static str {
        match self {
            Self::Reports => "reports are missing; they are written later",
            Self::Pages => "pages are missing; they are written later",
            Self::Judging | Self::Intake | Self::Packages | Self::Planning | Self::Requests => {
                TRIED_AGAIN
            }
        }
    }

    /// What is said when it works again.
    fn resumed(self) -> &'static str {
        match self {
            Self::Judging => "judging resumes",
            Self::Intake => "files are taken again",
            Self::Packages => "packages are read again",
            Self::Planning => "submissions are planned again",
            Self::Requests => "requests are taken again",
            Self::Reports => "reports are written again",
            Self::Pages => "pages are written again",
        }
    }
}

/// When a thread tries again what has failed.
pub const RETRY: Backoff = Backoff::doubling(Duration::from_secs(1), Duration::from_secs(8));

/// Different faults of one part that are said before it works again.
const FAULTS_SAID_MAX: usize = 4;
/// Notices that may wait to be shown. Each is said once, so there are never as many.
const NOTICES_MAX: usize = 256;

/// What is said of a verdict whose report cannot be written.
pub const UNWRITABLE: &str = "judged; the report cannot be written";
/// What becomes of work while a disk is full.
const ROOM: &str = "it waits until there is room";
/// The same while a folder is read-only.
const WRITABLE: &str = "it is tried again every few seconds";

/// Why some or all submissions cannot be judged although no disk is full.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standstill {
    pub why: String,
    /// Whether it is so for all of them.
    pub is_all: bool,
}

/// What works and what does not.
pub struct Health {
    known: Mutex<Known>,
    folders: Folders,
    news: Notify,
}

#[derive(Default)]
struct Known {
    /// What fails, with the faults that were said of it.
    failing: BTreeMap<Part, Vec<Fault>>,
    /// Full disks and read-only folders, with what becomes of the work.
    unwritable: BTreeMap<String, &'static str>,
    /// What the machine is short of.
    short: BTreeSet<Shortage>,
    /// Whether it was said that no machine is there for some.
    is_place_missing: bool,
    standstill: Option<Standstill>,
    /// Why the daemon cannot go on.
    lost: Option<Fault>,
    /// What people are to hear.
    notices: Vec<Notice>,
    status: Option<TroubleFile>,
}

impl Health {
    /// Everything works.
    pub fn new(folders: &Folders) -> Self {
        let status = TroubleFile::open(&folders.state)
            .inspect_err(|error| tracing::warn!(%error, "cannot tell status what is the matter"));
        Self {
            known: Mutex::new(Known {
                status: status.ok(),
                ..Known::default()
            }),
            folders: folders.clone(),
            news: Notify::new(),
        }
    }

    fn change<T>(&self, change: impl FnOnce(&mut Known) -> T) -> T {
        let mut known = self.known();
        let result = change(&mut known);
        known.tell_status();
        let is_news = !known.notices.is_empty() || known.lost.is_some();
        drop(known);
        if is_news {
            self.news.notify_one();
        }
        result
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        lock(&self.known)
    }

    /// A try has failed; it is said if it was not said before.
    pub fn fails(&self, part: Part, fault: &Fault) {
        tracing::debug!(part = part.name(), %fault, "a try failed");
        self.change(|known| match fault.kind {
            FaultKind::Cancelled => {}
            FaultKind::StoreLost => known.lost = Some(fault.clone()),
            FaultKind::NoRoom => {
                known.failing.entry(part).or_default();
                known.meet_full_disk(fault, &self.folders);
            }
            FaultKind::Retry | FaultKind::Short(_) | FaultKind::Busy | FaultKind::NoPlace => {
                let said = known.failing.entry(part).or_default();
                if said.len() < FAULTS_SAID_MAX && !said.contains(fault) {
                    said.push(fault.clone());
                    let reason = fault.to_string();
                    known.say(Notice::fault(part.name(), reason, part.next()));
                }
            }
        });
    }

    /// A try has succeeded; it is said if that was in doubt.
    pub fn ok(&self, part: Part) {
        if self.is_failing(part) {
            self.change(|known| known.works_again(part));
        }
    }

    /// Whether its last try has failed.
    pub fn is_failing(&self, part: Part) -> bool {
        self.known().failing.contains_key(&part)
    }

    /// The last fault that was said of a part that fails.
    pub fn fault_of(&self, part: Part) -> Option<String> {
        let known = self.known();
        let said = known.failing.get(&part)?.last();
        let full = known.unwritable.first_key_value();
        said.map(ToString::to_string)
            .or_else(|| full.map(|(reason, _)| reason.clone()))
    }

    /// A submission could not be judged.
    pub fn submission_fails(&self, what: &str, fault: &Fault) {
        match fault.kind {
            FaultKind::NoRoom | FaultKind::StoreLost | FaultKind::Cancelled => {
                self.fails(Part::Judging, fault);
            }
            FaultKind::Short(of) => self.change(|known| {
                if known.short.insert(of) {
                    tracing::warn!(what, %fault, "the machine is short of something");
                    known.say(Notice::Said(format!(
                        "fault: {what}: {fault}; it is tried again every few seconds. Where this lasts: {}",
                        of.remedy()
                    )));
                }
            }),
            FaultKind::NoPlace => self.change(|known| {
                if !std::mem::replace(&mut known.is_place_missing, true) {
                    known.say(Notice::Said(format!(
                        "{what} and other waiting submissions: {fault}"
                    )));
                }
            }),
            FaultKind::Retry | FaultKind::Busy => self.change(|known| {
                let next = "not judged yet; it is tried again";
                known.say(Notice::fault(what, fault.to_string(), next));
            }),
        }
    }

    /// The machine has again what it was short of.
    pub fn relieved(&self) {
        self.change(|known| {
            known.short.clear();
            let words = "resources are available again: judging resumes";
            known.say(Notice::Said(words.to_owned()));
        });
    }

    /// Whether submissions wait for what the machine is short of, and why some cannot be judged at
    /// all.
    pub fn set_judging(&self, is_short: bool, standstill: Option<Standstill>) {
        self.change(|known| {
            if !is_short {
                known.short.clear();
            }
            known.standstill = standstill;
        });
    }

    /// The store cannot be used any more.
    pub fn lose(&self, fault: Fault) {
        self.change(|known| {
            known.lost.get_or_insert(fault);
        });
    }

    /// Why the daemon cannot go on, if it cannot.
    pub fn lost(&self) -> Option<Fault> {
        self.known().lost.clone()
    }

    /// Why nothing can be judged or told now.
    pub fn standstill(&self) -> Option<String> {
        let known = self.known();
        let full = known.unwritable.first_key_value();
        let full = full.map(|(reason, until)| format!("{reason}: {until}"));
        let all = known.standstill.as_ref().filter(|still| still.is_all);
        full.or_else(|| all.map(|still| still.why.clone()))
    }

    /// Waits until there is something to say.
    pub async fn changed(&self) {
        self.news.notified().await;
    }

    /// What people are to hear now.
    pub fn take_notices(&self) -> Vec<Notice> {
        std::mem::take(&mut self.known().notices)
    }
}

impl Known {
    fn say(&mut self, notice: Notice) {
        if self.notices.len() < NOTICES_MAX {
            self.notices.push(notice);
        }
    }

    fn meet_full_disk(&mut self, fault: &Fault, folders: &Folders) {
        let written = [&folders.state, &folders.reports, &folders.staff].map(PathBuf::as_path);
        let (reason, until) = match (full_disks(written), unwritable(written)) {
            (Some(reason), _) => (reason, ROOM),
            (None, Some(folder)) => (format!("{UNWRITABLE}: {folder}"), WRITABLE),
            // Room was made meanwhile, and what was said before is what this is about.
            (None, None) if !self.unwritable.is_empty() => return,
            (None, None) => (fault.reason.clone(), ROOM),
        };
        if self.unwritable.insert(reason.clone(), until).is_none() {
            self.say(Notice::Said(if until == ROOM {
                format!(
                    "fault: {reason}; what is there is kept, and it goes on by itself when there is room"
                )
            } else {
                format!("fault: {reason}; {until}")
            }));
        }
    }

    /// Of several parts that a full disk stopped the last one says that there is room.
    fn works_again(&mut self, part: Part) {
        let Some(said) = self.failing.remove(&part) else {
            return;
        };
        let what = part.resumed();
        if !said.is_empty() {
            self.say(Notice::Said(what.to_owned()));
        }
        let is_waiting = self.failing.values().any(Vec::is_empty);
        if is_waiting || self.unwritable.is_empty() {
            return;
        }
        let was_full = self.unwritable.values().any(|until| *until == ROOM);
        self.unwritable.clear();
        self.say(Notice::Said(if was_full {
            format!("there is room on the disk again: {what}")
        } else {
            format!("reports can be written again: {what}")
        }));
    }

    fn tell_status(&mut self) {
        let full = self.unwritable.iter();
        let full = full.map(|(reason, until)| format!("{reason}: {until}"));
        let short = self.short.iter();
        let short = short.map(|of| format!("the machine is short of {}", of.words()));
        let still = self.standstill.iter().map(|still| still.why.clone());
        let failing = self.failing.iter();
        let failing =
            failing.filter_map(|(part, said)| Some(format!("{}: {}", part.name(), said.last()?)));
        let lines = full.chain(short).chain(still).chain(failing).collect();
        if let Some(Err(error)) = self.status.as_mut().map(|file| file.tell(lines)) {
            tracing::warn!(%error, "cannot tell status what is the matter");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Health, Notice, Part, read_trouble};
    use crate::config::{self, Folders};
    use crate::domain::Fault;

    fn folders() -> (tempfile::TempDir, Folders) {
        let folder = tempfile::tempdir().unwrap();
        let config = config::parse("", &folder.path().join("config.toml")).unwrap();
        let folders = config.folders;
        for made in [&folders.state, &folders.reports, &folders.staff] {
            std::fs::create_dir_all(made).unwrap();
        }
        (folder, folders)
    }

    fn said(health: &Health) -> Vec<String> {
        let words = |notice| match notice {
            Notice::Said(words) => words,
            Notice::Fault { what, reason, .. } => format!("{what}: {reason}"),
            other => panic!("{other:?}"),
        };
        health.take_notices().into_iter().map(words).collect()
    }

    #[test]
    fn a_fault_is_said_once_and_its_end_too() {
        let (_folder, folders) = folders();
        let health = Health::new(&folders);
        health.ok(Part::Pages);
        assert_eq!(said(&health), [""; 0]);
        let fault = Fault::new("write a page", "no luck");
        health.fails(Part::Pages, &fault);
        health.fails(Part::Pages, &fault);
        let told = ["pages: write a page: no luck"];
        assert_eq!(said(&health), told);
        assert_eq!(read_trouble(&folders.state), told);
        health.ok(Part::Intake);
        health.ok(Part::Pages);
        health.ok(Part::Pages);
        assert_eq!(said(&health), ["pages are written again"]);
        assert_eq!(read_trouble(&folders.state), [""; 0]);
    }
}

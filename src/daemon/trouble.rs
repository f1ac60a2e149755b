//! What does not work at the moment, and what people hear of it: each fault as its kind deserves, a
//! full disk once.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::message::Recovered;
use super::notice::{Missing, Notice};
use super::shared::UNWRITABLE;
use crate::config::Folders;
use crate::domain::{Fault, FaultKind, Shortage};
use crate::store::TroubleFile;
use crate::util::disk::{full_disks, unwritable};

/// Why something cannot be judged although no disk is full.
pub struct Nobody {
    pub why: String,
    /// Whether nothing can be judged at all.
    pub is_all: bool,
}

/// What becomes of work while a disk is full.
const ROOM: &str = "it waits until there is room";
/// The same while nobody may write into a folder.
const WRITABLE: &str = "it is tried again every few seconds";

/// What does not work.
pub struct Trouble {
    /// Why nothing can be written, and what becomes of it, each told once until it can.
    no_room: BTreeMap<String, &'static str>,
    /// Why nothing can be judged for lack of machines or for faults alone.
    nobody: Option<Nobody>,
    /// What the machine is short of, each told once until it has it again.
    short: BTreeSet<Shortage>,
    /// Whether it was told that no machine is there for some.
    no_place: bool,
    /// Whether something that was handed in cannot be looked at or kept.
    intake_failed: bool,
    /// Why the daemon cannot go on.
    lost: Option<Fault>,
    /// Where `status` reads of it; without it only that is missing.
    status: Option<TroubleFile>,
}

impl Trouble {
    /// Everything works.
    pub fn new(state: &Path) -> Self {
        let status = TroubleFile::open(state).inspect_err(
            |error| tracing::warn!(%error, "status cannot be told what is the matter"),
        );
        Self {
            no_room: BTreeMap::new(),
            nobody: None,
            short: BTreeSet::new(),
            no_place: false,
            intake_failed: false,
            lost: None,
            status: status.ok(),
        }
    }

    /// Whether something that was handed in cannot be looked at or kept.
    pub fn intake_failed(&self) -> bool {
        self.intake_failed
    }

    /// Why the daemon cannot go on, if it cannot.
    pub fn lost(&self) -> Option<&Fault> {
        self.lost.as_ref()
    }

    /// What people hear of a fault.
    pub fn meet(
        &mut self,
        what: &str,
        fault: &Fault,
        missing: Missing,
        folders: &Folders,
    ) -> Option<Notice> {
        match fault.kind {
            FaultKind::NoRoom => self.no_room(what, fault, folders),
            FaultKind::Short(of) if missing == Missing::Verdict => {
                let is_new = self.short.insert(of);
                is_new.then(|| {
                    tracing::warn!(what, %fault, "short");
                    Notice::Said(format!(
                        "fault: {what}: {fault}; it is tried again every few seconds. Where this lasts: {}",
                        of.remedy()
                    ))
                })
            }
            FaultKind::Cancelled => None,
            FaultKind::Retry | FaultKind::Short(_) | FaultKind::Busy => {
                Some(Notice::fault(what, fault.to_string(), missing, false))
            }
            FaultKind::NoPlace => {
                let is_first = !std::mem::replace(&mut self.no_place, true);
                is_first
                    .then(|| Notice::Said(format!("{what} and whatever else waits so: {fault}")))
            }
            FaultKind::StoreLost => {
                self.lost = Some(fault.clone());
                None
            }
        }
    }

    fn no_room(&mut self, what: &str, fault: &Fault, folders: &Folders) -> Option<Notice> {
        tracing::debug!(what, %fault, "no room");
        let written = [&folders.state, &folders.reports, &folders.staff];
        let written = written.map(PathBuf::as_path);
        let (reason, until) = match (full_disks(written), unwritable(written)) {
            (Some(reason), _) => (reason, ROOM),
            (None, Some(folder)) => (format!("{UNWRITABLE}: {folder}"), WRITABLE),
            // Room was made meanwhile, and what was told before is what this is about.
            (None, None) if !self.no_room.is_empty() => return None,
            (None, None) => (fault.reason.clone(), ROOM),
        };
        let is_new = self.no_room.insert(reason.clone(), until).is_none();
        is_new.then(|| match until {
            ROOM => Notice::Said(format!(
                "fault: {reason}; what is there is kept, and it goes on by itself when there is room"
            )),
            until => Notice::Said(format!("fault: {reason}; {until}")),
        })
    }

    /// The intake could not do its work.
    pub fn intake_fails(&mut self) {
        self.intake_failed = true;
    }

    /// Somebody does again what could not be done. Where the workers wait for room as well, theirs
    /// is the word that counts.
    pub fn recovered(&mut self, who: Recovered, workers_wait: bool) -> Option<Notice> {
        let what = match who {
            Recovered::Intake => {
                self.intake_failed = false;
                "files are taken again"
            }
            Recovered::Pages => "pages are written again",
            Recovered::Packages => "packages are read again",
        };
        (!workers_wait && !self.no_room.is_empty()).then(|| self.has_room(what))
    }

    /// There is room on the disk again, or files can be written.
    pub fn has_room(&mut self, what: &str) -> Notice {
        let was_full = self.no_room.values().any(|until| *until == ROOM);
        self.no_room.clear();
        Notice::Said(if was_full {
            format!("there is room on the disk again: {what}")
        } else {
            format!("reports can be written again: {what}")
        })
    }

    /// Why nothing can be judged, if nobody can or everything fails.
    pub fn nobody_can(&mut self, why: Option<Nobody>) {
        self.nobody = why;
    }

    /// Why nothing can be judged now.
    pub fn standstill(&self) -> Option<String> {
        let full = self.no_room.first_key_value();
        let full = full.map(|(reason, until)| format!("{reason}: {until}"));
        let nobody = self.nobody.as_ref().filter(|nobody| nobody.is_all);
        full.or_else(|| nobody.map(|nobody| nobody.why.clone()))
    }

    /// The machine has again what it was short of.
    pub fn is_relieved(&mut self) -> Notice {
        self.short.clear();
        let words = "the machine has again what it was short of: judging goes on";
        Notice::Said(words.to_owned())
    }

    /// Lets `status` know what is the matter, and whether the store is still there.
    pub fn look_around(&mut self, store_lost: Option<Fault>, is_short: bool) {
        if self.lost.is_none() {
            self.lost = store_lost;
        }
        if !is_short {
            self.short.clear();
        }
        let no_room = self.no_room.iter();
        let no_room = no_room.map(|(reason, until)| format!("{reason}: {until}"));
        let short = self.short.iter();
        let short = short.map(|of| format!("the machine is short of {}", of.words()));
        let nobody = self.nobody.iter().map(|nobody| nobody.why.clone());
        let lines = no_room.chain(short).chain(nobody).collect();
        if let Some(Err(error)) = self.status.as_mut().map(|file| file.tell(lines)) {
            tracing::warn!(%error, "status cannot be told what is the matter");
        }
    }
}

//! What does not work at the moment, and what people hear of it: each fault as its kind deserves, a
//! full disk once.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::message::Recovered;
use super::notice::{Missing, Notice};
use crate::config::Folders;
use crate::domain::{Fault, FaultKind, Shortage};
use crate::store::TroubleFile;
use crate::util::disk::full_disks;

/// What does not work.
pub struct Trouble {
    /// Why there is no room, each reason told once until there is.
    no_room: BTreeSet<String>,
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
            no_room: BTreeSet::new(),
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
        let reason = match full_disks(written.map(PathBuf::as_path)) {
            Some(reason) => reason,
            // Room was made meanwhile, and what was told before is what this is about.
            None if !self.no_room.is_empty() => return None,
            None => fault.reason.clone(),
        };
        let is_new = self.no_room.insert(reason.clone());
        is_new.then(|| {
            Notice::Said(format!(
                "fault: {reason}; what is there is kept, and it goes on by itself when there is room"
            ))
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

    /// There is room on the disk again.
    pub fn has_room(&mut self, what: &str) -> Notice {
        self.no_room.clear();
        Notice::Said(format!("there is room on the disk again: {what}"))
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
        let no_room = no_room.map(|reason| format!("{reason}: it waits until there is room"));
        let short = self.short.iter();
        let short = short.map(|of| format!("the machine is short of {}", of.words()));
        let lines = no_room.chain(short).collect();
        if let Some(Err(error)) = self.status.as_mut().map(|file| file.tell(lines)) {
            tracing::warn!(%error, "status cannot be told what is the matter");
        }
    }
}

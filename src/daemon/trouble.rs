//! What the dispatcher says of faults: each as its kind deserves, and a full disk once.

use std::path::PathBuf;

use super::dispatch::Dispatcher;
use super::message::Recovered;
use super::notice::{Missing, Notice};
use super::state::{Ending, Event};
use crate::domain::{Fault, FaultKind};
use crate::util::disk::full_disks;

/// How a submission ends that a fault keeps from its verdict.
pub fn ending_of(fault: Fault) -> Ending {
    match fault.kind {
        FaultKind::NoRoom => Ending::NoRoom,
        FaultKind::Short(_) => Ending::Short(fault),
        FaultKind::Retry | FaultKind::StoreLost => Ending::Faulted(fault),
    }
}

impl Dispatcher<'_> {
    pub(super) fn fault(&mut self, what: &str, reason: &str, missing: Missing, last: bool) {
        tracing::warn!(what, reason, "fault");
        (self.listener)(&Notice::Fault {
            what: what.to_owned(),
            reason: reason.to_owned(),
            missing,
            last,
        });
    }

    /// Tells of a fault as its kind deserves.
    pub(super) fn tell_fault(&mut self, what: &str, fault: &Fault, missing: Missing) {
        match fault.kind {
            FaultKind::Retry => self.fault(what, &fault.to_string(), missing, false),
            FaultKind::NoRoom => self.tell_no_room(what, fault),
            FaultKind::Short(_) if missing != Missing::Verdict => {
                self.fault(what, &fault.to_string(), missing, false);
            }
            FaultKind::Short(of) => {
                if self.short.insert(of) {
                    tracing::warn!(what, %fault, "short");
                    self.say(&format!(
                        "fault: {what}: {fault}; it is tried again every few seconds. Where this lasts: {}",
                        of.remedy()
                    ));
                }
            }
            FaultKind::StoreLost => self.lost = Some(fault.clone()),
        }
    }

    fn tell_no_room(&mut self, what: &str, fault: &Fault) {
        tracing::debug!(what, %fault, "no room");
        let folders = &self.setup.config.folders;
        let written = [&folders.state, &folders.reports, &folders.staff];
        let reason = match full_disks(written.map(PathBuf::as_path)) {
            Some(reason) => reason,
            // Room was made meanwhile, and what was told before is what this is about.
            None if !self.no_room.is_empty() => return,
            None => fault.reason.clone(),
        };
        if !self.no_room.contains(&reason) {
            self.say(&format!(
                "fault: {reason}; what is there is kept, and it goes on by itself when there is room"
            ));
            self.no_room.insert(reason);
        }
    }

    /// Somebody does again what could not be done.
    pub(super) fn recovered(&mut self, who: Recovered) {
        let what = match who {
            Recovered::Intake => {
                self.intake_failed = false;
                "files are taken again"
            }
            Recovered::Pages => "pages are written again",
            Recovered::Packages => "packages are read again",
        };
        // Where the workers wait for room as well, theirs is the word that counts.
        if !self.state.is_full() && !self.no_room.is_empty() {
            self.tell_room(what);
        }
    }

    /// Looks whether the state folder is still there, and lets `status` know what is the matter.
    pub(super) fn look_around(&mut self) {
        if self.lost.is_none() {
            self.lost = self.shared.store.lost();
        }
        if !self.state.is_short() {
            self.short.clear();
        }
        let no_room = self.no_room.iter();
        let no_room = no_room.map(|reason| format!("{reason}: it waits until there is room"));
        let short = self.short.iter();
        let short = short.map(|of| format!("the machine is short of {}", of.words()));
        let lines = no_room.chain(short).collect();
        if let Some(Err(error)) = self.told_status.as_mut().map(|file| file.tell(lines)) {
            tracing::warn!(%error, "status cannot be told what is the matter");
        }
    }

    /// Nothing more is taken: an orderly end, said loudly, is better than a daemon that looks
    /// alive.
    pub(super) fn intake_gone(&mut self) -> bool {
        self.intake_failed = true;
        self.fault(
            "intake",
            "it failed again and again; nothing more is taken, and the daemon ends when it has judged what it is judging",
            Missing::Work,
            true,
        );
        self.feed(Event::Drain)
    }

    pub(super) fn tell_relief(&mut self) {
        self.short.clear();
        self.say("the machine has again what it was short of: judging goes on");
    }

    pub(super) fn tell_room(&mut self, what: &str) {
        self.no_room.clear();
        self.say(&format!("there is room on the disk again: {what}"));
    }
}

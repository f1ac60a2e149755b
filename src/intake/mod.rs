//! From the submissions folder to submissions and rejections.
//!
//! A notification wakes, a scan tells, the owner's store remembers. A file is taken when it has
//! come to rest, by a private copy of its bytes; what is not a submission becomes a rejection with
//! a reason and never stops anything.
//!
//! Synchronous, for a thread of its own: the owner calls [`Intake::round`], stores what has
//! arrived, and says so. What it has not stored, after a crash, the next start delivers again; the
//! owner knows the same bytes by their digest, and the same rejection by its words.

mod deliver;
mod naming;
mod scan;
mod settle;
mod snapshot;
mod watch;

use std::collections::{BTreeSet, HashMap};
use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

pub use naming::{Known, KnownLanguage, Reading, Register, read as read_name};
pub use scan::{Fingerprint, Scanner};
pub use watch::Wake;

use crate::config;
use crate::domain::{Fault, Rejection, SourceFile};
use crate::util::clock::as_ms;
use crate::util::excerpt;
use naming::{Named, Refusal};
use settle::{Kept, Queue, Settler};
use watch::Watch;

/// Files of one round that the owner is to forget.
const GONE_MAX: usize = 1_000;
/// Between two scans lies at least this and a millisecond for every so many names, so that scanning
/// never takes most of the time.
const SCAN_GAP_MS: u64 = 50;
const SCAN_GAP_NAMES: usize = 200;
/// Between two scans where nothing else tells of changes.
const SCAN_ALONE_MS: u64 = 2_000;
/// Between two scans while a file has a second name: when that goes elsewhere, nothing is reported
/// here.
const LINKED_GAP_MS: u64 = 1_000;
/// Until something that failed, here or at the owner's, is tried again.
const RETRY_MS: u64 = 10_000;
/// Different notices in the life of an intake; a machine that fails in ever new ways does not fill
/// the log.
const NOTICES_MAX: usize = 100;

pub struct Intake {
    scanner: Scanner,
    settings: config::Intake,
    known: Known,
    settler: Settler,
    watch: Option<Watch>,
    /// Folders that could not be listed, or not to their end, as of the last scan.
    unlisted: HashMap<OsString, Refusal<'static>>,
    scan_wanted: bool,
    scanned_ms: Option<u64>,
    scanned_names: usize,
    /// Whether a file had a second name at the last scan.
    has_linked: bool,
    trouble: Option<Fault>,
    noticed: BTreeSet<String>,
}

/// A file that is to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arrival {
    /// The path below the submissions folder, as the bytes it is.
    pub path: Arc<OsStr>,
    /// The state that this is about, which the owner stores with it.
    pub fingerprint: Fingerprint,
    pub content: Content,
}

/// What a file is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    Submission(Named, SourceFile),
    /// Something that is not a submission.
    Rejection(Rejection),
}

/// What one round brought.
#[derive(Debug, Default)]
pub struct Round {
    /// What is to be stored. Rejections of what does not look like a program come last.
    pub arrivals: Vec<Arrival>,
    /// Files that the store is to forget: they are gone, or nobody's any more.
    pub gone: Vec<Arc<OsStr>>,
    /// When the next round is due if nothing wakes it before.
    pub next_look: Duration,
    /// Why the folder could not be looked at. Nothing is forgotten meanwhile.
    pub trouble: Option<Fault>,
    /// What the person who runs the daemon should know; each is told once.
    pub notices: Vec<String>,
    /// Whether all that is there has been delivered.
    pub idle: bool,
}

impl Intake {
    /// An intake for this folder. `wake` is called when a round is due, and without it nothing is
    /// watched.
    pub fn new(root: &Path, settings: config::Intake, known: Known, wake: Option<Wake>) -> Self {
        Self {
            scanner: Scanner::new(root.to_owned()),
            watch: wake.map(|wake| Watch::new(root, wake)),
            settings,
            known,
            settler: Settler::default(),
            unlisted: HashMap::new(),
            scan_wanted: true,
            scanned_ms: None,
            scanned_names: 0,
            has_linked: false,
            trouble: None,
            noticed: BTreeSet::new(),
        }
    }

    /// What the store remembers of a file; to be called before the first round.
    pub fn remember(&mut self, path: &OsStr, fingerprint: Fingerprint, is_rejected: bool) {
        self.settler.remember(path, fingerprint, is_rejected);
    }

    /// The problems or languages have changed: what was not taken is looked at again.
    pub fn set_known(&mut self, known: Known) {
        if known != self.known {
            self.known = known;
            self.review();
        }
    }

    /// What was not taken is looked at again.
    pub fn review(&mut self) {
        self.settler.review();
        // Folders that were not a student's may be now.
        self.scan_wanted = true;
    }

    /// An arrival is stored as a submission. Says whether it was a rejected file before.
    pub fn taken(&mut self, path: &OsStr) -> bool {
        let was_rejected = self.settler.kept(path) == Kept::Rejected;
        self.settler.take(path);
        was_rejected
    }

    /// An arrival is stored as a rejection.
    pub fn rejected(&mut self, path: &OsStr) {
        self.settler.reject(path);
    }

    /// An arrival could not be stored; it comes again after a while.
    pub fn put_back(&mut self, path: &OsStr, now_ms: u64) {
        self.settler.again(path, now_ms + RETRY_MS);
    }

    /// The store could not forget these; they are named again.
    pub fn put_back_gone(&mut self, paths: Vec<Arc<OsStr>>) {
        self.settler.put_gone(paths);
    }

    /// Looks at what is due. `now_ms` comes from a clock that never goes back, from any start.
    pub fn round(&mut self, now_ms: u64) -> Round {
        let mut round = Round::default();
        if let Some(watch) = &mut self.watch {
            self.scan_wanted |= watch.is_changed();
        }
        if now_ms >= self.next_scan_ms() {
            self.scan(now_ms, &mut round);
        }
        self.deliver(now_ms, &mut round);
        round.gone = self.settler.pop_gone(GONE_MAX);
        round.trouble.clone_from(&self.trouble);
        let next_ms = if self.settler.is_waiting() && self.trouble.is_none() {
            now_ms
        } else {
            self.next_scan_ms()
        };
        round.next_look = Duration::from_millis(next_ms.saturating_sub(now_ms));
        round.idle = self.trouble.is_none()
            && self.scanned_ms.is_some()
            && !self.scan_wanted
            && self.settler.is_idle();
        round
    }

    fn scan(&mut self, now_ms: u64, round: &mut Round) {
        if let Some(watch) = &mut self.watch {
            watch.arm();
        }
        self.scan_wanted = false;
        self.scanned_ms = Some(now_ms);
        let settle_ms = self.settle_ms();
        let settler = &mut self.settler;
        settler.begin_pass();
        let found = self.scanner.scan(&self.known, |path, stat| {
            settler.see(path, stat, settle_ms, now_ms);
        });
        let scan = match found {
            Ok(scan) => scan,
            Err(error) => {
                self.trouble = Some(error);
                return;
            }
        };
        self.trouble = None;
        settler.end_pass(scan.is_complete());
        settler.queue_settled(now_ms, |path| {
            let (is_program, owner) = naming::owner(path, &self.known);
            let queue = if is_program {
                Queue::Programs
            } else {
                Queue::Others
            };
            (queue, owner)
        });
        self.scanned_names = scan.names;
        self.has_linked = scan.has_linked;
        if let Some(watch) = &mut self.watch {
            self.scan_wanted |= watch.cover(scan.root_identity, &scan.folders);
        }
        self.unlisted = scan.unlisted;
        if let Some(error) = scan.failure {
            let text = format!("a part of the submissions folder could not be looked at: {error}");
            self.notice(round, text);
        }
        if let Some(reason) = self.watch.as_ref().and_then(Watch::why_not) {
            let every_s = SCAN_ALONE_MS / 1_000;
            let text = format!("changes are found by looking every {every_s} s: {reason}");
            self.notice(round, text);
        }
    }

    /// When the next scan is due: when something has changed or may have come to rest, and now and
    /// then.
    fn next_scan_ms(&self) -> u64 {
        let Some(scanned_ms) = self.scanned_ms else {
            return 0;
        };
        let gap_ms = SCAN_GAP_MS + (self.scanned_names / SCAN_GAP_NAMES) as u64;
        let is_whole = self.watch.as_ref().is_none_or(Watch::is_whole);
        let rescan_ms = as_ms(self.settings.rescan);
        let timer_ms = rescan_ms.min(match self.trouble {
            None if self.has_linked => LINKED_GAP_MS,
            None if is_whole => u64::MAX,
            _ => SCAN_ALONE_MS,
        });
        let timer_ms = scanned_ms.saturating_add(timer_ms);
        let wanted_ms = match self.trouble {
            Some(_) => None,
            None if self.scan_wanted => Some(0),
            None => self.settler.next_settled_ms(),
        };
        let next_ms = wanted_ms.map_or(timer_ms, |wanted_ms| wanted_ms.min(timer_ms));
        next_ms.max(scanned_ms.saturating_add(gap_ms))
    }

    fn settle_ms(&self) -> u64 {
        as_ms(self.settings.settle)
    }

    fn notice(&mut self, round: &mut Round, text: String) {
        if self.noticed.len() < NOTICES_MAX && self.noticed.insert(text.clone()) {
            round.notices.push(text);
        }
    }
}

/// A path for people: what is not text, or cannot be seen, is written as its number.
pub fn printable(path: &OsStr) -> String {
    let mut shown = String::new();
    for chunk in path.as_bytes().utf8_chunks() {
        shown.push_str(&excerpt::visible_line(chunk.valid()));
        for byte in chunk.invalid() {
            // Writing to a String cannot fail.
            let _ = write!(shown, "\\x{byte:02x}");
        }
    }
    shown
}

#[cfg(test)]
mod tests;

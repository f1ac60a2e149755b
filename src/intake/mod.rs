//! From the submissions folder to submissions and rejections.
//!
//! The scan is the truth and the watch a hint. A file is taken when it has come to rest, by a
//! private copy of its bytes;
//! what is not a submission becomes a rejection with a reason and never stops anything.
//!
//! Synchronous, for a thread of its own: the owner calls [`Intake::round`], stores what has arrived
//! and answers each with [`Intake::taken`]. Without an answer, after a crash, the next start
//! delivers it again; the owner knows the same bytes by their digest.

mod arrival;
mod deliver;
mod naming;
mod reason;
mod round_robin;
mod scan;
mod settle;
mod snapshot;
mod stat;
mod watch;

use std::collections::{BTreeSet, HashMap};
use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::os::fd::AsFd as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::time::Duration;

pub use arrival::{Arrival, Round, Token};
pub use naming::{Known, KnownLanguage, Reading, Register, read as read_name};
pub use scan::{ScanError, Scanner};
pub use settle::Mark;
pub use watch::{Wake, WatchState};

use rustix::fs::FileType;

use crate::config;
use crate::util::excerpt;
use scan::{Listing, Scan};
use settle::{Hint, Settler};
use watch::{Changes, Watch};

/// Arrivals of one round that look like programs; the rest comes with the next.
pub const ARRIVALS_MAX: usize = 64;
/// The same of everything else.
pub const OTHERS_MAX: usize = 512;
/// Released files of one round.
const RELEASED_MAX: usize = 1_000;
/// Arrivals that may wait for their answer; beyond that nothing new is delivered.
pub const UNANSWERED_MAX: usize = 1_024;
/// Between two scans lies at least this and a millisecond for every so many names, so that scanning
/// never takes most of the time.
const SCAN_GAP_MS: u64 = 50;
const SCAN_GAP_NAMES: usize = 200;
/// Between two scans where nothing else tells of changes.
const SCAN_ALONE_MS: u64 = 2_000;
/// After the kernel's queue was full, the next scan waits this long. It is short, because one
/// student alone can fill the queue again and again, and then the scan is all that finds the
/// others' files.
const OVERFLOW_GAP_MS: u64 = 400;
/// Files with a second name that are looked at by themselves; others wait for the scan.
const LINKED_MAX: usize = 1_000;
/// Between two looks at them.
const LINKED_GAP_MS: u64 = 1_000;
/// The submissions folder itself, among the paths below it.
const ROOT: &str = ".";
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
    /// Students' folders that could not be listed, as of the last scan.
    unlisted: HashMap<OsString, Listing>,
    unanswered: usize,
    next_number: u64,
    scan_wanted: bool,
    scanned_ms: Option<u64>,
    scanned_names: usize,
    /// Whether the kernel's queue was full since the last scan, and before it.
    overflowed: bool,
    overflowed_before: bool,
    /// The folder itself, where the last scan found more in it than is looked at.
    overfull: Option<stat::Fingerprint>,
    /// Files of which a rejection was told that does not hold any more.
    released: BTreeSet<OsString>,
    /// How often names or settings got another meaning.
    reviews: u64,
    trouble: Option<ScanError>,
    noticed: BTreeSet<String>,
    /// Files that had a second name at the last look, and when the next one is.
    linked: BTreeSet<OsString>,
    linked_ms: u64,
}

impl Intake {
    /// An intake for this folder. `remembered` is what earlier arrivals' tokens said; `wake` is
    /// called when a round is due, and without it nothing is watched.
    pub fn new(
        root: &Path,
        settings: config::Intake,
        known: Known,
        remembered: impl IntoIterator<Item = (OsString, Mark)>,
        wake: Option<Wake>,
    ) -> Self {
        let mut settler = Settler::new(settings.settle);
        for (path, mark) in remembered {
            settler.remember(&path, mark);
        }
        // Names may mean something else than in the earlier run.
        settler.review(0, false);
        Self {
            scanner: Scanner::new(root.to_owned()),
            watch: wake.map(|wake| Watch::new(root, wake)),
            settings,
            known,
            settler,
            unlisted: HashMap::new(),
            unanswered: 0,
            next_number: 0,
            scan_wanted: true,
            scanned_ms: None,
            scanned_names: 0,
            overflowed: false,
            overflowed_before: false,
            overfull: None,
            released: BTreeSet::new(),
            reviews: 0,
            trouble: None,
            noticed: BTreeSet::new(),
            linked: BTreeSet::new(),
            linked_ms: 0,
        }
    }

    /// The problems or languages have changed: what was refused is looked at again.
    pub fn set_known(&mut self, known: Known, now_ms: u64) {
        if known != self.known {
            // What was passed over until now is looked at again with everything else; the store
            // knows what was taken.
            let all = known.ignore != self.known.ignore;
            self.known = known;
            self.reviews += 1;
            self.settler.review(now_ms, all);
            // Folders that were not a student's may be now.
            self.scan_wanted = true;
        }
    }

    /// What was refused is looked at again.
    pub fn review(&mut self, now_ms: u64) {
        self.reviews += 1;
        self.settler.review(now_ms, false);
    }

    /// The settings have changed: what was refused is looked at again.
    pub fn set_settings(&mut self, settings: config::Intake, now_ms: u64) {
        if settings != self.settings {
            self.settler.set_settle(settings.settle);
            self.settings = settings;
            self.reviews += 1;
            self.settler.review(now_ms, false);
        }
    }

    /// Whether changes are reported; `None` where nothing is watched on purpose.
    pub fn watch_state(&self) -> Option<&WatchState> {
        self.watch.as_ref().map(Watch::state)
    }

    /// An arrival is stored.
    pub fn taken(&mut self, token: Token) {
        let Token {
            path,
            mark,
            number,
            reviews,
        } = token;
        self.unanswered = self.unanswered.saturating_sub(1);
        let settled = self.settler.taken(&path, number, mark);
        if settled && mark.told.is_some() && reviews != self.reviews {
            // It was on its way while the names changed.
            self.settler.again(&path, 0, 0);
        }
        if mark.told.is_some() && !self.settler.knows(&path) {
            // It went while it was on its way.
            self.released.insert(path.as_ref().to_owned());
        }
    }

    /// The owner could not put down that these were released; they are named again.
    pub fn release_again(&mut self, paths: Vec<OsString>) {
        self.released.extend(paths);
    }

    fn forget(&mut self, path: &OsStr) -> bool {
        let forgotten = self.settler.forget(path);
        if forgotten.is_some_and(|forgotten| forgotten.was_rejected) {
            self.released.insert(path.to_owned());
        }
        forgotten.is_some()
    }

    /// An arrival could not be stored; it comes again after a while.
    pub fn put_back(&mut self, token: Token, now_ms: u64) {
        let Token { path, number, .. } = token;
        self.unanswered = self.unanswered.saturating_sub(1);
        self.settler.put_back(&path, number, now_ms + RETRY_MS);
    }

    /// Looks at what is due. `now_ms` comes from a clock that never goes back, from any start.
    pub fn round(&mut self, now_ms: u64) -> Round {
        let mut round = Round::default();
        if let Some(watch) = &mut self.watch {
            let changes = watch.changes();
            self.follow(changes, now_ms);
        }
        if now_ms >= self.next_scan_ms() {
            self.scan(now_ms, &mut round);
        }
        if !self.linked.is_empty() && now_ms >= self.linked_ms {
            self.look_at_linked(now_ms);
        }
        if self.settler.is_due(now_ms) {
            match self.scanner.open() {
                Ok(root) => match self.scanner.refuse_full(root.as_fd()) {
                    Ok(()) => self.deliver(root.as_fd(), now_ms, &mut round),
                    Err(full) => self.trouble = Some(full),
                },
                // The scan has told already, or the next one will.
                Err(_) => self.scan_wanted = true,
            }
        }
        while round.released.len() < RELEASED_MAX
            && let Some(path) = self.released.pop_first()
        {
            round.released.push(path);
        }
        round.trouble.clone_from(&self.trouble);
        round.next_look = self.next_look(now_ms);
        round.idle = self.trouble.is_none()
            && self.scanned_ms.is_some()
            && !self.scan_wanted
            && self.unanswered == 0
            && self.released.is_empty()
            && self.settler.next_due_ms().is_none();
        round
    }

    /// Looks at the single names that the watch has noticed, and asks for a scan where that is not
    /// enough.
    fn follow(&mut self, changes: Changes, now_ms: u64) {
        self.scan_wanted |= changes.scan;
        self.overflowed |= changes.overflow;
        if changes.names.is_empty() {
            return;
        }
        let Ok(root) = self.scanner.open() else {
            self.scan_wanted = true;
            return;
        };
        for (path, hint) in changes.names {
            let direct = stat::split(&path).0.is_none();
            match stat::look(root.as_fd(), &path) {
                Ok(stat) if direct && stat.kind == FileType::Directory => self.scan_wanted = true,
                Ok(stat) => self.see(&path, &stat, hint, now_ms),
                // A folder that went takes its files with it.
                Err(error) if stat::is_gone(error) => {
                    self.scan_wanted |= !self.forget(&path) && direct;
                }
                Err(_) => self.scan_wanted = true,
            }
        }
    }

    fn see(&mut self, path: &OsStr, stat: &stat::Stat, hint: Hint, now_ms: u64) {
        self.settler.see(path, stat.fingerprint, hint, now_ms);
        let has_other_names = stat.links > 1 && stat.kind == FileType::RegularFile;
        if has_other_names && self.linked.len() < LINKED_MAX {
            self.linked.insert(path.to_owned());
        }
    }

    /// Looks whether files with a second name still have it: when that goes elsewhere, nothing is
    /// reported here.
    fn look_at_linked(&mut self, now_ms: u64) {
        self.linked_ms = now_ms + LINKED_GAP_MS;
        let Ok(root) = self.scanner.open() else {
            return;
        };
        for path in std::mem::take(&mut self.linked) {
            // One that is gone was reported, or the next scan misses it.
            if let Ok(stat) = stat::look(root.as_fd(), &path) {
                self.see(&path, &stat, Hint::None, now_ms);
                if stat.links == 1 {
                    // Its times may be the same: the kernel's clock for them is a coarse one.
                    let settle_ms = self.settle_ms();
                    self.settler
                        .again(&path, now_ms, now_ms.saturating_add(settle_ms));
                }
            }
        }
    }

    fn scan(&mut self, now_ms: u64, round: &mut Round) {
        if let Some(watch) = &mut self.watch {
            watch.arm();
        }
        self.scan_wanted = false;
        self.scanned_ms = Some(now_ms);
        self.overflowed_before = std::mem::take(&mut self.overflowed);
        let known = &self.known;
        match self
            .scanner
            .scan(|name| naming::student_of_folder(name, known).is_ok())
        {
            Ok(scan) => {
                self.trouble = None;
                self.observe(&scan, now_ms, round);
                self.cover(&scan);
            }
            Err(error) => self.trouble = Some(error),
        }
        if let Some(WatchState::ScanOnly(reason)) = self.watch_state() {
            let text = format!(
                "changes are found by looking every {} s: {reason}",
                SCAN_ALONE_MS / 1_000
            );
            self.notice(round, text);
        }
    }

    fn observe(&mut self, scan: &Scan, now_ms: u64, round: &mut Round) {
        self.scanned_names = scan.entries.len() + scan.folders.len();
        self.settler.begin_pass();
        for entry in &scan.entries {
            self.see(&entry.path, &entry.stat, Hint::None, now_ms);
        }
        self.unlisted.clear();
        for folder in &scan.folders {
            if folder.listing != Listing::Whole {
                self.unlisted.insert(folder.name.clone(), folder.listing);
                self.settler
                    .see(&folder.name, folder.stat.fingerprint, Hint::None, now_ms);
            }
        }
        self.overfull = scan.overflow.then(|| stat::Fingerprint {
            inode: scan.root_identity.1,
            ..stat::Fingerprint::default()
        });
        if let Some(folder) = self.overfull {
            self.settler
                .see(OsStr::new(ROOT), folder, Hint::None, now_ms);
        }
        let gone = self.settler.end_pass(scan.is_complete());
        let gone = gone.iter().map(|path| path.as_ref().to_owned());
        self.released.extend(gone);
        if let Some(error) = scan.failure {
            self.notice(
                round,
                format!("a part of the submissions folder could not be looked at: {error}"),
            );
        }
    }

    fn cover(&mut self, scan: &Scan) {
        if let Some(watch) = &mut self.watch {
            let entered = scan
                .folders
                .iter()
                .filter(|folder| matches!(folder.listing, Listing::Whole | Listing::TooMany))
                .map(|folder| (folder.name.as_os_str(), folder.stat.fingerprint.inode));
            self.scan_wanted |= watch.cover(scan.root_identity, entered);
        }
    }

    /// When the next scan is due.
    fn next_scan_ms(&self) -> u64 {
        let Some(scanned_ms) = self.scanned_ms else {
            return 0;
        };
        let gap_ms = SCAN_GAP_MS + (self.scanned_names / SCAN_GAP_NAMES) as u64;
        let full = self
            .watch
            .as_ref()
            .is_none_or(|watch| watch.state() == &WatchState::Watching && watch.uncovered() == 0);
        let rescan_ms = u64::try_from(self.settings.rescan.as_millis()).unwrap_or(u64::MAX);
        let timer_ms = if full && self.trouble.is_none() {
            rescan_ms
        } else {
            rescan_ms.min(SCAN_ALONE_MS)
        };
        let is_wanted = self.scan_wanted && self.trouble.is_none();
        let wait_ms = match (is_wanted, self.overflowed_before) {
            (true, false) => gap_ms,
            (true, true) => gap_ms.max(OVERFLOW_GAP_MS).min(timer_ms),
            (false, _) => timer_ms,
        };
        scanned_ms.saturating_add(wait_ms.max(gap_ms))
    }

    fn next_look(&self, now_ms: u64) -> Duration {
        let scan_ms = self.next_scan_ms();
        let due_ms = self
            .settler
            .next_due_ms()
            .filter(|_| self.unanswered < UNANSWERED_MAX && self.trouble.is_none())
            .unwrap_or(scan_ms);
        let linked_ms = if self.linked.is_empty() {
            scan_ms
        } else {
            self.linked_ms
        };
        let next_ms = scan_ms.min(due_ms).min(linked_ms);
        Duration::from_millis(next_ms.saturating_sub(now_ms))
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

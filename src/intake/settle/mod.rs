//! Which files have come to rest, and whose turn it is. Pure: looks, and a clock that only ever
//! grows.
//!
//! A file is due when two looks, at least the settle time apart, found it in the same state. Then
//! it waits for its turn in one of two queues: what looks like a program, and everything else.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::OsStr;
use std::ops::Bound::{Excluded, Unbounded};
use std::sync::Arc;

use super::scan::{ENTRIES_MAX, Fingerprint, Stat};

/// Where time stamps have whole seconds only (FAT, old NFS), a change within two of them may not
/// show.
const COARSE_MS: u64 = 2_100;
/// Files remembered; beyond it those that the last pass did not see are dropped even if that pass
/// was cut short.
const FILES_MAX: usize = 2 * ENTRIES_MAX;

/// The two lines in which files wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Queue {
    Programs,
    /// Anything else.
    Others,
}

/// What the store remembers of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    Nothing,
    /// It was taken as a submission in this state.
    Taken(Fingerprint),
    Rejected,
}

/// What is compared between two looks: a second name that goes may leave the times as they were,
/// because the kernel's clock for them is a coarse one.
type State = (Fingerprint, bool);

#[derive(Debug)]
struct File {
    /// The state at the last look.
    state: State,
    /// When it is due if it stays as it is; `None` where there is nothing more to do about it.
    due_ms: Option<u64>,
    is_queued: bool,
    kept: Kept,
    pass: u64,
}

/// The files and where they stand.
#[derive(Debug, Default)]
pub struct Settler {
    files: HashMap<Arc<OsStr>, File>,
    queues: [RoundRobin; 2],
    /// When the first of those is due that do not wait for their turn yet.
    next_ms: Option<u64>,
    pass: u64,
    /// Files that are gone, or nobody's now, and that the store is still to forget.
    gone: BTreeSet<Arc<OsStr>>,
}

impl Settler {
    /// What the store remembers of a file; to be called before the first look. One that is rejected
    /// is looked at again: names may mean something else than in the earlier run.
    pub fn remember(&mut self, path: &OsStr, fingerprint: Fingerprint, is_rejected: bool) {
        let (due_ms, kept) = if is_rejected {
            (Some(0), Kept::Rejected)
        } else {
            (None, Kept::Taken(fingerprint))
        };
        self.insert(Arc::from(path), (fingerprint, false), due_ms, kept);
    }

    fn insert(&mut self, path: Arc<OsStr>, state: State, due_ms: Option<u64>, kept: Kept) {
        let file = File {
            state,
            due_ms,
            is_queued: false,
            kept,
            pass: self.pass,
        };
        self.files.insert(path, file);
    }

    /// A pass over all files begins.
    pub fn begin_pass(&mut self) {
        self.pass += 1;
    }

    /// A look at a file.
    pub fn see(&mut self, path: &OsStr, stat: &Stat, settle_ms: u64, now_ms: u64) {
        let state = (stat.fingerprint, stat.is_linked());
        let is_coarse = stat.fingerprint.ctime_ns.is_multiple_of(1_000_000_000);
        let wait_ms = settle_ms.max(if is_coarse { COARSE_MS } else { 0 });
        let due_ms = Some(now_ms.saturating_add(wait_ms));
        if let Some(file) = self.files.get_mut(path) {
            file.pass = self.pass;
            if file.state != state {
                (file.state, file.due_ms) = (state, due_ms);
            }
            return;
        }
        let path: Arc<OsStr> = Arc::from(path);
        let is_known = self.gone.remove(&path);
        let kept = if is_known {
            Kept::Rejected
        } else {
            Kept::Nothing
        };
        self.insert(path, state, due_ms, kept);
    }

    /// A pass is over; `is_complete` says whether what it did not see is not there.
    pub fn end_pass(&mut self, is_complete: bool) {
        if is_complete || self.files.len() > FILES_MAX {
            let (pass, gone) = (self.pass, &mut self.gone);
            self.files.retain(|path, file| {
                let is_there = file.pass == pass;
                if !is_there && file.kept != Kept::Nothing {
                    gone.insert(Arc::clone(path));
                }
                is_there
            });
        }
    }

    /// Puts files that have come to rest by now into their queues; `place_of` says which, and with
    /// whose other files they take turns.
    pub fn queue_settled(&mut self, now_ms: u64, place_of: impl Fn(&OsStr) -> (Queue, String)) {
        self.next_ms = None;
        for (path, file) in &mut self.files {
            let Some(due_ms) = file.due_ms.filter(|_| !file.is_queued) else {
                continue;
            };
            if due_ms > now_ms {
                self.next_ms = Some(earlier(self.next_ms, due_ms));
                continue;
            }
            let age = Age {
                due_ms,
                mtime_ns: file.state.0.mtime_ns,
                name_bytes: path.len(),
            };
            file.is_queued = true;
            let (queue, owner) = place_of(path);
            self.queues[queue as usize].add(&owner, age, Arc::clone(path));
        }
    }

    /// The file whose turn it is, and its state at the last look. The caller looks again, and then
    /// says what came of it: `rest`, `pass_over`, `again` or `forget`.
    pub fn next(&mut self, queue: Queue, now_ms: u64) -> Option<(Arc<OsStr>, Fingerprint)> {
        loop {
            let path = self.queues[queue as usize].pop()?;
            // One that went has no turn any more, and one that changed while it waited is not due.
            let Some(file) = self.files.get_mut(&path) else {
                continue;
            };
            file.is_queued = false;
            match file.due_ms {
                Some(due_ms) if due_ms <= now_ms => return Some((path, file.state.0)),
                Some(due_ms) => self.next_ms = Some(earlier(self.next_ms, due_ms)),
                None => {}
            }
        }
    }

    /// When the next file may have come to rest.
    pub fn next_settled_ms(&self) -> Option<u64> {
        self.next_ms
    }

    /// Whether a file waits for its turn.
    pub fn is_waiting(&self) -> bool {
        self.queues.iter().any(|queue| !queue.is_empty())
    }

    /// What the store remembers of a file.
    pub fn kept(&self, path: &OsStr) -> Kept {
        self.files.get(path).map_or(Kept::Nothing, |file| file.kept)
    }

    /// There is nothing more to do about the file while it stays as it is.
    pub fn rest(&mut self, path: &OsStr) {
        if let Some(file) = self.files.get_mut(path) {
            file.due_ms = None;
        }
    }

    /// The file is nobody's: what was said of it, if it was rejected, does not hold any more.
    pub fn pass_over(&mut self, path: &Arc<OsStr>) {
        self.rest(path);
        if let Some(file) = self.files.get_mut(path)
            && file.kept == Kept::Rejected
        {
            file.kept = Kept::Nothing;
            self.gone.insert(Arc::clone(path));
        }
    }

    /// The store has the file as a rejection now.
    pub fn reject(&mut self, path: &OsStr) {
        if let Some(file) = self.files.get_mut(path) {
            file.kept = Kept::Rejected;
        }
    }

    /// The store has the file as a submission now, in the state of the last look.
    pub fn take(&mut self, path: &OsStr) {
        if let Some(file) = self.files.get_mut(path) {
            file.kept = Kept::Taken(file.state.0);
        }
    }

    /// The file is to be looked at again then.
    pub fn again(&mut self, path: &OsStr, due_ms: u64) {
        if let Some(file) = self.files.get_mut(path) {
            file.due_ms = Some(due_ms);
            self.next_ms = Some(earlier(self.next_ms, due_ms));
        }
    }

    /// The file is not there any more.
    pub fn forget(&mut self, path: &Arc<OsStr>) {
        let file = self.files.remove(path);
        if file.is_some_and(|file| file.kept != Kept::Nothing) {
            self.gone.insert(Arc::clone(path));
        }
    }

    /// Names mean something else now: everything that was not taken is looked at again.
    pub fn review(&mut self) {
        for file in self.files.values_mut() {
            if !matches!(file.kept, Kept::Taken(_)) {
                file.due_ms = file.due_ms.or(Some(0));
            }
        }
    }

    /// Up to so many files that the store is to forget.
    pub fn pop_gone(&mut self, most: usize) -> Vec<Arc<OsStr>> {
        std::iter::from_fn(|| self.gone.pop_first())
            .take(most)
            .collect()
    }

    /// The store could not forget these files; they are named again.
    pub fn put_gone(&mut self, paths: Vec<Arc<OsStr>>) {
        self.gone.extend(paths);
    }

    /// Whether every file is at rest, and the store knows which are gone.
    pub fn is_idle(&self) -> bool {
        !self.is_waiting() && self.next_ms.is_none() && self.gone.is_empty()
    }
}

fn earlier(moment: Option<u64>, other: u64) -> u64 {
    moment.map_or(other, |moment| moment.min(other))
}

/// Which of an owner's files comes first: attempts are numbered in this order. Files that are found
/// in one look are due at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Age {
    pub due_ms: u64,
    /// When it was last written.
    pub mtime_ns: u64,
    /// Bytes of its name: `curling.c` comes before `curling (1).c`, and that before
    /// `curling (10).c`.
    name_bytes: usize,
}

/// Files that are due, by their owners. In its turn each is given the oldest one.
#[derive(Debug, Default)]
struct RoundRobin {
    /// No set is empty.
    waiting: BTreeMap<Arc<str>, BTreeSet<(Age, Arc<OsStr>)>>,
    /// Who had the last turn.
    last: Option<Arc<str>>,
}

impl RoundRobin {
    /// A file waits for its turn.
    pub fn add(&mut self, owner: &str, age: Age, path: Arc<OsStr>) {
        if let Some(files) = self.waiting.get_mut(owner) {
            files.insert((age, path));
        } else {
            let files = BTreeSet::from([(age, path)]);
            self.waiting.insert(Arc::from(owner), files);
        }
    }

    /// The next file in turn, which waits no more.
    pub fn pop(&mut self) -> Option<Arc<OsStr>> {
        let after = self
            .last
            .take()
            .and_then(|last| self.waiting.range((Excluded(last), Unbounded)).next());
        let (owner, _) = after.or_else(|| self.waiting.first_key_value())?;
        let owner = Arc::clone(owner);
        let files = self.waiting.get_mut(&owner)?;
        let next = files.pop_first();
        if files.is_empty() {
            self.waiting.remove(&owner);
        }
        self.last = Some(owner);
        next.map(|(_, path)| path)
    }

    /// Whether no file waits.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }
}

#[cfg(test)]
mod tests;

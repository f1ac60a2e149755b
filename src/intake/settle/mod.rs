//! Which files have come to rest: a pure state machine over observations and a clock that only ever
//! grows.
//!
//! A file is due when two looks, at least the settle time apart, saw the same fingerprint. Hints
//! from the watch shorten that time;
//! they never replace the second look, which the caller takes when the file is due.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsStr;
use std::sync::Arc;
use std::time::Duration;

use super::round_robin::{Age, RoundRobin};
use super::scan::ENTRIES_MAX;
use super::stat::Fingerprint;

/// A file that was moved into place is whole; this much later its time stamps are past the kernel's
/// tick, so that a change after the last look cannot have the same ones.
const RENAMED_MS: u64 = 50;
/// Where time stamps have whole seconds only (FAT, old NFS), a change within two of them may not
/// show.
const COARSE_MS: u64 = 2_100;
/// Files remembered; beyond it those that the last pass did not see are dropped even if that pass
/// was cut short.
const FILES_MAX: usize = 2 * ENTRIES_MAX;

/// What is known about a file beside its fingerprint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Hint {
    /// Nothing.
    #[default]
    None,
    /// A program that wrote it has closed it; it may open it again.
    Closed,
    /// It was moved to this name, as programs do with a file that is whole.
    RenamedIn,
}

/// What was settled about a file, worth keeping over a restart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    /// The state of the file that it is about.
    pub fingerprint: Fingerprint,
    /// `None` for a submission that was taken; for a rejection, which one was told.
    pub told: Option<u64>,
}

impl Mark {
    /// For storing: numbers of eight bytes each, `told` only where it is there.
    pub fn to_bytes(self) -> Vec<u8> {
        let Fingerprint {
            size,
            mtime_ns,
            ctime_ns,
            inode,
        } = self.fingerprint;
        let numbers = [size, mtime_ns, ctime_ns, inode];
        let numbers = numbers.into_iter().chain(self.told);
        numbers.flat_map(u64::to_le_bytes).collect()
    }

    /// From what was stored; `None` for anything else.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (numbers, []) = bytes.as_chunks() else {
            return None;
        };
        let numbers: Vec<u64> = numbers.iter().copied().map(u64::from_le_bytes).collect();
        let (&[size, mtime_ns, ctime_ns, inode], told) = numbers.split_first_chunk()?;
        let told = match told {
            [] => None,
            [told] => Some(*told),
            _ => return None,
        };
        let fingerprint = Fingerprint {
            size,
            mtime_ns,
            ctime_ns,
            inode,
        };
        Some(Self { fingerprint, told })
    }
}

/// What a file that is due looks like by its name. The two kinds have queues of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Queue {
    Programs,
    /// Anything else.
    Others,
}

/// Where a file stands.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Phase {
    /// It has to stay as it is from one moment to another.
    Settling { since_ms: u64, due_ms: u64 },
    /// It has come to rest, and waits for its turn.
    Due {
        queue: Queue,
        owner: Arc<str>,
        age: Age,
    },
    /// The caller has it under this number.
    HandedOut(u64),
    /// Nothing to do while it stays as it is.
    AtRest,
}

#[derive(Debug)]
struct File {
    fingerprint: Fingerprint,
    phase: Phase,
    told: Option<u64>,
    /// The state in which it was last taken as a submission.
    taken: Option<Fingerprint>,
    pass: u64,
}

/// What was known of a file that is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Forgotten {
    /// Whether it was rejected.
    pub was_rejected: bool,
}

/// The files and where they stand.
#[derive(Debug)]
pub struct Settler {
    settle_ms: u64,
    files: HashMap<Arc<OsStr>, File>,
    /// Exactly the settling ones, by the moment they are due.
    due: BTreeSet<(u64, Arc<OsStr>)>,
    /// Exactly the due ones.
    programs: RoundRobin,
    others: RoundRobin,
    pass: u64,
}

impl Settler {
    /// With this settle time.
    pub fn new(settle: Duration) -> Self {
        let mut settler = Self {
            settle_ms: 0,
            files: HashMap::new(),
            due: BTreeSet::new(),
            programs: RoundRobin::default(),
            others: RoundRobin::default(),
            pass: 0,
        };
        settler.set_settle(settle);
        settler
    }

    /// Changes the settle time, for looks from now on.
    pub fn set_settle(&mut self, settle: Duration) {
        self.settle_ms = u64::try_from(settle.as_millis()).unwrap_or(u64::MAX);
    }

    /// What an earlier run settled about a file; to be called before the first look.
    pub fn remember(&mut self, path: &OsStr, mark: Mark) {
        let file = File {
            fingerprint: mark.fingerprint,
            phase: Phase::AtRest,
            told: mark.told,
            taken: mark.told.is_none().then_some(mark.fingerprint),
            pass: self.pass,
        };
        self.files.insert(Arc::from(path), file);
    }

    /// A pass over all files begins.
    pub fn begin_pass(&mut self) {
        self.pass += 1;
    }

    /// A pass is over; `complete` says whether what it did not see is not there. Returns the
    /// rejected files that are gone.
    pub fn end_pass(&mut self, complete: bool) -> Vec<Arc<OsStr>> {
        if !complete && self.files.len() <= FILES_MAX {
            return Vec::new();
        }
        let gone: Vec<Arc<OsStr>> = self
            .files
            .iter()
            .filter(|(_, file)| file.pass != self.pass)
            .map(|(path, _)| Arc::clone(path))
            .collect();
        gone.into_iter()
            .filter(|path| self.forget(path) == Some(Forgotten { was_rejected: true }))
            .collect()
    }

    /// A look at a file.
    pub fn see(&mut self, path: &OsStr, fingerprint: Fingerprint, hint: Hint, now_ms: u64) {
        let wait_ms = self.wait_ms(fingerprint, hint);
        let pass = self.pass;
        let Some((path, file)) = self.entry(path) else {
            let path: Arc<OsStr> = Arc::from(path);
            let file = File {
                fingerprint,
                phase: Phase::AtRest,
                told: None,
                taken: None,
                pass,
            };
            self.files.insert(Arc::clone(&path), file);
            self.settle(&path, now_ms, now_ms.saturating_add(wait_ms));
            return;
        };
        file.pass = pass;
        if file.fingerprint != fingerprint {
            file.fingerprint = fingerprint;
            self.settle(&path, now_ms, now_ms.saturating_add(wait_ms));
        } else if let Phase::Settling { since_ms, due_ms } = file.phase {
            self.settle(
                &path,
                since_ms,
                due_ms.min(since_ms.saturating_add(wait_ms)),
            );
        }
    }

    /// The file is not there any more. None where it was not known.
    pub fn forget(&mut self, path: &OsStr) -> Option<Forgotten> {
        self.set_phase(path, Phase::AtRest);
        let file = self.files.remove(path)?;
        Some(Forgotten {
            was_rejected: file.told.is_some(),
        })
    }

    /// Whether a file is known.
    pub fn knows(&self, path: &OsStr) -> bool {
        self.files.contains_key(path)
    }

    /// Puts files that have come to rest by now into their queues; `place_of` says which, and with whose
    /// other files they take turns.
    pub fn queue_settled(&mut self, now_ms: u64, place_of: impl Fn(&OsStr) -> (Queue, Arc<str>)) {
        while let Some((due_ms, path)) = self.due.first().cloned()
            && due_ms <= now_ms
        {
            let (queue, owner) = place_of(&path);
            let file = self.files.get(&path);
            let age = Age {
                due_ms,
                mtime_ns: file.map_or(0, |file| file.fingerprint.mtime_ns),
                name_bytes: path.len(),
            };
            self.set_phase(
                &path,
                Phase::Due {
                    queue,
                    owner: Arc::clone(&owner),
                    age,
                },
            );
            self.queue(queue).add(&owner, age, path);
        }
    }

    /// The file whose turn it is, and what it looked like. The caller looks again and then says
    /// what it did with it.
    pub fn next_due(&mut self, queue: Queue) -> Option<(Arc<OsStr>, Fingerprint)> {
        let path = self.queue(queue).next()?;
        let fingerprint = self.files.get(&path)?.fingerprint;
        Some((path, fingerprint))
    }

    /// Whether a file is due at this moment.
    pub fn is_due(&self, now_ms: u64) -> bool {
        self.next_due_ms().is_some_and(|due_ms| due_ms <= now_ms)
    }

    /// When the next file is due.
    pub fn next_due_ms(&self) -> Option<u64> {
        if !self.programs.is_empty() || !self.others.is_empty() {
            return Some(0);
        }
        self.due.first().map(|(due_ms, _)| *due_ms)
    }

    fn queue(&mut self, queue: Queue) -> &mut RoundRobin {
        match queue {
            Queue::Programs => &mut self.programs,
            Queue::Others => &mut self.others,
        }
    }

    /// Which rejection was told about the file last.
    pub fn told(&self, path: &OsStr) -> Option<u64> {
        self.files.get(path).and_then(|file| file.told)
    }

    /// Whether a file in this state is the one that was last taken, with nothing new about it but
    /// the time of its attributes: the number of its names is one of them.
    pub fn is_as_taken(&self, path: &OsStr, now: Fingerprint) -> bool {
        let taken = self.files.get(path).and_then(|file| file.taken);
        taken.is_some_and(|taken| {
            let ctime_ns = now.ctime_ns;
            Fingerprint { ctime_ns, ..taken } == now
        })
    }

    /// Nothing more to do about the file while it stays as it is; `told` as in `Mark`.
    pub fn rest(&mut self, path: &OsStr, told: Option<u64>) {
        self.set_phase(path, Phase::AtRest);
        if let Some(file) = self.files.get_mut(path) {
            file.told = told;
        }
    }

    /// The file is to be looked at again later, whatever is known about it.
    pub fn again(&mut self, path: &OsStr, since_ms: u64, due_ms: u64) {
        if let Some((path, _)) = self.entry(path) {
            self.settle(&path, since_ms, due_ms);
        }
    }

    /// The caller has the file under this number, until `taken` or `put_back`.
    pub fn hand_out(&mut self, path: &OsStr, number: u64) {
        self.set_phase(path, Phase::HandedOut(number));
    }

    /// What was handed out under this number is stored. Tells whether that is still the file's
    /// state.
    pub fn taken(&mut self, path: &OsStr, number: u64, mark: Mark) -> bool {
        let current = self.has_out(path, number);
        if current {
            self.rest(path, mark.told);
        } else if mark.told.is_some()
            && let Some(file) = self.files.get_mut(path)
        {
            // It has changed since, and what it is now does not make unsaid what was said.
            file.told = mark.told;
        }
        if let (None, Some(file)) = (mark.told, self.files.get_mut(path)) {
            file.taken = Some(mark.fingerprint);
        }
        current
    }

    /// What was handed out under this number could not be stored.
    pub fn put_back(&mut self, path: &OsStr, number: u64, due_ms: u64) {
        if self.has_out(path, number) {
            self.again(path, due_ms, due_ms);
        }
    }

    /// Names mean something else now: what was refused is looked at again, or everything.
    pub fn review(&mut self, now_ms: u64, all: bool) {
        let wanted: Vec<Arc<OsStr>> = self
            .files
            .iter()
            .filter(|(_, file)| file.phase == Phase::AtRest && (all || file.told.is_some()))
            .map(|(path, _)| Arc::clone(path))
            .collect();
        for path in wanted {
            self.settle(&path, now_ms, now_ms);
        }
    }

    fn has_out(&self, path: &OsStr, number: u64) -> bool {
        self.files
            .get(path)
            .is_some_and(|file| file.phase == Phase::HandedOut(number))
    }

    fn entry(&mut self, path: &OsStr) -> Option<(Arc<OsStr>, &mut File)> {
        let shared = Arc::clone(self.files.get_key_value(path)?.0);
        self.files.get_mut(path).map(|file| (shared, file))
    }

    fn settle(&mut self, path: &Arc<OsStr>, since_ms: u64, due_ms: u64) {
        self.set_phase(path, Phase::Settling { since_ms, due_ms });
        self.due.insert((due_ms, Arc::clone(path)));
    }

    fn set_phase(&mut self, path: &OsStr, phase: Phase) {
        if let Some((path, file)) = self.entry(path) {
            match std::mem::replace(&mut file.phase, phase) {
                Phase::Settling { due_ms, .. } => {
                    self.due.remove(&(due_ms, path));
                }
                Phase::Due { queue, owner, age } => self.queue(queue).remove(&owner, age, path),
                Phase::HandedOut(_) | Phase::AtRest => {}
            }
        }
    }

    fn wait_ms(&self, fingerprint: Fingerprint, hint: Hint) -> u64 {
        if fingerprint.ctime_ns.is_multiple_of(1_000_000_000) {
            return self.settle_ms.max(COARSE_MS);
        }
        match hint {
            Hint::None => self.settle_ms,
            // Some programs open, append and close again and again.
            Hint::Closed => self.settle_ms / 2,
            Hint::RenamedIn => self.settle_ms.min(RENAMED_MS),
        }
    }
}

#[cfg(test)]
mod tests;

//! A worker's bytes by their digests on its own disk, so that tests are fetched once and not with
//! every order. What is there is checked whenever it is read, and may be lost at any time: a disk
//! that is full or broken costs only speed.

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

use rustix::fs::{FlockOperation, flock};

use crate::domain::Digest;
use crate::util::files::{read_regular, replace_unsynced, sweep};
use crate::util::hash::digest;
use crate::util::sync::lock;

/// Most files.
pub const ENTRIES_MAX: usize = 20_000;
/// Workers on one machine that have folders beside each other.
const FOLDERS_MAX: usize = 64;
/// The file that says that a folder is in use.
const LOCK: &str = "lock";

/// The folder of one worker, for all its places.
pub struct Cache {
    folder: PathBuf,
    bytes_max: u64,
    entries_max: usize,
    index: Mutex<Index>,
    /// Whether the last try to keep something failed.
    is_failing: AtomicBool,
    _lock: File,
}

#[derive(Default)]
struct Index {
    entries: HashMap<Digest, Entry>,
    /// Which was used when, the least recently used first.
    used: BTreeMap<u64, Digest>,
    bytes: u64,
    clock: u64,
}

#[derive(Clone, Copy)]
struct Entry {
    length: u64,
    used: u64,
}

impl Index {
    fn add(&mut self, digest: Digest, length: u64) {
        self.remove(&digest);
        self.clock += 1;
        let used = self.clock;
        self.entries.insert(digest, Entry { length, used });
        self.used.insert(used, digest);
        self.bytes += length;
    }

    fn remove(&mut self, digest: &Digest) -> bool {
        let Some(entry) = self.entries.remove(digest) else {
            return false;
        };
        self.used.remove(&entry.used);
        self.bytes -= entry.length;
        true
    }

    /// What has to go so that so many more bytes have room.
    fn make_room(&mut self, length: u64, bytes_max: u64, entries_max: usize) -> Vec<Digest> {
        let mut gone = Vec::new();
        while self.bytes + length > bytes_max || self.entries.len() >= entries_max {
            let Some(oldest) = self.used.values().next().copied() else {
                break;
            };
            self.remove(&oldest);
            gone.push(oldest);
        }
        gone
    }
}

impl Cache {
    /// Opens the first folder below this one that no other worker uses, and takes it.
    pub fn open(folder: &Path, bytes_max: u64, entries_max: usize) -> io::Result<Self> {
        private_folder(folder)?;
        for number in 0..FOLDERS_MAX {
            let own = folder.join(number.to_string());
            private_folder(&own)?;
            let held = File::options()
                .create(true)
                .truncate(false)
                .write(true)
                .open(own.join(LOCK))?;
            match flock(&held, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => return Self::of(own, held, bytes_max, entries_max),
                Err(rustix::io::Errno::WOULDBLOCK) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(io::Error::other(
            "too many workers on this machine use this folder",
        ))
    }

    fn of(folder: PathBuf, held: File, bytes_max: u64, entries_max: usize) -> io::Result<Self> {
        sweep(&folder);
        let mut found = Vec::new();
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            let Some(digest) = entry.file_name().to_str().and_then(Digest::parse) else {
                continue;
            };
            let Ok(known) = entry.metadata() else {
                continue;
            };
            if !known.is_file() || found.len() >= entries_max {
                // Whatever it is, it was not this program that put it there.
                let _ = fs::remove_file(entry.path());
                continue;
            }
            let used = known.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            found.push((used, digest, known.len()));
        }
        found.sort_by_key(|(used, ..)| *used);
        let mut index = Index::default();
        for (_, digest, length) in found {
            index.add(digest, length);
        }
        let cache = Self {
            folder,
            bytes_max,
            entries_max,
            index: Mutex::new(index),
            is_failing: AtomicBool::new(false),
            _lock: held,
        };
        let gone = lock(&cache.index).make_room(0, bytes_max, entries_max.saturating_add(1));
        cache.delete(&gone);
        Ok(cache)
    }

    /// The bytes, if they are there and still what they were.
    pub fn get(&self, wanted: &Digest) -> Option<Vec<u8>> {
        let length = {
            let mut index = lock(&self.index);
            let length = index.entries.get(wanted)?.length;
            index.add(*wanted, length);
            length
        };
        let file = self.file(wanted);
        let bytes = read_regular(&file, length);
        let bytes = bytes.ok().filter(|bytes| digest(bytes) == *wanted);
        match &bytes {
            Some(_) => {
                // The next start knows by it what was used lately; a failure costs a wrong order.
                let _ = File::open(&file).and_then(|file| file.set_modified(SystemTime::now()));
            }
            None => {
                lock(&self.index).remove(wanted);
                self.delete(&[*wanted]);
            }
        }
        bytes
    }

    /// Keeps bytes. An error is given back once, until something was kept again.
    pub fn put(&self, digest: &Digest, bytes: &[u8]) -> Result<(), io::Error> {
        let length = bytes.len() as u64;
        if length > self.bytes_max {
            return Ok(());
        }
        let gone = {
            let mut index = lock(&self.index);
            if index.entries.contains_key(digest) {
                return Ok(());
            }
            index.make_room(length, self.bytes_max, self.entries_max)
        };
        self.delete(&gone);
        match replace_unsynced(&self.file(digest), bytes) {
            Ok(()) => {
                self.is_failing.store(false, Ordering::Relaxed);
                let gone = {
                    let mut index = lock(&self.index);
                    index.add(*digest, length);
                    // Other places may have kept something meanwhile.
                    let entries_max = self.entries_max.saturating_add(1);
                    index.make_room(0, self.bytes_max, entries_max)
                };
                self.delete(&gone);
                Ok(())
            }
            Err(error) if self.is_failing.swap(true, Ordering::Relaxed) => {
                tracing::debug!(%error, "bytes are not kept");
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    fn file(&self, digest: &Digest) -> PathBuf {
        self.folder.join(digest.to_string())
    }

    fn delete(&self, digests: &[Digest]) {
        for digest in digests {
            // What stays is found and counted at the next start.
            let _ = fs::remove_file(self.file(digest));
        }
    }
}

/// Makes a folder for this user alone, with those above it.
fn private_folder(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// Where the bytes are kept if nobody says otherwise.
pub fn default_folder() -> PathBuf {
    let of = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let is_whole = |path: &PathBuf| path.is_absolute();
    let above = of("XDG_CACHE_HOME")
        .filter(is_whole)
        .or_else(|| of("HOME").filter(is_whole).map(|home| home.join(".cache")));
    match above {
        Some(above) => above.join("verdictd"),
        None => {
            std::env::temp_dir().join(format!("verdictd-{}", rustix::process::getuid().as_raw()))
        }
    }
}

#[cfg(test)]
#[path = "cache_tests.rs"]
mod tests;

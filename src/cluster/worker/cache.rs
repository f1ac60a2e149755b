//! Bytes that a worker keeps on its disk, by their digests. Whatever is wrong with them costs only
//! another fetch: they are checked whenever they are read.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use crate::domain::Digest;
use crate::util::excerpt::visible_line;
use crate::util::files::{SCRATCH, read_regular};
use crate::util::hash::digest;
use crate::util::sync::lock;

/// Files that are kept at most.
const FILES_MAX: usize = 100_000;
/// How full it is after a clearing, in per cent of its bounds.
const CLEARED_PERCENT: u64 = 90;
/// Held by the worker that uses the folder.
const LOCK: &str = "lock";
/// What the languages of this machine are.
const LANGUAGES: &str = "languages.json";
/// How the names of files begin that are being written: the library's own choice.
const UNFINISHED: &str = ".tmp";

/// Why a folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CacheError {
    /// It cannot be made or read.
    #[error("{}: the worker's cache cannot be used: {source}; name another folder with --cache", .folder.display())]
    Folder { folder: PathBuf, source: io::Error },
    /// Another worker has it.
    #[error("{}: another worker uses this cache; name another folder with --cache", .0.display())]
    Taken(PathBuf),
    /// What is there is no worker's.
    #[error("{}: `{name}` in it is not a worker's, so this is no cache, and nothing in it is touched; name another folder with --cache", .folder.display())]
    Foreign { folder: PathBuf, name: String },
}

/// A folder of bytes, used by one worker.
pub struct Cache {
    folder: PathBuf,
    bytes_max: u64,
    known: Mutex<Known>,
    is_full: AtomicBool,
    /// Locked as long as it is open.
    _lock: File,
}

#[derive(Default)]
struct Known {
    files: HashMap<Digest, Entry>,
    bytes: u64,
    clock: u64,
}

struct Entry {
    bytes: u64,
    used: u64,
}

impl Cache {
    /// Opens a folder, and makes it where there is none. What is in it stays, as far as it fits.
    pub fn open(folder: &Path, bytes_max: u64) -> Result<Self, CacheError> {
        let failed = |source| CacheError::Folder {
            folder: folder.to_owned(),
            source,
        };
        let mut builder = fs::DirBuilder::new();
        builder
            .recursive(true)
            .mode(0o700)
            .create(folder)
            .map_err(failed)?;
        if let Some(name) = foreign(folder).map_err(failed)? {
            let folder = folder.to_owned();
            return Err(CacheError::Foreign { folder, name });
        }
        let file = File::create(folder.join(LOCK)).map_err(failed)?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(Errno::WOULDBLOCK) => return Err(CacheError::Taken(folder.to_owned())),
            Err(error) => return Err(failed(error.into())),
        }
        let cache = Self {
            folder: folder.to_owned(),
            bytes_max,
            known: Mutex::default(),
            is_full: AtomicBool::new(false),
            _lock: file,
        };
        cache.look().map_err(failed)?;
        Ok(cache)
    }

    /// Finds what an earlier worker has left. The oldest goes first when it becomes too much.
    fn look(&self) -> io::Result<()> {
        let mut found = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            let name = entry.file_name();
            let wanted = name.to_str().and_then(Digest::parse);
            match (wanted, entry.metadata()) {
                (Some(digest), Ok(about)) if about.is_file() && found.len() < FILES_MAX => {
                    found.push((about.mtime(), digest, about.len()));
                }
                // One too many, or of a worker that was killed while it wrote.
                _ if is_own(&name) => drop(fs::remove_file(entry.path())),
                _ => {}
            }
        }
        found.sort_unstable_by_key(|(time, ..)| *time);
        let mut known = lock(&self.known);
        for (_, digest, bytes) in found {
            known.add(digest, bytes);
        }
        self.clear(&mut known);
        Ok(())
    }

    /// Where it is kept what the languages of this machine are.
    pub fn languages(&self) -> PathBuf {
        self.folder.join(LANGUAGES)
    }

    fn path(&self, digest: &Digest) -> PathBuf {
        self.folder.join(digest.to_string())
    }

    /// The bytes with this digest, if they are here.
    pub fn get(&self, wanted: &Digest) -> Option<Vec<u8>> {
        let mut known = lock(&self.known);
        known.clock += 1;
        let now = known.clock;
        let entry = known.files.get_mut(wanted)?;
        entry.used = now;
        let bytes = entry.bytes;
        drop(known);
        let path = self.path(wanted);
        let read = read_regular(&path, bytes).ok();
        let sound = read.filter(|bytes| digest(bytes) == *wanted);
        if sound.is_none() {
            lock(&self.known).forget(wanted);
            // It may be gone already.
            let _ = fs::remove_file(path);
        }
        sound
    }

    /// Keeps bytes. Where there is no room, that costs another fetch and nothing else; returns the
    /// error where it is the first.
    pub fn put(&self, digest: &Digest, bytes: &[u8]) -> Option<io::Error> {
        let length = bytes.len() as u64;
        if length > self.bytes_max {
            return None;
        }
        let written = tempfile::NamedTempFile::new_in(&self.folder).and_then(|mut file| {
            file.write_all(bytes)?;
            file.persist(self.path(digest))?;
            Ok(())
        });
        if let Err(error) = written {
            let is_first = !self.is_full.swap(true, Ordering::Relaxed);
            return is_first.then_some(error);
        }
        self.is_full.store(false, Ordering::Relaxed);
        let mut known = lock(&self.known);
        known.add(*digest, length);
        self.clear(&mut known);
        None
    }

    /// Where there is too much, what was not used for longest goes.
    fn clear(&self, known: &mut Known) {
        if known.bytes <= self.bytes_max && known.files.len() <= FILES_MAX {
            return;
        }
        let mut all: Vec<(u64, Digest)> = known
            .files
            .iter()
            .map(|(digest, entry)| (entry.used, *digest))
            .collect();
        all.sort_unstable_by_key(|(used, _)| *used);
        let bytes_left = self.bytes_max / 100 * CLEARED_PERCENT;
        let files_left = FILES_MAX / 100 * usize::try_from(CLEARED_PERCENT).unwrap_or(0);
        for (_, digest) in all {
            if known.bytes <= bytes_left && known.files.len() <= files_left {
                return;
            }
            known.forget(&digest);
            let _ = fs::remove_file(self.path(&digest));
        }
    }
}

/// Whether a file of this name is one that a cache has written, and may remove.
fn is_own(name: &OsStr) -> bool {
    let name = name.to_str();
    name.is_some_and(|name| {
        Digest::parse(name).is_some()
            || [UNFINISHED, SCRATCH]
                .iter()
                .any(|begin| name.starts_with(begin))
    })
}

/// Something in a folder that no cache has put there: whoever names a wrong folder loses nothing.
fn foreign(folder: &Path) -> io::Result<Option<String>> {
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name();
        // What a file system puts at its top.
        let is_known = is_own(&name) || name == LOCK || name == LANGUAGES || name == "lost+found";
        if !is_known {
            return Ok(Some(visible_line(&name.to_string_lossy())));
        }
    }
    Ok(None)
}

impl Known {
    fn add(&mut self, digest: Digest, bytes: u64) {
        self.clock += 1;
        let used = self.clock;
        self.forget(&digest);
        self.bytes += bytes;
        self.files.insert(digest, Entry { bytes, used });
    }

    fn forget(&mut self, digest: &Digest) {
        if let Some(entry) = self.files.remove(digest) {
            self.bytes -= entry.bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(number: u8) -> (Digest, Vec<u8>) {
        let bytes = vec![number; 1_000];
        (digest(&bytes), bytes)
    }

    #[test]
    fn what_was_not_used_for_longest_goes_first_and_a_later_worker_finds_the_rest() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(folder.path(), 10_000).unwrap();
        for number in 0..10 {
            let (digest, bytes) = bytes(number);
            assert!(cache.put(&digest, &bytes).is_none());
        }
        assert!(cache.get(&bytes(0).0).is_some());
        let (digest, eleventh) = bytes(10);
        cache.put(&digest, &eleventh);
        let there = |cache: &Cache, number| cache.get(&bytes(number).0) == Some(bytes(number).1);
        assert!(there(&cache, 0), "used lately");
        assert!(!there(&cache, 1) && !there(&cache, 2), "the oldest");
        assert!(there(&cache, 3) && there(&cache, 10));
        assert!(matches!(
            Cache::open(folder.path(), 10_000),
            Err(CacheError::Taken(_))
        ));
        drop(cache);
        fs::write(folder.path().join(".tmpleft"), b"x").unwrap();
        let later = Cache::open(folder.path(), 5_000).unwrap();
        let left = (0..11).filter(|number| there(&later, *number)).count();
        assert!((4..=5).contains(&left), "{left}");
        assert!(!folder.path().join(".tmpleft").exists());
    }

    #[test]
    fn a_folder_with_anything_else_in_it_is_no_cache_and_loses_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let thesis = folder.path().join("thesis.txt");
        fs::write(&thesis, b"years of work").unwrap();
        let Err(error) = Cache::open(folder.path(), 10_000) else {
            panic!("it is somebody's own folder");
        };
        let said = error.to_string();
        assert!(
            said.contains("thesis.txt") && said.contains("--cache"),
            "{said}"
        );
        assert_eq!(fs::read(&thesis).unwrap(), b"years of work");
        assert!(!folder.path().join(LOCK).exists());
    }

    #[test]
    fn bytes_that_have_changed_are_not_given_and_a_full_disk_is_said_once() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(folder.path(), 10_000).unwrap();
        let (digest, right) = bytes(1);
        cache.put(&digest, &right);
        fs::write(folder.path().join(digest.to_string()), b"else").unwrap();
        assert_eq!(cache.get(&digest), None);
        assert!(!folder.path().join(digest.to_string()).exists());
        // Longer than all that may be kept: not an error.
        assert!(cache.put(&digest, &vec![0; 20_000]).is_none());
        fs::remove_dir_all(folder.path()).unwrap();
        assert!(cache.put(&digest, &right).is_some());
        assert!(cache.put(&digest, &right).is_none());
    }
}

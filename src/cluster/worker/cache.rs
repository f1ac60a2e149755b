//! Bytes that a worker keeps on its disk, by their digests. Whatever is wrong with them costs only
//! another fetch: they are checked whenever they are read.

use std::ffi::OsStr;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write as _};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

use crate::domain::{Complaint, Digest};
use crate::util::excerpt::visible_line;
use crate::util::files::{SCRATCH, read_regular};
use crate::util::hash::digest;
use crate::util::sync::lock;

/// Files that are kept at most.
const FILES_MAX: usize = 100_000;
/// How full it is after a clearing, in percent of its bounds.
const CLEARED_PERCENT: u64 = 90;
/// Held by the worker that uses the folder.
const LOCK: &str = "lock";
/// What the languages of this machine are.
const LANGUAGES: &str = "languages.json";
/// How the names of files begin that are being written: the library's own choice.
const UNFINISHED: &str = ".tmp";

/// A folder of bytes, used by one worker.
pub struct Cache {
    folder: PathBuf,
    bytes_max: u64,
    /// Bytes in it.
    bytes: Mutex<u64>,
    is_full: AtomicBool,
    /// Locked as long as it is open.
    _lock: File,
}

impl Cache {
    /// Opens a folder, and makes it where there is none. What is in it stays, as far as it fits.
    pub fn open(folder: &Path, bytes_max: u64) -> Result<Self, Complaint> {
        let wrong = |reason: String| {
            Complaint::new(folder, reason).with_help("name another folder with --cache")
        };
        let failed =
            |error: io::Error| wrong(format!("the worker's cache cannot be used: {error}"));
        let mut builder = fs::DirBuilder::new();
        let made = builder.recursive(true).mode(0o700).create(folder);
        made.map_err(failed)?;
        if let Some(name) = foreign(folder).map_err(failed)? {
            return Err(wrong(format!(
                "it contains `{name}`, so it is not a worker's cache, and nothing in it is touched"
            )));
        }
        let file = File::create(folder.join(LOCK)).map_err(failed)?;
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => wrong("another worker uses this cache".to_owned()),
            TryLockError::Error(error) => failed(error),
        })?;
        let cache = Self {
            folder: folder.to_owned(),
            bytes_max,
            bytes: Mutex::new(0),
            is_full: AtomicBool::new(false),
            _lock: file,
        };
        *lock(&cache.bytes) = cache.sweep(true).map_err(failed)?;
        Ok(cache)
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
        let path = self.path(wanted);
        let read = read_regular(&path, self.bytes_max).ok()?;
        let is_right = digest(&read) == *wanted;
        // It may be gone already. When it was used last decides how long it stays.
        let _ = if is_right {
            touch(&path)
        } else {
            fs::remove_file(path)
        };
        is_right.then_some(read)
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
            let path = self.path(digest);
            file.persist(&path)?;
            touch(&path)?;
            let mut held = lock(&self.bytes);
            *held += length;
            if *held > self.bytes_max {
                *held = self.sweep(false)?;
            }
            Ok(())
        });
        let had_failed = self.is_full.swap(written.is_err(), Ordering::Relaxed);
        written.err().filter(|_| !had_failed)
    }

    /// Where there is too much, what was not used for longest goes, and at first whatever a worker
    /// that was killed has not finished; how many bytes are left.
    fn sweep(&self, is_first: bool) -> io::Result<u64> {
        let (mut found, mut bytes) = (Vec::new(), 0);
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            let name = entry.file_name();
            match (name.to_str().and_then(Digest::parse), entry.metadata()) {
                (Some(_), Ok(about)) => {
                    bytes += about.len();
                    found.push((about.modified()?, about.len(), entry.path()));
                }
                (None, Ok(_)) if is_own(&name) && is_first => {
                    let _ = fs::remove_file(entry.path());
                }
                _ => {}
            }
        }
        if bytes <= self.bytes_max && found.len() <= FILES_MAX {
            return Ok(bytes);
        }
        found.sort_unstable();
        let bytes_left = self.bytes_max / 100 * CLEARED_PERCENT;
        let files_more = found.len().saturating_sub(FILES_MAX);
        for (at, (_, length, path)) in found.into_iter().enumerate() {
            if bytes <= bytes_left && at >= files_more {
                break;
            }
            fs::remove_file(path)?;
            bytes -= length;
        }
        Ok(bytes)
    }
}

/// It was used now.
fn touch(path: &Path) -> io::Result<()> {
    File::options()
        .write(true)
        .open(path)?
        .set_modified(SystemTime::now())
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

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(number: u8) -> (Digest, Vec<u8>) {
        let bytes = vec![number; 1_000];
        (digest(&bytes), bytes)
    }

    /// Why a folder is no cache.
    fn refusal(folder: &Path) -> String {
        Cache::open(folder, 10_000).err().unwrap().to_string()
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
        let taken = refusal(folder.path());
        assert!(taken.contains("another worker uses"), "{taken}");
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
        let said = refusal(folder.path());
        assert!(said.contains("thesis.txt"), "{said}");
        assert!(said.contains("--cache"), "{said}");
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

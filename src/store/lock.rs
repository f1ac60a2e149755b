//! Keeps two daemons out of one state folder, and the store off file systems that cannot hold it.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read, Seek, Write};
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::StoreError;
use crate::util::disk::{Disk, network_file_system};
use crate::util::files::{make_folder_with, read_regular, replace};

const LOCK_FILE: &str = "lock";
/// Says that the course is being put away, and where.
pub const ARCHIVING_FILE: &str = "archiving";
/// The longest path, in bytes.
const MARK_BYTES_MAX: u64 = 4096;
/// A lock file holds a process id and a line feed.
const LOCK_FILE_BYTES_MAX: u64 = 32;
/// How long a start waits for a holder that has been killed and is still being taken apart by the
/// kernel, or for a copy of the lock that this process has let go.
const DYING_MAX: Duration = Duration::from_secs(5);
const DYING_PAUSE: Duration = Duration::from_millis(20);

/// Holds the state folder until it is dropped or the process ends, however it ends: the kernel
/// keeps the lock, not the file.
#[derive(Debug)]
pub struct Lock {
    #[cfg_attr(not(test), expect(dead_code, reason = "the lock is its descriptor"))]
    file: File,
}

impl Lock {
    /// Takes the state folder, which is made if it is missing, readable by its owner alone: it
    /// holds every student's source. Refused while the course is being put away.
    pub fn take(folder: &Path) -> Result<Self, StoreError> {
        Self::take_for(folder, None)
    }

    /// Takes the state folder to put the course away into `target`; refused where half of it is in
    /// another folder already.
    pub fn take_to_archive(folder: &Path, target: &Path) -> Result<Self, StoreError> {
        Self::take_for(folder, Some(&target.display().to_string()))
    }

    fn take_for(folder: &Path, archive: Option<&str>) -> Result<Self, StoreError> {
        let lock = Self::hold(folder)?;
        match archiving(folder).filter(|begun| archive != Some(begun.as_str())) {
            None => Ok(lock),
            Some(target) => Err(StoreError::Archiving {
                folder: folder.to_owned(),
                target,
            }),
        }
    }

    /// Leaves a mark, for whoever holds the lock: while it is there, nobody goes on with the
    /// course, even after a sudden end.
    pub fn mark_archiving(folder: &Path, target: &Path) -> Result<(), StoreError> {
        let named = target.display().to_string();
        replace(&folder.join(ARCHIVING_FILE), named.as_bytes())
            .map_err(|error| StoreError::folder(folder, error))
    }

    fn hold(folder: &Path) -> Result<Self, StoreError> {
        let refused = |error| StoreError::folder(folder, error);
        make_folder_with(folder, 0o700).map_err(refused)?;
        match network_file_system(folder).map_err(refused)? {
            // There the store's locks and shared memory do not hold.
            Some((kind, Disk::Elsewhere)) => {
                return Err(StoreError::Refused(format!(
                    "the state folder {} is on a network file system ({kind}), where a store cannot be kept safely; set `folders.state` to a local disk",
                    folder.display()
                )));
            }
            Some((kind, Disk::HereOrElsewhere)) => tracing::warn!(
                folder = %folder.display(),
                "the state folder is on {kind}: the store is safe there only if the disk is in this machine"
            ),
            None => {}
        }
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(folder.join(LOCK_FILE))
            .map_err(refused)?;
        let end = Instant::now() + DYING_MAX;
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(error)) => return Err(refused(error)),
            }
            file.rewind().map_err(refused)?;
            let pid = holder(&mut file).map(|holder| holder.pid);
            // A program that another thread of this process starts has a copy of every open file
            // until it is executed.
            let is_own = |pid| pid == std::process::id();
            let is_going = pid.is_some_and(|pid| is_own(pid) || has_ended(pid));
            if !is_going || Instant::now() >= end {
                let who = pid.map_or_else(
                    || "another process".to_owned(),
                    |pid| format!("process {pid}"),
                );
                return Err(StoreError::Refused(format!(
                    "the state folder {} is in use by {who}; stop that one, or give this one a state folder of its own",
                    folder.display()
                )));
            }
            sleep(DYING_PAUSE);
        }
        file.rewind().map_err(refused)?;
        // A daemon that starts again in its own process is never seen without a name there.
        let own = Holder::own();
        if holder(&mut file) != Some(own) {
            file.set_len(0)
                .and_then(|()| file.rewind())
                .and_then(|()| {
                    writeln!(
                        file,
                        "{} {}",
                        own.pid,
                        own.started.map_or_else(String::new, |at| at.to_string())
                    )
                })
                .map_err(refused)?;
        }
        Ok(Self { file })
    }

    /// Whether the state folder is still the one that was taken: not removed, not moved, and nobody
    /// else's.
    pub fn is_in_place(folder: &Path) -> bool {
        match File::open(folder.join(LOCK_FILE)) {
            Ok(mut file) => holder(&mut file) == Some(Holder::own()),
            // For any other reason it may only be out of reach for the moment.
            Err(error) => error.kind() != ErrorKind::NotFound,
        }
    }
}

/// Says that this process has left the state folder for another one. While it starts again with the
/// same folder, its name stays there: whoever waits for a daemon sees one.
pub fn leave(folder: &Path) {
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .open(folder.join(LOCK_FILE));
    if let Ok(mut file) = file
        && holder(&mut file) == Some(Holder::own())
    {
        // If it cannot be written, a command that waits there waits until this process ends.
        let _ = file.set_len(0);
    }
}

/// Where the course is being put away, as far as that can be read.
fn archiving(folder: &Path) -> Option<String> {
    match read_regular(&folder.join(ARCHIVING_FILE), MARK_BYTES_MAX) {
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        read => Some(String::from_utf8_lossy(&read.unwrap_or_default()).into_owned()),
    }
}

/// Whether a daemon holds the state folder, as far as its process can be seen. A command that had
/// the store open itself is none.
///
/// The lock itself is not tried: a daemon that starts at that moment would find it taken.
pub fn is_running(folder: &Path) -> bool {
    let Ok(mut file) = File::open(folder.join(LOCK_FILE)) else {
        return false;
    };
    let other = holder(&mut file).filter(|holder| holder.pid != std::process::id());
    other.is_some_and(|holder| !has_ended(holder.pid) && Holder::of(holder.pid) == holder)
}

/// The process that holds a state folder, as its lock file names it. It stays there while a daemon
/// starts anew in its process, when it has the lock not open for a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Holder {
    pid: u32,
    /// When it was started, in ticks since the machine was: another process may get the number of
    /// one that was killed.
    started: Option<u64>,
}

impl Holder {
    fn of(pid: u32) -> Self {
        // The 22nd field; the state is the third.
        let started = stat(pid).and_then(|stat| stat.split(' ').nth(19)?.parse().ok());
        Self { pid, started }
    }

    fn own() -> Self {
        Self::of(std::process::id())
    }
}

/// Whether there is no such process, or it is a zombie.
fn has_ended(pid: u32) -> bool {
    stat(pid).is_none_or(|stat| stat.starts_with(['Z', 'X']))
}

/// What the kernel says of a process, from its state on.
fn stat(pid: u32) -> Option<String> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // `123 (name) S …`; a name may have brackets and spaces of its own.
    Some(stat.rsplit_once(") ")?.1.to_owned())
}

fn holder(file: &mut File) -> Option<Holder> {
    let mut text = String::new();
    file.take(LOCK_FILE_BYTES_MAX)
        .read_to_string(&mut text)
        .ok()?;
    let mut words = text.split_whitespace();
    Some(Holder {
        pid: words.next()?.parse().ok()?,
        started: words.next().and_then(|at| at.parse().ok()),
    })
}

#[cfg(test)]
mod tests {
    use std::fs::read_dir;

    use super::{LOCK_FILE, Lock};

    #[test]
    fn a_copy_of_the_lock_in_a_program_that_is_being_started_keeps_nobody_out() {
        let folder = tempfile::tempdir().unwrap();
        let lock = Lock::take(folder.path()).unwrap();
        let copy = lock.file.try_clone().unwrap();
        drop(lock);
        let path = folder.path().join(LOCK_FILE);
        let opened = || {
            let files = read_dir("/proc/self/fd").unwrap();
            let targets = files.filter_map(|file| file.unwrap().path().read_link().ok());
            targets.filter(|target| *target == path).count()
        };
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while opened() < 2 {
                    std::thread::yield_now();
                }
                drop(copy);
            });
            Lock::take(folder.path()).unwrap();
        });
    }
}

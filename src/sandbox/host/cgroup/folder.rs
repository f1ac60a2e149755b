//! Folders of control groups: made, locked, filled in, read and removed, and the sweeping of what
//! dead daemons left.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::domain::Fault;

const PREFIX: &str = "verdictd";

/// A name that no other daemon and no other group of this one has.
pub fn fresh_name() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("{PREFIX}-{}-{count}", std::process::id())
}

/// Removes the groups of daemons that are gone.
pub fn sweep(parent: &Path) {
    let Ok(entries) = fs::read_dir(parent) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(pid) = name
            .to_str()
            .and_then(|name| name.strip_prefix(PREFIX)?.strip_prefix('-'))
            .and_then(|rest| rest.split('-').next()?.parse::<u32>().ok())
        else {
            continue;
        };
        if Path::new("/proc").join(pid.to_string()).exists() {
            continue;
        }
        // The pid may be one of another container; a living owner holds the lock.
        let Ok(folder) = File::open(entry.path()) else {
            continue;
        };
        if folder.try_lock().is_ok() {
            remove(&entry.path());
        }
    }
}

/// Tries of removing a group whose last process is just going away. On a busy machine the kernel
/// takes its time, even after the process was reaped.
const REMOVE_TRIES: usize = 2_000;
const REMOVE_PAUSE: Duration = Duration::from_millis(1);

/// Removes a group, and kills what is in it, which nothing should be.
fn remove(folder: &Path) {
    for _ in 0..REMOVE_TRIES {
        match fs::remove_dir(folder) {
            Ok(()) => return,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return,
            // Somebody else's, whose own daemon sweeps it.
            Err(error)
                if matches!(
                    error.kind(),
                    std::io::ErrorKind::PermissionDenied | std::io::ErrorKind::ReadOnlyFilesystem
                ) =>
            {
                return;
            }
            Err(_) => {
                // At once where the kernel can, else one by one.
                if fs::write(folder.join("cgroup.kill"), "1").is_ok() {
                    std::thread::sleep(REMOVE_PAUSE);
                    continue;
                }
                for pid in fs::read_to_string(folder.join("cgroup.procs"))
                    .unwrap_or_default()
                    .lines()
                    .filter_map(|line| Pid::from_raw(line.parse().ok()?))
                    .filter(|pid| !pid.is_init())
                {
                    // One that is gone already is what was wanted.
                    let _ = kill_process(pid, Signal::KILL);
                }
                std::thread::sleep(REMOVE_PAUSE);
            }
        }
    }
    tracing::warn!(folder = %folder.display(), "cannot remove a control group");
}

/// A folder that a group lives in: locked as long as it is ours, removed at the end.
pub struct Folder {
    pub path: PathBuf,
    /// The folder itself, open and locked.
    pub lock: File,
}

impl Folder {
    /// Makes it below a folder, with a name of its own.
    pub fn make(parent: &Path) -> Result<Self, Fault> {
        let path = parent.join(fresh_name());
        fs::create_dir(&path).map_err(|error| fault("make", &path, error))?;
        let lock = File::open(&path).map_err(|error| fault("open", &path, error))?;
        // Nobody else knows it yet.
        let _ = lock.try_lock();
        Ok(Self { path, lock })
    }

    /// Writes to a file that not every kernel has.
    pub fn write_if_there(&self, file: &str, value: &str) {
        if let Err(error) = fs::write(self.path.join(file), value) {
            tracing::debug!(file, %error, "cannot write a file of a control group that this kernel may not have");
        }
    }

    /// Opens one of its files, to read or to write.
    pub fn open(&self, file: &str, write: bool) -> Result<File, Fault> {
        let path = self.path.join(file);
        File::options()
            .read(!write)
            .write(write)
            .open(&path)
            .map_err(|error| fault("open", &path, error))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        remove(&self.path);
    }
}

fn fault(what: &str, path: &Path, error: impl Into<io::Error>) -> Fault {
    Fault::of_call(format!("{what} {}", path.display()), error)
}

/// What a counter file holds at most; those read here hold some hundred bytes.
const COUNTER_BYTES_MAX: usize = 1024;

/// Reads a counter file from its beginning, through the open descriptor, and gives its text to
/// `parse`.
fn read<T>(file: &File, parse: impl FnOnce(&str) -> T) -> Result<T, Fault> {
    let mut buffer = [0; COUNTER_BYTES_MAX];
    let length = file
        .read_at(&mut buffer, 0)
        .map_err(|error| Fault::of_call("read a cgroup counter", error))?;
    // The kernel writes ASCII.
    Ok(parse(str::from_utf8(&buffer[..length]).unwrap_or_default()))
}

/// Reads a file that holds one number.
pub fn read_number(file: &File) -> Result<u64, Fault> {
    read(file, |text| {
        let text = text.trim();
        text.parse()
            .map_err(|_| Fault::new("read a cgroup counter", format!("`{text}`")))
    })?
}

/// Reads the sum of these values of a file of `key value` lines; a key that is missing counts as 0.
pub fn read_keyed(file: &File, keys: &[&str]) -> Result<u64, Fault> {
    read(file, |text| keys.iter().map(|key| keyed(text, key)).sum())
}

/// Writes to a file that stays open.
pub fn write_again(file: &File, value: &str) -> Result<(), Fault> {
    file.write_at(value.as_bytes(), 0)
        .map(drop)
        .map_err(|error| Fault::new(format!("write {value} to a cgroup file"), error))
}

/// A value of a file of `key value` lines; 0 if the key is missing.
fn keyed(text: &str, key: &str) -> u64 {
    text.lines()
        .find_map(|line| {
            line.strip_prefix(key)?
                .strip_prefix(' ')?
                .trim()
                .parse()
                .ok()
        })
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::keyed;

    #[test]
    fn a_key_is_none_that_only_begins_like_it() {
        let text = "oom_kill_disable 1\nunder_oom 0\noom_kill 3\n";
        assert_eq!(keyed(text, "oom_kill"), 3);
        assert_eq!(keyed(text, "oom"), 0);
    }
}

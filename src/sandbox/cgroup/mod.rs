//! Control groups: what bounds and measures a job as a whole, its children included. Two versions behind one face.

mod v1;
mod v2;

use std::fs::{self, File};
use std::os::fd::BorrowedFd;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::sys;
use crate::domain::{Caps, Fault};

/// What a job used, by the kernel's counters.
#[derive(Debug, Clone, Copy, Default)]
pub struct Usage {
    /// Processor time of all processes; none where it is not counted here.
    pub cpu: Option<Duration>,
    /// The most memory in use at one time; none where it is not counted here.
    pub memory_bytes: Option<u64>,
    /// A process was killed because the job reached its cap.
    pub memory_exceeded: bool,
}

/// The group of one worker, used by one job after the other.
pub trait Group: Send {
    /// The files to which a process writes `0` to join.
    fn join_files(&self) -> Vec<BorrowedFd<'_>>;
    /// Makes it ready for the next job: nobody in it, its counters at a known point, the caps in force.
    fn begin(&mut self, caps: &Caps) -> Result<(), Fault>;
    /// Processor time of this job until now.
    fn cpu(&self) -> Result<Option<Duration>, Fault>;
    /// What this job used. All its processes are gone.
    fn finish(&mut self) -> Result<Usage, Fault>;
}

/// What of control groups is there and permitted: nothing, or why not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offers {
    /// The version's word: `cgroup v1`.
    pub version: &'static str,
    /// Bounding and measuring memory.
    pub memory: Result<(), String>,
    /// Bounding the number of processes.
    pub processes: Result<(), String>,
    /// Counting processor time.
    pub cpu: Result<(), String>,
}

impl Offers {
    /// Nothing, for one reason.
    fn nothing(why: &str) -> Self {
        Self {
            version: "cgroups",
            memory: Err(why.to_owned()),
            processes: Err(why.to_owned()),
            cpu: Err(why.to_owned()),
        }
    }
}

/// A place where groups can be made.
pub trait Hierarchy: Send + Sync {
    /// What it offers.
    fn offers(&self) -> Offers;
    /// A group of its own for one worker.
    fn group(&self) -> Result<Box<dyn Group>, Fault>;
}

/// Finds the hierarchy to use, and takes away what dead daemons left in it.
pub fn detect() -> Arc<dyn Hierarchy> {
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let own = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    if let Some(found) = v2::Unified::detect(&mounts, &own) {
        return Arc::new(found);
    }
    Arc::new(v1::Separate::detect(&mounts, &own))
}

/// No control groups at all, as if there were none on this machine.
pub fn none() -> Arc<dyn Hierarchy> {
    Arc::new(v1::Separate::detect("", ""))
}

/// A mounted hierarchy: where it is mounted, which of its folders that shows, its type, and the options of its superblock.
struct Mounted<'a> {
    root: &'a str,
    place: String,
    kind: &'a str,
    options: &'a str,
}

/// The hierarchies of a mountinfo file.
fn mounted(mountinfo: &str) -> Vec<Mounted<'_>> {
    mountinfo
        .lines()
        .filter_map(|line| {
            let (left, right) = line.split_once(" - ")?;
            let mut left = left.split(' ').skip(3);
            let (root, place) = (left.next()?, left.next()?);
            let mut right = right.split(' ');
            let kind = right.next()?;
            let options = right.nth(1)?;
            kind.starts_with("cgroup").then(|| Mounted {
                root,
                place: unescape(place),
                kind,
                options,
            })
        })
        .collect()
}

/// A space is written `\040` in mountinfo.
fn unescape(text: &str) -> String {
    text.replace("\\040", " ")
        .replace("\\011", "\t")
        .replace("\\134", "\\")
}

/// This process's folder in a hierarchy. `controller` is empty for version 2.
fn own_folder(mount: &Mounted<'_>, own: &str, controller: &str) -> Option<PathBuf> {
    let path = own.lines().find_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, path) = (parts.next()?, parts.next()?);
        controllers
            .split(',')
            .any(|name| name == controller)
            .then_some(path)
    })?;
    // A mount may show only a part of the hierarchy, as in a container; where our folder is not in it, its root is ours.
    let below = if mount.root == "/" {
        path
    } else {
        path.strip_prefix(mount.root).unwrap_or("")
    };
    let folder = Path::new(&mount.place).join(below.trim_start_matches('/'));
    if folder.is_dir() {
        Some(folder)
    } else {
        Some(PathBuf::from(&mount.place))
    }
}

const PREFIX: &str = "verdictd";

/// A name that no other daemon and no other group of this one has.
fn fresh_name() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("{PREFIX}-{}-{count}", std::process::id())
}

/// Removes the groups of daemons that are gone.
fn sweep(parent: &Path) {
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
        if sys::try_lock(&folder) {
            remove(&entry.path());
        }
    }
}

/// Tries of removing a group whose last process is just going away.
const REMOVE_TRIES: usize = 50;

/// Removes a group, and kills what is in it, which nothing should be.
fn remove(folder: &Path) {
    for _ in 0..REMOVE_TRIES {
        match fs::remove_dir(folder) {
            Ok(()) => return,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return,
            Err(_) => {
                for pid in fs::read_to_string(folder.join("cgroup.procs"))
                    .unwrap_or_default()
                    .lines()
                    .filter_map(|line| line.parse::<i32>().ok())
                    .filter(|&pid| pid > 1)
                {
                    sys::kill(pid);
                }
                std::thread::sleep(Duration::from_millis(1));
            }
        }
    }
    tracing::warn!(folder = %folder.display(), "cannot remove a control group");
}

/// A folder that a group lives in: locked as long as it is ours, removed at the end.
struct Folder {
    path: PathBuf,
    _lock: File,
}

impl Folder {
    fn make(parent: &Path, name: &str) -> Result<Self, Fault> {
        let path = parent.join(name);
        fs::create_dir(&path).map_err(|error| fault("make", &path, error))?;
        let lock = File::open(&path).map_err(|error| fault("open", &path, error))?;
        sys::try_lock(&lock);
        Ok(Self { path, _lock: lock })
    }

    fn write(&self, file: &str, value: &str) -> Result<(), Fault> {
        let path = self.path.join(file);
        fs::write(&path, value).map_err(|error| fault("write", &path, error))
    }

    /// Writes to a file that not every kernel has.
    fn write_where_there(&self, file: &str, value: &str) {
        if let Err(fault) = self.write(file, value) {
            tracing::debug!(%fault, "not on this kernel");
        }
    }

    fn open(&self, file: &str, write: bool) -> Result<File, Fault> {
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

fn fault(what: &str, path: &Path, error: impl ToString) -> Fault {
    Fault::new(format!("{what} {}", path.display()), error)
}

/// Reads a counter file from its beginning.
fn read(file: &File) -> Result<String, Fault> {
    let mut buffer = [0; 1024];
    let length = file
        .read_at(&mut buffer, 0)
        .map_err(|error| Fault::new("read a cgroup counter", error))?;
    Ok(String::from_utf8_lossy(&buffer[..length]).into_owned())
}

fn read_number(file: &File) -> Result<u64, Fault> {
    let text = read(file)?;
    text.trim()
        .parse()
        .map_err(|_| Fault::new("read a cgroup counter", format!("`{}`", text.trim())))
}

/// A value of a file of `key value` lines; 0 where the key is missing.
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
    use super::{keyed, mounted, own_folder};

    #[test]
    fn reads_mountinfo_and_own_groups() {
        let mountinfo = "\
35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
36 31 0:33 /docker/abc /proc rw shared:7 - cgroup none rw,cpu,cpuacct
27 1 254:0 / / rw - ext4 /dev/vda rw
";
        let found = mounted(mountinfo);
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].options, "rw,memory");
        assert_eq!(found[1].root, "/docker/abc");
        // A folder that is not there falls back to the mount.
        let own = "4:memory:/nowhere/at/all\n2:cpu,cpuacct:/docker/abc/fs\n0::/x\n";
        let folder = own_folder(&found[0], own, "memory").unwrap();
        assert_eq!(folder.to_str(), Some("/sys/fs/cgroup/memory"));
        assert_eq!(
            own_folder(&found[1], own, "cpuacct").unwrap().to_str(),
            Some("/proc/fs")
        );
        assert_eq!(own_folder(&found[0], own, "pids"), None);
    }

    #[test]
    fn reads_keyed_files() {
        let text = "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n";
        assert_eq!(keyed(text, "oom_kill"), 3);
        assert_eq!(keyed(text, "nothing"), 0);
    }
}

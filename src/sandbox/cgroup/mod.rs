//! Control groups: what bounds and measures a job as a whole, its children included. Two versions behind one face.

mod folder;
mod leaf;
mod v1;
mod v2;

use std::fs;
use std::os::fd::BorrowedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::domain::{Caps, Fault};

/// Memory that earlier jobs left charged to a group, page cache and kernel objects, beyond what init has.
/// Where it is more the next job gets a fresh group, in a fresh room: it goes away at a time that nobody knows, and would then be the job's to use, or to answer for.
const LEFTOVER_BYTES_MAX: u64 = 1024 * 1024;
/// The same for a job with a large cap: this part of it. Jobs that follow each other fast leave what the kernel frees only some milliseconds later.
const LEFTOVER_PART: u64 = 64;

/// What earlier jobs may have left to a job with this cap.
fn leftover_max(cap_bytes: u64) -> u64 {
    LEFTOVER_BYTES_MAX.max(cap_bytes / LEFTOVER_PART)
}

/// How far the bound of a group may lie above the job's cap and what was there before it; below this it is not set anew.
const BOUND_SLACK_BYTES: u64 = 256 * 1024;
/// Init is one process of its group.
const INIT_PROCESSES: u64 = 1;

/// The bound that gives a job its cap on top of what is charged already; `now` where that is near enough.
fn bound_of(cap_bytes: u64, before_bytes: u64, now_bytes: u64) -> u64 {
    let least = cap_bytes.saturating_add(before_bytes);
    if (least..=least.saturating_add(BOUND_SLACK_BYTES)).contains(&now_bytes) {
        now_bytes
    } else {
        least.saturating_add(BOUND_SLACK_BYTES / 2)
    }
}

/// What a job used, by the kernel's counters.
#[derive(Debug, Clone, Copy, Default)]
pub struct Usage {
    /// CPU time of all processes; none where it is not counted here.
    pub cpu: Option<Duration>,
    /// The most memory in use at one time, what earlier jobs left and the kernel had not taken back yet included; none where it is not counted here.
    pub memory_bytes: Option<u64>,
    /// A process was killed because the job reached its cap.
    pub memory_exceeded: bool,
}

/// The group of one room, used by one job after the other.
///
/// A process that moves from group to group waits for the whole machine (on a machine that forks, for many milliseconds),
/// so the room's init moves in once, before anybody waits for the room, and its jobs are born where they belong.
pub trait Group: Send {
    /// The files to which the room's init writes `0` to move in.
    fn home_files(&self) -> Vec<BorrowedFd<'_>>;
    /// The folder of a version 2 group that init is born into with `CLONE_INTO_CGROUP`, where there is one.
    fn birth(&self) -> Option<BorrowedFd<'_>>;
    /// The files to which each job writes `0` to join, on kernels where one group cannot count job after job.
    fn join_files(&self) -> Vec<BorrowedFd<'_>>;
    /// Kills everything in it at once, init too, where the kernel can (`cgroup.kill`); where it cannot, does nothing.
    fn kill(&self);
    /// Makes it ready for the next job: nobody but init in it, its counters at a known point, the caps in force.
    /// False where earlier jobs left so much that it cannot serve another.
    fn begin(&mut self, caps: &Caps) -> Result<bool, Fault>;
    /// Whether the CPU time is that of init too.
    fn counts_init(&self) -> bool;
    /// CPU time of this job until now, and of what init did for it.
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
    /// Counting CPU time.
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
    /// A group of its own for one room.
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

#[cfg(test)]
mod tests {
    use super::{BOUND_SLACK_BYTES, bound_of, mounted, own_folder};

    #[test]
    fn a_bound_is_kept_while_it_is_near_enough() {
        let first = bound_of(1 << 26, 500, 0);
        let least = (1 << 26) + 500;
        assert!((least..=least + BOUND_SLACK_BYTES).contains(&first));
        assert_eq!(bound_of(1 << 26, 4000, first), first);
        assert_ne!(bound_of(1 << 26, 1 << 20, first), first);
        assert_ne!(bound_of(1 << 25, 500, first), first);
    }

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
}

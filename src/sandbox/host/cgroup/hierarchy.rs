//! What of control groups is there and permitted: found out by making groups for a try.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::folder::{Folder, fresh_name, sweep};
use super::group::{Group, Parents};
use super::memory::{self, peak_of};
use super::{Mounted, mounted, own_folder};
use crate::domain::Fault;
use crate::sandbox::host::is_privileged;

/// What version 2 has to bound a job's memory and the number of its processes.
const UNIFIED: [&str; 2] = ["memory", "pids"];
/// The controllers of version 1, each with the file that it is used for.
const SEPARATE: [(&str, &str); 3] = [
    ("memory", "memory.max_usage_in_bytes"),
    ("pids", "pids.max"),
    ("cpuacct", "cpuacct.usage"),
];

/// What is offered, or why not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offers {
    /// For people: `cgroup v1`.
    pub version: &'static str,
    /// Bounding and measuring memory.
    pub memory: Result<(), String>,
    /// Bounding the number of processes.
    pub processes: Result<(), String>,
    /// Counting CPU time.
    pub cpu: Result<(), String>,
}

impl Offers {
    fn nothing(version: &'static str, why: &str) -> Self {
        Self {
            version,
            memory: Err(why.to_owned()),
            processes: Err(why.to_owned()),
            cpu: Err(why.to_owned()),
        }
    }
}

/// Where groups are made.
pub struct Hierarchy {
    pub offers: Offers,
    parents: Arc<Parents>,
    /// Moves back at the end.
    _moved: Option<Moved>,
}

impl Hierarchy {
    /// Finds what to use on this machine, and takes away what dead daemons left in it.
    pub fn detect() -> Self {
        let read = |path| fs::read_to_string(path).unwrap_or_default();
        Self::of(&read("/proc/self/mountinfo"), &read("/proc/self/cgroup"))
    }

    /// No control groups at all, as if there were none on this machine.
    pub fn none() -> Self {
        Self::of("", "")
    }

    /// What can be used by these files of `/proc/self`.
    fn of(mountinfo: &str, own: &str) -> Self {
        let mounts = mounted(mountinfo);
        let unified = unified_folder(&mounts, own);
        match unified {
            // Where version 1 has the memory controller, version 2 cannot have it.
            Some((folder, root)) if !mounts.iter().any(|mount| mount.has("memory")) => {
                Self::choose(&folder, root)
            }
            unified => {
                let unified = unified.map(|(folder, _)| folder).filter(|it| is_useful(it));
                Self::separate(&mounts, own, unified)
            }
        }
    }

    /// A group of its own for one room.
    pub fn group(&self) -> Result<Group, Fault> {
        Group::make(Arc::clone(&self.parents))
    }

    fn new(offers: Offers, parents: Parents, moved: Option<Moved>) -> Self {
        Self {
            offers,
            parents: Arc::new(parents),
            _moved: moved,
        }
    }

    /// Version 1, with the help of a folder of version 2 where there is one.
    fn separate(mounts: &[Mounted<'_>], own: &str, unified: Option<PathBuf>) -> Self {
        let is_mounted = |(controller, _)| mounts.iter().any(|mount| mount.has(controller));
        if unified.is_none() && !SEPARATE.into_iter().any(is_mounted) {
            let offers = Offers::nothing("cgroups", "no control groups are mounted");
            return Self::new(offers, Parents::default(), None);
        }
        let [memory, processes, cpu] =
            SEPARATE.map(|(controller, file)| separate_folder(mounts, own, controller, file));
        let (version, cpu_offer) = match unified {
            Some(_) => ("cgroup v1, v2 kill", Ok(())),
            None => ("cgroup v1", cpu.clone().map(drop)),
        };
        let offers = Offers {
            version,
            memory: memory.clone().map(drop),
            processes: processes.clone().map(drop),
            cpu: cpu_offer,
        };
        let parents = Parents {
            memory: memory.ok(),
            processes: processes.ok(),
            cpu: cpu.ok(),
            unified,
            ..Parents::default()
        };
        Self::new(offers, parents, None)
    }

    /// Version 2 in our own folder where groups with all controllers can be made below it, else in
    /// the nearest above it where they can, else in our own all the same.
    fn choose(own: &Path, root: &Path) -> Self {
        let (mut moved, mut why) = (None, String::new());
        let mut complete = enable(own);
        if let Err(refused) = &complete {
            // A folder with processes in it cannot have groups with controllers below it, so we
            // move down ourselves.
            why.clone_from(refused);
            moved = Moved::down(own);
            complete = enable(own);
        }
        if complete == Ok(true) {
            return Self::unified(own, moved, "");
        }
        // Other processes are in our folder too, as in a login session, or it lacks controllers.
        // What is above it may do.
        let above = own
            .ancestors()
            .skip(1)
            .take_while(|folder| folder.starts_with(root));
        for folder in above {
            if enable(folder) == Ok(true) && probe(folder).is_ok() {
                drop(moved);
                sweep(folder);
                return Self::unified(folder, None, "");
            }
        }
        Self::unified(own, moved.filter(|_| complete.is_ok()), &why)
    }

    /// Tries what groups of version 2 made below `parent` can do.
    fn unified(parent: &Path, moved: Option<Moved>, why: &str) -> Self {
        const VERSION: &str = "cgroup v2";
        let folder = match probe(parent) {
            Ok(folder) => folder,
            Err(why) => {
                return Self::new(Offers::nothing(VERSION, &why), Parents::default(), moved);
            }
        };
        let offer = |controller: &str, file: &str| {
            if folder.path.join(file).exists() {
                return Ok(());
            }
            let path = parent.display();
            if why.is_empty() {
                Err(format!("{controller} is not delegated to {path}"))
            } else {
                Err(format!("cannot turn {controller} on below {path}: {why}"))
            }
        };
        let (memory, processes) = (offer("memory", "memory.max"), offer("pids", "pids.max"));
        let (has_peak, can_reset) = peak_of(&folder, &memory::UNIFIED);
        let new_for_each_job = memory.is_ok() && has_peak && !can_reset;
        let parent_if = |offered: bool| offered.then(|| parent.to_owned());
        let parents = Parents {
            memory: parent_if(memory.is_ok()),
            processes: parent_if(processes.is_ok()),
            cpu: None,
            unified: parent_if(true),
            new_for_each_job,
            end_together: is_privileged() || new_for_each_job,
        };
        let offers = Offers {
            version: VERSION,
            // Without a peak the kernel bounds memory all the same; only what was used has to be
            // looked at.
            memory: memory.and_then(|()| {
                let why = "this kernel keeps no peak of a group's memory, Linux 5.19 does";
                has_peak.then_some(()).ok_or_else(|| why.to_owned())
            }),
            processes,
            cpu: Ok(()),
        };
        Self::new(offers, parents, moved)
    }
}

/// This process's folder of version 2, where that is mounted, and the mount.
fn unified_folder<'a>(mounts: &'a [Mounted<'_>], own: &str) -> Option<(PathBuf, &'a Path)> {
    let mount = mounts.iter().find(|mount| mount.kind == "cgroup2")?;
    let folder = own_folder(mount, own, "")?;
    sweep(&folder);
    Some((folder, &mount.path))
}

/// Whether groups below a folder of version 2, without controllers as they may be, can be killed
/// at once, be born into, and count CPU time.
fn is_useful(parent: &Path) -> bool {
    let has_all = |folder: Folder| {
        ["cgroup.kill", "cpu.stat"]
            .iter()
            .all(|file| folder.path.join(file).exists())
    };
    probe(parent).is_ok_and(has_all)
}

/// The folder of version 1 in which groups with a controller can be made.
fn separate_folder(
    mounts: &[Mounted<'_>],
    own: &str,
    controller: &str,
    file: &str,
) -> Result<PathBuf, String> {
    let parent = mounts
        .iter()
        .filter(|mount| mount.has(controller))
        .find_map(|mount| own_folder(mount, own, controller))
        .ok_or_else(|| format!("no mounted cgroup has the controller {controller}"))?;
    sweep(&parent);
    let folder = Folder::make(&parent).map_err(|fault| fault.to_string())?;
    let path = folder.path.join(file);
    if path.exists() {
        Ok(parent)
    } else {
        Err(format!("this kernel has no {}", path.display()))
    }
}

/// A group of version 2 made for a try, where processes may be moved into it.
fn probe(parent: &Path) -> Result<Folder, String> {
    // Who moves a process must be allowed to write here, above both its groups.
    let procs = parent.join("cgroup.procs");
    if let Err(error) = File::options().write(true).open(&procs) {
        return Err(format!("open {}: {error}", procs.display()));
    }
    Folder::make(parent).map_err(|fault| fault.to_string())
}

/// Turns on what groups below a folder need, as far as the folder has it. Whether that is all.
///
/// In one write: memory and processes one after the other would pass through a state that the
/// kernel treats as a threaded group.
fn enable(folder: &Path) -> Result<bool, String> {
    let list = |file: &str| fs::read_to_string(folder.join(file)).unwrap_or_default();
    let (offered, enabled) = (list("cgroup.controllers"), list("cgroup.subtree_control"));
    let has =
        |list: &str, controller: &str| list.split_ascii_whitespace().any(|name| name == controller);
    let wanted: Vec<String> = UNIFIED
        .into_iter()
        .filter(|name| has(&offered, name) && !has(&enabled, name))
        .map(|name| format!("+{name}"))
        .collect();
    if !wanted.is_empty() {
        fs::write(folder.join("cgroup.subtree_control"), wanted.join(" "))
            .map_err(|error| error.to_string())?;
    }
    Ok(UNIFIED.iter().all(|name| has(&offered, name)))
}

/// This process moved down from its folder, so that the folder may have groups with controllers
/// below it.
struct Moved {
    from: PathBuf,
    leaf: PathBuf,
    /// Says that the leaf's owner lives.
    _lock: File,
}

impl Moved {
    fn down(from: &Path) -> Option<Self> {
        let leaf = from.join(format!("{}-main", fresh_name()));
        fs::create_dir(&leaf).ok()?;
        let lock = File::open(&leaf).ok();
        if let Some(lock) = lock
            && lock.try_lock().is_ok()
            && fs::write(leaf.join("cgroup.procs"), "0").is_ok()
        {
            return Some(Self {
                from: from.to_owned(),
                leaf,
                _lock: lock,
            });
        }
        let _ = fs::remove_dir(&leaf);
        None
    }
}

impl Drop for Moved {
    fn drop(&mut self) {
        // Back where we were; what fails here is left to the next daemon's sweep.
        let _ = fs::write(self.from.join("cgroup.subtree_control"), "-memory -pids");
        let _ = fs::write(self.from.join("cgroup.procs"), "0");
        let _ = fs::remove_dir(&self.leaf);
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::{BufRead, BufReader, Read, Write};
    use std::os::fd::AsRawFd as _;
    use std::os::unix::process::ExitStatusExt;
    use std::process::{Command, Stdio};
    use std::sync::Arc;
    use std::time::Duration;

    use super::{Group, Hierarchy, Parents, is_useful, mounted, unified_folder};
    use crate::util::samples::run;
    use crate::util::tests::skips::skipped;

    #[test]
    fn leaves_a_hybrid_machine_to_version_1() {
        let mountinfo = "\
35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory
41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw
";
        let hybrid = Hierarchy::of(mountinfo, "0::/\n4:memory:/\n");
        assert!(hybrid.offers.version.starts_with("cgroup v1"));
        assert_eq!(Hierarchy::none().offers.version, "cgroups");
    }

    #[test]
    fn kills_all_at_once_and_charges_each_job_for_itself() {
        let mountinfo = fs::read_to_string("/proc/self/mountinfo").unwrap();
        let own = fs::read_to_string("/proc/self/cgroup").unwrap();
        let mounts = mounted(&mountinfo);
        let unified = unified_folder(&mounts, &own).filter(|(folder, _)| is_useful(folder));
        let Some((folder, _)) = unified else {
            skipped("no test of cgroup.kill: no place for groups of version 2");
            return;
        };
        let parents = Parents {
            unified: Some(folder),
            ..Parents::default()
        };
        let mut group = Group::make(Arc::new(parents)).unwrap();
        let birth = group.birth().unwrap().as_raw_fd();
        let folder = fs::read_link(format!("/proc/self/fd/{birth}")).unwrap();
        for _ in 0..2 {
            assert!(group.begin(&run().caps).unwrap());
            assert_eq!(group.cpu().unwrap(), Some(Duration::ZERO));
            // It waits until it is in the group, and then there are two of it.
            let mut shell = Command::new("sh");
            shell.args(["-c", "read line; sleep 600 & echo two; sleep 600"]);
            shell.stdin(Stdio::piped()).stdout(Stdio::piped());
            let mut child = shell.spawn().unwrap();
            fs::write(folder.join("cgroup.procs"), child.id().to_string()).unwrap();
            child.stdin.take().unwrap().write_all(b"\n").unwrap();
            let mut out = BufReader::new(child.stdout.take().unwrap());
            let mut line = String::new();
            out.read_line(&mut line).unwrap();
            assert_eq!(line, "two\n");
            group.kill();
            // The pipe ends when both are gone.
            out.read_to_end(&mut Vec::new()).unwrap();
            assert_eq!(child.wait().unwrap().signal(), Some(libc::SIGKILL));
            let used = group.finish().unwrap();
            assert!(used.cpu.unwrap() > Duration::ZERO);
            assert_eq!((used.memory_bytes, used.memory_exceeded), (None, false));
        }
        drop(group);
        assert!(!folder.exists());
    }
}

//! Version 2: one hierarchy with all controllers; and where it is mounted without them beside
//! version 1, what it is still good for.

use std::fs::{self, File};
use std::os::fd::BorrowedFd;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::face::{Group, Hierarchy, Offers, Usage};
use super::folder::{Folder, fresh_name, sweep};
use super::leaf::{Controllers, Leaf, peak_of};
use super::mountinfo::{Mounted, mounted, own_folder};
use crate::domain::{Caps, Fault};
use crate::sandbox::host::identity::is_privileged;

/// What bounds a job's memory and the number of its processes.
const CONTROLLERS: [&str; 2] = ["memory", "pids"];

/// The parent of our groups.
pub struct Unified {
    parent: PathBuf,
    controllers: Controllers,
    memory: Result<(), String>,
    processes: Result<(), String>,
    cpu: Result<(), String>,
    /// Moves back at the end.
    _moved: Option<Moved>,
}

impl Unified {
    /// Looks for the hierarchy; none where it is not mounted or has no memory controller, which
    /// version 1 may have.
    pub fn detect(mountinfo: &str, own: &str) -> Option<Self> {
        let mounts = mounted(mountinfo);
        let mount = mounts.iter().find(|mount| mount.kind == "cgroup2")?;
        let has_version_1 = mounts.iter().any(|mount| {
            mount.kind == "cgroup" && mount.options.split(',').any(|name| name == "memory")
        });
        if has_version_1 {
            return None;
        }
        let own = own_folder(mount, own, "")?;
        sweep(&own);
        Some(Self::choose(&own, Path::new(&mount.place)))
    }

    /// Our own folder where groups with all controllers can be made below it, else the nearest
    /// above it where they can, else our own all the same.
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
            return Self::at(own, moved, "");
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
                return Self::at(folder, None, "");
            }
        }
        Self::at(own, moved.filter(|_| complete.is_ok()), &why)
    }

    /// Tries what groups made below `parent` can do.
    fn at(parent: &Path, moved: Option<Moved>, why: &str) -> Self {
        let mut controllers = Controllers::default();
        let (memory, processes, cpu) = match probe(parent) {
            Err(why) => (Err(why.clone()), Err(why.clone()), Err(why)),
            Ok(folder) => {
                let state = |controller: &str, file: &str| {
                    if folder.path.join(file).exists() {
                        return Ok(());
                    }
                    let place = parent.display();
                    if why.is_empty() {
                        Err(format!("{controller} is not delegated to {place}"))
                    } else {
                        Err(format!("cannot turn {controller} on below {place}: {why}"))
                    }
                };
                let (memory, processes) =
                    (state("memory", "memory.max"), state("pids", "pids.max"));
                controllers.memory = memory.is_ok();
                controllers.processes = processes.is_ok();
                let (has_peak, can_reset) = peak_of(&folder);
                controllers.lasting = can_reset || !has_peak || !controllers.memory;
                controllers.together = is_privileged() || !controllers.lasting;
                // The kernel then bounds memory all the same; only what was used has to be looked
                // at.
                let counted = has_peak || !controllers.memory;
                let memory = memory.and_then(|()| {
                    let why = "this kernel keeps no peak of a group's memory, Linux 5.19 does";
                    counted.then_some(()).ok_or_else(|| why.to_owned())
                });
                (memory, processes, Ok(()))
            }
        };
        Self {
            parent: parent.to_owned(),
            controllers,
            memory,
            processes,
            cpu,
            _moved: moved,
        }
    }
}

/// A group made for a try, where processes may be moved into it.
fn probe(parent: &Path) -> Result<Folder, String> {
    // Who moves a process must be allowed to write here, above both its groups.
    let procs = parent.join("cgroup.procs");
    if let Err(error) = File::options().write(true).open(&procs) {
        return Err(format!("open {}: {error}", procs.display()));
    }
    Folder::make(parent, &fresh_name()).map_err(|fault| fault.to_string())
}

/// Turns on what groups below a folder need, as far as the folder has it. Whether that is all.
///
/// In one write: memory and processes one after the other would pass through a state that the
/// kernel treats as a threaded group.
fn enable(folder: &Path) -> Result<bool, String> {
    let list = |file: &str| fs::read_to_string(folder.join(file)).unwrap_or_default();
    let (offered, enabled) = (list("cgroup.controllers"), list("cgroup.subtree_control"));
    let wanted: Vec<String> = CONTROLLERS
        .into_iter()
        .filter(|name| has(&offered, name) && !has(&enabled, name))
        .map(|name| format!("+{name}"))
        .collect();
    if !wanted.is_empty() {
        fs::write(folder.join("cgroup.subtree_control"), wanted.join(" "))
            .map_err(|error| error.to_string())?;
    }
    Ok(CONTROLLERS.iter().all(|name| has(&offered, name)))
}

fn has(list: &str, controller: &str) -> bool {
    list.split_ascii_whitespace().any(|name| name == controller)
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

impl Hierarchy for Unified {
    fn offers(&self) -> Offers {
        Offers {
            version: "cgroup v2",
            memory: self.memory.clone(),
            processes: self.processes.clone(),
            cpu: self.cpu.clone(),
        }
    }

    fn group(&self) -> Result<Box<dyn Group>, Fault> {
        let mut group = UnifiedGroup {
            // Without a place for groups it is as if there were no hierarchy.
            parent: self.cpu.is_ok().then(|| self.parent.clone()),
            controllers: self.controllers,
            leaf: None,
        };
        group.make()?;
        Ok(Box::new(group))
    }
}

struct UnifiedGroup {
    parent: Option<PathBuf>,
    controllers: Controllers,
    leaf: Option<Leaf>,
}

impl UnifiedGroup {
    fn make(&mut self) -> Result<(), Fault> {
        if let Some(parent) = &self.parent {
            self.leaf = Some(Leaf::make(parent, self.controllers)?);
        }
        Ok(())
    }

    fn lasting(&self) -> Option<&Leaf> {
        self.leaf.as_ref().filter(|_| self.controllers.lasting)
    }
}

impl Group for UnifiedGroup {
    fn home_files(&self) -> Vec<BorrowedFd<'_>> {
        // Born into it.
        Vec::new()
    }

    fn birth(&self) -> Option<BorrowedFd<'_>> {
        self.lasting().map(Leaf::birth)
    }

    fn join_files(&self) -> Vec<BorrowedFd<'_>> {
        self.leaf
            .iter()
            .filter(|_| !self.controllers.lasting)
            .map(Leaf::join)
            .collect()
    }

    fn kill(&self) {
        self.leaf.iter().for_each(Leaf::kill);
    }

    fn counts_init(&self) -> bool {
        self.controllers.lasting
    }

    fn begin(&mut self, caps: &Caps) -> Result<bool, Fault> {
        if !self.controllers.lasting {
            self.leaf = None;
            self.make()?;
        }
        self.leaf.as_mut().map_or(Ok(true), |leaf| leaf.begin(caps))
    }

    fn cpu(&self) -> Result<Option<Duration>, Fault> {
        self.leaf.as_ref().map(Leaf::cpu).transpose()
    }

    fn finish(&mut self) -> Result<Usage, Fault> {
        self.leaf
            .as_mut()
            .map_or(Ok(Usage::default()), Leaf::finish)
    }
}

/// A place in a hierarchy beside version 1: without controllers, yet its groups can be killed at
/// once, be born into, and count CPU time.
pub fn beside(mounts: &[Mounted<'_>], own: &str) -> Option<PathBuf> {
    let mount = mounts.iter().find(|mount| mount.kind == "cgroup2")?;
    let parent = own_folder(mount, own, "")?;
    sweep(&parent);
    let folder = probe(&parent).ok()?;
    ["cgroup.kill", "cpu.stat"]
        .iter()
        .all(|file| folder.path.join(file).exists())
        .then_some(parent)
}

#[cfg(test)]
mod tests {
    use super::Unified;

    #[test]
    fn leaves_a_hybrid_machine_to_version_1() {
        let mountinfo = "\
35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory
41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw
";
        assert!(Unified::detect(mountinfo, "0::/\n4:memory:/\n").is_none());
        assert!(Unified::detect("", "").is_none());
    }
}

//! Version 2: one hierarchy with all controllers.

use std::fs::{self, File};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::PathBuf;
use std::time::Duration;

use super::{
    Folder, Group, Hierarchy, Offers, Usage, fresh_name, keyed, mounted, own_folder, read,
    read_number, sweep,
};
use crate::domain::{Caps, Fault};

/// The parent of our groups.
pub struct Unified {
    parent: PathBuf,
    memory: Result<(), String>,
    processes: Result<(), String>,
    /// Where this process was moved to, so that its own folder may have groups with controllers below it.
    moved_to: Option<PathBuf>,
}

impl Unified {
    /// Looks for the hierarchy; none where it is not mounted or has no memory controller, which version 1 may have.
    pub fn detect(mountinfo: &str, own: &str) -> Option<Self> {
        let mounts = mounted(mountinfo);
        let mount = mounts.iter().find(|mount| mount.kind == "cgroup2")?;
        let parent = own_folder(mount, own, "")?;
        let has_version_1 = mounts.iter().any(|mount| {
            mount.kind == "cgroup" && mount.options.split(',').any(|name| name == "memory")
        });
        if has_version_1 {
            return None;
        }
        sweep(&parent);
        let mut found = Self {
            memory: Ok(()),
            processes: Ok(()),
            parent,
            moved_to: None,
        };
        found.prepare();
        Some(found)
    }

    /// Turns the controllers on for the groups below our folder.
    fn prepare(&mut self) {
        let offered =
            fs::read_to_string(self.parent.join("cgroup.controllers")).unwrap_or_default();
        let mut first_error = None;
        if !self.enable_all(&offered, &mut first_error) {
            // A folder with processes in it cannot have groups with controllers below it, so we move down ourselves.
            if let Err(why) = self.move_down() {
                first_error = Some(why);
            } else {
                self.enable_all(&offered, &mut first_error);
            }
        }
        let enabled =
            fs::read_to_string(self.parent.join("cgroup.subtree_control")).unwrap_or_default();
        let state = |controller: &str| {
            if has(&enabled, controller) {
                Ok(())
            } else if has(&offered, controller) {
                let why = first_error.clone().unwrap_or_default();
                Err(format!(
                    "cannot turn {controller} on below {}: {why}",
                    self.parent.display()
                ))
            } else {
                Err(format!(
                    "{controller} is not delegated to {}",
                    self.parent.display()
                ))
            }
        };
        self.memory = state("memory");
        self.processes = state("pids");
        if let Err(fault) = Folder::make(&self.parent, &fresh_name()) {
            self.memory = Err(fault.to_string());
            self.processes = Err(fault.to_string());
        }
    }

    /// Turns on what is offered, in one write: memory and processes one after the other would pass through a state that the kernel treats as a threaded group.
    fn enable_all(&self, offered: &str, first_error: &mut Option<String>) -> bool {
        let wanted: Vec<String> = ["memory", "pids"]
            .into_iter()
            .filter(|name| has(offered, name))
            .map(|name| format!("+{name}"))
            .collect();
        let file = self.parent.join("cgroup.subtree_control");
        match fs::write(&file, wanted.join(" ")) {
            Ok(()) => true,
            Err(error) => {
                first_error.get_or_insert(error.to_string());
                false
            }
        }
    }

    fn move_down(&mut self) -> Result<(), String> {
        let leaf = self.parent.join(format!("{}-main", fresh_name()));
        fs::create_dir(&leaf).map_err(|error| error.to_string())?;
        if let Err(error) = fs::write(leaf.join("cgroup.procs"), "0") {
            let _ = fs::remove_dir(&leaf);
            return Err(error.to_string());
        }
        self.moved_to = Some(leaf);
        Ok(())
    }
}

fn has(list: &str, controller: &str) -> bool {
    list.split_ascii_whitespace().any(|name| name == controller)
}

impl Drop for Unified {
    fn drop(&mut self) {
        if let Some(leaf) = &self.moved_to {
            // Back where we were; what fails here is left to the next daemon's sweep.
            let _ = fs::write(self.parent.join("cgroup.subtree_control"), "-memory -pids");
            let _ = fs::write(self.parent.join("cgroup.procs"), "0");
            let _ = fs::remove_dir(leaf);
        }
    }
}

impl Hierarchy for Unified {
    fn offers(&self) -> Offers {
        let made = Folder::make(&self.parent, &fresh_name());
        Offers {
            version: "cgroup v2",
            memory: self.memory.clone(),
            processes: self.processes.clone(),
            cpu: made.map(drop).map_err(|fault| fault.to_string()),
        }
    }

    fn group(&self) -> Result<Box<dyn Group>, Fault> {
        Ok(Box::new(UnifiedGroup {
            parent: self.parent.clone(),
            memory: self.memory.is_ok(),
            processes: self.processes.is_ok(),
            leaf: None,
        }))
    }
}

/// A group that lives for one job, so that its counters start at nothing.
struct Leaf {
    folder: Folder,
    join: File,
    cpu: File,
}

struct UnifiedGroup {
    parent: PathBuf,
    memory: bool,
    processes: bool,
    leaf: Option<Leaf>,
}

impl UnifiedGroup {
    fn make(&self, caps: &Caps) -> Result<Leaf, Fault> {
        let folder = Folder::make(&self.parent, &fresh_name())?;
        if self.memory {
            folder.write("memory.max", &caps.memory_bytes.to_string())?;
            folder.write_where_there("memory.swap.max", "0");
            folder.write_where_there("memory.oom.group", "1");
        }
        if self.processes {
            folder.write("pids.max", &caps.processes.to_string())?;
        }
        Ok(Leaf {
            join: folder.open("cgroup.procs", true)?,
            cpu: folder.open("cpu.stat", false)?,
            folder,
        })
    }
}

impl Leaf {
    fn cpu(&self) -> Result<Duration, Fault> {
        Ok(Duration::from_micros(keyed(
            &read(&self.cpu)?,
            "usage_usec",
        )))
    }

    fn peak(&self) -> Result<Option<u64>, Fault> {
        // Kernels before 5.19 have no such file.
        match File::open(self.folder.path.join("memory.peak")) {
            Ok(file) => read_number(&file).map(Some),
            Err(_) => Ok(None),
        }
    }

    /// Whether the cap had a process killed.
    fn exceeded(&self) -> Result<bool, Fault> {
        let killed = keyed(
            &read(&self.folder.open("memory.events", false)?)?,
            "oom_kill",
        ) > 0;
        let reached = match self.folder.open("memory.events.local", false) {
            Ok(file) => {
                let text = read(&file)?;
                keyed(&text, "oom") + keyed(&text, "max") > 0
            }
            Err(_) => true,
        };
        if killed && !reached {
            return Err(Fault::new(
                "run the program",
                "the machine, not the program, ran out of memory",
            ));
        }
        Ok(killed)
    }
}

impl Group for UnifiedGroup {
    fn join_files(&self) -> Vec<BorrowedFd<'_>> {
        self.leaf.iter().map(|leaf| leaf.join.as_fd()).collect()
    }

    fn begin(&mut self, caps: &Caps) -> Result<(), Fault> {
        self.leaf = None;
        self.leaf = Some(self.make(caps)?);
        Ok(())
    }

    fn cpu(&self) -> Result<Option<Duration>, Fault> {
        self.leaf.as_ref().map(Leaf::cpu).transpose()
    }

    fn finish(&mut self) -> Result<Usage, Fault> {
        let Some(leaf) = &self.leaf else {
            return Ok(Usage::default());
        };
        let mut usage = Usage {
            cpu: Some(leaf.cpu()?),
            ..Usage::default()
        };
        if self.memory {
            usage.memory_bytes = leaf.peak()?;
            usage.memory_exceeded = leaf.exceeded()?;
        }
        Ok(usage)
    }
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

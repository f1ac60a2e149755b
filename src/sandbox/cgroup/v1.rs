//! Version 1: one hierarchy a controller, each mounted somewhere, or not.

use std::fs::{self, File};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{
    Folder, Group, Hierarchy, Mounted, Offers, Usage, fault, fresh_name, keyed, mounted,
    own_folder, read, read_number, sweep,
};
use crate::domain::{Caps, Fault};

/// Memory that earlier jobs left charged to a group, page cache and kernel objects, above which a fresh group is made.
const LEFTOVER_BYTES_MAX: u64 = 1024 * 1024;

/// How far below the cap the peak may be when the cap was reached: the kernel charges in batches and in huge pages.
const REACHED_SLACK_BYTES: u64 = 4 * 1024 * 1024;

/// The parents of our groups, by controller.
pub struct Separate {
    memory: Result<PathBuf, String>,
    processes: Result<PathBuf, String>,
    cpu: Result<PathBuf, String>,
}

impl Separate {
    /// Looks for each controller and tries whether groups can be made there.
    pub fn detect(mountinfo: &str, own: &str) -> Self {
        let mounts = mounted(mountinfo);
        Self {
            memory: find(&mounts, own, "memory"),
            processes: find(&mounts, own, "pids"),
            cpu: find(&mounts, own, "cpuacct"),
        }
    }
}

fn find(mounts: &[Mounted<'_>], own: &str, controller: &str) -> Result<PathBuf, String> {
    let parent = mounts
        .iter()
        .filter(|mount| {
            mount.kind == "cgroup" && mount.options.split(',').any(|name| name == controller)
        })
        .find_map(|mount| own_folder(mount, own, controller))
        .ok_or_else(|| format!("no mounted cgroup has the controller {controller}"))?;
    sweep(&parent);
    Folder::make(&parent, &fresh_name())
        .map(|_probe| parent)
        .map_err(|fault| fault.to_string())
}

impl Hierarchy for Separate {
    fn offers(&self) -> Offers {
        let all = [&self.memory, &self.processes, &self.cpu];
        if all.iter().all(|found| found.is_err())
            && all.iter().all(|found| {
                found
                    .as_ref()
                    .is_err_and(|why| why.starts_with("no mounted"))
            })
        {
            return Offers::nothing("no control groups are mounted");
        }
        Offers {
            version: "cgroup v1",
            memory: self.memory.clone().map(drop),
            processes: self.processes.clone().map(drop),
            cpu: self.cpu.clone().map(drop),
        }
    }

    fn group(&self) -> Result<Box<dyn Group>, Fault> {
        Ok(Box::new(SeparateGroup {
            memory_parent: self.memory.clone().ok(),
            memory: None,
            processes: match &self.processes {
                Ok(parent) => Some(Processes::make(parent)?),
                Err(_) => None,
            },
            cpu: match &self.cpu {
                Ok(parent) => Some(Cpu::make(parent)?),
                Err(_) => None,
            },
        }))
    }
}

struct Memory {
    folder: Folder,
    join: File,
    usage: File,
    peak: File,
    control: File,
    bytes: u64,
    /// The counter at the end of the last job.
    kills_before: u64,
}

impl Memory {
    fn make(parent: &Path, bytes: u64) -> Result<Self, Fault> {
        let folder = Folder::make(parent, &fresh_name())?;
        folder.write("memory.limit_in_bytes", &bytes.to_string())?;
        folder.write_where_there("memory.memsw.limit_in_bytes", &bytes.to_string());
        folder.write_where_there("memory.swappiness", "0");
        let peak = folder.path.join("memory.max_usage_in_bytes");
        Ok(Self {
            join: folder.open("cgroup.procs", true)?,
            usage: folder.open("memory.usage_in_bytes", false)?,
            peak: File::options()
                .read(true)
                .write(true)
                .open(&peak)
                .map_err(|error| fault("open", &peak, error))?,
            control: folder.open("memory.oom_control", false)?,
            bytes,
            kills_before: 0,
            folder,
        })
    }

    /// Whether this group serves the next job too.
    fn recycle(&self, bytes: u64) -> Result<bool, Fault> {
        if self.bytes != bytes || read_number(&self.usage)? > LEFTOVER_BYTES_MAX {
            return Ok(false);
        }
        self.peak
            .write_at(b"0", 0)
            .map_err(|error| Fault::new("reset memory.max_usage_in_bytes", error))?;
        Ok(true)
    }

    /// The peak, and whether the cap had a process killed.
    fn finish(&mut self) -> Result<(u64, bool), Fault> {
        let peak = read_number(&self.peak)?;
        let kills = keyed(&read(&self.control)?, "oom_kill");
        let killed = kills > self.kills_before;
        self.kills_before = kills;
        // Not every kernel counts refusals, so the peak tells whose memory was used up.
        let reached = peak + REACHED_SLACK_BYTES >= self.bytes;
        if killed && !reached {
            return Err(Fault::new(
                "run the program",
                "the machine, not the program, ran out of memory",
            ));
        }
        Ok((peak, killed))
    }
}

struct Processes {
    folder: Folder,
    join: File,
    most: u32,
}

impl Processes {
    fn make(parent: &Path) -> Result<Self, Fault> {
        let folder = Folder::make(parent, &fresh_name())?;
        Ok(Self {
            join: folder.open("cgroup.procs", true)?,
            most: 0,
            folder,
        })
    }
}

struct Cpu {
    _folder: Folder,
    join: File,
    usage: File,
    before_ns: u64,
}

impl Cpu {
    fn make(parent: &Path) -> Result<Self, Fault> {
        let folder = Folder::make(parent, &fresh_name())?;
        Ok(Self {
            join: folder.open("cgroup.procs", true)?,
            usage: folder.open("cpuacct.usage", false)?,
            before_ns: 0,
            _folder: folder,
        })
    }

    fn used(&self) -> Result<Duration, Fault> {
        let now_ns = read_number(&self.usage)?;
        Ok(Duration::from_nanos(now_ns.saturating_sub(self.before_ns)))
    }
}

struct SeparateGroup {
    memory_parent: Option<PathBuf>,
    memory: Option<Memory>,
    processes: Option<Processes>,
    cpu: Option<Cpu>,
}

impl Group for SeparateGroup {
    fn join_files(&self) -> Vec<BorrowedFd<'_>> {
        let memory = self.memory.iter().map(|memory| memory.join.as_fd());
        let processes = self
            .processes
            .iter()
            .map(|processes| processes.join.as_fd());
        let cpu = self.cpu.iter().map(|cpu| cpu.join.as_fd());
        memory.chain(processes).chain(cpu).collect()
    }

    fn begin(&mut self, caps: &Caps) -> Result<(), Fault> {
        if let Some(parent) = &self.memory_parent {
            let keep = match &self.memory {
                Some(memory) => memory.recycle(caps.memory_bytes)?,
                None => false,
            };
            if !keep {
                self.memory = None;
                self.memory = Some(Memory::make(parent, caps.memory_bytes)?);
            }
        }
        if let Some(processes) = &mut self.processes
            && processes.most != caps.processes
        {
            processes
                .folder
                .write("pids.max", &caps.processes.to_string())?;
            processes.most = caps.processes;
        }
        if let Some(cpu) = &mut self.cpu {
            cpu.before_ns = read_number(&cpu.usage)?;
        }
        Ok(())
    }

    fn cpu(&self) -> Result<Option<Duration>, Fault> {
        self.cpu.as_ref().map(Cpu::used).transpose()
    }

    fn finish(&mut self) -> Result<Usage, Fault> {
        let (memory_bytes, memory_exceeded) = match &mut self.memory {
            Some(memory) => {
                let (peak, killed) = memory.finish()?;
                (Some(peak), killed)
            }
            None => (None, false),
        };
        Ok(Usage {
            cpu: self.cpu()?,
            memory_bytes,
            memory_exceeded,
        })
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // Cached pages would otherwise keep the group in the kernel's memory after its folder is gone.
        let _ = fs::write(self.folder.path.join("memory.force_empty"), "0");
    }
}

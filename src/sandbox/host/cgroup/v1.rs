//! Version 1: one hierarchy a controller, each mounted somewhere, or not; with the help of version
//! 2 where that is mounted beside them.

use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::face::{
    Group, Hierarchy, INIT_PROCESSES, LEFTOVER_BYTES_MAX, Offers, Usage, bound_of, leftover_max,
};
use super::folder::{Folder, fault, fresh_name, read_keyed, read_number, sweep, write_again};
use super::leaf::{Controllers, Leaf};
use super::mountinfo::{Mounted, mounted, own_folder};
use super::v2;
use crate::domain::{Caps, Fault};

/// How far below the cap the peak may be when the cap was reached: the kernel charges in batches
/// and in huge pages.
const REACHED_SLACK_BYTES: u64 = 4 * 1024 * 1024;

/// The parents of our groups, by controller.
pub struct Separate {
    memory: Result<PathBuf, String>,
    processes: Result<PathBuf, String>,
    cpu: Result<PathBuf, String>,
    /// Where version 2 can help: with killing, and with CPU time, which then needs no controller
    /// here.
    unified: Option<PathBuf>,
}

impl Separate {
    /// Looks for each controller and tries whether groups can be made there.
    pub fn detect(mountinfo: &str, own: &str) -> Self {
        let mounts = mounted(mountinfo);
        let unified = v2::beside(&mounts, own);
        Self {
            memory: find(&mounts, own, "memory"),
            processes: find(&mounts, own, "pids"),
            cpu: match &unified {
                Some(parent) => Ok(parent.clone()),
                None => find(&mounts, own, "cpuacct"),
            },
            unified,
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
            version: match self.unified {
                Some(_) => "cgroup v1, v2 kill",
                None => "cgroup v1",
            },
            memory: self.memory.clone().map(drop),
            processes: self.processes.clone().map(drop),
            cpu: self.cpu.clone().map(drop),
        }
    }

    fn group(&self) -> Result<Box<dyn Group>, Fault> {
        let unified = match &self.unified {
            Some(parent) => Some(Leaf::make(parent, Controllers::default())?),
            None => None,
        };
        Ok(Box::new(SeparateGroup {
            memory: match &self.memory {
                Ok(parent) => Some(Memory::make(parent)?),
                Err(_) => None,
            },
            processes: match &self.processes {
                Ok(parent) => Some(Processes::make(parent)?),
                Err(_) => None,
            },
            cpu: match &self.cpu {
                Ok(parent) if unified.is_none() => Some(Cpu::make(parent)?),
                _ => None,
            },
            unified,
        }))
    }
}

struct Memory {
    folder: Folder,
    join: File,
    usage: File,
    peak: File,
    control: File,
    limit: File,
    /// Not on every kernel.
    with_swap: Option<File>,
    /// The bound in force.
    bytes: u64,
    /// The least that was charged before a job: init's own.
    floor_bytes: u64,
    kills_before: u64,
}

impl Memory {
    fn make(parent: &Path) -> Result<Self, Fault> {
        let folder = Folder::make(parent, &fresh_name())?;
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
            limit: folder.open("memory.limit_in_bytes", true)?,
            with_swap: folder.open("memory.memsw.limit_in_bytes", true).ok(),
            bytes: u64::MAX,
            floor_bytes: u64::MAX,
            kills_before: 0,
            folder,
        })
    }

    fn begin(&mut self, cap_bytes: u64) -> Result<bool, Fault> {
        let before_bytes = read_number(&self.usage)?;
        self.floor_bytes = self.floor_bytes.min(before_bytes);
        if before_bytes > self.floor_bytes + leftover_max(cap_bytes) {
            return Ok(false);
        }
        self.set(bound_of(cap_bytes, before_bytes, self.bytes))?;
        write_again(&self.peak, "0")?;
        self.kills_before = self.kills()?;
        Ok(true)
    }

    fn set(&mut self, bytes: u64) -> Result<(), Fault> {
        if bytes == self.bytes {
            return Ok(());
        }
        let text = bytes.to_string();
        // The bound with swap may never be the lower one, whichever way they go.
        let limits = [Some(&self.limit), self.with_swap.as_ref()];
        if bytes < self.bytes {
            limits
                .into_iter()
                .flatten()
                .try_for_each(|file| write_again(file, &text))?;
        } else {
            let upwards = limits.into_iter().rev().flatten();
            upwards
                .into_iter()
                .try_for_each(|file| write_again(file, &text))?;
        }
        self.bytes = bytes;
        Ok(())
    }

    fn kills(&self) -> Result<u64, Fault> {
        read_keyed(&self.control, &["oom_kill"])
    }

    /// What the job had at most, and whether the cap had a process killed.
    fn finish(&self) -> Result<(u64, bool), Fault> {
        let peak = read_number(&self.peak)?;
        let killed = self.kills()? > self.kills_before;
        // Not every kernel counts refusals, so the peak tells whose memory was used up.
        let reached = peak + REACHED_SLACK_BYTES >= self.bytes;
        if killed && !reached {
            return Err(Fault::new(
                "run the program",
                "the machine, not the program, ran out of memory",
            ));
        }
        Ok((peak.saturating_sub(self.floor_bytes), killed))
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
    memory: Option<Memory>,
    processes: Option<Processes>,
    cpu: Option<Cpu>,
    unified: Option<Leaf>,
}

impl Group for SeparateGroup {
    fn home_files(&self) -> Vec<BorrowedFd<'_>> {
        let memory = self.memory.iter().map(|memory| memory.join.as_fd());
        let processes = self
            .processes
            .iter()
            .map(|processes| processes.join.as_fd());
        let cpu = self.cpu.iter().map(|cpu| cpu.join.as_fd());
        memory.chain(processes).chain(cpu).collect()
    }

    fn birth(&self) -> Option<BorrowedFd<'_>> {
        self.unified.as_ref().map(Leaf::birth)
    }

    fn join_files(&self) -> Vec<BorrowedFd<'_>> {
        Vec::new()
    }

    fn kill(&self) {
        self.unified.iter().for_each(Leaf::kill);
    }

    fn counts_init(&self) -> bool {
        true
    }

    fn begin(&mut self, caps: &Caps) -> Result<bool, Fault> {
        if let Some(memory) = &mut self.memory
            && !memory.begin(caps.memory_bytes)?
        {
            return Ok(false);
        }
        if let Some(processes) = &mut self.processes
            && processes.most != caps.processes
        {
            let most = u64::from(caps.processes) + INIT_PROCESSES;
            processes.folder.write("pids.max", &most.to_string())?;
            processes.most = caps.processes;
        }
        if let Some(leaf) = &mut self.unified {
            leaf.begin(caps)?;
        }
        if let Some(cpu) = &mut self.cpu {
            cpu.before_ns = read_number(&cpu.usage)?;
        }
        Ok(true)
    }

    fn cpu(&self) -> Result<Option<Duration>, Fault> {
        if let Some(leaf) = &self.unified {
            return leaf.cpu().map(Some);
        }
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
        let cpu = match &mut self.unified {
            Some(leaf) => leaf.finish()?.cpu,
            None => self.cpu()?,
        };
        Ok(Usage {
            cpu,
            memory_bytes,
            memory_exceeded,
        })
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // Cached pages would otherwise keep the group in the kernel's memory after its folder is
        // gone.
        if read_number(&self.usage).is_ok_and(|left| left > LEFTOVER_BYTES_MAX) {
            self.folder.write_where_there("memory.force_empty", "0");
        }
    }
}

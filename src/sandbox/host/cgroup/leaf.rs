//! A version 2 group that serves one job after the other: counters count on, and each job is
//! charged the difference.
//!
//! The room's init lives in it, and what init takes is taken off.

use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;
use std::time::Duration;

use super::face::{INIT_PROCESSES, LEFTOVER_BYTES_MAX, Usage, bound_of, leftover_max};
use super::folder::{Folder, fresh_name, read_keyed, read_number, write_again};
use crate::domain::{Caps, Fault};

/// The controllers that groups have.
#[derive(Debug, Clone, Copy, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "four independent answers of a kernel"
)]
pub struct Controllers {
    /// Memory is bounded and counted.
    pub memory: bool,
    /// The number of processes is bounded.
    pub processes: bool,
    /// One group counts memory job after job, as it can since Linux 6.12; else each job needs a
    /// group of its own.
    pub lasting: bool,
    /// All processes of a group may be ended together when its memory is used up, because init is
    /// spared or not in it.
    pub together: bool,
}

/// The group.
pub struct Leaf {
    folder: Folder,
    join: File,
    /// Kernels before 5.14 have none.
    kill: Option<File>,
    cpu: File,
    cpu_before_us: u64,
    memory: Option<Memory>,
    processes: Option<Bound>,
}

/// A bound in force, written only when it changes.
struct Bound {
    file: File,
    value: u64,
}

impl Bound {
    /// None yet.
    fn new(file: File) -> Self {
        Self { file, value: 0 }
    }

    fn set(&mut self, value: u64) -> Result<(), Fault> {
        if self.value != value {
            write_again(&self.file, &value.to_string())?;
            self.value = value;
        }
        Ok(())
    }
}

struct Memory {
    bound: Bound,
    current: File,
    /// The least that was charged before a job: init's own.
    floor_bytes: u64,
    peak: Option<Peak>,
    events: File,
    /// Kernels before 5.2 have none.
    own_events: Option<File>,
    kills_before: u64,
    reached_before: u64,
}

/// The most memory in use at one time.
struct Peak {
    file: File,
    /// Since Linux 6.12 it is counted anew from each write, for the descriptor that was written to.
    can_reset: bool,
}

impl Peak {
    /// None before Linux 5.19.
    fn open(folder: &Folder) -> Option<Self> {
        let path = folder.path.join("memory.peak");
        let writable = File::options().read(true).write(true).open(&path);
        // Root may open it for writing where a write has no meaning, which only a write tells.
        let can_reset = writable
            .as_ref()
            .is_ok_and(|file| write_again(file, "0").is_ok());
        let file = writable.or_else(|_| File::open(&path)).ok()?;
        Some(Self { file, can_reset })
    }
}

/// Whether the kernel keeps the peak of a group, and whether it can begin anew.
pub fn peak_of(folder: &Folder) -> (bool, bool) {
    let peak = Peak::open(folder);
    (peak.is_some(), peak.is_some_and(|peak| peak.can_reset))
}

impl Memory {
    fn make(folder: &Folder, together: bool) -> Result<Self, Fault> {
        folder.write_where_there("memory.swap.max", "0");
        if together {
            // So that none of a job's processes waits for one that was killed.
            folder.write_where_there("memory.oom.group", "1");
        }
        Ok(Self {
            bound: Bound::new(folder.open("memory.max", true)?),
            current: folder.open("memory.current", false)?,
            floor_bytes: u64::MAX,
            peak: Peak::open(folder),
            events: folder.open("memory.events", false)?,
            own_events: folder.open("memory.events.local", false).ok(),
            kills_before: 0,
            reached_before: 0,
        })
    }

    fn begin(&mut self, cap_bytes: u64) -> Result<bool, Fault> {
        let before_bytes = read_number(&self.current)?;
        self.floor_bytes = self.floor_bytes.min(before_bytes);
        if before_bytes > self.floor_bytes + leftover_max(cap_bytes) {
            return Ok(false);
        }
        self.bound
            .set(bound_of(cap_bytes, before_bytes, self.bound.value))?;
        if let Some(peak) = self.peak.as_ref().filter(|peak| peak.can_reset) {
            write_again(&peak.file, "0")?;
        }
        self.kills_before = self.kills()?;
        self.reached_before = self.reached()?.unwrap_or(0);
        Ok(true)
    }

    fn kills(&self) -> Result<u64, Fault> {
        read_keyed(&self.events, &["oom_kill"])
    }

    /// How often the group itself stood at its bound; none where that is not told from what
    /// happened above it.
    fn reached(&self) -> Result<Option<u64>, Fault> {
        let own = self.own_events.as_ref();
        own.map(|file| read_keyed(file, &["oom", "max"]))
            .transpose()
    }

    /// Whether the bound had a process killed.
    fn exceeded(&self) -> Result<bool, Fault> {
        if self.kills()? <= self.kills_before {
            return Ok(false);
        }
        if self
            .reached()?
            .is_some_and(|count| count <= self.reached_before)
        {
            return Err(Fault::new(
                "run the program",
                "the machine, not the program, ran out of memory",
            ));
        }
        Ok(true)
    }
}

impl Leaf {
    /// Makes one.
    pub fn make(parent: &Path, controllers: Controllers) -> Result<Self, Fault> {
        let folder = Folder::make(parent, &fresh_name())?;
        let memory = if controllers.memory {
            Some(Memory::make(&folder, controllers.together)?)
        } else {
            None
        };
        let processes = if controllers.processes {
            Some(Bound::new(folder.open("pids.max", true)?))
        } else {
            None
        };
        Ok(Self {
            join: folder.open("cgroup.procs", true)?,
            kill: folder.open("cgroup.kill", true).ok(),
            cpu: folder.open("cpu.stat", false)?,
            cpu_before_us: 0,
            memory,
            processes,
            folder,
        })
    }

    /// Puts the caps in force, and begins to count. False where too much is left in it.
    pub fn begin(&mut self, caps: &Caps) -> Result<bool, Fault> {
        if let Some(memory) = &mut self.memory
            && !memory.begin(caps.memory_bytes)?
        {
            return Ok(false);
        }
        if let Some(processes) = &mut self.processes {
            processes.set(u64::from(caps.processes) + INIT_PROCESSES)?;
        }
        self.cpu_before_us = self.cpu_us()?;
        Ok(true)
    }

    /// The file to join it.
    pub fn join(&self) -> BorrowedFd<'_> {
        self.join.as_fd()
    }

    /// Its folder, to be born into.
    pub fn birth(&self) -> BorrowedFd<'_> {
        self.folder.lock.as_fd()
    }

    /// Kills everything in it, where the kernel can.
    pub fn kill(&self) {
        if let Some(file) = &self.kill
            && let Err(fault) = write_again(file, "1")
        {
            tracing::warn!(%fault, "cannot kill a control group");
        }
    }

    fn cpu_us(&self) -> Result<u64, Fault> {
        read_keyed(&self.cpu, &["usage_usec"])
    }

    /// CPU time of this job until now.
    pub fn cpu(&self) -> Result<Duration, Fault> {
        let used_us = self.cpu_us()?.saturating_sub(self.cpu_before_us);
        Ok(Duration::from_micros(used_us))
    }

    /// What this job used. All its processes are gone.
    pub fn finish(&mut self) -> Result<Usage, Fault> {
        let mut usage = Usage {
            cpu: Some(self.cpu()?),
            ..Usage::default()
        };
        if let Some(memory) = &self.memory {
            if let Some(peak) = &memory.peak {
                let peak_bytes = read_number(&peak.file)?;
                usage.memory_bytes = Some(peak_bytes.saturating_sub(memory.floor_bytes));
            }
            usage.memory_exceeded = memory.exceeded()?;
        }
        Ok(usage)
    }
}

impl Drop for Leaf {
    fn drop(&mut self) {
        let Some(memory) = &self.memory else { return };
        let left = read_number(&memory.current).unwrap_or(0);
        if left > LEFTOVER_BYTES_MAX {
            // Cached pages would otherwise keep the group in the kernel's memory after its folder
            // is gone.
            self.folder
                .write_where_there("memory.reclaim", &left.to_string());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::{BufRead, BufReader, Read, Write};
    use std::os::unix::process::ExitStatusExt;
    use std::process::{Command, Stdio};
    use std::time::Duration;

    use super::super::{mountinfo::mounted, v2};
    use super::{Controllers, Leaf, write_again};
    use crate::domain::Caps;
    use crate::util::skips::skipped;

    const CAPS: Caps = Caps {
        cpu: Duration::from_secs(1),
        wall: Duration::from_secs(1),
        memory_bytes: 1 << 26,
        output_bytes: 1,
        processes: 8,
        open_files: 8,
    };

    #[test]
    fn kills_all_at_once_and_charges_each_job_for_itself() {
        let mountinfo = fs::read_to_string("/proc/self/mountinfo").unwrap();
        let own = fs::read_to_string("/proc/self/cgroup").unwrap();
        let Some(parent) = v2::beside(&mounted(&mountinfo), &own) else {
            skipped("no test of cgroup.kill: no place for groups of version 2");
            return;
        };
        let mut leaf = Leaf::make(&parent, Controllers::default()).unwrap();
        for _ in 0..2 {
            assert!(leaf.begin(&CAPS).unwrap());
            assert_eq!(leaf.cpu().unwrap(), Duration::ZERO);
            // It waits until it is in the group, and then there are two of it.
            let mut child = Command::new("sh")
                .args(["-c", "read line; sleep 600 & echo two; sleep 600"])
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()
                .unwrap();
            write_again(&leaf.join, &child.id().to_string()).unwrap();
            child.stdin.take().unwrap().write_all(b"\n").unwrap();
            let mut out = BufReader::new(child.stdout.take().unwrap());
            let mut line = String::new();
            out.read_line(&mut line).unwrap();
            assert_eq!(line, "two\n");
            leaf.kill();
            // The pipe ends when both are gone.
            out.read_to_end(&mut Vec::new()).unwrap();
            assert_eq!(child.wait().unwrap().signal(), Some(libc::SIGKILL));
            let used = leaf.finish().unwrap();
            assert!(used.cpu.unwrap() > Duration::ZERO);
            assert_eq!((used.memory_bytes, used.memory_exceeded), (None, false));
        }
        let folder = leaf.folder.path.clone();
        drop(leaf);
        assert!(!folder.exists());
    }
}

//! The group of one room, used by one job after the other: counters count on, and each job is
//! charged the difference.
//!
//! A process that moves from group to group waits for the whole machine (on a machine that forks,
//! for many milliseconds), so the room's init moves in once, before anybody waits for the room, and
//! its jobs are born where they belong. What init itself uses is taken off.

use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::folder::{Folder, read_keyed, read_number, write_again};
use super::memory::{self, Memory};
use crate::domain::{Fault, Limits};

/// Init is one process of its group.
const INIT_PROCESSES: u64 = 1;

/// The folders in which groups are made, by what they are for; `None` where that is not possible.
#[derive(Debug, Default)]
pub struct Parents {
    pub memory: Option<PathBuf>,
    pub processes: Option<PathBuf>,
    /// Version 1's. Where there is a folder of version 2, that one counts CPU time.
    pub cpu: Option<PathBuf>,
    /// Of version 2, whose groups processes are born into and killed in at once. The same folder as
    /// for memory and processes, unless these have hierarchies of version 1.
    pub unified: Option<PathBuf>,
    /// On kernels where one group cannot count memory job after job each job gets a new one, which
    /// init is not in.
    pub new_for_each_job: bool,
    /// All processes of a group may be ended together when its memory is used up, because init is
    /// spared or not in it.
    pub end_together: bool,
}

/// What a job used, by the kernel's counters.
#[derive(Debug, Clone, Copy, Default)]
pub struct Usage {
    /// CPU time of all processes; `None` where it is not counted here.
    pub cpu: Option<Duration>,
    /// The most memory in use at one time, what earlier jobs left and the kernel had not taken back
    /// yet included; `None` where it is not counted here.
    pub memory_bytes: Option<u64>,
    /// A process was killed because the job reached its cap.
    pub memory_exceeded: bool,
}

pub struct Group {
    parents: Arc<Parents>,
    /// The files by which processes move in that are not born into it.
    procs: Vec<File>,
    unified: Option<Arc<Folder>>,
    /// `cgroup.kill`; kernels before 5.14 have none.
    kill: Option<File>,
    /// Counts CPU time: of version 2 where there is a folder of it.
    cpu: Option<File>,
    cpu_before: Duration,
    memory: Option<Memory>,
    /// Bounds the number of processes, and the bound in force.
    processes: Option<File>,
    processes_max: u64,
    /// They go last.
    _folders: Vec<Arc<Folder>>,
}

impl Group {
    pub fn make(parents: Arc<Parents>) -> Result<Self, Fault> {
        let mut made: Vec<Arc<Folder>> = Vec::new();
        let mut folder_in = |parent: &Option<PathBuf>| -> Result<Option<Arc<Folder>>, Fault> {
            let Some(parent) = parent else {
                return Ok(None);
            };
            let known = made.iter().find(|one| one.path.parent() == Some(parent));
            if let Some(folder) = known {
                return Ok(Some(Arc::clone(folder)));
            }
            let folder = Arc::new(Folder::make(parent)?);
            made.push(Arc::clone(&folder));
            Ok(Some(folder))
        };
        let unified = folder_in(&parents.unified)?;
        let memory = folder_in(&parents.memory)?;
        let processes = folder_in(&parents.processes)?;
        let cpu = match &unified {
            Some(folder) => Some(folder.open("cpu.stat", false)?),
            None => open(folder_in(&parents.cpu)?.as_ref(), "cpuacct.usage", false)?,
        };
        let is_unified =
            |folder: &Arc<Folder>| unified.as_ref().is_some_and(|one| Arc::ptr_eq(one, folder));
        let procs = made
            .iter()
            .filter(|folder| parents.new_for_each_job || !is_unified(folder))
            .map(|folder| folder.open("cgroup.procs", true))
            .collect::<Result<_, _>>()?;
        let memory = memory.map(|folder| {
            let names = if is_unified(&folder) {
                &memory::UNIFIED
            } else {
                &memory::SEPARATE
            };
            Memory::make(folder, names, parents.end_together)
        });
        Ok(Self {
            procs,
            kill: open(unified.as_ref(), "cgroup.kill", true).ok().flatten(),
            cpu,
            cpu_before: Duration::ZERO,
            memory: memory.transpose()?,
            processes: open(processes.as_ref(), "pids.max", true)?,
            processes_max: 0,
            unified,
            parents,
            _folders: made,
        })
    }

    /// The files to which the room's init writes `0` to move in.
    pub fn home_files(&self) -> Vec<BorrowedFd<'_>> {
        self.procs_if(!self.parents.new_for_each_job)
    }

    /// The files to which each job writes `0` to join.
    pub fn join_files(&self) -> Vec<BorrowedFd<'_>> {
        self.procs_if(self.parents.new_for_each_job)
    }

    fn procs_if(&self, wanted: bool) -> Vec<BorrowedFd<'_>> {
        let wanted = self.procs.iter().filter(|_| wanted);
        wanted.map(File::as_fd).collect()
    }

    /// The folder of a version 2 group that init is born into with `CLONE_INTO_CGROUP`.
    pub fn birth(&self) -> Option<BorrowedFd<'_>> {
        let folder = self.unified.as_ref()?;
        (!self.parents.new_for_each_job).then(|| folder.lock.as_fd())
    }

    /// Kills everything in it at once, init too, where the kernel can; where it cannot, does
    /// nothing.
    pub fn kill(&self) {
        if let Some(file) = &self.kill
            && let Err(fault) = write_again(file, "1")
        {
            tracing::warn!(%fault, "cannot kill a control group");
        }
    }

    /// Whether the CPU time is that of init too.
    pub fn counts_init(&self) -> bool {
        !self.parents.new_for_each_job
    }

    /// Makes it ready for the next job: its counters at a known point, the caps in force.
    /// False where earlier jobs left so much that it cannot serve another.
    pub fn begin(&mut self, caps: &Limits) -> Result<bool, Fault> {
        if self.parents.new_for_each_job {
            *self = Self::make(Arc::clone(&self.parents))?;
        }
        if let Some(memory) = &mut self.memory
            && !memory.begin(caps.memory_bytes)?
        {
            return Ok(false);
        }
        let most = u64::from(caps.processes) + INIT_PROCESSES;
        if let Some(bound) = self
            .processes
            .as_ref()
            .filter(|_| self.processes_max != most)
        {
            write_again(bound, &most.to_string())?;
            self.processes_max = most;
        }
        self.cpu_before = self.cpu_now()?.unwrap_or_default();
        Ok(true)
    }

    fn cpu_now(&self) -> Result<Option<Duration>, Fault> {
        let Some(file) = &self.cpu else {
            return Ok(None);
        };
        Ok(Some(match self.unified {
            Some(_) => Duration::from_micros(read_keyed(file, &["usage_usec"])?),
            None => Duration::from_nanos(read_number(file)?),
        }))
    }

    /// CPU time of this job until now, and of what init did for it.
    pub fn cpu(&self) -> Result<Option<Duration>, Fault> {
        let now = self.cpu_now()?;
        Ok(now.map(|now| now.saturating_sub(self.cpu_before)))
    }

    /// What this job used. All its processes are gone.
    pub fn finish(&self) -> Result<Usage, Fault> {
        let cpu = self.cpu()?;
        let (memory_bytes, memory_exceeded) = match &self.memory {
            Some(memory) => memory.finish()?,
            None => (None, false),
        };
        Ok(Usage {
            cpu,
            memory_bytes,
            memory_exceeded,
        })
    }
}

fn open(folder: Option<&Arc<Folder>>, file: &str, write: bool) -> Result<Option<File>, Fault> {
    folder.map(|folder| folder.open(file, write)).transpose()
}

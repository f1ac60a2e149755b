//! The real [`Runner`]: one worker's group, room and jobs.

use std::os::fd::{AsFd, BorrowedFd};

use super::cgroup::Group;
use super::collect::{Collected, collect};
use super::link::{STEP_TIME_MAX, Zygote, unexpected};
use super::supervise::{Seen, Streams, Supervisor, pipe};
use super::wire::{self, Identity, JobOrder, Reply, Request, RoomOrder};
use super::{Collect, Job, Outcome, Room, Runner};
use crate::domain::{End, Fault};

/// What the pipe of standard output holds, so that a program rarely waits for us.
const STDOUT_PIPE_BYTES: usize = 1024 * 1024;
/// Processes of the sandbox itself that count against the user's processes where no cgroup counts the job's.
const OWN_PROCESSES: u32 = 2;

/// What of a job the kernel counts.
#[derive(Debug, Clone, Copy)]
pub struct Counted {
    /// Memory, by a cgroup.
    pub memory: bool,
    /// Processes, by a cgroup.
    pub processes: bool,
    /// Processor time, by a cgroup.
    pub cpu: bool,
}

/// One worker.
pub struct Worker {
    /// Who its jobs are.
    pub identity: Identity,
    /// Whether its rooms have their own network.
    pub own_network: bool,
    /// What the kernel counts.
    pub counted: Counted,
    /// Its group.
    pub group: Box<dyn Group>,
    /// Its room.
    pub zygote: Option<Zygote>,
}

impl Runner for Worker {
    fn enter(&mut self, room: &Room) -> Result<(), Fault> {
        self.zygote = None;
        let order = RoomOrder {
            identity: self.identity,
            own_network: self.own_network,
            filter: true,
            shown: room.shown.clone(),
            app: wire::heads(&room.app),
        };
        self.zygote = Some(Zygote::start(&order, &room.app)?);
        Ok(())
    }

    fn run(&mut self, job: &Job) -> Result<Outcome, Fault> {
        let zygote = self
            .zygote
            .take()
            .ok_or_else(|| Fault::new("run a job", "no room was entered"))?;
        self.group.begin(&job.caps)?;
        let result = self.run_in(&zygote, job);
        // After a fault of the connection the room is in an unknown state; after a failed start it is as it was.
        if result.is_ok() || answers(&zygote) {
            self.zygote = Some(zygote);
        }
        result
    }
}

impl Worker {
    fn run_in(&mut self, zygote: &Zygote, job: &Job) -> Result<Outcome, Fault> {
        let order = self.order(job);
        let memory = |error| Fault::new("hold the job's files in memory", error);
        let parcel = wire::pack(&order, &job.files).map_err(memory)?;
        let stdin = wire::sealed("stdin", &[&job.stdin]).map_err(memory)?;
        let (stdout, stdout_end) = pipe(Some(STDOUT_PIPE_BYTES))?;
        let (stderr, stderr_end) = pipe(None)?;
        let mut descriptors: Vec<BorrowedFd<'_>> = vec![
            parcel.as_fd(),
            stdin.as_fd(),
            stdout_end.as_fd(),
            stderr_end.as_fd(),
        ];
        descriptors.extend(self.group.join_files());
        zygote.send(&Request::Job, &descriptors)?;
        drop((parcel, stdin, stdout_end, stderr_end));
        let streams = Streams {
            stdout,
            stderr,
            stderr_bytes_max: job.stderr_bytes_max,
        };
        let ask = (!self.counted.cpu, !self.counted.memory);
        let mut seen =
            Supervisor::new(zygote, self.group.as_ref(), &job.caps, streams, ask).watch()?;
        let collected = take_files(zygote, &mut seen, &job.collect)?;
        self.outcome(job, seen, collected)
    }

    fn order(&self, job: &Job) -> JobOrder {
        JobOrder {
            argv: job.argv.clone(),
            env: job
                .env
                .iter()
                .map(|(name, value)| format!("{name}={value}"))
                .collect(),
            files: wire::heads(&job.files),
            disk_bytes: job.disk_bytes,
            stack_bytes: job.stack_bytes.unwrap_or(job.caps.memory_bytes),
            open_files: job.caps.open_files,
            // Rounded up, and one more: this limit is there for the case that we are not.
            cpu_seconds: job
                .caps
                .cpu
                .as_millis()
                .div_ceil(1000)
                .try_into()
                .unwrap_or(u64::MAX - 2)
                + 1,
            processes: (!self.counted.processes).then_some(job.caps.processes + OWN_PROCESSES),
            collect: job.collect != Collect::Nothing,
        }
    }

    fn outcome(&mut self, job: &Job, seen: Seen, collected: Collected) -> Result<Outcome, Fault> {
        let usage = self.group.finish()?;
        let cpu = match usage.cpu {
            Some(cpu) => cpu.saturating_sub(seen.setup_cpu),
            None => seen.cpu,
        };
        let memory_bytes = usage.memory_bytes.unwrap_or(seen.resident_bytes);
        let over = !self.counted.memory && memory_bytes > job.caps.memory_bytes;
        Ok(Outcome {
            end: end_of(seen.status)?,
            stop: seen.stop,
            memory_exceeded: usage.memory_exceeded || seen.memory_exceeded || over,
            cpu,
            wall: seen.wall,
            memory_bytes,
            stdout: seen.stdout,
            stderr: seen.stderr,
            files: collected.files,
            collect_overflow: collected.overflow,
        })
    }
}

/// Whether the room still answers, with nothing running in it.
fn answers(zygote: &Zygote) -> bool {
    zygote.send(&Request::Done, &[]).is_ok()
        && matches!(
            zygote.receive_within(STEP_TIME_MAX),
            Ok((Reply::Wiped, None))
        )
}

/// Reads what was asked for from the working folder, and lets it be wiped.
fn take_files(zygote: &Zygote, seen: &mut Seen, what: &Collect) -> Result<Collected, Fault> {
    let Some(folder) = seen.folder.take() else {
        return Ok(Collected::default());
    };
    let collected = collect(&folder, what);
    drop(folder);
    zygote.send(&Request::Done, &[])?;
    match zygote.receive_within(STEP_TIME_MAX)?.0 {
        Reply::Wiped => collected,
        other => Err(unexpected(other)),
    }
}

/// Reads a wait status.
fn end_of(status: i32) -> Result<End, Fault> {
    if libc::WIFEXITED(status) {
        Ok(End::Exited(libc::WEXITSTATUS(status)))
    } else if libc::WIFSIGNALED(status) {
        Ok(End::Signalled(libc::WTERMSIG(status)))
    } else {
        Err(Fault::new(
            "wait for the program",
            format!("wait status {status:#x}"),
        ))
    }
}

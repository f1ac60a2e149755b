//! Watches over one job from the daemon's side: drains its output, and ends it when it reaches a
//! cap.
//!
//! There is no tick. The thread sleeps until something is written, something ends, or a cap could
//! be reached at the earliest: a job that has used `used` of its CPU time cannot reach its cap
//! before `(cap - used) / cores`.
//!
//! Wall-clock time counts for a job only while the machine lets it run: when the time is over, the
//! room is asked how long the job had to wait for a processor, and the job gets as much longer.
//! It also gets what this thread took or had to wait meanwhile: a program that writes much waits for
//! its reader. A job that sleeps has not waited.
//!
//! Of a job that runs alone that is also asked on its way to the cap, each time half of what is
//! left: its time decides a verdict, and whoever reads it has to know whether the core was quiet.

use std::os::fd::{AsFd as _, OwnedFd};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

use super::link::RoomLink;
use super::streams::Stream;
use crate::domain::{End, Fault, Limits, Stop};
use crate::sandbox::channel::unexpected;
use crate::sandbox::channel::{STEP_TIME_MAX, timespec};
use crate::sandbox::job::{Cancel, Job, Outcome, cancelled};
use crate::sandbox::procfs::ThreadTime;
use crate::sandbox::wire::{Reply, Request, Usage};

/// The least time between two checks of the counters.
const CHECK_TIME_MIN: Duration = Duration::from_millis(1);
/// The most time between two checks where memory is not bounded by the kernel.
const MEMORY_CHECK_TIME_MAX: Duration = Duration::from_millis(10);
/// How many times its wall-clock time a job may take on a machine that keeps it waiting. Then
/// nobody can say what it would have done.
const WALL_STRETCH_MAX: u32 = 10;

/// A job that has ended.
pub struct Ended {
    /// Without files. CPU time and memory are by the processes' own accounts.
    pub outcome: Outcome,
    /// CPU time of our own that is in the group's: the steps before the program, and where it lives
    /// there, init.
    pub our_cpu: Duration,
    /// The working folder, where it was asked for.
    pub folder: Option<OwnedFd>,
}

/// What of a job the kernel counts and bounds by a control group. The room is asked for the rest
/// while the job runs.
#[derive(Debug, Clone, Copy)]
pub struct Counted {
    pub memory: bool,
    pub processes: bool,
    pub cpu: bool,
}

/// How many cores a job may use at once at most that is not kept on one. Asked once: the answer
/// takes longer than a small program.
pub fn cores() -> u32 {
    static CORES: OnceLock<u32> = OnceLock::new();
    *CORES.get_or_init(|| {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        u32::try_from(cores).unwrap_or(u32::MAX)
    })
}

/// Where something may happen that this thread sleeps for.
#[derive(Debug, Clone, Copy)]
enum Source {
    Cancel,
    Room,
    Stdout,
    Stderr,
}

/// One job under supervision.
pub struct Supervisor<'a> {
    room: &'a RoomLink,
    caps: &'a Limits,
    counted: Counted,
    alone: bool,
    cores: u32,
    stdout: Stream,
    stderr: Stream,
    setup_cpu: Duration,
    started: Instant,
    next_check: Option<Instant>,
    stop: Option<Stop>,
    memory_exceeded: bool,
    /// When we ended it.
    stopped: Option<Instant>,
    /// How long the machine kept the job waiting, as far as is known.
    waited: Duration,
    /// When that was asked, until it is answered.
    asked: Option<Instant>,
    /// What this thread had used and waited when the job began.
    own_before: Duration,
    /// What it has since, as far as is known: the job may have waited for it.
    own: Duration,
    resident_bytes: u64,
    buffer: &'a mut [u8],
    /// Says when the job is not wanted any more.
    pub cancel: Option<&'a Cancel>,
}

impl<'a> Supervisor<'a> {
    /// Takes over right after the job was sent.
    pub fn new(
        room: &'a RoomLink,
        job: &'a Job,
        (stdout, stderr): (OwnedFd, OwnedFd),
        counted: Counted,
        cores: u32,
        buffer: &'a mut [u8],
    ) -> Self {
        let output_bytes = usize::try_from(job.caps.output_bytes).unwrap_or(usize::MAX);
        Self {
            room,
            caps: &job.caps,
            counted,
            alone: job.alone,
            cores,
            stdout: Stream::new(stdout, output_bytes),
            stderr: Stream::new(stderr, job.stderr_bytes_max),
            setup_cpu: Duration::ZERO,
            started: Instant::now(),
            next_check: None,
            stop: None,
            memory_exceeded: false,
            stopped: None,
            waited: Duration::ZERO,
            asked: None,
            own_before: Duration::ZERO,
            own: Duration::ZERO,
            resident_bytes: 0,
            buffer,
            cancel: None,
        }
    }

    /// Watches until everything that the job started is gone.
    pub fn watch(mut self) -> Result<Ended, Fault> {
        match self.room.receive()?.0 {
            Reply::Started { setup_cpu_ns } => self.setup_cpu = Duration::from_nanos(setup_cpu_ns),
            other => return Err(unexpected(other)),
        }
        self.started = Instant::now();
        self.own_before = ThreadTime::of_this_thread().whole();
        self.schedule_check(Duration::ZERO);
        let (reply, folder) = loop {
            self.check_caps()?;
            if let Some(ended) = self.wait()? {
                break ended;
            }
        };
        let Reply::Ended {
            status,
            wall_ns,
            cpu_ns,
            longest_ns,
            init_cpu_ns,
            resident_bytes,
        } = reply
        else {
            return Err(unexpected(reply));
        };
        self.finish_streams()?;
        let wall = match self.stopped {
            Some(stopped) => stopped.duration_since(self.started),
            None => Duration::from_nanos(wall_ns),
        };
        let cpu = Duration::from_nanos(cpu_ns);
        if longest_ns > 0 {
            self.note_waits(longest_ns, cpu);
        }
        Ok(Ended {
            our_cpu: self.our_cpu(init_cpu_ns),
            folder,
            outcome: Outcome {
                end: end_of(status)?,
                stop: self.stop,
                memory_exceeded: self.memory_exceeded,
                cpu,
                wall: self.counted_wall(wall, cpu),
                waited: self.waited,
                memory_bytes: resident_bytes.max(self.resident_bytes),
                stdout: self.stdout.kept,
                stderr: self.stderr.kept,
                files: Vec::new(),
                collect_overflow: false,
            },
        })
    }

    /// Its wall-clock time without what it was kept waiting. It computes while this thread waits.
    fn counted_wall(&self, wall: Duration, cpu: Duration) -> Duration {
        let counted = wall.saturating_sub(self.waited + self.own);
        counted.max(cpu.min(wall))
    }

    fn our_cpu(&self, init_cpu_ns: u64) -> Duration {
        if self.room.group.counts_init() {
            self.setup_cpu + Duration::from_nanos(init_cpu_ns)
        } else {
            self.setup_cpu
        }
    }

    /// CPU time of the group without this much of our own.
    fn group_cpu(&self, our_cpu: Duration) -> Result<Duration, Fault> {
        let used = self.room.group.cpu()?.unwrap_or_default();
        Ok(used.saturating_sub(our_cpu))
    }

    /// Sets the time of the next check of the counters, given what is used now.
    fn schedule_check(&mut self, used: Duration) {
        let mut wait = self.caps.cpu.saturating_sub(used) / self.cores;
        if self.alone {
            wait /= 2;
        }
        wait = wait.max(CHECK_TIME_MIN);
        if !self.counted.memory {
            wait = wait.min(MEMORY_CHECK_TIME_MAX);
        }
        self.next_check = Some(Instant::now() + wait);
    }

    fn kill(&mut self, why: Option<Stop>) -> Result<(), Fault> {
        self.stop = why;
        self.stopped = Some(Instant::now());
        self.next_check = None;
        self.room.channel.send(&Request::Kill, &[])
    }

    fn check_caps(&mut self) -> Result<(), Fault> {
        let now = Instant::now();
        let is_overdue = |since: Instant| now.duration_since(since) > STEP_TIME_MAX;
        if let Some(stopped) = self.stopped {
            if is_overdue(stopped) {
                return Err(Fault::new(
                    "end the program",
                    "its processes do not go away",
                ));
            }
            return Ok(());
        }
        if self.stdout.over {
            return self.kill(Some(Stop::Output));
        }
        if self.next_check.is_some_and(|check| now >= check) {
            let used = self.group_cpu(self.setup_cpu)?;
            // Whether init has a share in it that matters is asked only where it may.
            if !self.counted.cpu || !self.counted.memory || used >= self.caps.cpu {
                // The answer comes as a message.
                self.next_check = None;
                self.ask_usage(false)?;
            } else {
                self.go_on(used)?;
            }
        }
        if let Some(asked) = self.asked {
            if is_overdue(asked) {
                return Err(Fault::new(
                    "ask how long the program waited",
                    "no answer came",
                ));
            }
        } else if now >= self.wall_end() && self.stopped.is_none() && !self.has_message()? {
            // If we were kept from checking, the message that it has ended may be there already.
            self.ask_waits()?;
        }
        Ok(())
    }

    /// Asks how long the machine has kept it waiting; the answer comes as a message.
    fn ask_waits(&mut self) -> Result<(), Fault> {
        self.asked = Some(Instant::now());
        self.room.channel.send(&Request::Waits, &[])
    }

    fn ask_usage(&self, exact: bool) -> Result<(), Fault> {
        self.room.channel.send(&Request::Usage { exact }, &[])
    }

    /// It has not reached its cap.
    fn go_on(&mut self, used: Duration) -> Result<(), Fault> {
        self.schedule_check(used);
        if self.alone && self.asked.is_none() {
            return self.ask_waits();
        }
        Ok(())
    }

    /// When its wall-clock time is over, as far as is known.
    fn wall_end(&self) -> Instant {
        self.started + self.caps.wall + self.waited + self.own
    }

    /// Takes down how long it had to wait for a processor, and for this thread.
    fn note_waits(&mut self, longest_ns: u64, used: Duration) {
        let waited = Duration::from_nanos(longest_ns).saturating_sub(used);
        self.waited = self.waited.max(waited);
        let own = ThreadTime::of_this_thread().whole();
        self.own = own.saturating_sub(self.own_before);
    }

    /// Ends it if its time was over even without the time for which it was kept waiting.
    fn on_waited(&mut self, longest_ns: u64, cpu_ns: u64) -> Result<(), Fault> {
        self.asked = None;
        if self.stopped.is_some() {
            return Ok(());
        }
        let used = if self.counted.cpu {
            self.group_cpu(self.setup_cpu)?
        } else {
            Duration::from_nanos(cpu_ns)
        };
        self.note_waits(longest_ns, used);
        let now = Instant::now();
        if now >= self.wall_end() {
            return self.kill(Some(Stop::Wall));
        }
        let took = now.duration_since(self.started);
        if took >= self.caps.wall * WALL_STRETCH_MAX {
            return Err(Fault::new(
                "run the program",
                format!(
                    "the machine is too busy: in {:.1} s the program got {:.1} s of CPU time and had to wait for {:.1} s",
                    took.as_secs_f64(),
                    used.as_secs_f64(),
                    (self.waited + self.own).as_secs_f64()
                ),
            ));
        }
        Ok(())
    }

    /// Ends it if it has reached its cap of memory or of CPU time.
    fn on_usage(&mut self, usage: Usage) -> Result<(), Fault> {
        let Usage {
            cpu_ns,
            init_cpu_ns,
            resident_bytes,
            exact,
        } = usage;
        let is_over = !self.counted.memory && resident_bytes > self.caps.memory_bytes;
        if is_over && !exact && self.stopped.is_none() {
            // Pages that its processes share were counted for each of them.
            return self.ask_usage(true);
        }
        self.resident_bytes = self.resident_bytes.max(resident_bytes);
        if self.stopped.is_some() {
            return Ok(());
        }
        if is_over {
            self.memory_exceeded = true;
            return self.kill(None);
        }
        let used = if self.counted.cpu {
            self.group_cpu(self.our_cpu(init_cpu_ns))?
        } else {
            Duration::from_nanos(cpu_ns)
        };
        if used >= self.caps.cpu {
            return self.kill(Some(Stop::Cpu));
        }
        self.go_on(used)
    }

    /// Whether a message has arrived.
    fn has_message(&self) -> Result<bool, Fault> {
        let socket = self.room.channel.socket();
        let mut ready = [PollFd::new(&socket, PollFlags::IN)];
        poll_for(&mut ready, Duration::ZERO)?;
        Ok(!ready[0].revents().is_empty())
    }

    /// The time by which something has to be checked.
    fn deadline(&self) -> Instant {
        if let Some(stopped) = self.stopped {
            return stopped + STEP_TIME_MAX + CHECK_TIME_MIN;
        }
        let wall = match self.asked {
            Some(asked) => asked + STEP_TIME_MAX + CHECK_TIME_MIN,
            None => self.wall_end(),
        };
        self.next_check.map_or(wall, |check| check.min(wall))
    }

    /// Sleeps until something happens, and sees to it. The last message, where the job has ended.
    fn wait(&mut self) -> Result<Option<(Reply, Option<OwnedFd>)>, Fault> {
        let mut has_message = false;
        for source in self.ready_sources()? {
            match source {
                Source::Cancel => return Err(cancelled()),
                Source::Stdout => drop(self.stdout.read(self.buffer)?),
                Source::Stderr => drop(self.stderr.read(self.buffer)?),
                Source::Room => has_message = true,
            }
        }
        if !has_message {
            return Ok(None);
        }
        match self.room.receive()? {
            (Reply::Usage(usage), _) => self.on_usage(usage)?,
            (Reply::Waited { longest_ns, cpu_ns }, _) => self.on_waited(longest_ns, cpu_ns)?,
            ended => return Ok(Some(ended)),
        }
        Ok(None)
    }

    /// Sleeps until something happens or has to be checked, and says where something happened.
    fn ready_sources<'s>(&'s self) -> Result<Vec<Source>, Fault> {
        let left = self.deadline().saturating_duration_since(Instant::now());
        // Not a stream that has ended, nor one whose end is not awaited any more.
        let pipe = |stream: &'s Stream| stream.pipe.as_ref().filter(|_| self.stopped.is_none());
        let sources = [
            (Source::Cancel, self.cancel.map(Cancel::event)),
            (Source::Room, Some(self.room.channel.socket())),
            (Source::Stdout, pipe(&self.stdout).map(OwnedFd::as_fd)),
            (Source::Stderr, pipe(&self.stderr).map(OwnedFd::as_fd)),
        ];
        let polled = sources.into_iter().filter_map(|(source, socket)| {
            Some((source, PollFd::from_borrowed_fd(socket?, PollFlags::IN)))
        });
        let (sources, mut ready): (Vec<_>, Vec<_>) = polled.unzip();
        poll_for(&mut ready, left)?;
        let happened = sources.into_iter().zip(&ready);
        let happened = happened.filter(|(_, one)| !one.revents().is_empty());
        Ok(happened.map(|(source, _)| source).collect())
    }

    /// Reads what was written before the end. All writers are gone, so both streams end.
    fn finish_streams(&mut self) -> Result<(), Fault> {
        while !self.stdout.over && self.stdout.read(self.buffer)? {}
        while !self.stderr.over && self.stderr.read(self.buffer)? {}
        // Of wall-clock time, a share was the reader's.
        if self.stdout.over && matches!(self.stop, None | Some(Stop::Wall)) {
            self.stop = Some(Stop::Output);
        }
        Ok(())
    }
}

/// Waits at most so long. A signal ends the waiting, and then nothing has happened.
fn poll_for(ready: &mut [PollFd<'_>], time: Duration) -> Result<(), Fault> {
    match poll(ready, Some(&timespec(time))) {
        Ok(_) | Err(Errno::INTR) => Ok(()),
        Err(error) => Err(Fault::new("wait for the program", error)),
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

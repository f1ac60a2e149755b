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

use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};

use super::link::RoomLink;
use super::streams::Stream;
use super::wait::{end_of, poll_for, ready};
use crate::domain::{End, Fault, Limits, Stop};
use crate::sandbox::channel::{STEP_TIME_MAX, unexpected};
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
pub enum Source {
    Cancel,
    Room,
    Stdout,
    Stderr,
}

/// The last message of a job, and its working folder where that was asked for.
type Last = (Reply, Option<OwnedFd>);

/// One job under supervision.
pub struct Supervisor<'a> {
    room: &'a RoomLink,
    caps: &'a Limits,
    counted: Counted,
    alone: bool,
    cores: u32,
    pub stdout: Stream,
    /// Whether there is room for more of that now.
    pub reads: bool,
    stderr: Stream,
    setup_cpu: Duration,
    started: Instant,
    /// Since when its wall-clock time counts; none while it does not.
    pub wall_since: Option<Instant>,
    next_check: Option<Instant>,
    stop: Option<Stop>,
    memory_exceeded: bool,
    /// When we ended it.
    pub stopped: Option<Instant>,
    /// How long the machine kept the job waiting, as far as is known.
    pub waited: Duration,
    /// When that was asked, until it is answered.
    pub asked: Option<Instant>,
    /// What this thread had used and waited when the job began.
    own_before: Duration,
    /// What it has since, as far as is known: the job may have waited for it.
    own: Duration,
    /// How long whom it talks with computed, or waited for a processor: it may have waited for that.
    pub beside: Duration,
    /// Its CPU time where only the room knows it, as far as was told.
    told_cpu: Duration,
    resident_bytes: u64,
    /// What it ended with.
    pub last: Option<Last>,
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
            reads: true,
            stderr: Stream::new(stderr, job.stderr_bytes_max),
            setup_cpu: Duration::ZERO,
            started: Instant::now(),
            wall_since: None,
            next_check: None,
            stop: None,
            memory_exceeded: false,
            stopped: None,
            waited: Duration::ZERO,
            asked: None,
            own_before: Duration::ZERO,
            own: Duration::ZERO,
            beside: Duration::ZERO,
            told_cpu: Duration::ZERO,
            resident_bytes: 0,
            last: None,
            buffer,
            cancel: None,
        }
    }

    /// Watches until everything that the job started is gone.
    pub fn watch(mut self) -> Result<Ended, Fault> {
        self.begin()?;
        while self.last.is_none() {
            self.check_caps()?;
            for source in ready(self.sources(), self.deadline())? {
                self.see_to(source)?;
            }
        }
        self.finish()
    }

    /// Waits until it runs.
    pub fn begin(&mut self) -> Result<(), Fault> {
        match self.room.receive()?.0 {
            Reply::Started { setup_cpu_ns } => self.setup_cpu = Duration::from_nanos(setup_cpu_ns),
            other => return Err(unexpected(other)),
        }
        self.started = Instant::now();
        self.wall_since = Some(self.started);
        self.own_before = ThreadTime::of_this_thread().whole();
        self.schedule_check(Duration::ZERO);
        Ok(())
    }

    /// How its first process ended, once it has.
    pub fn end(&self) -> Result<Option<End>, Fault> {
        match &self.last {
            Some((Reply::Ended { status, .. }, _)) => end_of(*status).map(Some),
            _ => Ok(None),
        }
    }

    /// What it used in all, once it has ended.
    pub fn finish(mut self) -> Result<Ended, Fault> {
        let last = self.last.take();
        let (reply, folder) =
            last.ok_or_else(|| Fault::new("wait for the program", "its end was not seen"))?;
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
        let counted = wall.saturating_sub(self.waited + self.own + self.beside);
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

    /// How long it has computed, or was kept from it, as far as is known.
    pub fn busy(&self) -> Result<Duration, Fault> {
        let (told, longest) = match self.last {
            Some((ref reply, _)) => reply.spent(),
            None => (self.told_cpu, Duration::ZERO),
        };
        let used = if self.counted.cpu {
            self.group_cpu(self.setup_cpu)?
        } else {
            told
        };
        Ok(used + self.waited.max(longest.saturating_sub(used)))
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

    pub fn kill(&mut self, why: Option<Stop>) -> Result<(), Fault> {
        self.stop = why;
        self.stopped = Some(Instant::now());
        self.next_check = None;
        self.room.channel.send(&Request::Kill, &[])
    }

    pub fn check_caps(&mut self) -> Result<(), Fault> {
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
    pub fn ask_waits(&mut self) -> Result<(), Fault> {
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
    pub fn wall_end(&self) -> Instant {
        match self.wall_since {
            Some(since) => since + self.caps.wall + self.waited + self.own + self.beside,
            None => Instant::now() + STEP_TIME_MAX,
        }
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
        self.told_cpu = Duration::from_nanos(cpu_ns);
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
        let took = took.saturating_sub(self.beside);
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
        self.told_cpu = Duration::from_nanos(cpu_ns);
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
    pub fn deadline(&self) -> Instant {
        if let Some(stopped) = self.stopped {
            return stopped + STEP_TIME_MAX + CHECK_TIME_MIN;
        }
        let wall = match self.asked {
            Some(asked) => asked + STEP_TIME_MAX + CHECK_TIME_MIN,
            None => self.wall_end(),
        };
        self.next_check.map_or(wall, |check| check.min(wall))
    }

    /// Sees to what has happened.
    pub fn see_to(&mut self, source: Source) -> Result<(), Fault> {
        match source {
            Source::Cancel => return Err(cancelled()),
            Source::Stdout => drop(self.stdout.read(self.buffer)?),
            Source::Stderr => drop(self.stderr.read(self.buffer)?),
            Source::Room => match self.room.receive()? {
                (Reply::Usage(usage), _) => self.on_usage(usage)?,
                (Reply::Waited { longest_ns, cpu_ns }, _) => self.on_waited(longest_ns, cpu_ns)?,
                ended @ (Reply::Ended { .. }, _) => self.last = Some(ended),
                (other, _) => return Err(unexpected(other)),
            },
        }
        Ok(())
    }

    /// Where something may happen.
    pub fn sources<'s>(&'s self) -> impl Iterator<Item = (Source, BorrowedFd<'s>, PollFlags)> {
        // Not a stream that has ended, nor one whose end is not awaited any more.
        let is_read = self.stopped.is_none();
        let pipe = |stream: &'s Stream| stream.pipe.as_ref().filter(|_| is_read);
        let runs = self.last.is_none();
        [
            (Source::Cancel, self.cancel.map(Cancel::event)),
            (Source::Room, runs.then(|| self.room.channel.socket())),
            (
                Source::Stdout,
                pipe(&self.stdout)
                    .filter(|_| self.reads)
                    .map(OwnedFd::as_fd),
            ),
            (Source::Stderr, pipe(&self.stderr).map(OwnedFd::as_fd)),
        ]
        .into_iter()
        .filter_map(|(source, socket)| Some((source, socket?, PollFlags::IN)))
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

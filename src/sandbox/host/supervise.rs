//! Watches over one job from the daemon's side: drains its output, and ends it when it reaches a
//! cap.
//!
//! There is no tick. The thread sleeps until something is written, something ends, or a cap could
//! be reached at the earliest:
//! a job that has used `used` of its CPU time cannot reach its cap before `(cap - used) / cores`.
//!
//! The clock counts for a job only while the machine lets it run: when the time is over, the room
//! is asked how long the job had to wait for a processor,
//! and gets as much longer. A job that sleeps has not waited.
//!
//! Of a job that runs alone that is also asked on its way to the cap, each time half of what is
//! left: its time decides a verdict,
//! and whoever reads it has to know whether the core was quiet.

use std::os::fd::OwnedFd;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

use super::link::RoomLink;
use super::streams::{Stream, Streams};
use crate::domain::{Caps, Fault, Stop};
use crate::sandbox::channel::timespec;
use crate::sandbox::steps::{self, unexpected};
use crate::sandbox::wire::{Reply, Request};

/// The least time between two looks at the counters.
const LOOK_TIME_MIN: Duration = Duration::from_millis(1);
/// The most time between two looks where memory is not bounded by the kernel.
const MEMORY_LOOK_TIME_MAX: Duration = Duration::from_millis(10);
/// How many times its wall-clock time a job may take on a machine that keeps it waiting. Then
/// nobody can say what it would have done.
const WALL_STRETCH_MAX: u32 = 10;

/// What was seen of a job.
pub struct Seen {
    /// Wait status of the first process.
    pub status: i32,
    /// Why we ended it.
    pub stop: Option<Stop>,
    /// We ended it because its processes together held more memory than the cap.
    pub memory_exceeded: bool,
    /// From the start to the end of the first process, or to our decision to end it, without the
    /// time for which the machine kept it waiting, as far as that was asked for.
    pub wall: Duration,
    /// For how long the machine kept it waiting, as far as that was asked for.
    pub waited: Duration,
    /// CPU time of our own that is in the group's: the steps before the program, and where it lives
    /// there, init.
    pub our_cpu: Duration,
    /// CPU time by the processes' own accounts.
    pub cpu: Duration,
    /// The most memory that was seen, by the processes' own accounts.
    pub resident_bytes: u64,
    /// Standard output, at most the cap.
    pub stdout: Vec<u8>,
    /// The beginning of standard error.
    pub stderr: Vec<u8>,
    /// The working folder, where it was asked for.
    pub folder: Option<OwnedFd>,
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

/// One job under supervision.
pub struct Supervisor<'a> {
    room: &'a RoomLink,
    caps: &'a Caps,
    cores: u32,
    ask: Ask,
    stdout: Stream,
    stderr: Stream,
    setup_cpu: Duration,
    started: Instant,
    next_look: Option<Instant>,
    stop: Option<Stop>,
    memory_exceeded: bool,
    stopped: Option<Instant>,
    /// How long the machine kept the job waiting, as far as is known.
    waited: Duration,
    /// When that was asked, until it is answered.
    asked: Option<Instant>,
    resident_bytes: u64,
    buffer: &'a mut [u8],
}

/// What the room is asked for while the job runs.
#[derive(Debug, Clone, Copy)]
pub struct Ask {
    /// CPU time, because the kernel does not count it for the group.
    pub cpu: bool,
    /// Memory, because the kernel does not bound it.
    pub memory: bool,
    /// How long the machine keeps it waiting.
    pub waits: bool,
}

impl<'a> Supervisor<'a> {
    /// Takes over right after the job was sent.
    pub fn new(
        room: &'a RoomLink,
        caps: &'a Caps,
        streams: Streams,
        ask: Ask,
        cores: u32,
        buffer: &'a mut [u8],
    ) -> Self {
        Self {
            room,
            caps,
            cores,
            ask,
            stdout: Stream::new(
                streams.stdout,
                usize::try_from(caps.output_bytes).unwrap_or(usize::MAX),
            ),
            stderr: Stream::new(streams.stderr, streams.stderr_bytes_max),
            setup_cpu: Duration::ZERO,
            started: Instant::now(),
            next_look: None,
            stop: None,
            memory_exceeded: false,
            stopped: None,
            waited: Duration::ZERO,
            asked: None,
            resident_bytes: 0,
            buffer,
        }
    }

    /// Watches until everything that the job started is gone.
    pub fn watch(mut self) -> Result<Seen, Fault> {
        match self.room.receive()?.0 {
            Reply::Started { setup_cpu_ns } => self.setup_cpu = Duration::from_nanos(setup_cpu_ns),
            other => return Err(unexpected(other)),
        }
        self.started = Instant::now();
        self.plan_look(Duration::ZERO);
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
        Ok(Seen {
            status,
            stop: self.stop,
            memory_exceeded: self.memory_exceeded,
            wall: wall.saturating_sub(self.waited),
            waited: self.waited,
            our_cpu: self.our_cpu(init_cpu_ns),
            cpu: Duration::from_nanos(cpu_ns),
            resident_bytes: resident_bytes.max(self.resident_bytes),
            stdout: self.stdout.kept,
            stderr: self.stderr.kept,
            folder,
        })
    }

    fn our_cpu(&self, init_cpu_ns: u64) -> Duration {
        if self.room.group.counts_init() {
            self.setup_cpu + Duration::from_nanos(init_cpu_ns)
        } else {
            self.setup_cpu
        }
    }

    /// Sets the time of the next look at the counters, given what is used now.
    fn plan_look(&mut self, used: Duration) {
        let mut wait = self.caps.cpu.saturating_sub(used) / self.cores;
        if self.ask.waits {
            wait /= 2;
        }
        wait = wait.max(LOOK_TIME_MIN);
        if self.ask.memory {
            wait = wait.min(MEMORY_LOOK_TIME_MAX);
        }
        self.next_look = Some(Instant::now() + wait);
    }

    fn end_it(&mut self) -> Result<(), Fault> {
        self.stopped = Some(Instant::now());
        self.next_look = None;
        self.room.send(&Request::Kill, &[])
    }

    fn check_caps(&mut self) -> Result<(), Fault> {
        let now = Instant::now();
        if let Some(stopped) = self.stopped {
            if now.duration_since(stopped) > steps::TIME_MAX {
                return Err(Fault::new(
                    "end the program",
                    "its processes do not go away",
                ));
            }
            return Ok(());
        }
        if self.stdout.over {
            self.stop = Some(Stop::Output);
            return self.end_it();
        }
        if self.next_look.is_some_and(|look| now >= look) {
            let used = self.group_cpu()?;
            // Whether init has a share in it that matters is asked only where it may.
            if self.ask.cpu || self.ask.memory || used >= self.caps.cpu {
                // The answer comes as a message.
                self.next_look = None;
                self.look(false)?;
            } else {
                self.go_on(used)?;
            }
        }
        let over = now >= self.wall_end();
        if let Some(asked) = self.asked {
            if now.duration_since(asked) > steps::TIME_MAX {
                return Err(Fault::new(
                    "ask how long the program waited",
                    "no answer came",
                ));
            }
        } else if over && self.stopped.is_none() && !self.is_told()? {
            // Where we were kept from looking, its end may have been told already.
            self.ask_waits()?;
        }
        Ok(())
    }

    /// Asks how long the machine has kept it waiting; the answer comes as a message.
    fn ask_waits(&mut self) -> Result<(), Fault> {
        self.asked = Some(Instant::now());
        self.room.send(&Request::Waits, &[])
    }

    /// It has not reached its cap: when to look again.
    fn go_on(&mut self, used: Duration) -> Result<(), Fault> {
        self.plan_look(used);
        if self.ask.waits && self.asked.is_none() {
            return self.ask_waits();
        }
        Ok(())
    }

    /// When its wall-clock time is over, for all that is known.
    fn wall_end(&self) -> Instant {
        self.started + self.caps.wall + self.waited
    }

    /// Ends it if its time was over even without the time for which it was kept waiting.
    fn judge_wall(&mut self, longest_ns: u64, cpu_ns: u64) -> Result<(), Fault> {
        self.asked = None;
        if self.stopped.is_some() {
            return Ok(());
        }
        let used = if self.ask.cpu {
            Duration::from_nanos(cpu_ns)
        } else {
            self.group_cpu()?
        };
        let waited = Duration::from_nanos(longest_ns).saturating_sub(used);
        self.waited = self.waited.max(waited);
        let now = Instant::now();
        if now >= self.wall_end() {
            self.stop = Some(Stop::Wall);
            return self.end_it();
        }
        let took = now.duration_since(self.started);
        if took >= self.caps.wall * WALL_STRETCH_MAX {
            return Err(Fault::new(
                "run the program",
                format!(
                    "the machine is too busy: in {:.1} s the program got {:.1} s of CPU time and had to wait for {:.1} s",
                    took.as_secs_f64(),
                    used.as_secs_f64(),
                    self.waited.as_secs_f64()
                ),
            ));
        }
        Ok(())
    }

    fn look(&self, exact: bool) -> Result<(), Fault> {
        self.room.send(&Request::Look { exact }, &[])
    }

    /// Whether a message has arrived.
    fn is_told(&self) -> Result<bool, Fault> {
        let socket = self.room.socket();
        let mut ready = [PollFd::new(&socket, PollFlags::IN)];
        match poll(&mut ready, Some(&timespec(Duration::ZERO))) {
            Ok(count) => Ok(count > 0),
            Err(Errno::INTR) => Ok(false),
            Err(error) => Err(Fault::new("wait for the program", error)),
        }
    }

    /// CPU time of the group without the steps before the program.
    fn group_cpu(&self) -> Result<Duration, Fault> {
        let used = self.room.group.cpu()?.unwrap_or_default();
        Ok(used.saturating_sub(self.setup_cpu))
    }

    fn judge_cpu(&mut self, used: Duration) -> Result<(), Fault> {
        if used >= self.caps.cpu {
            self.stop = Some(Stop::Cpu);
            return self.end_it();
        }
        self.go_on(used)
    }

    /// Sleeps until something happens, and sees to it. Some where the job has ended.
    fn wait(&mut self) -> Result<Option<(Reply, Option<OwnedFd>)>, Fault> {
        let now = Instant::now();
        let until = if let Some(stopped) = self.stopped {
            stopped + steps::TIME_MAX + LOOK_TIME_MIN
        } else {
            let wall = match self.asked {
                Some(asked) => asked + steps::TIME_MAX + LOOK_TIME_MIN,
                None => self.wall_end(),
            };
            self.next_look.map_or(wall, |look| look.min(wall))
        };
        let timeout = timespec(until.saturating_duration_since(now));
        let (spoken, out, err) = {
            let socket = self.room.socket();
            let mut ready = vec![PollFd::new(&socket, PollFlags::IN)];
            for stream in [&self.stdout, &self.stderr] {
                // A stream that has ended, and one whose end nobody awaits any more, is not
                // listened to.
                if let Some(pipe) = stream.pipe.as_ref().filter(|_| self.stopped.is_none()) {
                    ready.push(PollFd::new(pipe, PollFlags::IN));
                }
            }
            if let Err(error) = poll(&mut ready, Some(&timeout))
                && error != Errno::INTR
            {
                return Err(Fault::new("wait for the program", error));
            }
            let happened = |index: usize| {
                ready
                    .get(index)
                    .is_some_and(|poll: &PollFd<'_>| !poll.revents().is_empty())
            };
            let both = self.stdout.pipe.is_some();
            (
                happened(0),
                both && happened(1),
                happened(if both { 2 } else { 1 }),
            )
        };
        if out {
            self.stdout.read(self.buffer)?;
        }
        if err {
            self.stderr.read(self.buffer)?;
        }
        if spoken {
            match self.room.receive()? {
                (
                    Reply::Usage {
                        cpu_ns,
                        init_cpu_ns,
                        resident_bytes,
                        exact,
                    },
                    _,
                ) => self.judge_usage(cpu_ns, init_cpu_ns, resident_bytes, exact)?,
                (Reply::Waited { longest_ns, cpu_ns }, _) => self.judge_wall(longest_ns, cpu_ns)?,
                ended => return Ok(Some(ended)),
            }
        }
        Ok(None)
    }

    fn judge_usage(
        &mut self,
        cpu_ns: u64,
        init_cpu_ns: u64,
        resident_bytes: u64,
        exact: bool,
    ) -> Result<(), Fault> {
        let over = resident_bytes > self.caps.memory_bytes;
        if self.ask.memory && over && !exact && self.stopped.is_none() {
            // Pages that its processes share were counted for each of them.
            return self.look(true);
        }
        self.resident_bytes = self.resident_bytes.max(resident_bytes);
        if self.stopped.is_some() {
            return Ok(());
        }
        if self.ask.memory && over {
            self.memory_exceeded = true;
            return self.end_it();
        }
        let used = if self.ask.cpu {
            Duration::from_nanos(cpu_ns)
        } else {
            let used = self.room.group.cpu()?.unwrap_or_default();
            used.saturating_sub(self.our_cpu(init_cpu_ns))
        };
        self.judge_cpu(used)
    }

    /// Reads what was written before the end. All writers are gone, so both streams end.
    fn finish_streams(&mut self) -> Result<(), Fault> {
        while !self.stdout.over && self.stdout.read(self.buffer)? {}
        while !self.stderr.over && self.stderr.read(self.buffer)? {}
        if self.stdout.over && self.stop.is_none() {
            self.stop = Some(Stop::Output);
        }
        Ok(())
    }
}

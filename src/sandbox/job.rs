//! What is asked of the sandbox and what comes back: rooms, jobs, outcomes, who runs them, and how
//! they are told that what they run is not wanted any more: work that can wait has to go when other
//! work comes.

use std::collections::BTreeMap;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::event::{EventfdFlags, eventfd};
use rustix::io::write;

use crate::domain::{End, Fault, FaultKind, First, Limits, Stop, Transcript};

/// Where the files of [`Room::app`] are seen, read-only.
pub const APP_FOLDER: &str = "/app";
/// The private working folder of a job: writable, empty at its start but for [`Job::files`], wiped
/// at its end.
pub const WORK_FOLDER: &str = "/box";

/// Whether a job goes on whose partner has ended with this exit code.
pub type GoesOn = fn(i32) -> bool;

/// Runs jobs; see the module.
pub trait Runner: Send {
    /// Makes a fresh room and leaves the one before.
    fn enter(&mut self, room: &Room) -> Result<(), Fault>;
    /// Runs one job in the room to its end, kills everything that it started, and wipes its working
    /// folder.
    fn run(&mut self, job: &Job) -> Result<Outcome, Fault>;
    /// A second sandbox, apart from this one, for what the jobs of this one talk with.
    fn partner(&mut self) -> Result<&mut dyn Runner, Fault> {
        Err(Fault::new(
            "run two programs at once",
            "there is no second sandbox",
        ))
    }
    /// Runs one job in the room and another in the room of its [partner](Self::partner) at the same
    /// time. What either prints the other one reads, as long as it runs, and they have no standard
    /// input beside that. Where the partner's job ends first, with an exit code with which it does not
    /// go on, the job is ended too.
    fn converse(&mut self, _: &Job, _partners: &Job, _: GoesOn) -> Result<Conversed, Fault> {
        Err(Fault::new(
            "run two programs at once",
            "there is no second sandbox",
        ))
    }
    /// From now on it ends what it does when this is said: with a fault of the kind
    /// [`Cancelled`](FaultKind::Cancelled), after which a room has to be entered again; with `None`,
    /// nothing ends it any more. A runner without anything that takes time may ignore it.
    fn set_cancel(&mut self, _: Option<&Cancel>) {}
}

/// What the jobs of one submission can see.
#[derive(Debug, Clone, Default)]
pub struct Room {
    /// Files and folders of this machine, visible read-only at the same path, in addition to the
    /// system's own folders (`/usr`, `/lib`, ...).
    pub shown: Vec<PathBuf>,
    /// The program's own files, below [`APP_FOLDER`], read-only.
    pub app: Vec<AppFile>,
}

/// A file below a folder of the room.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppFile {
    /// Relative path: plain components only.
    pub name: String,
    /// Its bytes.
    pub bytes: Arc<[u8]>,
    /// Whether it may be executed.
    pub executable: bool,
}

/// One program to run.
#[derive(Debug, Clone)]
pub struct Job {
    /// The program (an absolute path inside the room) and its arguments.
    pub argv: Vec<String>,
    /// The whole environment.
    pub env: BTreeMap<String, String>,
    /// Standard input.
    pub stdin: Arc<[u8]>,
    /// Files laid into the working folder before the start, writable by the job.
    pub files: Vec<AppFile>,
    /// What is taken out of the working folder after the end.
    pub collect: Collect,
    /// What it may use. The output cap counts standard output.
    pub caps: Limits,
    /// How much of standard error is kept; more is read and dropped.
    pub stderr_bytes_max: usize,
    /// What the working folder and `/tmp` may hold together.
    pub disk_bytes: u64,
    /// Stack of the first thread; `None` for as much as the memory cap allows.
    pub stack_bytes: Option<u64>,
    /// Whether no other job of this sandbox may run at the same time, and the quietest core is
    /// looked for.
    pub alone: bool,
}

/// What is taken out of the working folder after a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Collect {
    /// Nothing.
    Nothing,
    /// These regular files where they exist, the first `bytes_max` bytes of each, to see whether it
    /// is larger one more.
    Named {
        /// Names directly in the working folder.
        names: Vec<String>,
        /// Bound of each.
        bytes_max: u64,
    },
    /// Every regular file at any depth, symlinks and special files ignored; a fault-free job that
    /// exceeds a bound is reported by [`Outcome::collect_overflow`].
    All {
        /// Bound of all files together.
        bytes_max: u64,
        /// Bound of their number.
        files_max: usize,
    },
}

/// What was measured. Facts only.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// How the first process ended.
    pub end: End,
    /// Why we ended it, if we did.
    pub stop: Option<Stop>,
    /// A process of the job was killed because the job's memory reached its cap.
    pub memory_exceeded: bool,
    /// CPU time of all processes of the job.
    pub cpu: Duration,
    /// From its start to the end of its first process, or to our kill; without `waited`.
    pub wall: Duration,
    /// For how long the machine kept it waiting for a processor, at least. No job can make this
    /// longer.
    pub waited: Duration,
    /// The most memory in use at one time.
    pub memory_bytes: u64,
    /// Standard output, at most the cap.
    pub stdout: Vec<u8>,
    /// The beginning of standard error.
    pub stderr: Vec<u8>,
    /// What was collected.
    pub files: Vec<AppFile>,
    /// There was more to collect than the bounds allow.
    pub collect_overflow: bool,
}

/// What came of two jobs that talked with each other.
#[derive(Debug, Clone)]
pub struct Conversed {
    /// The job's own, without its output.
    pub outcome: Outcome,
    /// How much it printed, in bytes.
    pub printed_bytes: u64,
    /// The partner's, without its output. Of one that was not needed any more it says little.
    pub partners: Outcome,
    pub first: First,
    pub said: Transcript,
}

/// Says that what is run is not wanted any more. Its clones are one; it cannot be taken back.
#[derive(Debug, Clone)]
pub struct Cancel(Arc<Word>);

#[derive(Debug)]
struct Word {
    is_said: AtomicBool,
    /// Readable from then on, so that a runner that sleeps wakes up at once. Nobody reads it.
    event: OwnedFd,
}

impl Cancel {
    /// Nothing is cancelled yet.
    pub fn new() -> io::Result<Self> {
        let event = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        Ok(Self(Arc::new(Word {
            is_said: AtomicBool::new(false),
            event,
        })))
    }

    /// Says it. Whatever is being run is killed, and nothing more is run.
    pub fn cancel(&self) {
        self.0.is_said.store(true, Ordering::Release);
        // It fails only where the counter is at its end: then it is readable already.
        let _ = write(&self.0.event, &1_u64.to_ne_bytes());
    }

    /// Whether it was said.
    pub fn is_cancelled(&self) -> bool {
        self.0.is_said.load(Ordering::Acquire)
    }

    /// Fails if it was said.
    pub fn check(&self) -> Result<(), Fault> {
        if self.is_cancelled() {
            return Err(cancelled());
        }
        Ok(())
    }

    /// What becomes readable, to poll it.
    pub(super) fn event(&self) -> BorrowedFd<'_> {
        self.0.event.as_fd()
    }
}

/// What a runner answers that was told so.
pub(super) fn cancelled() -> Fault {
    Fault::new("run the program", "it is not wanted any more").of_kind(FaultKind::Cancelled)
}

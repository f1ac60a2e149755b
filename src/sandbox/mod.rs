//! Runs untrusted programs, the compilers included, and says what they used. It knows no problem, no test and no verdict.
//!
//! A [`Runner`] belongs to one worker thread.
//! It *enters* a [`Room`] (what one submission or one compilation may see) and then runs [`Job`]s in it, one after the other; nothing of a job is left for the next.
//! What could not be set up is a [`Fault`] with the step's name, never an outcome.

pub mod bench;
mod capabilities;
mod cgroup;
mod channel;
mod collect;
mod init;
mod inputs;
mod inside;
mod keeper;
mod landlock;
mod link;
pub mod load;
mod looks;
mod mounts;
mod namespaces;
mod on_demand;
mod patience;
mod places;
mod plan;
mod privileges;
mod rlimits;
mod scratch;
#[cfg(test)]
pub mod scripted;
mod seccomp;
mod supervise;
mod sys;
mod trial;
mod turns;
mod wire;
mod worker;
mod zygote;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use self::inputs::Inputs;
pub use self::on_demand::OnDemand;
pub use self::patience::patiently;
use self::places::Places;
pub use self::plan::Refusal;
use self::wire::Settings;
use self::worker::{Counted, Worker};
use crate::domain::{Caps, Digest, End, Fault, Stop};
use crate::util::descriptors;

/// Where the files of [`Room::app`] are seen, read-only.
pub const APP_FOLDER: &str = "/app";
/// The private working folder of a job: writable, empty at its start but for [`Job::files`], wiped at its end.
pub const WORK_FOLDER: &str = "/box";

/// Runs jobs; see the module.
pub trait Runner: Send {
    /// Makes a fresh room and leaves the one before.
    fn enter(&mut self, room: &Room) -> Result<(), Fault>;
    /// Runs one job in the room to its end, kills everything that it started, and wipes its working folder.
    fn run(&mut self, job: &Job) -> Result<Outcome, Fault>;
}

/// What the jobs of one submission can see.
#[derive(Debug, Clone, Default)]
pub struct Room {
    /// Files and folders of this machine, visible read-only at the same path, in addition to the system's own folders (`/usr`, `/lib`, ...).
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
    pub caps: Caps,
    /// How much of standard error is kept; more is read and dropped.
    pub stderr_bytes_max: usize,
    /// What the working folder and `/tmp` may hold together.
    pub disk_bytes: u64,
    /// Stack of the first thread; `None` for as much as the memory cap allows.
    pub stack_bytes: Option<u64>,
    /// Whether no other job of this sandbox may run at the same time, and the quietest core is looked for.
    pub alone: bool,
}

/// What is taken out of the working folder after a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Collect {
    /// Nothing.
    Nothing,
    /// These regular files where they exist, the first `bytes_max` bytes of each, to see whether it is larger one more.
    Named {
        /// Names directly in the working folder.
        names: Vec<String>,
        /// Bound of each.
        bytes_max: u64,
    },
    /// Every regular file at any depth, symlinks and special files ignored; a fault-free job that exceeds a bound is reported by [`Outcome::collect_overflow`].
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
    /// For how long the machine kept it waiting for a processor, at least. No job can make this longer.
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

/// How well one protection holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hold {
    /// As it should be.
    On,
    /// In a weaker form.
    Weak,
    /// Not at all.
    Missing,
}

/// One protection, for `doctor` and for every report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Protection {
    /// Its stable name, the one that `sandbox.allow_missing` in config.toml uses: `network`, `memory`.
    pub name: &'static str,
    /// How well it holds.
    pub hold: Hold,
    /// By which means, or why not.
    pub how: String,
    /// What would fix it, where it is not on: a command or a setting.
    pub fix: Option<String>,
}

/// Runs as a part of the sandbox where this process was started as one; to be called first thing in `main`, before any thread exists.
pub fn reenter() -> Option<ExitCode> {
    match std::env::args_os().nth(1)?.to_str()? {
        link::ARGUMENT => Some(zygote::main()),
        trial::ARGUMENT => Some(trial::main()),
        load::ARGUMENT => Some(load::main()),
        _ => None,
    }
}

/// The folder of the system in which a path lies, so that every program can read it there; none where it lies elsewhere.
pub fn seen_by_all(path: &Path) -> Option<&'static Path> {
    mounts::seen_by_all(path)
}

/// The descriptors that the daemon may need for grading, of this many.
pub fn descriptors_needed(limit: usize, workers: usize) -> usize {
    descriptors::grading(limit, workers, inputs::KEPT_MAX)
}

/// Every protection as it would hold on this machine, whether or not that is enough.
pub fn examine() -> Vec<Protection> {
    capabilities::find(cgroup::detect().as_ref()).protections
}

/// Every room takes some descriptors, and so does every input that is kept: a machine with many cores needs more than the customary soft limit.
fn raise_open_files() {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile);
    let raised = rustix::process::Rlimit {
        current: limit.maximum,
        maximum: limit.maximum,
    };
    if let Err(error) = rustix::process::setrlimit(rustix::process::Resource::Nofile, raised) {
        tracing::debug!(%error, "the limit of open files stays");
    }
}

/// The machine's sandbox: found out once, shared by all workers.
#[derive(Clone)]
pub struct Sandbox {
    cgroups: Arc<dyn cgroup::Hierarchy>,
    found: Arc<capabilities::Found>,
    inputs: Arc<Inputs>,
    places: Arc<Places>,
}

impl Sandbox {
    /// Opens it, unless a protection is missing that may not be.
    pub fn open(allow_missing: &BTreeSet<String>) -> Result<Self, Refusal> {
        Self::open_with(cgroup::detect(), allow_missing)
    }

    fn open_with(
        cgroups: Arc<dyn cgroup::Hierarchy>,
        allow_missing: &BTreeSet<String>,
    ) -> Result<Self, Refusal> {
        raise_open_files();
        let found = Arc::new(capabilities::find(cgroups.as_ref()));
        plan::decide(&found.protections, allow_missing)?;
        Ok(Self {
            cgroups,
            found,
            inputs: Arc::new(Inputs::keeping(descriptors::inputs(
                descriptors::limit(),
                inputs::KEPT_MAX,
            ))),
            places: Arc::new(Places::find()),
        })
    }

    /// Every protection and how it holds.
    pub fn protections(&self) -> &[Protection] {
        &self.found.protections
    }

    /// Changes when what is enforced changes.
    pub fn policy_digest(&self) -> Digest {
        plan::policy_digest(&self.found.protections)
    }

    /// A runner for the worker of this number, from 0.
    pub fn runner(&self, worker: usize) -> Result<Box<dyn Runner>, Fault> {
        Ok(Box::new(self.worker(worker)?))
    }

    fn worker(&self, worker: usize) -> Result<Worker, Fault> {
        let on = |name: &str| {
            self.found
                .protections
                .iter()
                .any(|protection| protection.name == name && protection.hold == Hold::On)
        };
        let place = self.places.place(worker);
        let settings = Settings {
            identity: capabilities::identity(worker),
            own_network: self.found.own_network,
            processor: place.processor,
        };
        let counted = Counted {
            memory: on("memory"),
            processes: on("processes"),
            cpu: on("cpu"),
        };
        let mut worker = Worker::new(
            settings,
            counted,
            Arc::clone(&self.cgroups),
            Arc::clone(&self.inputs),
            place,
        );
        worker.prepare()?;
        Ok(worker)
    }
}

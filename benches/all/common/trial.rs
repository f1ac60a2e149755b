//! One sandbox worker, set up as in the daemon.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use verdictd::internals::{
    AppFile, Collect, End, Job, Limits, Room, Runner as _, Sandbox, SandboxRunner,
};

const MIB: u64 = 1024 * 1024;

/// A worker with a room for one program.
pub struct Trial {
    runner: SandboxRunner,
    room: Room,
    job: Job,
}

/// The parts of a run that a bench checks.
#[derive(Debug, Clone)]
pub struct Ran {
    /// Exit code, if it ended by itself.
    pub exit: Option<i32>,
    /// Whether the sandbox ended it.
    pub stopped: bool,
    /// What it printed.
    pub stdout: Vec<u8>,
    /// The time from its start to its end, or to the decision to end it.
    pub wall: Duration,
}

impl Trial {
    /// The worker of this number, whose jobs run `program`, with every protection on.
    pub fn open(worker: usize, program: &[u8]) -> Result<Self, String> {
        // One for all workers, as in the daemon: otherwise they would not know each other's cores.
        static SANDBOX: OnceLock<Result<Sandbox, String>> = OnceLock::new();
        let opened = SANDBOX
            .get_or_init(|| Sandbox::open(&BTreeSet::new()).map_err(|refusal| refusal.to_string()));
        let sandbox = opened.as_ref().map_err(Clone::clone)?;
        let runner = sandbox.runner(worker);
        let mut trial = Self {
            runner,
            room: Room {
                shown: Vec::new(),
                app: vec![AppFile {
                    name: "program".into(),
                    bytes: program.into(),
                    executable: true,
                }],
            },
            job: Job {
                argv: vec!["/app/program".into()],
                env: [("PATH".to_owned(), "/usr/bin:/bin".to_owned())].into(),
                stdin: Arc::from([]),
                files: Vec::new(),
                collect: Collect::Nothing,
                caps: Limits {
                    cpu: Duration::from_secs(1),
                    wall: Duration::from_secs(3),
                    memory_bytes: 256 * MIB,
                    output_bytes: 16 * MIB,
                    processes: 64,
                    open_files: 64,
                },
                stderr_bytes_max: 8 * 1024,
                disk_bytes: 64 * MIB,
                stack_bytes: None,
                alone: false,
            },
        };
        trial.enter()?;
        Ok(trial)
    }

    /// The program of the next room.
    pub fn set_program(&mut self, program: Arc<[u8]>) {
        self.room.app[0].bytes = program;
    }

    /// The input of the next runs.
    pub fn set_input(&mut self, bytes: Arc<[u8]>) {
        self.job.stdin = bytes;
    }

    /// The CPU and wall-clock limits of the next runs.
    pub fn set_times(&mut self, cpu: Duration, wall: Duration) {
        self.job.caps.cpu = cpu;
        self.job.caps.wall = wall;
    }

    /// Leaves the room for a fresh one.
    pub fn enter(&mut self) -> Result<(), String> {
        self.runner
            .enter(&self.room)
            .map_err(|fault| fault.to_string())
    }

    /// Makes a fresh room from nothing, with no part of it prepared in advance.
    pub fn rebuild(&mut self) -> Result<(), String> {
        self.runner
            .rebuild(&self.room)
            .map_err(|fault| fault.to_string())
    }

    /// Runs the program once.
    pub fn run(&mut self) -> Result<Ran, String> {
        let outcome = self
            .runner
            .run(&self.job)
            .map_err(|fault| fault.to_string())?;
        Ok(Ran {
            exit: match outcome.end {
                End::Exited(code) => Some(code),
                End::Signalled(_) => None,
            },
            stopped: outcome.stop.is_some(),
            stdout: outcome.stdout,
            wall: outcome.wall,
        })
    }
}

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
    pub job: Job,
}

impl Trial {
    /// The worker of this number, whose jobs run `program`, with every protection on.
    pub fn open(worker: usize, program: &[u8]) -> Self {
        // One for all workers, as in the daemon: otherwise they would not know each other's cores.
        static SANDBOX: OnceLock<Sandbox> = OnceLock::new();
        let open = || Sandbox::open(&BTreeSet::new()).expect("every protection is on here");
        let mut trial = Self {
            runner: SANDBOX.get_or_init(open).runner(worker),
            room: room(Arc::from(program)),
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
        trial.runner.enter(&trial.room).expect("a room");
        trial
    }

    /// Leaves the room for a fresh one with this program.
    pub fn enter(&mut self, program: Arc<[u8]>) {
        self.room = room(program);
        self.runner.enter(&self.room).expect("a room");
    }

    /// Makes a fresh room from nothing, with no part of it prepared in advance.
    pub fn rebuild(&mut self) {
        self.runner.rebuild(&self.room).expect("a room");
    }

    /// Has its jobs talk with this program from now on, in a room of its own.
    pub fn talk_with(&mut self, program: Arc<[u8]>) {
        let partner = self.runner.partner().expect("a second sandbox");
        partner.enter(&room(program)).expect("a room");
    }

    /// Runs both once, which have to end well; returns how much was said by the first one.
    pub fn converse(&mut self) -> u64 {
        let talked = self.runner.converse(&self.job, &self.job, |code| code == 0);
        let talked = talked.expect("a talk");
        assert_eq!(talked.outcome.end, End::Exited(0), "{talked:?}");
        assert_eq!(talked.partners.end, End::Exited(0), "{talked:?}");
        talked.printed_bytes
    }

    /// Runs the program, which is right; returns what it printed.
    pub fn run_well(&mut self) -> Vec<u8> {
        let ran = self.runner.run(&self.job).expect("a run");
        assert_eq!(ran.end, End::Exited(0), "{ran:?}");
        ran.stdout
    }
}

/// A room with this program.
fn room(program: Arc<[u8]>) -> Room {
    let program = AppFile {
        name: "program".into(),
        bytes: program,
        executable: true,
    };
    Room {
        shown: Vec::new(),
        app: vec![program],
    }
}

//! Orders, places and what waits, made up for tests.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::compare::{Mode, WrongLayout};
use crate::config;
use crate::domain::{
    BuildLimits, Caps, Compared, Digest, End, Fault, FileRef, Groups, LanguageId, Limits, Manifest,
    Output, RunFacts, RunKey, Submission,
};
use crate::fleet::choose::Wants;
use crate::fleet::{About, Place, Reply, Task};
use crate::judge::order::{
    By, Bytes, Fact, Go, How, Order, Program, SHAPE, Sink, Source, Step, TestStep, Work,
};
use crate::package::Io;
use crate::sandbox::Cancel;
use crate::toolchain::Toolchain;
use crate::util::hash::digest;
use crate::util::samples::{slug, submission};

pub fn id(language: &str) -> LanguageId {
    LanguageId::new(language).unwrap()
}

/// A place of a worker on a machine of its own.
pub fn place(worker: &str) -> Place {
    Place {
        worker: Arc::from(worker),
        life: Arc::from("1"),
        machine: Arc::from(format!("machine of {worker}")),
        languages: Some(BTreeSet::from([id("c"), id("cpp")])),
        is_local: false,
    }
}

/// An order for a C++ program that asks nothing else of a place, and takes a second.
pub fn wants(now: Instant) -> Wants {
    Wants {
        languages: BTreeSet::from([id("cpp")]),
        build: Some(digest(b"build")),
        files: Vec::new(),
        machine: None,
        not_machine: None,
        avoid: Vec::new(),
        expected: Some(Duration::from_secs(1)),
        since: now,
    }
}

/// What a machine measured near the limit.
pub fn measured(machine: &str) -> RunFacts {
    RunFacts {
        end: End::Exited(0),
        stop: None,
        memory_exceeded: false,
        measurements: 1,
        busy: 0,
        waited: Duration::ZERO,
        cpu: Duration::from_millis(2_100),
        wall: Duration::from_millis(2_200),
        memory_bytes: 1 << 20,
        output: Output {
            digest: digest(b"3\n"),
            len_bytes: 2,
            kept: Some(digest(b"3\n")),
            file: None,
        },
        stderr: Vec::new(),
        caps: Caps::from(limits()),
        machine: Arc::from(machine),
    }
}

fn limits() -> Limits {
    Limits {
        cpu: Duration::from_secs(2),
        wall: Duration::from_secs(5),
        memory_bytes: 1 << 28,
        output_bytes: 1 << 20,
        processes: 8,
        open_files: 8,
    }
}

/// An order to run a program that is built on one test for each of these.
pub fn order(before: &[Option<RunFacts>]) -> Order {
    let step = |(index, before): (usize, &Option<RunFacts>)| Step::Run {
        test: TestStep {
            index,
            name: format!("secret/{index}"),
            group: None,
            input: digest(index.to_string().as_bytes()),
            expected: digest(b"3\n"),
        },
        before: before.clone().map(Box::new),
    };
    let file = FileRef {
        name: "main".to_owned(),
        digest: digest(b"program"),
        executable: true,
    };
    Order {
        shape: SHAPE,
        problem: slug("sum"),
        sandbox: digest(b"sandbox"),
        build: BuildLimits {
            cpu: Duration::from_secs(10),
            memory_bytes: 1 << 30,
        },
        work: Work::Judge {
            program: Some(Program {
                key: digest(b"build"),
                language: Some(id("cpp")),
                version: "12".to_owned(),
                fingerprint: digest(b"cpp"),
                name: "sum.cpp".to_owned(),
                source: digest(b"source"),
                beside: Vec::new(),
                built: Some(Manifest {
                    files: vec![file],
                    main: None,
                }),
            }),
            how: How {
                policy: digest(b"policy"),
                limits: limits(),
                told_memory_bytes: 1 << 28,
                stack_bytes: None,
                io: Io::Stdio,
                by: By::Mode {
                    mode: Mode::Lines,
                    wrong_layout: WrongLayout::Presentation,
                },
            },
            steps: before.iter().enumerate().map(step).collect(),
            of: before.len(),
            stop_at_first_failure: true,
            groups: Groups::default(),
            repeat_near_limit: true,
        },
    }
}

/// What is said of a submission.
pub struct Sample {
    toolchain: Arc<Toolchain>,
    submission: Submission,
    what: Arc<str>,
}

impl Sample {
    pub fn new() -> Self {
        let config = config::parse("", Path::new("config.toml")).unwrap();
        Self {
            toolchain: Arc::new(Toolchain::of(&config)),
            submission: submission(1, "ada", "sum"),
            what: Arc::from("ada/sum"),
        }
    }

    pub fn about(&self) -> About<'_> {
        About {
            toolchain: &self.toolchain,
            submission: &self.submission,
            what: &self.what,
            cancel: None,
        }
    }

    /// A task, and what its planner hears.
    pub fn task(&self, wants: Wants) -> (Task, Receiver<Reply>) {
        Task::new(order(&[None]), wants, HashMap::new(), &self.about())
    }

    /// One that can wait.
    pub fn idle_task(&self, wants: Wants, cancel: &Cancel) -> (Task, Receiver<Reply>) {
        let about = About {
            cancel: Some(cancel),
            ..self.about()
        };
        Task::new(order(&[None]), wants, HashMap::new(), &about)
    }
}

/// Bytes by what they are.
pub struct Store(pub BTreeMap<Digest, Arc<[u8]>>);

impl Store {
    pub fn new(all: &[&[u8]]) -> Self {
        Self(
            all.iter()
                .map(|bytes| (digest(bytes), Arc::from(*bytes)))
                .collect(),
        )
    }
}

impl Source for Store {
    fn blob(&self, digest: &Digest) -> Result<Option<Arc<[u8]>>, Fault> {
        Ok(self.0.get(digest).cloned())
    }

    fn opinion(&self, _: &Digest) -> Result<Option<Compared>, Fault> {
        Ok(None)
    }
}

/// The facts that came.
#[derive(Default)]
pub struct Facts(pub Mutex<Vec<Fact>>);

impl Sink for &Facts {
    fn fact(&mut self, fact: &Fact, _: Bytes<'_>) -> Result<Go, Fault> {
        self.0.lock().unwrap().push(fact.clone());
        Ok(Go::On)
    }
}

/// The run of a test.
pub fn ran(test: usize, machine: &str) -> Fact {
    Fact::Ran {
        key: RunKey {
            build: digest(b"build"),
            input: digest(test.to_string().as_bytes()),
            policy: digest(b"policy"),
        },
        facts: Box::new(measured(machine)),
    }
}

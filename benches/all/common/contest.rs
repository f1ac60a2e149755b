//! Judges many programs side by side, each time as if only their builds were known.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use verdictd::internals::{
    Bytes, Config, Cores, Fact, Fault, Flow, Grader, Job, Memory, NoOracle, Outcome, Package, Room,
    Rules, RunFacts, Runner, Sandbox, SandboxRunner, Sink, SourceFile, Station, Stop, Toolchain,
    digest, judge, load_all, load_config,
};

/// Tries per program, of which all but the last may end in a fault.
const TRIES_MAX: u32 = 10;

/// One problem, and the programs that were built for it.
pub struct Contest {
    judging: Judging,
    runners: Vec<SandboxRunner>,
}

/// State shared by all workers.
struct Judging {
    config: Config,
    sandbox: Sandbox,
    toolchain: Toolchain,
    package: Arc<Package>,
    builds: Memory,
}

/// One program's result.
#[derive(Debug, Clone)]
pub struct Judged {
    /// The verdict's short code.
    pub verdict: &'static str,
    /// Whether the first measurement alone would have been over the limit.
    pub first_over: bool,
    /// The CPU time that counts.
    pub cpu: Duration,
}

/// All programs judged once.
#[derive(Debug, Clone)]
pub struct Pass {
    /// In the order of the programs.
    pub judged: Vec<Judged>,
    /// Wall-clock time.
    pub wall: Duration,
    /// CPU time of first measurements, and of repeats.
    pub cpu: [Duration; 2],
}

impl Contest {
    /// The one problem of a configuration's folder, with as many workers as the machine can
    /// measure.
    pub fn open(config_file: &Path) -> Result<Self, String> {
        let config = load_config(config_file).map_err(|error| error.to_string())?;
        let sandbox =
            Sandbox::open(&config.sandbox.allow_missing).map_err(|error| error.to_string())?;
        let package = load_all(&config.folders.problems, &config.limits, &mut NoOracle)
            .map_err(|error| error.to_string())?
            .into_values()
            .next()
            .ok_or("there is no problem")?
            .map_err(|error| error.to_string())?;
        let runners = (0..Cores::find().workers())
            .map(|worker| sandbox.runner(worker))
            .collect();
        let judging = Judging {
            toolchain: Toolchain::of(&config),
            config,
            sandbox,
            package,
            builds: Memory::default(),
        };
        Ok(Self { judging, runners })
    }

    /// Judges C programs side by side; those that were judged before are not built again.
    pub fn judge(&mut self, sources: &[String]) -> Result<Pass, String> {
        let Self { judging, runners } = self;
        let judging = &*judging;
        let next = AtomicUsize::new(0);
        let judged = Mutex::new(vec![None; sources.len()]);
        let began = Instant::now();
        let cpu = std::thread::scope(|scope| {
            let threads: Vec<_> = runners
                .iter_mut()
                .map(|runner| {
                    let (next, judged) = (&next, &judged);
                    scope.spawn(move || {
                        let mut counting = Counting {
                            runner,
                            cpu: [Duration::ZERO; 2],
                            build: true,
                        };
                        loop {
                            let at = next.fetch_add(1, Ordering::Relaxed);
                            let Some(source) = sources.get(at) else {
                                return Ok(counting.cpu);
                            };
                            let one = judging.judge_in_the_end(source, &mut counting)?;
                            if let Ok(mut judged) = judged.lock() {
                                judged[at] = Some(one);
                            }
                        }
                    })
                })
                .collect();
            let mut cpu = [Duration::ZERO; 2];
            for thread in threads {
                let own = thread.join().map_err(|_| "a worker failed".to_owned())?;
                let own = own.map_err(|fault: Fault| fault.to_string())?;
                cpu[0] += own[0];
                cpu[1] += own[1];
            }
            Ok::<_, String>(cpu)
        })?;
        let wall = began.elapsed();
        let judged = judged.into_inner().map_err(|error| error.to_string())?;
        Ok(Pass {
            judged: judged.into_iter().flatten().collect(),
            wall,
            cpu,
        })
    }
}

impl Judging {
    /// If the machine was too busy for a verdict, the daemon tries again later, and so does this.
    fn judge_in_the_end(&self, source: &str, runner: &mut Counting<'_>) -> Result<Judged, Fault> {
        let mut tries = 0;
        loop {
            let judged = self.judge_one(source, runner);
            tries += 1;
            if judged.is_ok() || tries == TRIES_MAX {
                return judged;
            }
        }
    }

    fn judge_one(&self, source: &str, runner: &mut Counting<'_>) -> Result<Judged, Fault> {
        let fault = |error: String| Fault::new("judge", error);
        let language = self.toolchain.language_of("c");
        let language = language.ok_or_else(|| fault("there is no C".to_owned()))?;
        let version = self.toolchain.identify(language.id());
        let version = version.map_err(|missing| fault(missing.to_string()))?;
        let source: Arc<[u8]> = Arc::from(source.as_bytes());
        let source = SourceFile {
            name: "work.c".to_owned(),
            digest: digest(&source),
            bytes: source,
        };
        let mut facts = Forgetful {
            builds: &self.builds,
            first: None,
        };
        let mut station = Station::new(runner, &self.toolchain, Arc::from(""));
        let mut grader = Grader {
            worker: &mut station,
            toolchain: &self.toolchain,
            archive: &self.builds,
            sink: &mut facts,
            rules: Rules {
                stop_at_first_failure: true,
                repeat_near_limit: true,
                waits_for_quiet: false,
                policy: self.sandbox.policy_digest(),
                build: self.config.build.clone(),
                machine: Arc::from(""),
                stack_bytes: None,
            },
        };
        let package = &self.package;
        let judged = judge(&mut grader, &source, language, &version, package)?;
        let first = facts
            .first
            .ok_or_else(|| fault("nothing was measured".to_owned()))?;
        let test = &judged.judgement.tests[0];
        Ok(Judged {
            verdict: judged.judgement.verdict.code(),
            first_over: first.stop == Some(Stop::Cpu) || first.cpu > judged.limits.cpu,
            cpu: test.cpu(),
        })
    }
}

/// Keeps builds, forgets runs, and remembers the first measurement.
struct Forgetful<'a> {
    builds: &'a Memory,
    first: Option<RunFacts>,
}

impl Sink for Forgetful<'_> {
    fn fact(&mut self, fact: &Fact, bytes: Bytes<'_>) -> Result<Flow, Fault> {
        match fact {
            Fact::Built { .. } => (&mut self.builds).fact(fact, bytes),
            Fact::Ran { facts, .. } => {
                self.first.get_or_insert_with(|| RunFacts::clone(facts));
                Ok(Flow::Continue)
            }
            _ => Ok(Flow::Continue),
        }
    }
}

/// Counts the CPU time of runs.
struct Counting<'a> {
    runner: &'a mut dyn Runner,
    /// CPU time of jobs that ran beside others, and alone.
    cpu: [Duration; 2],
    /// Whether a compiler is running now.
    build: bool,
}

impl Runner for Counting<'_> {
    fn enter(&mut self, room: &Room) -> Result<(), Fault> {
        // A compiler's room has no program in it.
        self.build = room.app.is_empty();
        self.runner.enter(room)
    }

    fn run(&mut self, job: &Job) -> Result<Outcome, Fault> {
        let outcome = self.runner.run(job)?;
        if !self.build {
            self.cpu[usize::from(job.alone)] += outcome.cpu;
        }
        Ok(outcome)
    }
}

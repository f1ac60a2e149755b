//! One order through the server and back, and the same order in the daemon.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use verdictd::internals::cluster::{
    Access, Admission, Archive, Borrower, Ended, Hub, LanguageId, Machine, Name, Order, Pool,
    ProblemSlug, Setup, Source, Student, Submission, Ticket, Worker as Measures,
};
use verdictd::internals::{
    Bytes, Config, Fact, Fault, Flow, Grader, Memory, NoOracle, Package, Rules, Sandbox,
    SandboxRunner, Sink, SourceFile, Station, SubmissionId, Toolchain, digest, judge, load_all,
    load_config,
};

use super::NAME;
use super::server::Server;
use super::stage::Worker;
use crate::common::{Row, Size, board, median, ms, only_c, timed, write};

/// Runs of the order.
const TESTS: usize = 20;
const RUNS: u32 = 20;
/// Turns; the median counts.
const TURNS: usize = 41;
const RATIO_MAX: f64 = 1.15;

pub fn rows(size: Size) -> Vec<Row> {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let course = Arc::new(Course::open(folder.path()));
    let (own, remote) = (Arc::new(Pool::default()), Arc::new(Pool::default()));
    let place = Local {
        runner: course.sandbox.runner(0),
        course: Arc::clone(&course),
    };
    own.open(Machine::local(&course.machine, 1), vec![Box::new(place)]);
    let server = Server::start();
    let hub = hub(&server, &remote);
    let worker = Worker::start(&server.url(), "lab-0", &only_c());
    worker.joined();
    let archive = Memory::default();
    // Each is built once, and the worker fetches what it needs.
    course.order(&own, &archive);
    course.order(&remote, &archive);
    let turns = (0..size.pick(TURNS, 1)).map(|_| {
        let here = timed(|| assert_eq!(course.order(&own, &archive), RUNS));
        let there = timed(|| assert_eq!(course.order(&remote, &archive), RUNS));
        (here, there)
    });
    let turns: Vec<(Duration, Duration)> = turns.collect();
    own.close();
    remote.close();
    hub.join();
    let of = |which: fn(&(Duration, Duration)) -> Duration| ms(median(turns.iter().map(which)));
    vec![
        Row::new(NAME, "remote-order", of(|turn| turn.1), "ms")
            .over(of(|turn| turn.0))
            .ratio_at_most(RATIO_MAX),
    ]
}

/// The daemon's end of the server. What is compared of a worker is no part of an order.
fn hub(server: &Server, pool: &Arc<Pool>) -> Hub {
    let c = LanguageId::new("c").expect("a name");
    let setup = Setup {
        access: Access {
            url: Some(server.url()),
            name: Name::new("bench").expect("a name"),
            credentials: None,
            is_insecure: false,
        },
        keep_bytes: 256 * 1024 * 1024,
        silent: Duration::from_secs(15),
        pool: Arc::clone(pool),
        admit: Arc::new(move |_, _| Admission {
            languages: [c.clone()].into(),
            ..Admission::default()
        }),
        has_own_places: false,
        say: Box::new(|_| ()),
    };
    Hub::start(setup).expect("the hub")
}

/// A problem, a program, and what judging needs.
struct Course {
    config: Config,
    toolchain: Arc<Toolchain>,
    sandbox: Sandbox,
    package: Arc<Package>,
    source: SourceFile,
    submission: Submission,
    machine: Arc<str>,
}

impl Course {
    fn open(folder: &Path) -> Self {
        write(&folder.join("config.toml"), only_c());
        fs::create_dir(folder.join("submissions")).expect("a folder");
        let manifest = "title = \"Curling\"\n";
        write(&folder.join("problems/curling/problem.toml"), manifest);
        for test in 0..TESTS {
            let at =
                |ending| folder.join(format!("problems/curling/data/secret/{test:02}.{ending}"));
            write(&at("in"), board(test));
            // The stone slides into the goal.
            write(&at("ans"), "1\n");
        }
        let config = load_config(&folder.join("config.toml")).expect("a configuration");
        let mut sandbox = Sandbox::open(&config.sandbox.allow_missing).expect("a sandbox");
        sandbox.claim_cores(1);
        let packages = load_all(&config.folders.problems, &config.limits, &mut NoOracle);
        let package = packages.expect("problems").into_values().next();
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let source = root.join("problems/curling/submissions/accepted/deepening.c");
        let source: Arc<[u8]> = fs::read(source).expect("an accepted program").into();
        Self {
            toolchain: Arc::new(Toolchain::of(&config)),
            config,
            sandbox,
            package: package.expect("a problem").expect("a good one"),
            source: SourceFile {
                name: "curling.c".to_owned(),
                digest: digest(&source),
                bytes: source,
            },
            submission: Submission {
                id: SubmissionId(1),
                student: Student::new("ada").expect("a name"),
                problem: ProblemSlug::new("curling").expect("a name"),
                language: LanguageId::new("c").expect("a name"),
                attempt: 1,
                received_ms: 0,
            },
            machine: Arc::from("bench"),
        }
    }

    /// Has the program run on every test; returns how many runs there were. Only what was built is
    /// kept.
    fn order(&self, pool: &Pool, archive: &Memory) -> u32 {
        let language = self.toolchain.language_of("c").expect("C");
        let version = self.toolchain.identify(language.id()).expect("a compiler");
        let mut borrower = Borrower::new(
            pool,
            Ticket::Submission(1),
            &self.submission,
            &self.toolchain,
        );
        let mut sink = OnlyBuilds(archive);
        let mut grader = Grader {
            worker: &mut borrower,
            toolchain: &self.toolchain,
            archive: archive as &dyn Archive,
            sink: &mut sink,
            rules: Rules {
                stop_at_first_failure: true,
                repeat_near_limit: true,
                waits_for_quiet: false,
                policy: self.sandbox.policy_digest(),
                build: self.config.build.clone(),
                machine: Arc::clone(&self.machine),
                stack_bytes: None,
            },
        };
        let judged = judge(&mut grader, &self.source, language, &version, &self.package);
        let judged = judged.expect("a judgement");
        assert_eq!(judged.judgement.verdict.code(), "AC");
        judged.runs
    }
}

/// A place of the daemon.
struct Local {
    course: Arc<Course>,
    runner: SandboxRunner,
}

impl Measures for Local {
    fn measure(
        &mut self,
        order: &Order,
        source: &dyn Source,
        sink: &mut dyn Sink,
    ) -> Result<Ended, Fault> {
        let (toolchain, machine) = (&self.course.toolchain, &self.course.machine);
        let mut station = Station::new(&mut self.runner, toolchain, Arc::clone(machine));
        station.measure(order, source, sink)
    }
}

/// Forgets runs.
struct OnlyBuilds<'a>(&'a Memory);

impl Sink for OnlyBuilds<'_> {
    fn fact(&mut self, fact: &Fact, bytes: Bytes<'_>) -> Result<Flow, Fault> {
        match fact {
            Fact::Built { .. } => {
                let mut archive = self.0;
                archive.fact(fact, bytes)
            }
            _ => Ok(Flow::Continue),
        }
    }
}

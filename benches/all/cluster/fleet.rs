//! Many simulated workers and one real daemon. A worker is what `verdictd worker` is, its connection
//! and its messages included, but its programs are pauses.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Runtime};
use tokio::sync::oneshot;
use verdictd::internals::cluster::{
    ALL_NEWS, About, FileDigests, Id, Link, Looking, Pace, Place, Signals, connect, join,
    machine_of,
};
use verdictd::internals::{
    AppFile, Collect, Config, End, Fault, Job, Outcome, Room, Runner, Sandbox, Toolchain,
    load_config,
};

use super::NAME;
use super::order::access;
use super::stage::{Server, cluster};
use crate::common::{Course, Daemon, JUDGED, Row, Size, figure, ms, say};

const WORKERS: usize = 200;
const WORKERS_SMALL: usize = 2;
/// What each run takes.
const RUN: Duration = Duration::from_millis(50);
/// Tests of the problem: so many runs has an order, after a build that takes as long as one.
const TESTS: usize = 20;
const TESTS_SMALL: usize = 2;
/// Orders that wait at the beginning: more than are done while it is measured.
const ORDERS: usize = 6_000;
const ORDERS_SMALL: usize = 20;
/// How long it is measured, after everybody has begun.
const WINDOW: Duration = Duration::from_secs(15);
const WINDOW_SMALL: Duration = Duration::from_millis(200);
/// The least length of a built program, as of one in C that is linked dynamically.
const PROGRAM_BYTES: usize = 16 * 1024;
/// How long a bench waits for the fleet to begin.
const PATIENCE: Duration = Duration::from_mins(2);
const LOOK: Duration = Duration::from_millis(10);
/// The target: 90 % busy.
const IDLE_MAX: f64 = 10.0;

pub fn rows(size: Size, server: &Server) -> Vec<Row> {
    let (workers, orders) = size.pick((WORKERS, ORDERS), (WORKERS_SMALL, ORDERS_SMALL));
    let (tests, window) = size.pick((TESTS, WINDOW), (TESTS_SMALL, WINDOW_SMALL));
    let course = course(server, tests, orders);
    let daemon = course.start();
    daemon.ready();
    daemon.at_rest();
    let fleet = Fleet::new(&course.folder);
    let runtime = Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let (idle, cpu, judged) = fleet.work(&runtime, server, workers, || {
        measure(&daemon, &fleet.runs, workers, window)
    });
    say(&format!("{judged} orders by {workers} workers"));
    vec![
        Row::new(NAME, "fleet-idle", idle * 100.0, "%").at_most(IDLE_MAX),
        Row::new(NAME, "fleet-cpu", ms(cpu) / figure(judged.max(1)), "ms"),
    ]
}

/// Watches for a while: the share of time without a run, the daemon's CPU time, and its verdicts.
fn measure(
    daemon: &Daemon,
    runs: &AtomicU64,
    workers: usize,
    window: Duration,
) -> (f64, Duration, u64) {
    let began = Instant::now();
    let done = || runs.load(Ordering::Relaxed);
    // Everybody has done a few.
    while done() < 4 * workers as u64 {
        assert!(began.elapsed() < PATIENCE, "the fleet does not begin");
        thread::park_timeout(LOOK);
    }
    let (from, before, cpu) = (Instant::now(), done(), daemon.cpu());
    thread::sleep(window);
    let (to, after) = (Instant::now(), done());
    let cpu = daemon.cpu().saturating_sub(cpu);
    let mut judged = 0;
    // There is more to do than is done in this time, so more lines come.
    loop {
        let (at, line) = daemon.next_line();
        assert!(!line.contains("fault"), "{line}");
        if at > to {
            break;
        }
        judged += u64::from(at >= from && line.contains(JUDGED));
    }
    let busy = RUN.as_secs_f64() * figure(after - before);
    let all = to.duration_since(from).as_secs_f64() * figure(workers as u64);
    (1.0 - busy / all, cpu, judged)
}

/// A problem, and somebody's program for each order.
fn course(server: &Server, tests: usize, orders: usize) -> Course {
    let course = Course::new(&cluster(server));
    course.write("problems/wait/problem.toml", "title = \"Wait\"\n");
    for test in 0..tests {
        let secret = format!("problems/wait/data/secret/{test:02}");
        course.write(&format!("{secret}.in"), format!("{test}\n"));
        course.write(&format!("{secret}.ans"), "done\n");
    }
    for order in 0..orders {
        let source = format!("/* {order} */ int main(void) {{ return 0; }}\n");
        course.write(&format!("submissions/s{order}/wait.c"), source);
    }
    course
}

/// What all simulated workers share.
struct Fleet {
    toolchain: Toolchain,
    sandbox: Sandbox,
    about: About,
    runs: AtomicU64,
}

impl Fleet {
    /// They are what this machine is, so that the daemon gives them its orders.
    fn new(folder: &Path) -> Self {
        let config: Config = load_config(&folder.join("config.toml")).expect("a configuration");
        let sandbox = Sandbox::open(&BTreeSet::new()).expect("a sandbox");
        let toolchain = Toolchain::of(&config);
        let offered = toolchain.languages().map(|language| language.id().clone());
        let looking = Looking {
            sandbox: &sandbox,
            runners: (0, 1),
            toolchain: &toolchain,
            offered: offered
                .filter(|id| toolchain.identify(id).is_ok())
                .collect(),
            caps: config.limits.with_wall_floor(),
            build: &config.build,
            cancel: None,
        };
        let machine = ("simulated".to_owned(), 1, Pace::default().measure());
        let kept = folder.join("languages.json");
        let about = looking.about(machine, &kept, &FileDigests::default());
        Self {
            toolchain,
            sandbox,
            about,
            runs: AtomicU64::new(0),
        }
    }

    /// Has so many workers work as long as something else takes.
    fn work<T>(
        &self,
        runtime: &Runtime,
        server: &Server,
        workers: usize,
        what: impl FnOnce() -> T,
    ) -> T {
        let (over, ended) = oneshot::channel::<()>();
        thread::scope(|connections| {
            // Whatever the workers have spawned goes on until then.
            connections.spawn(|| runtime.block_on(ended));
            let links = (0..workers).map(|number| self.link(runtime, server, number));
            let links: Vec<Arc<Link>> = links.collect();
            let done = thread::scope(|places| {
                for link in &links {
                    places.spawn(|| self.place(link));
                }
                let done = what();
                for link in &links {
                    link.stop();
                }
                done
            });
            drop(over);
            done
        })
    }

    fn link(&self, runtime: &Runtime, server: &Server, number: usize) -> Arc<Link> {
        let access = access(server, &format!("lab-{number}"));
        let connected = async {
            let client = connect(&access).await.expect("a connection");
            let news = client.subscribe(ALL_NEWS).await.expect("news");
            (client, news, Signals::new().expect("signals"))
        };
        let (client, news, mut signals) = runtime.handle().block_on(connected);
        let life = Id::random().expect("random bits");
        let server = (access.name, client, runtime.handle().clone());
        let link = Link::new(server, life, self.about.clone(), None, Arc::new(|_| ()));
        let link = Arc::new(link);
        let joined = Arc::clone(&link);
        runtime.spawn(async move {
            let (_goes_on, finished) = oneshot::channel();
            join(&joined, news, finished, &mut signals).await
        });
        link
    }

    fn place(&self, link: &Arc<Link>) {
        let machine = machine_of(link.name.as_str(), &self.about.machine);
        let mut runner = Pauses { runs: &self.runs };
        let mut place = Place {
            link,
            runner: &mut runner,
            toolchain: &self.toolchain,
            sandbox: self.sandbox.policy_digest(),
            machine,
            speed: None,
        };
        place.work();
    }
}

/// Every program takes a while and is right, and every compiler makes another program.
struct Pauses<'a> {
    runs: &'a AtomicU64,
}

impl Runner for Pauses<'_> {
    fn enter(&mut self, _: &Room) -> Result<(), Fault> {
        Ok(())
    }

    fn run(&mut self, job: &Job) -> Result<Outcome, Fault> {
        thread::sleep(RUN);
        self.runs.fetch_add(1, Ordering::Relaxed);
        let (mut stdout, mut files) = (b"done\n".to_vec(), Vec::new());
        if matches!(job.collect, Collect::All { .. }) {
            stdout.clear();
            let mut bytes = job.files[0].bytes.to_vec();
            bytes.resize(PROGRAM_BYTES, 0);
            files.push(AppFile {
                name: "main".to_owned(),
                bytes: bytes.into(),
                executable: true,
            });
        }
        Ok(Outcome {
            end: End::Exited(0),
            stop: None,
            memory_exceeded: false,
            cpu: Duration::from_millis(1),
            wall: RUN,
            waited: Duration::ZERO,
            memory_bytes: 1024 * 1024,
            stdout,
            stderr: Vec::new(),
            files,
            collect_overflow: false,
        })
    }
}

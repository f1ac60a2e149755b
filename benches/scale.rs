//! Bench: what a large store costs the real daemon. 1,000, 10,000 and 100,000 judged submissions, at most 5,000 of them of one problem.
//!
//! - `start`: from the start of the process until it is ready and has planned; at 100,000 to be under 2 s.
//! - `plan-hack`: planning one new hack for that problem's submissions; at 100,000 to be under 200 ms.
//! - `memory`: the most memory of the daemon until it waits; at 100,000 to be under 150 MB.
//! - `store`: the store's file, for comparison.
//!
//! Rows end in the size of the store. With `--few` the largest store is left out; with `--files` the students' files are still there.

#[path = "common/rows.rs"]
mod common;
#[path = "common/daemon.rs"]
mod daemon;
#[path = "common/school.rs"]
mod school;

use std::fs;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use common::Row;
use daemon::{Daemon, field, figure};
use school::{School, TESTS, board};

/// Submissions of the problem that gets the hack.
const OF_ONE_PROBLEM: usize = 5_000;
/// Starts, of which the median counts.
const STARTS: usize = 5;
/// CPU time is looked at this often until the daemon uses none any more.
const LOOK: Duration = Duration::from_millis(500);
/// How long it may take to come to rest.
const REST_MAX: Duration = Duration::from_mins(2);

/// The rows of one size: submissions, and the rows' names.
struct Size {
    submissions: usize,
    rows: [&'static str; 4],
}

const SIZES: [Size; 3] = [
    Size {
        submissions: 1_000,
        rows: ["start-1000", "plan-hack-1000", "memory-1000", "store-1000"],
    },
    Size {
        submissions: 10_000,
        rows: [
            "start-10000",
            "plan-hack-10000",
            "memory-10000",
            "store-10000",
        ],
    },
    Size {
        submissions: 100_000,
        rows: ["start", "plan-hack", "memory", "store"],
    },
];

fn main() -> ExitCode {
    // The sandbox starts this program again as a part of itself.
    if let Some(code) = verdictd::reenter() {
        return code;
    }
    let asked = |name: &str| std::env::args().any(|argument| argument == name);
    let sizes = if asked("--few") { &SIZES[..2] } else { &SIZES };
    let rows: Vec<Row> = sizes
        .iter()
        .flat_map(|size| measure(size, asked("--files")))
        .collect();
    common::print(&rows);
    ExitCode::SUCCESS
}

#[expect(
    clippy::print_stderr,
    reason = "the table alone goes to standard output"
)]
fn say(text: &str) {
    eprintln!("{text}");
}

fn measure(size: &Size, with_files: bool) -> [Row; 4] {
    let school = School::new();
    let began = Instant::now();
    let document_bytes = school.fill(size.submissions, OF_ONE_PROBLEM, with_files);
    say(&format!(
        "{} submissions were written in {:.1} s; a report document has {document_bytes} bytes",
        size.submissions,
        began.elapsed().as_secs_f64()
    ));
    // The first start tidies up after whoever wrote so much at once.
    start(&school, wait_for_rest);
    let mut starts = Vec::new();
    let mut memory_mb: f64 = 0.0;
    for _ in 0..STARTS {
        starts.push(start(&school, |daemon| {
            wait_for_rest(daemon);
            memory_mb = memory_mb.max(peak_kib(daemon) * 1024.0 / 1e6);
        }));
    }
    starts.sort_unstable();
    let planned = plan_hack(&school, size.submissions.min(OF_ONE_PROBLEM));
    let store = fs::metadata(school.folder.join("state/verdictd.db")).expect("the store");
    let [start, plan, memory, file] = size.rows;
    let row = |row, value, unit| Row {
        bench: "scale",
        row,
        value,
        unit,
        baseline: None,
        ratio: None,
    };
    [
        row(start, starts[STARTS / 2].as_secs_f64() * 1e3, "ms"),
        row(plan, planned.as_secs_f64() * 1e3, "ms"),
        row(memory, memory_mb, "MB"),
        row(file, figure(store.len() / 1_000) / 1e3, "MB"),
    ]
}

/// Starts a daemon and ends it after some work; how long until it was ready.
fn start(school: &School, mut work: impl FnMut(&Daemon)) -> Duration {
    let began = Instant::now();
    let daemon = Daemon::start(&school.folder);
    daemon.ready();
    let (at, submissions, _) = planned(&daemon);
    assert_eq!(submissions, 0, "everything is judged as it should be");
    work(&daemon);
    at.duration_since(began)
}

/// Drops a hack into the first problem.
fn plan_hack(school: &School, expected: usize) -> Duration {
    let daemon = Daemon::start(&school.folder);
    daemon.ready();
    planned(&daemon);
    school.write("problems/p00/hacks/evil.in", &board(TESTS));
    let (_, submissions, time) = planned(&daemon);
    assert_eq!(submissions, expected as u64);
    time
}

/// Waits for a plan: when it was made, for how many submissions, in what time.
fn planned(daemon: &Daemon) -> (Instant, u64, Duration) {
    loop {
        let (at, line) = daemon.next_line();
        if line.contains(" planned ") {
            let number = |name| field(&line, name).expect("a number");
            return (
                at,
                number("submissions"),
                Duration::from_micros(number("micros")),
            );
        }
    }
}

/// Waits until the daemon takes no CPU time any more.
fn wait_for_rest(daemon: &Daemon) {
    let began = Instant::now();
    let mut before = None;
    loop {
        let now = cpu_ticks(daemon);
        if before.replace(now) == Some(now) {
            return;
        }
        assert!(
            began.elapsed() < REST_MAX,
            "the daemon does not come to rest"
        );
        std::thread::park_timeout(LOOK);
    }
}

fn proc_file(daemon: &Daemon, name: &str) -> String {
    fs::read_to_string(format!("/proc/{}/{name}", daemon.child.id())).expect("its entry in /proc")
}

fn cpu_ticks(daemon: &Daemon) -> u64 {
    let stat = proc_file(daemon, "stat");
    let (_, fields) = stat.rsplit_once(") ").expect("a name in parentheses");
    let times = fields.split(' ').skip(11).take(2);
    times.filter_map(|field| field.parse::<u64>().ok()).sum()
}

fn peak_kib(daemon: &Daemon) -> f64 {
    let status = proc_file(daemon, "status");
    status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .and_then(|rest| rest.trim().trim_end_matches(" kB").parse().ok())
        .expect("a line VmHWM")
}

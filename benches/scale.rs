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

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use common::Row;
use daemon::{Daemon, field, figure, only_c};

/// Problems among which the submissions are spread.
const PROBLEMS: usize = 20;
const TESTS: usize = 10;
/// Submissions of the problem that gets the hack.
const OF_ONE_PROBLEM: usize = 5_000;
/// Starts, of which the median counts.
const STARTS: usize = 5;
/// Processor time is looked at this often until the daemon uses none any more.
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
    let document_bytes = school.fill(size.submissions, with_files);
    say(&format!(
        "{} submissions were written in {:.1} s; a report document has {document_bytes} bytes",
        size.submissions,
        began.elapsed().as_secs_f64()
    ));
    // The first start tidies up after whoever wrote so much at once.
    school.start(wait_for_rest);
    let mut starts = Vec::new();
    let mut memory_mb: f64 = 0.0;
    for _ in 0..STARTS {
        starts.push(school.start(|daemon| {
            wait_for_rest(daemon);
            memory_mb = memory_mb.max(peak_kib(daemon) * 1024.0 / 1e6);
        }));
    }
    starts.sort_unstable();
    let planned = school.plan_hack(size.submissions.min(OF_ONE_PROBLEM));
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

/// A folder with problems.
struct School {
    folder: PathBuf,
    _guard: tempfile::TempDir,
}

impl School {
    fn new() -> Self {
        let guard = tempfile::tempdir().expect("a scratch folder");
        let school = Self {
            folder: guard.path().to_owned(),
            _guard: guard,
        };
        fs::create_dir(school.folder.join("submissions")).expect("a folder");
        school.write("config.toml", only_c().as_bytes());
        for problem in 0..PROBLEMS {
            let own = format!("problems/p{problem:02}");
            school.write(
                &format!("{own}/problem.toml"),
                b"title = \"Curling\"\nreference = \"curling\"\n",
            );
            school.write(&format!("{own}/hacks/.keep"), b"");
            for test in 0..TESTS {
                let name = format!("{own}/data/secret/{test:02}.in");
                school.write(&name, &board(test));
            }
        }
        school
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        let path = self.folder.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, bytes).expect("a file");
    }

    fn fill(&self, submissions: usize, with_files: bool) -> usize {
        let mut file = |path: &str, source: &[u8]| {
            let path = self.folder.join("submissions").join(path);
            if with_files {
                fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
                fs::write(&path, source).expect("a file");
            }
            mark(&path)
        };
        let config = self.folder.join("config.toml");
        verdictd::bench::fill(&config, submissions, OF_ONE_PROBLEM, &mut file)
            .expect("the store is filled")
    }

    /// Starts a daemon and ends it after some work; how long until it was ready.
    fn start(&self, mut work: impl FnMut(&Daemon)) -> Duration {
        let began = Instant::now();
        let daemon = Daemon::start(&self.folder);
        daemon.ready();
        let (at, submissions, _) = planned(&daemon);
        assert_eq!(submissions, 0, "everything is judged as it should be");
        work(&daemon);
        at.duration_since(began)
    }

    /// Drops a hack into the first problem.
    fn plan_hack(&self, expected: usize) -> Duration {
        let daemon = Daemon::start(&self.folder);
        daemon.ready();
        planned(&daemon);
        self.write("problems/p00/hacks/evil.in", &board(TESTS));
        let (_, submissions, time) = planned(&daemon);
        assert_eq!(submissions, expected as u64);
        time
    }
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

/// What the store remembers of a file: size, times, inode, and that it was taken.
fn mark(path: &Path) -> Vec<u8> {
    let numbers = match fs::metadata(path) {
        Err(_) => [1; 5],
        Ok(facts) => [
            facts.len(),
            nanoseconds(facts.mtime(), facts.mtime_nsec()),
            nanoseconds(facts.ctime(), facts.ctime_nsec()),
            facts.ino(),
            0,
        ],
    };
    let mut bytes: Vec<u8> = numbers
        .iter()
        .flat_map(|number| number.to_le_bytes())
        .collect();
    bytes.push(0);
    bytes
}

fn nanoseconds(seconds: i64, rest: i64) -> u64 {
    seconds
        .wrapping_mul(1_000_000_000)
        .wrapping_add(rest)
        .cast_unsigned()
}

/// A board of its own for each number.
fn board(number: usize) -> Vec<u8> {
    let width = 4 + number;
    let zeros = "0 ".repeat(width - 2);
    format!("{width} 1\n2 {zeros}3\n0 0\n").into_bytes()
}

/// Waits until the daemon takes no processor time any more.
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

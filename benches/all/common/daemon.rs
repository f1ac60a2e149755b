//! The real daemon as a bench drives it, and what it prints about its own work.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use rusqlite::{Connection, OpenFlags};
use rustix::process::{Pid, Signal, kill_process};

/// How long a bench waits for the next expected event.
const PATIENCE: Duration = Duration::from_mins(5);
/// How often CPU time is polled until the daemon uses none, and how long that may take.
const LOOK: Duration = Duration::from_millis(250);
const REST_MAX: Duration = Duration::from_mins(2);

/// The words with which the daemon says that a submission is judged, and in the store.
pub const JUDGED: &str = " judged a submission ";
/// The words with which it says that it has written pages of the course.
pub const OVERVIEW_WRITTEN: &str = "overview written";

/// A running daemon; killed when it is dropped.
pub struct Daemon {
    child: Child,
    lines: Receiver<(Instant, String)>,
}

impl Daemon {
    /// Starts the daemon in a folder with a config.toml.
    pub fn start(folder: &Path) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_verdictd"))
            .arg("--config")
            .arg(folder.join("config.toml"))
            .arg("serve")
            .env("RUST_LOG", "verdictd::daemon=info")
            .env("NO_COLOR", "1")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the daemon starts");
        let said = BufReader::new(child.stderr.take().expect("its standard error"));
        let (sender, lines) = channel();
        // Every line with its time.
        std::thread::spawn(move || {
            for line in said.lines().map_while(Result::ok) {
                if sender.send((Instant::now(), line)).is_err() {
                    return;
                }
            }
        });
        Self { child, lines }
    }

    /// Has it finish what it is doing, and waits until it has.
    pub fn finish(&self) {
        kill_process(Pid::from_child(&self.child), Signal::TERM).expect("it is told to stop");
        self.says("stopped");
    }

    /// The next line that it prints, and when.
    pub fn next_line(&self) -> (Instant, String) {
        let next = self.lines.recv_timeout(PATIENCE);
        next.unwrap_or_else(|error| match error {
            RecvTimeoutError::Timeout => panic!("the daemon has fallen silent"),
            RecvTimeoutError::Disconnected => panic!("the daemon has ended"),
        })
    }

    /// Waits for a line with these words; returns when it came.
    pub fn says(&self, words: &str) -> Instant {
        loop {
            let (at, line) = self.next_line();
            if line.contains(words) {
                return at;
            }
        }
    }

    /// Waits until it is ready; returns when that was, and how many programs it runs at a time.
    pub fn ready(&self) -> (Instant, usize) {
        loop {
            let (at, line) = self.next_line();
            if let Some(rest) = line.strip_prefix("ready: ") {
                let workers = rest.split(' ').next().and_then(|word| word.parse().ok());
                return (at, workers.expect("a number of programs"));
            }
        }
    }

    /// Waits until it uses no CPU time that the kernel's ticks would show.
    pub fn at_rest(&self) {
        let began = Instant::now();
        let mut before = None;
        loop {
            let now = self.cpu_ticks();
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

    fn cpu_ticks(&self) -> u64 {
        let stat = self.about("stat");
        let (_, fields) = stat.rsplit_once(") ").expect("a name in parentheses");
        let times = fields.split(' ').skip(11).take(2);
        times
            .map(|ticks| ticks.parse::<u64>().expect("ticks"))
            .sum()
    }

    /// CPU time of its threads so far.
    pub fn cpu(&self) -> Duration {
        let threads = fs::read_dir(format!("/proc/{}/task", self.child.id())).expect("threads");
        let of = |thread: fs::DirEntry| {
            let schedstat = fs::read_to_string(thread.path().join("schedstat")).ok()?;
            schedstat.split(' ').next()?.parse::<u64>().ok()
        };
        // A thread that has just ended has none.
        let spent = threads.filter_map(|thread| of(thread.expect("a thread")));
        Duration::from_nanos(spent.sum())
    }

    /// A line about its memory in `/proc`, in KiB: `VmRSS` is the current value, `VmHWM` the peak.
    pub fn memory_kib(&self, line: &str) -> f64 {
        let status = self.about("status");
        let found = status.lines().find_map(|found| found.strip_prefix(line));
        let kib = found.and_then(|rest| rest.trim_matches([':', '\t', ' ', 'k', 'B']).parse().ok());
        kib.expect("a line of memory")
    }

    fn about(&self, file: &str) -> String {
        fs::read_to_string(format!("/proc/{}/{file}", self.child.id())).expect("its entry in /proc")
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        // If it has ended by itself, there is nothing to kill.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The number of a field in a line of the log: of `runs` in `judged.runs=1`.
pub fn field(line: &str, name: &str) -> Option<u64> {
    line.split([' ', '.'])
        .find_map(|word| word.strip_prefix(name)?.strip_prefix('='))
        .and_then(|value| value.parse().ok())
}

/// A configuration that offers only C, so that the daemon starts quickly, and searches nothing. It
/// ends in the table of the dashboard, which has a free port.
pub fn only_c() -> String {
    let table = include_str!("../../../src/config/languages.toml");
    let others = table
        .lines()
        .filter(|line| line.starts_with("[languages.") && *line != "[languages.c]");
    let offered = others.fold(String::new(), |all, line| all + line + "\noffer = false\n");
    offered + "[explain]\nidle = false\n[web]\nstudents = \"127.0.0.1:0\"\n"
}

/// The store of a folder, to look at.
pub fn store(folder: &Path) -> Connection {
    let file = folder.join("state/verdictd.db");
    Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY).expect("the store opens")
}

/// How many submissions have which verdict in the store of a folder.
pub fn verdicts(folder: &Path) -> BTreeMap<String, u64> {
    let store = store(folder);
    let mut statement = store
        .prepare("SELECT verdict, count(*) FROM judgements GROUP BY verdict")
        .expect("the store's tables");
    let rows = statement.query_map([], |row| {
        Ok((row.get(0)?, row.get::<_, i64>(1)?.cast_unsigned()))
    });
    rows.expect("verdicts")
        .collect::<Result<_, _>>()
        .expect("verdicts")
}

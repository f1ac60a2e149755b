//! The real daemon as a bench drives it, and what it prints about its own work.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::process::Process;

/// How often CPU time is polled until the daemon uses less than this, and how long that may take.
const LOOK: Duration = Duration::from_millis(250);
const NOTHING: Duration = Duration::from_millis(10);
const REST_MAX: Duration = Duration::from_mins(2);

/// The words with which the daemon says that a submission is judged, and in the store.
pub const JUDGED: &str = " judged a submission ";
/// The words with which it says that it has written pages of the course.
pub const OVERVIEW_WRITTEN: &str = "overview written";

/// A running daemon; killed when it is dropped.
pub struct Daemon(Process);

/// What it did until so many submissions were judged.
pub struct Work {
    /// When it planned the first of that.
    pub planned: Option<Instant>,
    /// When each was judged.
    pub judged: Vec<Instant>,
    pub builds: u64,
    pub runs: u64,
}

impl Work {
    /// When the last one was judged.
    pub fn end(&self) -> Instant {
        self.judged[self.judged.len() - 1]
    }
}

impl Daemon {
    /// Starts the daemon in a folder with a config.toml.
    pub fn start(folder: &Path) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_verdictd"));
        command.arg("--config").arg(folder.join("config.toml"));
        command.arg("serve");
        command.env("RUST_LOG", "verdictd::daemon=info");
        command.env("NO_COLOR", "1");
        Self(Process::start(command))
    }

    /// Has it finish what it is doing, and waits until it has.
    pub fn finish(&self) {
        kill_process(Pid::from_child(&self.0.child), Signal::TERM).expect("it is told to stop");
        self.says("stopped");
    }

    /// The next line that it prints, and when.
    pub fn next_line(&self) -> (Instant, String) {
        self.0.next_line()
    }

    /// Waits for a line with these words; returns when it came, and the line.
    pub fn says(&self, words: &str) -> (Instant, String) {
        self.0.says(words)
    }

    /// Waits until it is ready; returns how many programs it runs at a time.
    pub fn ready(&self) -> usize {
        let (_, line) = self.says("ready: ");
        let workers = line.split(' ').nth(1).and_then(|word| word.parse().ok());
        workers.expect("a number of programs")
    }

    /// Waits until so many submissions are judged.
    pub fn judged(&self, submissions: usize) -> Work {
        let mut work = Work {
            planned: None,
            judged: Vec::new(),
            builds: 0,
            runs: 0,
        };
        while work.judged.len() < submissions {
            let (at, line) = self.next_line();
            let is_wrong = line.contains("fault") || line.contains("broken");
            assert!(!is_wrong, "{line}");
            if line.contains(" planned ") {
                work.planned.get_or_insert(at);
            } else if line.contains(JUDGED) {
                work.judged.push(at);
                work.builds += field(&line, "builds");
                work.runs += field(&line, "runs");
            }
        }
        work
    }

    /// Waits until it uses next to no CPU time.
    pub fn at_rest(&self) {
        let began = Instant::now();
        let mut before = Duration::ZERO;
        while self
            .cpu()
            .saturating_sub(std::mem::replace(&mut before, self.cpu()))
            > NOTHING
        {
            let waits = began.elapsed();
            assert!(waits < REST_MAX, "the daemon does not come to rest");
            std::thread::park_timeout(LOOK);
        }
    }

    /// CPU time of its threads so far.
    pub fn cpu(&self) -> Duration {
        let threads = fs::read_dir(format!("/proc/{}/task", self.0.child.id())).expect("threads");
        let of = |thread: fs::DirEntry| {
            let schedstat = fs::read_to_string(thread.path().join("schedstat")).ok()?;
            schedstat.split(' ').next()?.parse::<u64>().ok()
        };
        // A thread that has just ended has none.
        let spent = threads.filter_map(|thread| of(thread.expect("a thread")));
        Duration::from_nanos(spent.sum())
    }

    /// Its peak memory, in MB.
    pub fn memory_mb(&self) -> f64 {
        let status = format!("/proc/{}/status", self.0.child.id());
        let status = fs::read_to_string(status).expect("its entry in /proc");
        let found = status
            .lines()
            .find_map(|found| found.strip_prefix("VmHWM:"));
        let kib = found.and_then(|rest| rest.trim_matches(['\t', ' ', 'k', 'B']).parse().ok());
        let kib: f64 = kib.expect("a line of memory");
        kib * 1024.0 / 1e6
    }
}

/// The number of a field in a line of the log: of `runs` in `judged.runs=1`.
pub fn field(line: &str, name: &str) -> u64 {
    let mut words = line.split([' ', '.']);
    let value = words.find_map(|word| word.strip_prefix(name)?.strip_prefix('='));
    let value = value.and_then(|value| value.parse().ok());
    value.unwrap_or_else(|| panic!("{name} in {line}"))
}

//! Bench: the daemon's standing costs.
//!
//! - `scan-20000`: one look at a submissions folder with 20,000 files in 5,000 students' folders.
//! - `idle-memory`: resident memory of a daemon that has judged what was there and waits.
//! - `idle-cpu`: CPU time that it takes in a second of waiting.

mod common;

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use common::Row;

/// Students, and files of each: together the 20,000 files of the row's name.
const STUDENTS: usize = 5_000;
const FILES_EACH: usize = 4;
/// Timings, of which the median counts.
const RUNS: usize = 11;
/// How long the idle daemon is watched.
const IDLE: Duration = Duration::from_secs(10);

fn main() {
    let mut rows = vec![scan()];
    rows.extend(idle());
    common::print(&rows);
}

fn row(name: &'static str, value: f64, unit: &'static str) -> Row {
    Row {
        bench: "daemon",
        row: name,
        value,
        unit,
        baseline: None,
        ratio: None,
    }
}

fn scan() -> Row {
    let folder = tempfile::tempdir().expect("a scratch folder");
    for student in 0..STUDENTS {
        let own = folder.path().join(format!("student{student}"));
        fs::create_dir(&own).expect("a student's folder");
        for file in 0..FILES_EACH {
            fs::write(own.join(format!("problem{file}.cpp")), "int main() {}").expect("a file");
        }
    }
    let scan_us = common::median_us(RUNS, || {
        let names = verdictd::bench::scan_names(folder.path().to_owned());
        assert_eq!(names, Ok(STUDENTS * (FILES_EACH + 1)));
    });
    row("scan-20000", scan_us / 1e3, "ms")
}

/// Starts a daemon with the shipped problems and one submission of each shipped sample's kind, and watches it wait.
fn idle() -> [Row; 2] {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = format!(
        "[folders]\nproblems = {:?}\n",
        root.join("problems").display().to_string()
    );
    fs::write(folder.path().join("config.toml"), config).expect("a configuration");
    let own = folder.path().join("submissions/s1");
    fs::create_dir_all(&own).expect("a student's folder");
    fs::copy(
        root.join("problems/thegame/submissions/accepted/lines.cpp"),
        own.join("thegame.cpp"),
    )
    .expect("a submission");
    let mut daemon = Command::new(env!("CARGO_BIN_EXE_verdictd"))
        .arg("--config")
        .arg(folder.path().join("config.toml"))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the daemon starts");
    let output = daemon.stdout.take().expect("its output");
    let mut line = String::new();
    BufReader::new(output)
        .read_line(&mut line)
        .expect("a verdict");
    assert!(line.contains("AC"), "{line}");
    let before = cpu_ms(&daemon);
    let start = Instant::now();
    while let Some(left) = IDLE.checked_sub(start.elapsed()) {
        std::thread::park_timeout(left);
    }
    let used_ms = cpu_ms(&daemon) - before;
    let memory_mib = resident_kib(&daemon) / 1024.0;
    daemon.kill().expect("it ends");
    daemon.wait().expect("it has ended");
    [
        row("idle-memory", memory_mib, "MiB"),
        row("idle-cpu", used_ms / IDLE.as_secs_f64(), "ms/s"),
    ]
}

fn proc_file(daemon: &Child, name: &str) -> String {
    fs::read_to_string(format!("/proc/{}/{name}", daemon.id())).expect("its entry in /proc")
}

/// CPU time so far, user and system, in milliseconds.
fn cpu_ms(daemon: &Child) -> f64 {
    let stat = proc_file(daemon, "stat");
    let (_, fields) = stat.rsplit_once(") ").expect("a name in parentheses");
    let ticks: f64 = fields
        .split(' ')
        .skip(11)
        .take(2)
        .filter_map(|field| field.parse::<f64>().ok())
        .sum();
    // Linux shows this file in hundredths of a second on every machine.
    ticks * 10.0
}

fn resident_kib(daemon: &Child) -> f64 {
    let status = proc_file(daemon, "status");
    status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))
        .and_then(|rest| rest.trim().trim_end_matches(" kB").parse().ok())
        .expect("a line VmRSS")
}

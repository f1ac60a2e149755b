//! The daemon's standing costs.
//!
//! - `scan-20000`: one scan of a submissions folder with 20,000 files in 5,000 students' folders,
//!   over a plain walk that asks for the same entries and their metadata.
//! - `idle-memory`: resident memory of a daemon that has judged what was there, has written its
//!   pages and waits; no baseline.
//! - `idle-cpu`: CPU time that it uses per second of waiting; no baseline.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use verdictd::internals::{Known, Scanner};

use crate::common::{
    Daemon, JUDGED, OVERVIEW_WRITTEN, Row, Size, medians_in_turns, ms, only_c, verdicts, write,
};

pub const NAME: &str = "daemon";

/// Students, and files of each: the 20,000 files of the row's name.
const STUDENTS: usize = 5_000;
const STUDENTS_SMALL: usize = 50;
const FILES_EACH: usize = 4;
/// Number of timings; the median counts.
const RUNS: usize = 11;
/// How long the idle daemon is watched.
const IDLE: Duration = Duration::from_secs(10);
const IDLE_SMALL: Duration = Duration::from_millis(100);

pub fn rows(size: Size) -> Vec<Row> {
    let mut rows = vec![scan(size)];
    rows.extend(idle(size.pick(IDLE, IDLE_SMALL)));
    rows
}

fn scan(size: Size) -> Row {
    let (students, runs) = size.pick((STUDENTS, RUNS), (STUDENTS_SMALL, 1));
    let folder = tempfile::tempdir().expect("a scratch folder");
    for student in 0..students {
        let own = folder.path().join(format!("student{student}"));
        for file in 0..FILES_EACH {
            write(&own.join(format!("problem{file}.cpp")), "int main() {}");
        }
    }
    let names = students * (FILES_EACH + 1);
    let (ours, plain) = medians_in_turns(
        runs,
        || {
            let scanner = Scanner::new(folder.path().to_owned());
            let scan = scanner.scan(&Known::default(), |_, _| {}).expect("a scan");
            assert_eq!(scan.names, names);
        },
        || assert_eq!(walk(folder.path()), names),
    );
    Row::new(NAME, "scan-20000", ms(ours), "ms").over(ms(plain))
}

/// How many entries there are below a folder.
fn walk(folder: &Path) -> usize {
    let entries = fs::read_dir(folder).expect("a folder");
    let count = |entry: fs::DirEntry| {
        let is_folder = entry.metadata().expect("a file").is_dir();
        1 + if is_folder { walk(&entry.path()) } else { 0 }
    };
    entries.map(|entry| count(entry.expect("an entry"))).sum()
}

/// Starts a daemon with the shipped problems and one submission, and watches it wait.
fn idle(time: Duration) -> [Row; 2] {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let problems = root.join("problems").display().to_string();
    let config = format!("{}[folders]\nproblems = {problems:?}\n", only_c());
    write(&folder.path().join("config.toml"), config);
    let program = root.join("problems/curling/submissions/accepted/deepening.c");
    let program = fs::read(program).expect("an accepted program");
    write(&folder.path().join("submissions/s1/curling.c"), program);
    let daemon = Daemon::start(folder.path());
    // Writing pages after the verdict is not idling.
    daemon.says(JUDGED);
    daemon.says(OVERVIEW_WRITTEN);
    assert_eq!(verdicts(folder.path()), [("AC".to_owned(), 1)].into());
    daemon.at_rest();
    let before = daemon.cpu();
    let began = Instant::now();
    while let Some(left) = time.checked_sub(began.elapsed()) {
        std::thread::park_timeout(left);
    }
    let watched = began.elapsed();
    let used = daemon.cpu().saturating_sub(before);
    let memory_mib = daemon.memory_kib("VmRSS") / 1024.0;
    [
        Row::new(NAME, "idle-memory", memory_mib, "MiB"),
        Row::new(NAME, "idle-cpu", ms(used) / watched.as_secs_f64(), "ms/s"),
    ]
}

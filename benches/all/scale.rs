//! What a large store costs the real daemon: 1,000, 10,000 and 100,000 judged submissions, at most
//! 5,000 of them for one problem.
//!
//! - `start`: from the start of the process until it is ready and has planned, over the same with
//!   an empty store.
//! - `memory`: the daemon's peak memory until it is idle, over the same with an empty store.
//! - `plan-hack`: planning one new hack for that problem's submissions, by the daemon's own clock,
//!   since a measurement from outside would include the pauses between its scans; no baseline.
//! - `store`: the store's file; no baseline.

use std::collections::BTreeMap;
use std::fs;
use std::time::{Duration, Instant};

use crate::common::{
    Daemon, Row, School, Size, TESTS, board, field, figure, median, ms, say, timed, verdicts,
};

pub const NAME: &str = "scale";

const SIZES: [usize; 3] = [1_000, 10_000, 100_000];
const SIZES_SMALL: [usize; 1] = [100];
/// Submissions for the problem that gets the hack.
const OF_ONE_PROBLEM: usize = 5_000;
/// Number of starts; the median counts.
const STARTS: usize = 5;
/// The targets with the largest store.
const START_MS_MAX: f64 = 2_000.0;
const PLAN_MS_MAX: f64 = 200.0;
const MEMORY_MB_MAX: f64 = 110.0;

pub fn rows(size: Size) -> Vec<Row> {
    let starts = size.pick(STARTS, 1);
    let sizes: &[usize] = size.pick(&SIZES, &SIZES_SMALL);
    let empty = School::new();
    let least = started(&empty, starts);
    let largest = sizes.iter().max();
    sizes
        .iter()
        .flat_map(|size| {
            let [start, plan, memory, store] = measure(*size, starts, &least);
            if Some(size) == largest {
                [
                    start.at_most(START_MS_MAX),
                    plan.at_most(PLAN_MS_MAX),
                    memory.at_most(MEMORY_MB_MAX),
                    store,
                ]
            } else {
                [start, plan, memory, store]
            }
        })
        .collect()
}

fn measure(submissions: usize, starts: usize, least: &Started) -> [Row; 4] {
    let school = School::new();
    let wrote = timed(|| school.fill(submissions, OF_ONE_PROBLEM));
    let seconds = wrote.as_secs_f64();
    say(&format!(
        "{submissions} submissions were written in {seconds:.1} s"
    ));
    // The first start cleans up after the bulk of writes.
    start(&school);
    let started = started(&school, starts);
    let planned = plan_hack(&school, submissions.min(OF_ONE_PROBLEM));
    let all = BTreeMap::from([("AC".to_owned(), submissions as u64)]);
    assert_eq!(verdicts(&school.folder), all, "nothing else was judged");
    let store = fs::metadata(school.folder.join("state/verdictd.db")).expect("the store");
    let name = |row: &str| format!("{row} at {submissions}");
    [
        Row::new(NAME, name("start"), ms(started.start), "ms").over(ms(least.start)),
        Row::new(NAME, name("plan-hack"), ms(planned), "ms"),
        Row::new(NAME, name("memory"), started.memory_mb, "MB").over(least.memory_mb),
        Row::new(NAME, name("store"), figure(store.len() / 1_000) / 1e3, "MB"),
    ]
}

/// The cost of starts.
struct Started {
    /// The median.
    start: Duration,
    /// The highest peak memory.
    memory_mb: f64,
}

fn started(school: &School, starts: usize) -> Started {
    let all: Vec<(Duration, f64)> = (0..starts).map(|_| start(school)).collect();
    Started {
        start: median(all.iter().map(|(time, _)| *time)),
        memory_mb: all.iter().map(|(_, mb)| *mb).fold(0.0, f64::max),
    }
}

/// Starts a daemon and ends it when it is idle; returns how long it took to plan, and its peak
/// memory.
fn start(school: &School) -> (Duration, f64) {
    let began = Instant::now();
    let daemon = Daemon::start(&school.folder);
    daemon.ready();
    let (at, submissions, _) = planned(&daemon);
    assert_eq!(submissions, 0, "everything is judged as it should be");
    daemon.at_rest();
    let memory_mb = daemon.memory_kib("VmHWM") * 1024.0 / 1e6;
    (at.duration_since(began), memory_mb)
}

/// Drops a hack into the first problem.
fn plan_hack(school: &School, expected: usize) -> Duration {
    let daemon = Daemon::start(&school.folder);
    daemon.ready();
    planned(&daemon);
    let dropped = Instant::now();
    school.write("problems/p00/hacks/evil.in", board(TESTS));
    let (at, submissions, time) = planned(&daemon);
    assert_eq!(submissions, expected as u64, "for whom the hack is planned");
    assert!(time <= at.duration_since(dropped), "its clock is ours");
    time
}

/// Waits for a plan; returns when it was made, for how many submissions, and how long it took.
fn planned(daemon: &Daemon) -> (Instant, u64, Duration) {
    loop {
        let (at, line) = daemon.next_line();
        if line.contains(" planned ") {
            let number = |name| field(&line, name).expect("a number");
            let micros = Duration::from_micros(number("micros"));
            return (at, number("submissions"), micros);
        }
    }
}

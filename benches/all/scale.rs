//! What a large store costs the real daemon: 1,000, 10,000 and 100,000 judged submissions, at most
//! 5,000 of them for one problem.
//!
//! - `start`: from the start of the process until it is ready and has planned, over the same with
//!   an empty store.
//! - `memory`: the daemon's peak memory until it is idle, over the same with an empty store.
//! - `plan-hack`: planning one new hack for that problem's submissions, by the daemon's own clock,
//!   since a measurement from outside would include the pauses between its scans; no baseline.

use std::time::{Duration, Instant};

use crate::common::{Course, Row, School, Size, TESTS, board, field, median, ms, slug};

pub const NAME: &str = "scale";

const SIZES: [usize; 3] = [1_000, 10_000, 100_000];
const SIZES_SMALL: [usize; 1] = [100];
/// Submissions for the problem that gets the hack.
const OF_ONE_PROBLEM: usize = 5_000;
/// Number of starts; the median counts.
const STARTS: usize = 5;
/// The targets, also with the largest store.
const START_MS_MAX: f64 = 2_000.0;
const PLAN_MS_MAX: f64 = 200.0;
const MEMORY_MB_MAX: f64 = 110.0;

pub fn rows(size: Size) -> Vec<Row> {
    let sizes: &[usize] = size.pick(&SIZES, &SIZES_SMALL);
    sizes
        .iter()
        .flat_map(|&submissions| measure(submissions, size))
        .collect()
}

fn measure(submissions: usize, size: Size) -> [Row; 3] {
    let starts = size.pick(STARTS, 1);
    let school = School::new(size);
    let least = started(&school.course, starts);
    school.fill(submissions, OF_ONE_PROBLEM);
    // The first start cleans up after the bulk of writes.
    start(&school.course);
    let started = started(&school.course, starts);
    let planned = plan_hack(&school.course, submissions.min(OF_ONE_PROBLEM));
    school.course.assert_verdicts(submissions, 0);
    let name = |row: &str| format!("{row} at {submissions}");
    [
        Row::times(NAME, name("start"), (started.0, least.0)).at_most(START_MS_MAX),
        Row::new(NAME, name("plan-hack"), ms(planned), "ms").at_most(PLAN_MS_MAX),
        Row::new(NAME, name("memory"), started.1, "MB")
            .over(least.1)
            .at_most(MEMORY_MB_MAX),
    ]
}

/// The median time of some starts, and the highest peak memory.
fn started(course: &Course, starts: usize) -> (Duration, f64) {
    let (times, memory): (Vec<Duration>, Vec<f64>) = (0..starts).map(|_| start(course)).unzip();
    (median(times), memory.into_iter().fold(0.0, f64::max))
}

/// Starts a daemon and ends it when it is idle; returns how long it took to plan, and its peak
/// memory.
fn start(course: &Course) -> (Duration, f64) {
    let began = Instant::now();
    let daemon = course.start();
    daemon.ready();
    let (at, line) = daemon.says(" planned ");
    let found = field(&line, "submissions");
    assert_eq!(found, 0, "all is judged as it should be");
    daemon.at_rest();
    (at.duration_since(began), daemon.memory_mb())
}

/// Drops a hack into the first problem.
fn plan_hack(course: &Course, expected: usize) -> Duration {
    let daemon = course.start();
    daemon.ready();
    daemon.says(" planned ");
    let dropped = Instant::now();
    course.write(&format!("problems/{}/hacks/evil.in", slug(0)), board(TESTS));
    let (at, line) = daemon.says(" planned ");
    assert_eq!(field(&line, "submissions"), expected as u64, "{line}");
    let time = Duration::from_micros(field(&line, "micros"));
    assert!(time <= at.duration_since(dropped), "its clock is ours");
    time
}

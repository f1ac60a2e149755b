//! A daemon with nothing to judge.
//!
//! - `searching`: from the moment at which a pile of programs is handed in to the last verdict, with
//!   a daemon that is searching when they come, over one that never searches.
//! - `memory`: resident memory of a daemon that has judged what was there and waits; no baseline.
//! - `cpu`: CPU time that it uses per second of waiting; no baseline.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::common::{Course, JUDGED, OVERVIEW_WRITTEN, Row, Size, medians, ms, only_c};

pub const NAME: &str = "idle";

/// Programs that are handed in at once.
const PROGRAMS: usize = 100;
const PROGRAMS_SMALL: usize = 2;
/// Piles, each with and without searches; the medians count.
const PILES: usize = 5;
/// How long a waiting daemon is watched.
const WAITING: Duration = Duration::from_secs(10);
const WAITING_SMALL: Duration = Duration::from_millis(100);
/// The target of `searching`.
const RATIO_MAX: f64 = 1.05;

pub fn rows(size: Size) -> Vec<Row> {
    let (programs, piles) = size.pick((PROGRAMS, PILES), (PROGRAMS_SMALL, 1));
    let watch = size.pick(WAITING, WAITING_SMALL);
    let mut rows = Vec::new();
    let piles = (0..piles).map(|_| {
        let with = pile(programs, true, Duration::ZERO);
        let without = pile(programs, false, watch);
        rows = without.rows;
        (with.time, without.time)
    });
    let piles = Row::times(NAME, "searching", medians(piles)).ratio_at_most(RATIO_MAX);
    rows.push(piles);
    rows
}

struct Pile {
    /// From the first program that is handed in to the last verdict.
    time: Duration,
    /// What the daemon used before.
    rows: Vec<Row>,
}

fn pile(programs: usize, searches: bool, watch: Duration) -> Pile {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    // A search that never ends by itself.
    let settings = if searches {
        only_c().replace("idle = false", "hacks_cpu_s = 3600.0")
    } else {
        only_c()
    };
    let problems = root.join("problems").display().to_string();
    let course = Course::new(&format!("{settings}[folders]\nproblems = {problems:?}\n"));
    let hand_in = |number: usize| course.submit(&format!("s{number}"), "curling", number);
    hand_in(0);
    let daemon = course.start();
    daemon.says(JUDGED);
    daemon.says(if searches {
        "a search begins"
    } else {
        OVERVIEW_WRITTEN
    });
    let mut rows = Vec::new();
    if !watch.is_zero() {
        daemon.at_rest();
        let (began, before) = (Instant::now(), daemon.cpu());
        while let Some(left) = watch.checked_sub(began.elapsed()) {
            std::thread::park_timeout(left);
        }
        let cpu = ms(daemon.cpu().saturating_sub(before)) / began.elapsed().as_secs_f64();
        rows.push(Row::new(NAME, "memory", daemon.memory_mb("VmRSS"), "MB"));
        rows.push(Row::new(NAME, "cpu", cpu, "ms/s"));
    }
    let began = Instant::now();
    (1..=programs).for_each(hand_in);
    let work = daemon.judged(programs);
    course.assert_verdicts(programs + 1, 0);
    Pile {
        time: work.end().duration_since(began),
        rows,
    }
}

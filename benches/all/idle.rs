//! What searches in idle time cost those who wait.
//!
//! - `searching`: from the moment at which a pile of programs is handed in to the last verdict, with
//!   a daemon that is searching when they come, over one that never searches.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::common::{Course, JUDGED, OVERVIEW_WRITTEN, Row, Size, medians, only_c};

pub const NAME: &str = "idle";

/// Programs that are handed in at once.
const PROGRAMS: usize = 100;
const PROGRAMS_SMALL: usize = 2;
/// Piles, each with and without searches; the medians count.
const PILES: usize = 5;
/// The target of `searching`.
const RATIO_MAX: f64 = 1.05;

pub fn rows(size: Size) -> Vec<Row> {
    let (programs, piles) = size.pick((PROGRAMS, PILES), (PROGRAMS_SMALL, 1));
    let piles = (0..piles).map(|_| (pile(programs, true), pile(programs, false)));
    vec![Row::times(NAME, "searching", medians(piles)).ratio_at_most(RATIO_MAX)]
}

/// From the first program that is handed in to the last verdict.
fn pile(programs: usize, searches: bool) -> Duration {
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
    let began = Instant::now();
    (1..=programs).for_each(hand_in);
    let work = daemon.judged(programs);
    course.assert_verdicts(programs + 1, 0);
    work.end().duration_since(began)
}

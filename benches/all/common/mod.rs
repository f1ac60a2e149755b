//! What the benches share: timings, rows and their table, a course and its daemon, a store full of
//! submissions, and the judge without a daemon.

use std::io::Write as _;
use std::time::{Duration, Instant};

mod copies;
mod course;
mod daemon;
mod judge;
mod process;
mod rows;
mod school;
mod trial;

pub use course::{Course, accepted_program, board, only_c};
pub use daemon::{Daemon, JUDGED, OVERVIEW_WRITTEN, field};
pub use judge::{Judge, Judged, MACHINE};
pub use process::Process;
pub use rows::{Row, print};
pub use school::{School, TESTS, slug};
pub use trial::Trial;

/// How much of a bench is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// The full measurement.
    Full,
    /// Just enough to make every check of the bench once; the figures mean nothing.
    Small,
}

impl Size {
    /// One of two numbers.
    pub fn pick<T>(self, full: T, small: T) -> T {
        match self {
            Self::Full => full,
            Self::Small => small,
        }
    }
}

/// A time, and what it is compared with, measured in the same run.
pub type Pair = (Duration, Duration);

/// The time that something takes.
pub fn timed<T>(work: impl FnOnce() -> T) -> Duration {
    let began = Instant::now();
    std::hint::black_box(work());
    began.elapsed()
}

/// The median of `runs` timings of `work`.
pub fn median_time<T>(runs: usize, mut work: impl FnMut() -> T) -> Duration {
    median((0..runs).map(|_| timed(&mut work)))
}

/// The medians of two things timed in turns, so that the machine's noise affects both alike.
pub fn in_turns<One, Other>(
    runs: usize,
    mut one: impl FnMut() -> One,
    mut other: impl FnMut() -> Other,
) -> Pair {
    medians((0..runs).map(|_| (timed(&mut one), timed(&mut other))))
}

/// The medians of both.
pub fn medians(pairs: impl IntoIterator<Item = Pair>) -> Pair {
    let (ours, baseline): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
    (median(ours), median(baseline))
}

pub fn median<T: Ord>(values: impl IntoIterator<Item = T>) -> T {
    let mut values: Vec<T> = values.into_iter().collect();
    values.sort_unstable();
    values.swap_remove(values.len() / 2)
}

/// Milliseconds.
pub fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// A count as a figure.
pub fn figure(count: u64) -> f64 {
    f64::from(u32::try_from(count).expect("no count of a bench is larger"))
}

/// Reports progress. Only the table goes to standard output.
pub fn say(text: &str) {
    // If nobody reads it, nothing is lost.
    let _ = writeln!(std::io::stderr(), "{text}");
}

//! What the benches share: timings, rows and their table, a daemon to drive, a store full of
//! submissions.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

mod contest;
mod copies;
mod daemon;
mod made_pages;
mod rows;
mod school;
mod trial;

pub use contest::{Contest, Pass};
pub use daemon::{Daemon, JUDGED, OVERVIEW_WRITTEN, field, only_c, store, verdicts};
pub use made_pages::{MadePages, make_pages};
pub use rows::{Row, print};
pub use school::{PROBLEMS, School, TESTS, board};
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

/// The time that something takes.
pub fn timed<T>(work: impl FnOnce() -> T) -> Duration {
    let began = Instant::now();
    std::hint::black_box(work());
    began.elapsed()
}

/// The median of `runs` timings of `work`.
pub fn median_time<T>(runs: usize, mut work: impl FnMut() -> T) -> Duration {
    median((0..runs.max(1)).map(|_| timed(&mut work)))
}

/// The medians of two things timed in turns, so that the machine's noise affects both alike.
pub fn medians_in_turns<One, Other>(
    runs: usize,
    mut one: impl FnMut() -> One,
    mut other: impl FnMut() -> Other,
) -> (Duration, Duration) {
    let turns: Vec<(Duration, Duration)> = (0..runs.max(1))
        .map(|_| (timed(&mut one), timed(&mut other)))
        .collect();
    (
        median(turns.iter().map(|turn| turn.0)),
        median(turns.iter().map(|turn| turn.1)),
    )
}

pub fn median<T: Ord>(values: impl IntoIterator<Item = T>) -> T {
    let mut values: Vec<T> = values.into_iter().collect();
    values.sort_unstable();
    let middle = values.len() / 2;
    values.swap_remove(middle)
}

/// Microseconds.
pub fn us(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
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

/// Writes a file, with its folders.
pub fn write(path: &Path, bytes: impl AsRef<[u8]>) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(path, bytes).expect("a file");
}

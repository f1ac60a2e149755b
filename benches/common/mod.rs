//! What the benches share: medians, and the table of rows.

use std::time::{Duration, Instant};

mod rows;

pub use rows::{Row, print};

/// The median of `runs` timings of `work`, in microseconds.
pub fn median_us(runs: usize, mut work: impl FnMut()) -> f64 {
    let mut timings: Vec<Duration> = (0..runs.max(1))
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed()
        })
        .collect();
    timings.sort_unstable();
    timings[timings.len() / 2].as_secs_f64() * 1e6
}

//! How fast and how evenly a machine measures.

use serde::{Deserialize, Serialize};

/// How fast and how evenly a machine measures.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Speed {
    /// CPU time of a fixed piece of work, in nanoseconds: the least of several tries.
    pub least_ns: u64,
    /// By how many per cent the median was above the least.
    pub spread_percent: f64,
}

impl Speed {
    /// Of the CPU times of several tries, in nanoseconds; none without any.
    pub fn of(mut tries: Vec<u64>) -> Option<Self> {
        tries.sort_unstable();
        let (least, median) = (*tries.first()?, *tries.get(tries.len() / 2)?);
        Some(Self {
            least_ns: least,
            spread_percent: percent_above(median, least),
        })
    }

    /// By how many per cent it is slower than another machine, with one decimal; below 0 where it
    /// is faster.
    pub fn percent_slower_than(&self, other: &Self) -> f64 {
        (percent_above(self.least_ns, other.least_ns) * 10.0).round() / 10.0
    }
}

#[expect(clippy::cast_precision_loss, reason = "no work takes 2^52 ns")]
fn percent_above(ns: u64, base_ns: u64) -> f64 {
    let (ns, base_ns) = (ns as f64, base_ns.max(1) as f64);
    (ns / base_ns - 1.0) * 100.0
}

#[cfg(test)]
mod tests {
    use super::Speed;

    #[test]
    fn the_least_try_counts_and_the_median_says_how_evenly() {
        assert_eq!(Speed::of(Vec::new()), None);
        let speed = Speed::of(vec![150, 100, 110]).unwrap();
        assert_eq!(speed.least_ns, 100);
        assert!((speed.spread_percent - 10.0).abs() < 1e-9);
        let slower = Speed::of(vec![125]).unwrap();
        assert!((slower.percent_slower_than(&speed) - 25.0).abs() < 1e-9);
        assert!((speed.percent_slower_than(&slower) + 20.0).abs() < 1e-9);
    }
}

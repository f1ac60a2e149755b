//! How long to wait before what has failed is tried again.

use std::time::Duration;

/// Pauses between tries, each so many times as long as the one before, up to the longest.
#[derive(Debug, Clone, Copy)]
pub struct Backoff {
    pub first: Duration,
    pub factor: u32,
    pub longest: Duration,
}

impl Backoff {
    /// Pauses that double.
    pub const fn doubling(first: Duration, longest: Duration) -> Self {
        Self {
            first,
            factor: 2,
            longest,
        }
    }

    /// The pause after so many failures in a row; none before the first.
    pub fn after(self, failures: u32) -> Duration {
        let Some(before) = failures.checked_sub(1) else {
            return Duration::ZERO;
        };
        let pause = self
            .first
            .saturating_mul(self.factor.saturating_pow(before));
        pause.min(self.longest)
    }
}

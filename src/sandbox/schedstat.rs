//! What the kernel says of a thread's time on a core, and of its waiting for one.

use std::path::Path;
use std::time::Duration;

/// A thread's time so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Spent {
    /// CPU time.
    pub ran: Duration,
    /// How long it was ready to run and had no core.
    pub waited: Duration,
}

impl Spent {
    /// Of the thread with this folder in `/proc`; nothing where the kernel does not say.
    pub fn of(thread: &Path) -> Self {
        let text = std::fs::read_to_string(thread.join("schedstat"));
        Self::parse(&text.unwrap_or_default())
    }

    /// Of the thread that asks.
    pub fn of_this_thread() -> Self {
        Self::of(Path::new("/proc/thread-self"))
    }

    /// Both.
    pub fn whole(self) -> Duration {
        self.ran + self.waited
    }

    /// The first two numbers of a schedstat file.
    fn parse(text: &str) -> Self {
        let words = text.split_ascii_whitespace();
        let mut numbers = words.map_while(|word| word.parse().ok());
        let mut next = || Duration::from_nanos(numbers.next().unwrap_or(0));
        Self {
            ran: next(),
            waited: next(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::Spent;

    #[test]
    fn schedstat_is_read() {
        let spent = |ran, waited| Spent {
            ran: Duration::from_nanos(ran),
            waited: Duration::from_nanos(waited),
        };
        assert_eq!(Spent::parse("1500 300 7\n"), spent(1_500, 300));
        assert_eq!(Spent::parse("no such file"), spent(0, 0));
        // The kernel counts from time to time.
        let start = Instant::now();
        while Spent::of_this_thread().ran.is_zero() {
            assert!(start.elapsed() < Duration::from_mins(1));
        }
    }
}

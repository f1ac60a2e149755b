//! The wall clock and a thread's own, in one place.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::time::{ClockId, clock_gettime};

/// CPU time that the calling thread has used. For who steps back behind others it says what was
/// taken from them, which the wall clock does not.
pub fn thread_cpu() -> Duration {
    // A clock that cannot be said at all is none that goes on.
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default()
}

/// Milliseconds since 1970 UTC; 0 where the machine's clock is set before that.
pub fn now_ms() -> i64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| {
            i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
        })
}

/// A moment as `2026-03-01T12:30:00Z`.
pub fn utc_text(ms: i64) -> String {
    jiff::Timestamp::from_millisecond(ms).map_or_else(
        |_| format!("{ms} ms since 1970"),
        |time| time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
    )
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::{thread_cpu, utc_text};

    #[test]
    fn a_threads_clock_goes_on_while_it_works_and_is_its_own() {
        let (begun, used) = (Instant::now(), thread_cpu());
        while thread_cpu() < used + Duration::from_millis(20) {
            assert!(begun.elapsed() < Duration::from_mins(1), "it stands still");
        }
        let others = std::thread::spawn(thread_cpu).join().unwrap();
        assert!(others < Duration::from_millis(20), "{others:?}");
    }

    #[test]
    fn moments_are_written_in_utc() {
        assert_eq!(utc_text(0), "1970-01-01T00:00:00Z");
        assert_eq!(utc_text(1_772_368_200_123), "2026-03-01T12:30:00Z");
    }
}

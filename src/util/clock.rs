//! The wall clock and a thread's own, in one place; and how long to wait before the next try.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use rustix::time::{ClockId, clock_gettime};

/// A moment for people: `2026-03-01 13:30 CET`.
const FOR_PEOPLE: &str = "%Y-%m-%d %H:%M %Z";
/// A moment for programs, with its offset: `2026-03-01T13:30:00+01:00`.
const WITH_OFFSET: &str = "%Y-%m-%dT%H:%M:%S%:z";

/// CPU time that the calling thread has used. For who steps back behind others it says what was
/// taken from them, which the wall clock does not.
pub fn thread_cpu() -> Duration {
    // A clock that cannot be said at all is none that goes on.
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default()
}

/// Milliseconds since 1970 UTC; 0 where the machine's clock is set before that.
pub fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| as_ms(since).cast_signed())
}

/// Whole milliseconds. What does not fit, after some hundred million years, is cut off.
pub fn as_ms(time: Duration) -> u64 {
    whole(time.as_millis())
}

/// Whole microseconds.
pub fn as_us(time: Duration) -> u64 {
    whole(time.as_micros())
}

/// Nanoseconds.
pub fn as_ns(time: Duration) -> u64 {
    whole(time.as_nanos())
}

/// Milliseconds as seconds, for other programs that count so.
#[expect(clippy::cast_precision_loss, reason = "no run takes 2^52 milliseconds")]
pub fn as_seconds(ms: u64) -> f64 {
    ms as f64 / 1_000.0
}

/// At most what the store and JSON can hold as well.
fn whole(units: u128) -> u64 {
    u64::try_from(units)
        .unwrap_or(u64::MAX)
        .min(i64::MAX.cast_unsigned())
}

/// A moment as `2026-03-01T12:30:00Z`.
pub fn utc_text(ms: i64) -> String {
    on_clock(ms, &TimeZone::UTC, "%Y-%m-%dT%H:%M:%SZ")
}

/// A moment on the clock of a zone, for people.
pub fn zone_text(ms: i64, zone: &TimeZone) -> String {
    on_clock(ms, zone, FOR_PEOPLE)
}

/// The same for programs.
pub fn offset_text(ms: i64, zone: &TimeZone) -> String {
    on_clock(ms, zone, WITH_OFFSET)
}

/// A moment on the clock of a zone, in a format of strftime.
pub fn on_clock(ms: i64, zone: &TimeZone, format: &str) -> String {
    Timestamp::from_millisecond(ms).map_or_else(
        |_| format!("{ms} ms since 1970"),
        |time| time.to_zoned(zone.clone()).strftime(format).to_string(),
    )
}

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

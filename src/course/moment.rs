//! Moments of a course, as its instructor writes them: what a clock on its wall shows, or so long
//! after something else.

use std::fmt;

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{Span, SpanRelativeTo, Timestamp, Unit};
use serde::Deserialize;

/// A moment as it is written.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(try_from = "String")]
pub enum Moment {
    /// `2026-10-02 23:59`, on the clock of the course's zone.
    At(DateTime),
    /// `2026-10-02`: until the last moment of this day.
    Day(Date),
    /// `1d`, `36h`: so long after what it belongs to. A day ends at the same time of the next day,
    /// also where the clocks change in between; 24 hours do not.
    After(Span),
}

impl TryFrom<String> for Moment {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::read(&text).ok_or("no moment")
    }
}

/// At once.
impl Default for Moment {
    fn default() -> Self {
        Self::After(Span::new())
    }
}

impl Moment {
    /// Reads one.
    pub fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        let at = || {
            // Midnight that belongs to the day before it is what people mean by a date alone.
            text.parse()
                .ok()
                .filter(|_| text.len() == 10)
                .map(Self::Day)
        };
        if let Some(at) = at().or_else(|| text.parse().ok().map(Self::At)) {
            return Some(at);
        }
        let span: Span = text.parse().ok()?;
        (!span.is_negative()).then_some(Self::After(span))
    }

    /// The same for something that begins: a day begins with its first moment.
    pub fn begin(self) -> Self {
        match self {
            Self::Day(date) => Self::At(date.at(0, 0, 0, 0)),
            other => other,
        }
    }

    /// How long after something it is, where days have 24 hours; `None` if it is no such time, or
    /// none at all.
    pub fn milliseconds(&self) -> Option<i64> {
        let Self::After(span) = self else {
            return None;
        };
        let length = span.to_duration(SpanRelativeTo::days_are_24_hours()).ok()?;
        i64::try_from(length.as_millis())
            .ok()
            .filter(|length| *length > 0)
    }

    /// When it is, in the course's zone. Of an hour that comes twice it is the second, and of one
    /// that never comes the first moment after it, so that nobody loses an hour.
    pub fn resolve(&self, after: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
        match self {
            Self::At(time) => zone.to_ambiguous_timestamp(*time).later().ok(),
            Self::Day(date) => Self::At(date.at(23, 59, 59, 0)).resolve(after, zone),
            Self::After(span) => {
                let later = after.to_zoned(zone.clone()).checked_add(*span).ok()?;
                Some(later.timestamp())
            }
        }
    }

    /// When it is for somebody who has another due time than the usual one: as much later.
    pub fn moved(&self, usual: Timestamp, due: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
        let at = self.resolve(due, zone)?;
        if matches!(self, Self::After(_)) || due == usual {
            return Some(at);
        }
        let [usual, due, at] = [usual, due, at].map(|one| one.to_zoned(zone.clone()));
        let later = usual.until((Unit::Day, &due)).ok()?;
        Some(at.checked_add(later).ok()?.timestamp())
    }
}

/// As it may be written.
impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::At(time) => time.fmt(f),
            Self::Day(date) => date.fmt(f),
            Self::After(span) => write!(f, "{span:#}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Moment;

    #[test]
    fn days_are_days_also_when_the_clocks_change() {
        let zone = jiff::tz::TimeZone::get("Europe/Oslo").unwrap();
        for (due, after, expected) in [
            // The clocks go forward on 29 March 2026 and back on 25 October.
            ("2026-03-28 23:59", "1d", "2026-03-29T21:59:00Z"),
            ("2026-03-28 23:59", "24h", "2026-03-29T22:59:00Z"),
            ("2026-10-24 23:59", "1d", "2026-10-25T22:59:00Z"),
            ("2026-10-24 23:59", "24h", "2026-10-25T21:59:00Z"),
            ("2026-10-24", "1d 30m", "2026-10-25T23:29:59Z"),
            ("2026-01-31", "2026-02-03T08:00", "2026-02-03T07:00:00Z"),
            // This hour comes twice; the second one counts.
            ("2026-01-31", "2026-10-25 02:30", "2026-10-25T01:30:00Z"),
            // And this one never.
            ("2026-01-31", "2026-03-29 02:30", "2026-03-29T01:30:00Z"),
        ] {
            let never = jiff::Timestamp::UNIX_EPOCH;
            let due = Moment::read(due).unwrap().resolve(never, &zone).unwrap();
            let at = Moment::read(after).unwrap().resolve(due, &zone).unwrap();
            assert_eq!(at.to_string(), expected, "{after}");
        }
        for wrong in ["", "tomorrow", "-1d", "2026-13-01", "25:00"] {
            assert!(Moment::read(wrong).is_none(), "{wrong}");
        }
    }
}

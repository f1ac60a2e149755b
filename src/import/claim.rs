//! What a platform says of one entry: who handed it in, when, and what they called it.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::{AmbiguousOffset, TimeZone};

use crate::domain::Key;

/// Somebody, as a platform names them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Who {
    /// The keys, the surest first.
    pub keys: Vec<(Key, String)>,
    /// The name that is displayed, in whatever order and spelling.
    pub name: Option<String>,
}

impl Who {
    /// Somebody by one key.
    pub fn by(key: Key, value: impl Into<String>) -> Self {
        Self {
            keys: vec![(key, value.into())],
            name: None,
        }
    }

    /// The same with a name.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }
}

/// When something was handed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stamp {
    /// A moment.
    Instant(Timestamp),
    /// What a clock on the wall showed, in the platform's time zone, which it does not say.
    Local(DateTime),
}

impl Stamp {
    /// The moment, if the platform's clock is in this zone. Of an hour that came twice it is the
    /// first, so that nobody is late by the change of the clocks; one that never was is moved
    /// forward by what the clocks were.
    pub fn instant(self, zone: &TimeZone) -> Option<Timestamp> {
        match self {
            Self::Instant(instant) => Some(instant),
            Self::Local(time) => {
                let ambiguous = zone.to_ambiguous_timestamp(time);
                match ambiguous.offset() {
                    AmbiguousOffset::Gap { .. } => ambiguous.later().ok(),
                    _ => ambiguous.earlier().ok(),
                }
            }
        }
    }

    /// The same, if the platform's clock is known to be in UTC.
    pub fn in_utc(self) -> Option<Self> {
        self.instant(&TimeZone::UTC).map(Self::Instant)
    }

    /// From `2016-01-30-15-30-10`, `2016-01-30 15:30:10`, `20160130153010`: six numbers in the
    /// order of their size, then perhaps a zone or a fraction.
    pub fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        if let Ok(instant) = text.parse() {
            return Some(Self::Instant(instant));
        }
        let digits: String = text.chars().filter(char::is_ascii_digit).take(14).collect();
        let part = |from: usize, to: usize| digits.get(from..to)?.parse::<i16>().ok();
        let small = |from: usize| i8::try_from(part(from, from + 2)?).ok();
        let time = DateTime::new(
            part(0, 4)?,
            small(4)?,
            small(6)?,
            small(8)?,
            small(10)?,
            small(12)?,
            0,
        )
        .ok()?;
        let ends_in_utc = ["Z", "UTC"].iter().any(|zone| text.ends_with(zone));
        Some(if ends_in_utc {
            Self::Instant(TimeZone::UTC.to_timestamp(time).ok()?)
        } else {
            Self::Local(time)
        })
    }

    /// From the English date and time that Blackboard and Brightspace write in many orders:
    /// `Oct 10, 2025 1022 AM`, `Tuesday, 27 November 2018 15:38:53 o'clock CET`. A zone's
    /// abbreviation says too little, and is left to the course's zone.
    pub fn read_english(text: &str) -> Option<Self> {
        let words: Vec<&str> = text
            .split(|c: char| c.is_whitespace() || c == ',')
            .filter(|word| !word.is_empty())
            .collect();
        let month = words.iter().find_map(|word| month_of(word))?;
        let numbers: Vec<&str> = words
            .iter()
            .copied()
            .filter(|word| word.starts_with(|c: char| c.is_ascii_digit()))
            .collect();
        let clock = numbers
            .iter()
            .find(|word| word.contains(':'))
            .or_else(|| numbers.get(2))?;
        let [day, year] = [1..=2, 4..=4].map(|digits| {
            let fits = |word: &&&str| digits.contains(&word.len()) && *word != clock;
            numbers.iter().find(fits)?.parse::<i16>().ok()
        });
        let (mut hour, minute, second) = clock_of(clock)?;
        let says = |mark: &str| words.iter().any(|word| word.eq_ignore_ascii_case(mark));
        if says("PM") && hour < 12 {
            hour += 12;
        } else if says("AM") && hour == 12 {
            hour = 0;
        }
        let time = DateTime::new(
            year?,
            month,
            i8::try_from(day?).ok()?,
            hour,
            minute,
            second,
            0,
        );
        time.ok().map(Self::Local)
    }
}

/// Hours, minutes and seconds of `15:38:53`, `15:38`, `926` or `1205`.
fn clock_of(text: &str) -> Option<(i8, i8, i8)> {
    let mut parts = text.split(':').map(|part| part.parse::<i8>().ok());
    if text.contains(':') {
        return Some((
            parts.next()??,
            parts.next()??,
            parts.next().flatten().unwrap_or(0),
        ));
    }
    let at = text
        .len()
        .checked_sub(2)
        .filter(|&at| (1..=2).contains(&at))?;
    Some((
        text.get(..at)?.parse().ok()?,
        text.get(at..)?.parse().ok()?,
        0,
    ))
}

fn month_of(word: &str) -> Option<i8> {
    const MONTHS: [&str; 12] = [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ];
    let word = word.to_ascii_lowercase();
    let at = MONTHS
        .iter()
        .position(|month| word.len() >= 3 && month.starts_with(word.as_str()))?;
    i8::try_from(at + 1).ok()
}

/// What a platform says of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// Who handed it in; several where a team did.
    pub who: Vec<Who>,
    /// The student's own path for it.
    pub file: String,
    /// When, where the platform says so anywhere in the archive.
    pub time: Option<Stamp>,
    /// The assignment, where its name is part of the entry's.
    pub assignment: Option<String>,
    /// What belongs together: all files of one person's one hand-in.
    pub hand_in: String,
    /// The platform says "late" without saying when.
    pub late: bool,
}

/// What an entry is to a platform.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reading {
    /// Something that a student handed in.
    Claim(Claim),
    /// A file of the platform's own.
    Own,
    /// Nothing of this platform's.
    Strange,
}

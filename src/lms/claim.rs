//! What a platform says of one entry: who handed it in, when, and what they called it.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::{AmbiguousOffset, TimeZone};

use crate::domain::Key;

/// Somebody, as a platform names them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Who {
    /// The keys, the surest first. Several logins are readings of one name, of which one at most is
    /// right.
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

    /// Whether a name of the platform's can be read as several logins.
    pub fn is_ambiguous(&self) -> bool {
        let logins = self.keys.iter().filter(|(key, _)| *key == Key::Login);
        logins.count() > 1
    }

    /// What the platform knows them by with this key.
    pub fn value(&self, key: Key) -> Option<&str> {
        let found = self.keys.iter().find(|(one, _)| *one == key);
        found.map(|(_, value)| value.as_str())
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
        let is_whole = digits.len() == 14;
        let time = is_whole.then(|| DateTime::strptime("%Y%m%d%H%M%S", &digits));
        let time = time?.ok()?;
        let ends_in_utc = ["Z", "UTC"].iter().any(|zone| text.ends_with(zone));
        Some(if ends_in_utc {
            Self::Instant(TimeZone::UTC.to_timestamp(time).ok()?)
        } else {
            Self::Local(time)
        })
    }

    /// From the date and time in words that Moodle, Blackboard and Brightspace write in many orders:
    /// `Oct 10, 2025 1022 AM`, `Tuesday, 27 November 2018 15:38:53 o'clock CET`,
    /// `sábado, 3 de octubre de 2026, 23:59`. A zone's abbreviation says too little, and is left to
    /// the course's zone.
    pub fn read_words(text: &str) -> Option<Self> {
        let words: Vec<&str> = text
            .split(|c: char| c.is_whitespace() || c == ',')
            .map(|word| word.trim_end_matches('.'))
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

/// The months, one a line, in the languages that platforms are seen in, English first; a word is a
/// month's if it is how one of its names begins.
const MONTHS: &str = include_str!("months.txt");

fn month_of(word: &str) -> Option<i8> {
    let word = word.trim_end_matches('.').to_lowercase();
    let is_it = |names: &str| names.split(' ').any(|name| name.starts_with(&word));
    let at = MONTHS.lines().position(is_it)?;
    (word.chars().count() >= 3).then_some(i8::try_from(at + 1).ok()?)
}

/// Whether a date names an English month.
pub fn is_english(date: &str) -> bool {
    let date = date.to_lowercase();
    let mut english = MONTHS.lines().filter_map(|names| names.split(' ').next());
    english.any(|month| date.contains(month))
}

/// What a platform says of an entry.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
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

#[cfg(test)]
mod tests {
    use super::Stamp;

    #[test]
    fn dates_are_read_in_the_languages_of_platforms() {
        let table = "Oct 10, 2025 1022 AM | 2025-10-10T10:22:00
            Mar 29, 2018 1205 PM | 2018-03-29T12:05:00
            Mar 29, 2018 1205 AM | 2018-03-29T00:05:00
            27 November 2018 15:38:53 o'clock CET | 2018-11-27T15:38:53
            Tuesday, November 27, 2018 3:38:53 PM CET | 2018-11-27T15:38:53
            Samstag, 3. Oktober 2026, 23:59 | 2026-10-03T23:59:00
            sábado, 3 de octubre de 2026, 23:59 | 2026-10-03T23:59:00
            mardi 6 octobre 2026, 08:05 | 2026-10-06T08:05:00
            martes, 3 de marzo de 2026, 08:05 | 2026-03-03T08:05:00";
        for row in table.lines() {
            let (text, expected) = row.trim().split_once(" | ").unwrap();
            let Some(Stamp::Local(time)) = Stamp::read_words(text) else {
                panic!("{text}");
            };
            assert_eq!(time.to_string(), expected, "{text}");
        }
        for text in ["", "-", "yesterday", "3 October", "October 2026 99:99"] {
            assert_eq!(Stamp::read_words(text), None, "{text}");
        }
    }
}

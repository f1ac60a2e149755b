//! What a single value may be: checks that serde calls while it reads, one description for each
//! kind.
//!
//! serde carries nothing but a text from here to [`super::Place`], which knows the file. So a
//! mistake travels as one: with the part of the file that it is about, if that is less than the
//! whole value, and with `{key}` and `{default}` in the words, which only the file can fill in.

use std::fmt::{Display, Write};
use std::ops::Range;
use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;
use serde::de::{Deserializer, Error};
use toml::Spanned;

use crate::domain::TimeFactor;
use crate::util::nearest::nearest;

/// Stands between the parts of a mistake on its way through serde.
const BETWEEN: char = '\u{1f}';

/// What is wrong with a value, and the way out.
#[derive(Debug, PartialEq, Eq)]
pub struct Wrong {
    pub message: String,
    pub help: String,
}

impl Wrong {
    pub fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            help: help.into(),
        }
    }

    /// As serde's error; the span is that of the value where nothing else is said.
    pub fn error<E: Error>(self, span: Option<Range<usize>>) -> E {
        let mut text = String::new();
        let Range { start, end } = span.unwrap_or_default();
        let Self { message, help } = self;
        let written = write!(
            text,
            "{start}{BETWEEN}{end}{BETWEEN}{message}{BETWEEN}{help}"
        );
        debug_assert!(written.is_ok());
        E::custom(text)
    }

    /// Reads what [`Wrong::error`] wrote; `None` for serde's own errors.
    pub fn read(text: &str) -> Option<(Self, Option<Range<usize>>)> {
        let mut parts = text.splitn(4, BETWEEN);
        let mut number = || parts.next()?.parse::<usize>().ok();
        let span = number()?..number()?;
        let wrong = Self::new(parts.next()?, parts.next()?.trim_end());
        Some((wrong, (!span.is_empty()).then_some(span)))
    }
}

/// A text that passes a check.
pub fn text<'de, D: Deserializer<'de>, T>(
    from: D,
    check: impl Fn(&str) -> Result<T, Wrong>,
) -> Result<T, D::Error> {
    check(&String::deserialize(from)?).map_err(|wrong| wrong.error(None))
}

/// A list of which every element passes a check; a mistake is shown at its element.
pub fn list<'de, D: Deserializer<'de>, V: Deserialize<'de>, T, L: FromIterator<T>>(
    from: D,
    check: impl Fn(&V) -> Result<T, Wrong>,
) -> Result<L, D::Error> {
    let values = Vec::<Spanned<V>>::deserialize(from)?;
    let checked = |value: &Spanned<V>| {
        check(value.get_ref()).map_err(|wrong| wrong.error(Some(value.span())))
    };
    values.iter().map(checked).collect()
}

fn outside<E: Error>(number: impl Display, what: &str, least: impl Display, most: u64) -> E {
    Wrong::new(
        format!("`{{key}}` cannot be {number}"),
        format!("it is {what} from {least} to {most}{{default}}"),
    )
    .error(None)
}

/// A whole number within a range, of units of this size.
pub fn whole<'de, const LEAST: u64, const MOST: u64, const UNIT: u64, T, D>(
    from: D,
) -> Result<T, D::Error>
where
    T: TryFrom<u64>,
    D: Deserializer<'de>,
{
    let number = i64::deserialize(from)?;
    u64::try_from(number)
        .ok()
        .filter(|number| (LEAST..=MOST).contains(number))
        .and_then(|number| T::try_from(number * UNIT).ok())
        .ok_or_else(|| outside(number, "a whole number", LEAST, MOST))
}

/// The same, where the key may be absent.
pub fn some_whole<'de, const LEAST: u64, const MOST: u64, const UNIT: u64, T, D>(
    from: D,
) -> Result<Option<T>, D::Error>
where
    T: TryFrom<u64>,
    D: Deserializer<'de>,
{
    whole::<LEAST, MOST, UNIT, T, D>(from).map(Some)
}

/// A number of milliseconds within a range.
pub fn milliseconds<'de, const LEAST: u64, const MOST: u64, D: Deserializer<'de>>(
    from: D,
) -> Result<Duration, D::Error> {
    whole::<LEAST, MOST, 1, u64, D>(from).map(Duration::from_millis)
}

/// A number of seconds, from so many thousandths of one on.
pub fn seconds<'de, const LEAST_MS: u64, const MOST: u64, D: Deserializer<'de>>(
    from: D,
) -> Result<Duration, D::Error> {
    let number = f64::deserialize(from)?;
    let least = Duration::from_millis(LEAST_MS).as_secs_f64();
    let most = Duration::from_secs(MOST).as_secs_f64();
    if (least..=most).contains(&number) {
        return Ok(Duration::from_secs_f64(number));
    }
    Err(outside(number, "a number of seconds", least, MOST))
}

/// A factor on CPU time.
pub fn time_factor<'de, D: Deserializer<'de>>(from: D) -> Result<TimeFactor, D::Error> {
    let number = f64::deserialize(from)?;
    TimeFactor::new(number).ok_or_else(|| outside(number, "a number", 0.1, 100))
}

/// One of some words.
pub fn one_of<'de, D: Deserializer<'de>, T: Clone>(
    from: D,
    choices: &[(&str, T)],
) -> Result<T, D::Error> {
    text(from, |word| {
        let chosen = choices.iter().find(|(known, _)| *known == word);
        chosen.map(|(_, choice)| choice.clone()).ok_or_else(|| {
            let words = || choices.iter().map(|(known, _)| *known);
            let meant = nearest(word, words())
                .map(|near| format!("did you mean \"{near}\"? "))
                .unwrap_or_default();
            let quoted: Vec<String> = words().map(|word| format!("\"{word}\"")).collect();
            let (last, first) = quoted
                .split_last()
                .map_or(("", String::new()), |(l, f)| (l, f.join(", ")));
            Wrong::new(
                format!("`{{key}}` cannot be `{word}`"),
                format!("{meant}it is {first} or {last}{{default}}"),
            )
        })
    })
}

/// A path of this kind of thing.
pub fn path(text: &str, what: &str) -> Result<PathBuf, Wrong> {
    if !text.contains('\0') {
        return Ok(text.into());
    }
    Err(Wrong::new(
        format!("`{{key}}` is not a {what}"),
        "write a path; a relative one begins at this file's folder",
    ))
}

/// A file that may be left out, as "".
pub fn optional_file<'de, D: Deserializer<'de>>(from: D) -> Result<Option<PathBuf>, D::Error> {
    let file = text(from, |text| path(text, "file"))?;
    Ok((!file.as_os_str().is_empty()).then_some(file))
}

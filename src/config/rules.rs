//! What the values of a file may be: a table of rules that are looked at before the file takes its
//! shape, so that a mistake is shown where it stands.

use std::fmt::Display;
use std::ops::Range;
use std::time::Duration;

use serde::Deserialize;
use serde::de::value::StringDeserializer;
use serde::de::{Deserializer, Error};
use toml::Spanned;
use toml::de::DeValue;

use crate::util::MIB;

/// Values of a file, and what they may be. In a path `*` stands for every key of a table and for
/// every element of a list. A value of another type is left to the shape.
pub type Rule = (&'static str, Check);

/// What a value may be.
#[derive(Clone, Copy)]
pub enum Check {
    /// A whole number in this range.
    Whole(i64, i64),
    /// A number in this range.
    Number(f64, f64),
    /// A text that passes.
    Text(fn(&str) -> Result<(), Wrong>),
    /// A list of texts that passes.
    Words(fn(&[&str]) -> Result<(), Wrong>),
    /// A table of which every key passes.
    Keys(fn(&str) -> Result<(), Wrong>),
    /// A list or table with at most so many entries; else the way out.
    AtMost(usize, &'static str),
}

/// What is wrong with a value, and the way out. `{key}` and `{default}` are filled in.
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

    /// Nothing, where it is all right.
    pub fn unless(
        is_good: bool,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Result<(), Self> {
        if is_good {
            Ok(())
        } else {
            Err(Self::new(message, help))
        }
    }

    fn outside(number: impl Display, range: impl Display) -> Self {
        Self::new(
            format!("`{{key}}` cannot be {number}"),
            format!("it is {range}{{default}}"),
        )
    }
}

/// A value that breaks a rule: where, its key, and what is wrong.
pub(super) type Broken = (Range<usize>, String, Wrong);

/// The first value below a path that does not pass.
pub(super) fn broken(
    value: &Spanned<DeValue<'_>>,
    key: &str,
    path: &[&str],
    check: Check,
) -> Option<Broken> {
    let Some((first, rest)) = path.split_first() else {
        let found = check.of(value.get_ref(), key)?;
        return Some((value.span(), key.to_owned(), found));
    };
    match (value.get_ref(), *first) {
        (DeValue::Table(table), "*") => table.iter().find_map(|(key, value)| {
            if let (Check::Keys(passes), []) = (check, rest) {
                let wrong = passes(key.get_ref()).err()?;
                return Some((key.span(), key.get_ref().to_string(), wrong));
            }
            broken(value, key.get_ref(), rest, check)
        }),
        (DeValue::Array(list), "*") => {
            let mut elements = list.iter();
            elements.find_map(|element| broken(element, key, rest, check))
        }
        (DeValue::Table(table), name) => broken(table.get(name)?, name, rest, check),
        _ => None,
    }
}

impl Check {
    /// What is wrong with a value; none for what is right, or of another type.
    fn of(self, value: &DeValue<'_>, key: &str) -> Option<Wrong> {
        match (self, value) {
            (Self::Whole(least, most), DeValue::Integer(written)) => {
                let number = i64::from_str_radix(written.as_str(), written.radix());
                let is_good = number
                    .as_ref()
                    .is_ok_and(|number| (least..=most).contains(number));
                let shown =
                    number.map_or_else(|_| written.to_string(), |number| number.to_string());
                (!is_good).then(|| {
                    Wrong::outside(shown, format!("a whole number from {least} to {most}"))
                })
            }
            (Self::Number(least, most), DeValue::Integer(_) | DeValue::Float(_)) => {
                let number = number_of(value)?;
                let what = if key.ends_with("_s") {
                    "a number of seconds"
                } else {
                    "a number"
                };
                let is_good = number.is_finite() && (least..=most).contains(&number);
                let range = if most.is_finite() {
                    format!("{what} from {least} to {most}")
                } else {
                    format!("{what}, {least} or more")
                };
                (!is_good).then(|| Wrong::outside(number, range))
            }
            (Self::Text(passes), DeValue::String(text)) => passes(text).err(),
            (Self::Words(passes), DeValue::Array(list)) => {
                let words = list.iter().map(|word| word.get_ref().as_str());
                passes(&words.collect::<Option<Vec<&str>>>()?).err()
            }
            (Self::AtMost(most, help), DeValue::Array(list)) => too_many(list.len(), most, help),
            (Self::AtMost(most, help), DeValue::Table(table)) => too_many(table.len(), most, help),
            _ => None,
        }
    }
}

fn too_many(entries: usize, most: usize, help: &str) -> Option<Wrong> {
    let message = || format!("`{{key}}` has more than {most} entries");
    (entries > most).then(|| Wrong::new(message(), help))
}

fn number_of(value: &DeValue<'_>) -> Option<f64> {
    match value {
        DeValue::Integer(number) => {
            let number = i64::from_str_radix(number.as_str(), number.radix()).ok()?;
            number.to_string().parse().ok()
        }
        DeValue::Float(number) => number.as_str().parse().ok(),
        _ => None,
    }
}

/// Seconds.
pub fn seconds<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
    Duration::try_from_secs_f64(f64::deserialize(from)?).map_err(D::Error::custom)
}

pub(super) fn milliseconds<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
    u64::deserialize(from).map(Duration::from_millis)
}

/// Bytes, from MiB.
pub(super) fn mib<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
    Ok(u64::deserialize(from)?.saturating_mul(MIB))
}

/// What a factor on CPU time may be.
pub const TIME_FACTOR: Check = Check::Number(0.1, 100.0);

/// Anything that is written as a text, where "" stands for nothing.
pub(super) fn unless_empty<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    from: D,
) -> Result<Option<T>, D::Error> {
    let text = String::deserialize(from)?;
    if text.is_empty() {
        return Ok(None);
    }
    T::deserialize(StringDeserializer::<D::Error>::new(text)).map(Some)
}

/// The path of a file, which may be left out.
pub(super) fn file(text: &str) -> Result<(), Wrong> {
    path(text, "file")
}

/// The path of a folder.
pub(super) fn folder(text: &str) -> Result<(), Wrong> {
    path(if text.is_empty() { "\0" } else { text }, "folder")
}

fn path(text: &str, what: &str) -> Result<(), Wrong> {
    Wrong::unless(
        !text.contains('\0'),
        format!("`{{key}}` is not a {what}"),
        "write a path; a relative one begins at this file's folder",
    )
}

/// Something in place of nothing.
pub(super) fn filled(text: &str) -> Result<(), Wrong> {
    Wrong::unless(
        !text.trim().is_empty(),
        "`{key}` is empty",
        "write something between the quotation marks, or take it out",
    )
}

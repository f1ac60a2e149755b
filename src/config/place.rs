//! A TOML file that a person writes, and what can be said about a place in it.
//!
//! config.toml and every problem.toml are read through this, so that a mistake in either is shown in
//! the same way: its line with a caret, what was meant, what is permitted and what the default is.

use std::fmt::Display;
use std::ops::{Range, RangeInclusive};
use std::path::Path;
use std::time::Duration;

use serde::de::DeserializeOwned;
use toml::Spanned;

use super::error::ConfigError;
use super::nearest::nearest;

/// The text at hand, for errors with a place.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    text: &'a str,
    file: &'a Path,
}

impl<'a> Place<'a> {
    /// A text as the content of this file.
    pub fn new(text: &'a str, file: &'a Path) -> Self {
        Self { text, file }
    }

    /// A mistake at a place of the text, and the way out.
    pub fn error(
        &self,
        span: Range<usize>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> ConfigError {
        ConfigError::at(self.file, self.text, span, message, Some(help.into()))
    }

    /// A mistake at a place of the text that says the way out itself.
    pub fn complaint(&self, span: Range<usize>, message: impl Into<String>) -> ConfigError {
        ConfigError::at(self.file, self.text, span, message, None)
    }

    /// Reads the text into its shape.
    pub fn shape<T: DeserializeOwned>(&self) -> Result<T, ConfigError> {
        self.shape_knowing(|_| None)
    }

    /// The same, where some unknown keys deserve words of their own: what is wrong and the way out.
    pub fn shape_knowing<T: DeserializeOwned>(
        &self,
        known: impl Fn(&str) -> Option<(String, String)>,
    ) -> Result<T, ConfigError> {
        toml::from_str(self.text).map_err(|error| {
            let span = error.span().unwrap_or(0..0);
            let (message, help) = match unknown_key(error.message()) {
                Some((key, keys)) => {
                    let (message, help) = known(&key).unwrap_or_else(|| {
                        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
                        (format!("unknown key `{key}`"), suggestion(&key, &keys))
                    });
                    (message, Some(help))
                }
                None => self.friendly(error.message(), &span),
            };
            ConfigError::at(self.file, self.text, span, message, help)
        })
    }

    /// A whole number within a range.
    pub fn whole(
        &self,
        key: &str,
        value: Option<&Spanned<i64>>,
        default: u64,
        range: RangeInclusive<u64>,
    ) -> Result<u64, ConfigError> {
        let Some(value) = value else {
            return Ok(default);
        };
        u64::try_from(*value.get_ref())
            .ok()
            .filter(|number| range.contains(number))
            .ok_or_else(|| {
                self.error(
                    value.span(),
                    format!("`{key}` cannot be {}", value.get_ref()),
                    format!(
                        "it is a whole number from {} to {}; the default is {default}",
                        range.start(),
                        range.end()
                    ),
                )
            })
    }

    /// The same for numbers that are 32 bits wide further on.
    pub fn narrow(
        &self,
        key: &str,
        value: Option<&Spanned<i64>>,
        default: u32,
        range: RangeInclusive<u32>,
    ) -> Result<u32, ConfigError> {
        let range = u64::from(*range.start())..=u64::from(*range.end());
        let number = self.whole(key, value, u64::from(default), range)?;
        Ok(u32::try_from(number).unwrap_or(default))
    }

    /// A number within a range; `what` says of what, as in "a number of seconds".
    pub fn number(
        &self,
        key: &str,
        value: Option<&Spanned<f64>>,
        what: &str,
        default: f64,
        range: RangeInclusive<f64>,
    ) -> Result<f64, ConfigError> {
        let number = value.map_or(default, |value| *value.get_ref());
        if range.contains(&number) {
            return Ok(number);
        }
        Err(self.error(
            value.map_or(0..0, Spanned::span),
            format!("`{key}` cannot be {number}"),
            format!(
                "it is {what} from {} to {}; the default is {default}",
                range.start(),
                range.end()
            ),
        ))
    }

    /// A time within a range.
    pub fn seconds(
        &self,
        key: &str,
        value: Option<&Spanned<f64>>,
        default: f64,
        range: RangeInclusive<f64>,
    ) -> Result<Duration, ConfigError> {
        self.number(key, value, "a number of seconds", default, range)
            .map(Duration::from_secs_f64)
    }

    /// One of some words; the first one is the default.
    pub fn choice<T: Clone>(
        &self,
        key: &str,
        value: Option<&Spanned<String>>,
        choices: &[(&str, T)],
    ) -> Result<T, ConfigError> {
        let wanted = value.map(|value| value.get_ref().as_str());
        let found = match wanted {
            None => choices.first(),
            Some(word) => choices.iter().find(|(known, _)| *known == word),
        };
        if let Some((_, choice)) = found {
            return Ok(choice.clone());
        }
        let words: Vec<&str> = choices.iter().map(|(known, _)| *known).collect();
        let word = wanted.unwrap_or_default();
        let meant = nearest(word, words.iter().copied())
            .map(|near| format!("did you mean \"{near}\"? "))
            .unwrap_or_default();
        Err(self.error(
            value.map_or(0..0, Spanned::span),
            format!("`{key}` cannot be `{word}`"),
            format!(
                "{meant}it is {}; the default is \"{}\"",
                quoted_list(&words),
                words.first().unwrap_or(&"")
            ),
        ))
    }

    /// The words of the TOML reader in those of a person who writes the file.
    fn friendly(&self, message: &str, span: &Range<usize>) -> (String, Option<String>) {
        if let Some(key) = message
            .strip_prefix("missing field `")
            .and_then(|rest| rest.strip_suffix('`'))
        {
            let help = format!("add a line `{key} = …`");
            return (format!("the key `{key}` is missing"), Some(help));
        }
        let help = self.help_with_type(message, span);
        let message = message
            .trim_end()
            .replace("expected f64", "expected a number")
            .replace("expected i64", "expected a whole number")
            .replace("expected a boolean", "expected true or false")
            .replace("expected a sequence", "expected a list in square brackets")
            .replace("floating point", "number");
        match message.split_once('\n') {
            Some((title, rest)) => (title.to_owned(), Some(rest.replace('\n', "; "))),
            None => (message, help),
        }
    }

    /// How a value of the right type is written for the key at this place.
    fn help_with_type(&self, message: &str, span: &Range<usize>) -> Option<String> {
        let (_, expected) = message.rsplit_once(", expected ")?;
        let key = self.key_before(span.start)?;
        let found = self.text.get(span.clone()).unwrap_or_default();
        Some(match expected.trim_end() {
            "i64" | "u64" | "u32" => format!(
                "write a whole number{}, without quotation marks, point or unit: `{key} = {}`",
                unit_of(key),
                whole_in(key, found)
            ),
            "f64" => format!(
                "write a number{}, without quotation marks or unit: `{key} = {}`",
                unit_of(key),
                digits_of(found).unwrap_or("1.0")
            ),
            "a boolean" => format!("write `{key} = true` or `{key} = false`"),
            "a string" => format!("put it into quotation marks: `{key} = \"…\"`"),
            "a sequence" => format!("write a list: `{key} = [\"…\", \"…\"]`"),
            _ => return None,
        })
    }

    /// The key of the line in which a value begins.
    fn key_before(&self, at: usize) -> Option<&str> {
        let before = self.text.get(..at)?;
        let line = before.rsplit('\n').next()?;
        let (key, _) = line.split_once('=')?;
        let key = key.trim();
        (!key.is_empty()).then_some(key)
    }
}

/// Of what a number is, from the end of its key's name.
fn unit_of(key: &str) -> &'static str {
    match key.rsplit_once('_').map_or("", |(_, unit)| unit) {
        "mib" => " of MiB",
        "kib" => " of KiB",
        "s" => " of seconds",
        "ms" => " of milliseconds",
        _ => "",
    }
}

/// The digits with which a value begins, a point among them.
fn digits_of(found: &str) -> Option<&str> {
    let found = found.trim_start_matches(['"', '\'', ' ']);
    let end = found
        .find(|character: char| !character.is_ascii_digit() && character != '.')
        .unwrap_or(found.len());
    found[..end].parse::<f64>().is_ok().then(|| &found[..end])
}

/// The whole number that was most likely meant: `"256M"` is 256 MiB, `"1G"` is 1024.
fn whole_in(key: &str, found: &str) -> String {
    let Some(digits) = digits_of(found) else {
        return "1".to_owned();
    };
    let whole = digits.split('.').next().unwrap_or(digits);
    let gibi = key.ends_with("_mib") && found.to_ascii_lowercase().contains('g');
    match whole.parse::<u64>() {
        Ok(number) if gibi => number.saturating_mul(1024).to_string(),
        Ok(number) => number.to_string(),
        Err(_) => "1".to_owned(),
    }
}

/// `"a"`, `"a" or "b"`, `"a", "b" or "c"`.
fn quoted_list(words: &[&str]) -> String {
    let quoted = |words: &[&str]| -> Vec<String> {
        words.iter().map(|word| format!("\"{word}\"")).collect()
    };
    match words.split_last() {
        Some((last, first)) if !first.is_empty() => {
            format!("{} or \"{last}\"", quoted(first).join(", "))
        }
        _ => quoted(words).join(""),
    }
}

/// What to write instead of an unknown word.
pub fn suggestion<W: AsRef<str> + Display>(word: &str, known: &[W]) -> String {
    if let Some(near) = nearest(word, known.iter().map(AsRef::as_ref)) {
        return format!("did you mean `{near}`?");
    }
    let known: Vec<&str> = known.iter().map(AsRef::as_ref).collect();
    format!("known here: {}", known.join(", "))
}

/// The unknown key that an error of the TOML reader is about, and the keys that there are.
fn unknown_key(message: &str) -> Option<(String, Vec<String>)> {
    let rest = message.strip_prefix("unknown field ")?;
    let mut words = rest.split('`').skip(1).step_by(2).map(str::to_owned);
    Some((words.next()?, words.collect()))
}

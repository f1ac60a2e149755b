//! A TOML file that a person writes, and what can be said about a place in it.
//!
//! config.toml and every problem.toml are read through this: laid over a text that has the
//! defaults, so that these are written down once, and with every mistake shown in the same way: its
//! line with a caret, what was meant, what is permitted and what the default is.

use std::fmt::Display;
use std::ops::Range;
use std::path::Path;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, DeValue, Deserializer, Error};

use super::rules::{Rule, broken};
use crate::domain::Complaint;
use crate::util::words::nearest;

/// How deep a file is laid over its defaults: to the keys of `[languages.KEY]`.
const OVERLAID_DEPTH: u8 = 2;

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
    ) -> Complaint {
        complaint(
            self.file,
            self.text,
            span,
            message.into(),
            Some(help.into()),
        )
    }

    /// A mistake at a place of the text that says the way out itself.
    pub fn complaint(&self, span: Range<usize>, message: impl Into<String>) -> Complaint {
        complaint(self.file, self.text, span, message.into(), None)
    }

    /// The text's tables as they stand.
    pub fn table(&self) -> Result<Spanned<DeTable<'a>>, Complaint> {
        let nothing = DeTable::new();
        DeTable::parse(self.text).map_err(|error| self.explained(&error, &nothing, |_| None))
    }

    /// Reads the text, laid over texts with the defaults, into its shape. Some unknown keys deserve
    /// words of their own: what is wrong and the way out.
    pub fn shape<T: DeserializeOwned>(
        &self,
        defaults: &[&str],
        rules: &[Rule],
        known: impl Fn(&str) -> Option<(String, String)>,
    ) -> Result<T, Complaint> {
        let mut base = DeTable::new();
        for text in defaults {
            overlay(
                &mut base,
                Place::new(text, self.file).table()?.into_inner(),
                0,
            );
        }
        let (span, table) = {
            let table = self.table()?;
            (table.span(), table.into_inner())
        };
        let own = Spanned::new(span.clone(), DeValue::Table(table.clone()));
        for (path, check) in rules {
            let keys: Vec<&str> = path.split('.').collect();
            if let Some((span, key, wrong)) = broken(&own, "", &keys, *check) {
                let default = default_of(&base, keys.into_iter());
                let filled =
                    |words: &str| words.replace("{key}", &key).replace("{default}", &default);
                return Err(self.error(span, filled(&wrong.message), filled(&wrong.help)));
            }
        }
        let mut merged = base.clone();
        overlay(&mut merged, table, 0);
        T::deserialize(Deserializer::from(Spanned::new(span, merged)))
            .map_err(|error| self.explained(&error, &base, known))
    }

    /// What the file itself has at a path of keys.
    pub fn value_at(&self, path: &[&str]) -> Option<Spanned<DeValue<'a>>> {
        let table = DeTable::parse(self.text).ok()?;
        find(table.get_ref(), path.iter().copied()).cloned()
    }

    /// Where that stands.
    pub fn span_of(&self, path: &[&str]) -> Option<Range<usize>> {
        self.value_at(path).map(|value| value.span())
    }

    /// Where the last key of a path stands.
    pub fn key_span(&self, path: &[&str]) -> Option<Range<usize>> {
        let (last, before) = path.split_last()?;
        let parsed = DeTable::parse(self.text).ok()?;
        let table = match before {
            [] => parsed.get_ref(),
            path => find(parsed.get_ref(), path.iter().copied())?
                .get_ref()
                .as_table()?,
        };
        table.get_key_value(*last).map(|(key, _)| key.span())
    }

    /// The words of the TOML reader in those of a person who writes the file.
    fn explained(
        &self,
        error: &Error,
        defaults: &DeTable<'_>,
        known: impl Fn(&str) -> Option<(String, String)>,
    ) -> Complaint {
        let span = error.span().unwrap_or(0..0);
        let shown = error.to_string();
        let path = shown.rsplit_once("\nin `").map_or("", |(_, path)| path);
        let path = path.trim_end().trim_end_matches('`');
        let key = path.rsplit('.').next().unwrap_or_default();
        let (message, help) = if let Some((key, keys)) = unknown("field", error.message()) {
            let known = known(key);
            known.unwrap_or_else(|| (format!("unknown key `{key}`"), suggestion(key, &keys)))
        } else if let Some((word, words)) = unknown("variant", error.message()) {
            let default = default_of(defaults, path.split('.'));
            (
                format!("`{key}` cannot be `{word}`"),
                one_of(word, &words) + &default,
            )
        } else {
            let (message, help) = self.friendly(error.message(), &span, key);
            return complaint(self.file, self.text, span, message, help);
        };
        self.error(span, message, help)
    }

    fn friendly(&self, message: &str, span: &Range<usize>, key: &str) -> (String, Option<String>) {
        if let Some(key) = message
            .strip_prefix("missing field `")
            .and_then(|rest| rest.strip_suffix('`'))
        {
            let help = format!("add a line `{key} = …`");
            return (format!("the key `{key}` is missing"), Some(help));
        }
        // Of an enum the reader does not say that its words are texts.
        let message = match message.trim_end() {
            "wanted string or table" => "invalid type, expected a string",
            message => message,
        };
        let found = self.text.get(span.clone()).unwrap_or_default();
        let help = help_with_type(message, key, found);
        let message = message
            .trim_end()
            .replace("expected f64", "expected a number")
            .replace(
                whole_type(message).unwrap_or("expected i64"),
                "expected a whole number",
            )
            .replace("expected a boolean", "expected true or false")
            .replace("expected a sequence", "expected a list in square brackets")
            .replace("floating point", "number");
        match message.split_once('\n') {
            Some((title, rest)) => (title.to_owned(), Some(rest.replace('\n', "; "))),
            None => (message, help),
        }
    }
}

/// Lays a table over another, key by key down to [`OVERLAID_DEPTH`].
fn overlay<'i>(base: &mut DeTable<'i>, over: DeTable<'i>, depth: u8) {
    for (key, value) in over {
        let before = base.get_mut(key.get_ref().as_ref()).map(Spanned::get_mut);
        match (before, value.get_ref()) {
            (Some(DeValue::Table(before)), DeValue::Table(over)) if depth < OVERLAID_DEPTH => {
                overlay(before, over.clone(), depth + 1);
            }
            _ => drop(base.insert(key, value)),
        }
    }
}

fn find<'t, 'i, 'k>(
    table: &'t DeTable<'i>,
    mut path: impl Iterator<Item = &'k str>,
) -> Option<&'t Spanned<DeValue<'i>>> {
    let first = table.get(path.next()?)?;
    path.try_fold(first, |value, key| value.get_ref().get(key))
}

/// A default as it is written in a file, where it is a single value.
fn written(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(format!("\"{text}\"")),
        DeValue::Integer(number) => Some(number.to_string()),
        DeValue::Float(number) => Some(number.as_str().parse::<f64>().ok()?.to_string()),
        DeValue::Boolean(_) | DeValue::Datetime(_) | DeValue::Array(_) | DeValue::Table(_) => None,
    }
}

/// How a value of the right type is written for this key.
fn help_with_type(message: &str, key: &str, found: &str) -> Option<String> {
    let (_, expected) = message.rsplit_once(", expected ")?;
    let expected = whole_type(message).map_or(expected.trim_end(), |_| "i64");
    if key.is_empty() {
        return None;
    }
    Some(match expected {
        "i64" => format!(
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
        "a sequence" if message.starts_with("invalid type: map") => {
            format!("there may be several: begin each with a line `[[{key}]]`")
        }
        "a sequence" => format!("write a list: `{key} = [\"…\", \"…\"]`"),
        _ => return None,
    })
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

/// What to write instead of an unknown word.
pub fn suggestion<W: AsRef<str> + Display>(word: &str, known: &[W]) -> String {
    if let Some(near) = nearest(word, known.iter().map(AsRef::as_ref)) {
        return format!("did you mean `{near}`?");
    }
    let known: Vec<&str> = known.iter().map(AsRef::as_ref).collect();
    format!("known here: {}", known.join(", "))
}

/// The unknown key or word that an error of the TOML reader is about, and those that there are.
fn unknown<'m>(what: &str, message: &'m str) -> Option<(&'m str, Vec<&'m str>)> {
    let rest = message.strip_prefix("unknown ")?.strip_prefix(what)?;
    let mut words = rest.split('`').skip(1).step_by(2);
    Some((words.next()?, words.collect()))
}

/// What else to write than this word.
fn one_of(word: &str, words: &[&str]) -> String {
    let meant = nearest(word, words.iter().copied());
    let meant = meant.map_or(String::new(), |near| format!("did you mean \"{near}\"? "));
    let quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
    match quoted.split_last() {
        Some((last, [])) => format!("{meant}it is {last}"),
        Some((last, first)) => format!("{meant}it is {} or {last}", first.join(", ")),
        None => meant,
    }
}

/// What a value is where a file says nothing, as the end of a sentence.
fn default_of<'k>(defaults: &DeTable<'_>, path: impl Iterator<Item = &'k str>) -> String {
    let value = find(defaults, path).and_then(|value| written(value.get_ref()));
    value.map_or(String::new(), |value| format!("; the default is {value}"))
}

/// The words about a whole number's type in a message of the TOML reader, which names Rust's.
fn whole_type(message: &str) -> Option<&str> {
    let at = message.find(", expected ")? + 2;
    let words = message[at..].trim_end();
    let types = ["i64", "u64", "u32", "u16", "u8", "usize"];
    types
        .iter()
        .any(|name| words.ends_with(name))
        .then_some(words)
}

/// A complaint about a place of a text.
pub(super) fn complaint(
    file: &Path,
    text: &str,
    span: Range<usize>,
    message: String,
    help: Option<String>,
) -> Complaint {
    let span = within_one_line(text, span);
    let before = &text[..span.start];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let line = before.matches('\n').count() + 1;
    let column = before[line_start..].chars().count() + 1;
    let excerpt = rendered(file, text, span, &message, help.as_deref());
    Complaint {
        help,
        excerpt: Some(excerpt),
        ..Complaint::new(file, message).at(line, column)
    }
}

/// The text of a file's bytes.
pub fn text_of<'b>(bytes: &'b [u8], file: &Path) -> Result<&'b str, Complaint> {
    std::str::from_utf8(bytes).map_err(|error| {
        let (before, rest) = bytes.split_at(error.valid_up_to());
        let line = before.split(|&byte| byte == b'\n').count();
        let byte = rest[0];
        Complaint::new(
            file,
            format!("it is not UTF-8: the byte {byte:#04x} in line {line} begins no character"),
        )
        .at(line, 1)
        .with_help("save the file as UTF-8")
    })
}

/// A span that lies on character boundaries and ends where its first line ends: a table of twenty
/// lines needs one caret, not twenty.
fn within_one_line(text: &str, span: Range<usize>) -> Range<usize> {
    let boundary = |at: usize| {
        (0..=at.min(text.len()))
            .rev()
            .find(|&at| text.is_char_boundary(at))
            .unwrap_or(0)
    };
    let start = boundary(span.start);
    let end = boundary(span.end).max(start);
    let length = text[start..end].find(['\r', '\n']).unwrap_or(end - start);
    start..start + length
}

fn rendered(
    file: &Path,
    text: &str,
    span: Range<usize>,
    message: &str,
    help: Option<&str>,
) -> String {
    let file = file.display().to_string();
    let snippet = Snippet::source(text)
        .path(file.as_str())
        .annotation(AnnotationKind::Primary.span(span));
    // Whoever shows it says what it is.
    let mut group = Level::ERROR
        .no_name()
        .primary_title(message)
        .element(snippet);
    if let Some(help) = help {
        group = group.element(Level::HELP.message(help));
    }
    Renderer::plain().render(&[group])
}

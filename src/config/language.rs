//! The languages as languages.toml and config.toml describe them, the latter laid over the former.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::{Spanned, Table};

use super::place::Place;
use super::rules::{Check, Rule, TIME_FACTOR, Wrong, filled};
use crate::domain::{Complaint, LanguageId, TimeFactor};

/// The built-in table.
pub(super) const BUILT_IN: &str = include_str!("languages.toml");
/// Languages of one file beside the built-in ones.
const LANGUAGES_MAX: usize = 256;

/// Extensions of one language.
const EXTENSIONS_MAX: usize = 32;
/// Length of an extension or of a source's name, in bytes.
const FILE_NAME_BYTES_MAX: usize = 100;

/// One language. A table in config.toml lays its keys over those of the built-in table.
///
/// These words in a command stand for something else:
/// - `{source}`: the source's name in the working folder,
/// - `{main}`: the Java main class, where there is one in the source,
/// - `{memory_mib}`: the memory limit of what is started,
/// - `{encoding}`: `UTF-8` where the source is that, else `ISO-8859-1`, in which every byte is a
///   character,
/// - `{static}`, as a word of its own: the words of `static_flags` where this machine can link
///   statically, else nothing.
///
/// The first word of a command is a program that is looked up on this machine, unless it begins
/// with `/app/`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LanguageSpec {
    /// Name for people: `C++17`.
    pub name: String,
    /// File extensions without the dot, in lower case, the usual one first.
    pub extensions: Vec<String>,
    /// The source's name in the working folder while it is built: `main.cpp`, `{main}.java`,
    /// `main.{extension}`.
    pub source: String,
    /// The compile commands, one after the other; for an interpreted language its syntax check, or
    /// none.
    pub build: Vec<Vec<String>>,
    /// The built files that the program consists of; empty for all of them.
    pub keep: Vec<String>,
    /// The start command, in the working folder; the built files are in `/app`.
    /// Where it has `{source}`, the program consists of the source alone.
    pub run: Vec<String>,
    /// The command that prints the version.
    pub version: Vec<String>,
    /// What a person does to get it: `apt-get install g++`.
    pub install: String,
    /// A program that copies its standard input to its standard output; without one the language is
    /// offered untried.
    pub echo: Option<String>,
    /// Environment beside the usual one.
    pub env: BTreeMap<String, String>,
    /// Files and folders beside the system's own that it needs to see; those that are not there are
    /// left out. A `*` in the last part stands for any characters.
    pub show: Vec<String>,
    /// Memory of the language's own run-time system, on top of the problem's limit, in MiB.
    pub memory_extra_mib: u64,
    /// By how much its programs may take longer than a problem says.
    pub time_factor: TimeFactor,
    /// Words on standard error by which its run-time system says that the memory is used up.
    pub memory_words: Vec<String>,
    /// Stack of the first thread in MiB, where as much as the memory limit does not suit it.
    pub stack_mib: Option<u64>,
    /// What `{static}` stands for.
    pub static_flags: Vec<String>,
    /// Commands that each print the path of a file that static linking needs.
    pub static_probe: Vec<Vec<String>>,
    /// Whether its compiler gets every source of a program of several files, in place of `{source}` as
    /// a word of its own; else it finds them itself.
    pub all_sources: bool,
    /// The first word of a file that is a part of a program, which cannot begin with it: `unit`.
    /// Empty where the language has none.
    pub unit_word: String,
    /// Whether a byte order mark is taken off the source, because the compiler does not know it.
    pub strip_byte_order_mark: bool,
    /// Whether it is offered at all.
    #[serde(default = "offered")]
    pub offer: bool,
}

impl LanguageSpec {
    /// A key that it must have and has not.
    pub(super) fn missing(&self) -> Option<&'static str> {
        [
            ("run", self.run.is_empty()),
            ("name", self.name.is_empty()),
            ("extensions", self.extensions.is_empty()),
            ("source", self.source.is_empty()),
        ]
        .into_iter()
        .find_map(|(key, missing)| missing.then_some(key))
    }

    /// Fills in what follows from the program that is started first.
    fn completed(mut self) -> Self {
        let first = self.build.first().unwrap_or(&self.run).first();
        let program = first.cloned().unwrap_or_default();
        for extension in &mut self.extensions {
            extension.make_ascii_lowercase();
        }
        if self.install.is_empty() {
            self.install = format!("install `{program}`");
        }
        if self.version.is_empty() {
            self.version = vec![program, "--version".to_owned()];
        }
        self
    }
}

fn offered() -> bool {
    true
}

/// What the values may be.
pub(super) const RULES: [Rule; 18] = [
    ("languages", Check::AtMost(LANGUAGES_MAX, "take some out")),
    ("languages.*", Check::Keys(key)),
    ("languages.*.name", Check::Text(filled)),
    ("languages.*.extensions.*", Check::Text(extension)),
    ("languages.*.extensions", Check::Words(extensions)),
    ("languages.*.source", Check::Text(file_name)),
    ("languages.*.build.*", Check::Words(command)),
    ("languages.*.keep.*", Check::Text(file_name)),
    ("languages.*.run", Check::Words(command)),
    ("languages.*.version", Check::Words(command)),
    ("languages.*.env.*", Check::Keys(variable)),
    ("languages.*.env.*", Check::Text(variable_value)),
    ("languages.*.show.*", Check::Text(absolute_path)),
    ("languages.*.memory_extra_mib", Check::Whole(0, 65_536)),
    ("languages.*.time_factor", TIME_FACTOR),
    ("languages.*.memory_words.*", Check::Text(filled)),
    ("languages.*.stack_mib", Check::Whole(1, 65_536)),
    ("languages.*.static_probe.*", Check::Words(command)),
];

fn key(name: &str) -> Result<(), Wrong> {
    LanguageId::new(name).map(drop).map_err(|error| {
        Wrong::new(
            format!("`{name}` cannot be a language's key: {error}"),
            "use lower-case letters, digits, `-` and `_`, as in `cpp` or `python3`",
        )
    })
}

fn command(words: &[&str]) -> Result<(), Wrong> {
    let is_named = words.first().is_some_and(|word| !word.is_empty());
    Wrong::unless(
        is_named && !words.iter().any(|word| word.contains('\0')),
        "`{key}` is not a command",
        "write the program and its arguments as a list: [\"program\", \"argument\"]",
    )
}

fn file_name(name: &str) -> Result<(), Wrong> {
    let is_plain = !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\0']);
    Wrong::unless(
        is_plain && name.len() <= FILE_NAME_BYTES_MAX,
        "`{key}` is not a plain file name",
        "write a name without folders, as in `main.cpp`",
    )
}

fn absolute_path(path: &str) -> Result<(), Wrong> {
    let upwards = path.split('/').any(|part| part == "..");
    Wrong::unless(
        path.starts_with('/') && !path.contains('\0') && !upwards,
        format!("`{}` is not an absolute path", path.escape_debug()),
        "write it from `/` on and without `..`: the sandbox shows it at the same place",
    )
}

fn extension(text: &str) -> Result<(), Wrong> {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "+-_".contains(character);
    Wrong::unless(
        (1..=FILE_NAME_BYTES_MAX).contains(&text.len()) && text.chars().all(is_plain),
        format!("`{}` is not an extension", text.escape_debug()),
        "write it without the dot: letters, digits, `+`, `-` and `_`",
    )
}

fn extensions(list: &[&str]) -> Result<(), Wrong> {
    Wrong::unless(
        (1..=EXTENSIONS_MAX).contains(&list.len()),
        format!("a language has 1 to {EXTENSIONS_MAX} extensions"),
        "to switch a language off, write `offer = false`",
    )
}

fn variable(name: &str) -> Result<(), Wrong> {
    Wrong::unless(
        !name.is_empty() && !name.contains(['=', '\0']),
        "this cannot be an environment variable",
        "a name has a character or more, and no `=`",
    )
}

fn variable_value(value: &str) -> Result<(), Wrong> {
    variable(if value.contains('\0') { "" } else { "NAME" })
}

/// Fills in what a language does not say, and checks that each has what it needs.
pub(super) fn complete(
    place: &Place<'_>,
    languages: BTreeMap<LanguageId, LanguageSpec>,
) -> Result<BTreeMap<LanguageId, LanguageSpec>, Complaint> {
    let completed = languages
        .into_iter()
        .map(|(id, spec)| match spec.missing() {
            None => Ok((id, spec.completed())),
            Some(missing) => Err(place.error(
                place
                    .key_span(&["languages", id.as_str()])
                    .unwrap_or_default(),
                format!("`{id}` is a new language, and it has no `{missing}`"),
                format!(
                    "a new language needs name, extensions, source and run; known ones are {}",
                    built_in().join(", ")
                ),
            )),
        });
    completed.collect()
}

/// The keys of the built-in languages.
fn built_in() -> Vec<String> {
    let table: Table = BUILT_IN.parse().unwrap_or_default();
    let languages = table.get("languages").and_then(|value| value.as_table());
    languages.map_or_else(Vec::new, |table| table.keys().cloned().collect())
}

/// Which language an extension means. One that is switched off has what nobody else claims.
pub(super) fn by_extension(
    place: &Place<'_>,
    languages: &BTreeMap<LanguageId, LanguageSpec>,
) -> Result<BTreeMap<String, LanguageId>, Complaint> {
    let mut extensions: BTreeMap<String, LanguageId> = BTreeMap::new();
    for (id, spec) in languages.iter().filter(|(_, spec)| spec.offer) {
        for extension in &spec.extensions {
            if let Some(other) = extensions.insert(extension.clone(), id.clone()) {
                return Err(twice(place, extension, id, &other));
            }
        }
    }
    for (id, spec) in languages.iter().filter(|(_, spec)| !spec.offer) {
        for extension in &spec.extensions {
            let holder = extensions.entry(extension.clone());
            holder.or_insert_with(|| id.clone());
        }
    }
    Ok(extensions)
}

/// Two languages claim one extension. Built-in ones never do, so one of the two is in the file.
fn twice(place: &Place<'_>, extension: &str, id: &LanguageId, other: &LanguageId) -> Complaint {
    let claim = |id: &LanguageId| place.value_at(&["languages", id.as_str(), "extensions"]);
    let (list, holder) = match claim(id) {
        Some(list) => (Some(list), other),
        None => (claim(other), id),
    };
    let span = list.map_or(0..0, |list| {
        let elements = list.get_ref().as_array();
        let element = elements.into_iter().flatten().find(|element| {
            let text = element.get_ref().as_str();
            text.is_some_and(|text| text.eq_ignore_ascii_case(extension))
        });
        element.map_or(list.span(), Spanned::span)
    });
    place.error(
        span,
        format!("the extension `{extension}` belongs to `{holder}` already"),
        format!(
            "leave it out, write other `extensions` in [languages.{holder}], or switch that off there with `offer = false`"
        ),
    )
}

//! A language as languages.toml and config.toml describe it.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::Deserializer;
use toml::Spanned;

use super::value::{Wrong, list, some_whole, text, time_factor, whole};
use crate::domain::TimeFactor;

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
    #[serde(deserialize_with = "filled")]
    pub name: String,
    /// File extensions without the dot, in lower case, the usual one first.
    #[serde(deserialize_with = "extensions")]
    pub extensions: Vec<String>,
    /// The source's name in the working folder while it is built: `main.cpp`, `{main}.java`,
    /// `main.{extension}`.
    #[serde(deserialize_with = "file_name")]
    pub source: String,
    /// The compile commands, one after the other; for an interpreted language its syntax check, or
    /// none.
    #[serde(deserialize_with = "commands")]
    pub build: Vec<Vec<String>>,
    /// The built files that the program consists of; empty for all of them.
    #[serde(deserialize_with = "file_names")]
    pub keep: Vec<String>,
    /// The start command, in the working folder; the built files are in `/app`.
    /// Where it has `{source}`, the program consists of the source alone.
    #[serde(deserialize_with = "command")]
    pub run: Vec<String>,
    /// The command that prints the version.
    #[serde(deserialize_with = "command")]
    pub version: Vec<String>,
    /// What a person does to get it: `apt-get install g++`.
    pub install: String,
    /// A program that copies its standard input to its standard output; without one the language is
    /// offered untried.
    pub echo: Option<String>,
    /// Environment beside the usual one.
    #[serde(deserialize_with = "environment")]
    pub env: BTreeMap<String, String>,
    /// Files and folders beside the system's own that it needs to see; those that are not there are
    /// left out. A `*` in the last part stands for any characters.
    #[serde(deserialize_with = "absolute_paths")]
    pub show: Vec<String>,
    /// Memory of the language's own run-time system, on top of the problem's limit, in MiB.
    #[serde(deserialize_with = "whole::<0, 65_536, 1, _, _>")]
    pub memory_extra_mib: u64,
    /// By how much its programs may take longer than a problem says.
    #[serde(deserialize_with = "time_factor")]
    pub time_factor: TimeFactor,
    /// Words on standard error by which its run-time system says that the memory is used up.
    #[serde(deserialize_with = "filled_all")]
    pub memory_words: Vec<String>,
    /// Stack of the first thread in MiB, where as much as the memory limit does not suit it.
    #[serde(deserialize_with = "some_whole::<1, 65_536, 1, _, _>")]
    pub stack_mib: Option<u64>,
    /// What `{static}` stands for.
    pub static_flags: Vec<String>,
    /// Commands that each print the path of a file that static linking needs.
    #[serde(deserialize_with = "commands")]
    pub static_probe: Vec<Vec<String>>,
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
    pub(super) fn completed(mut self) -> Self {
        let first = self.build.first().unwrap_or(&self.run).first();
        let program = first.cloned().unwrap_or_default();
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

fn commands<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Vec<String>>, D::Error> {
    list(from, |words: &Vec<String>| check_command(words))
}

fn command<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    check_command(&Vec::deserialize(from)?).map_err(|wrong| wrong.error(None))
}

fn check_command(words: &[String]) -> Result<Vec<String>, Wrong> {
    let program_is_named = words.first().is_some_and(|word| !word.is_empty());
    if program_is_named && !words.iter().any(|word| word.contains('\0')) {
        return Ok(words.to_vec());
    }
    Err(Wrong::new(
        "`{key}` is not a command",
        "write the program and its arguments as a list: [\"program\", \"argument\"]",
    ))
}

fn filled<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    text(from, check_filled)
}

fn filled_all<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    list(from, |word: &String| check_filled(word))
}

fn check_filled(text: &str) -> Result<String, Wrong> {
    if !text.trim().is_empty() {
        return Ok(text.to_owned());
    }
    Err(Wrong::new(
        "`{key}` is empty",
        "write something between the quotation marks, or take it out",
    ))
}

fn file_name<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    text(from, check_file_name)
}

fn file_names<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    list(from, |name: &String| check_file_name(name))
}

fn check_file_name(name: &str) -> Result<String, Wrong> {
    let plain = !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\0']);
    if plain && name.len() <= FILE_NAME_BYTES_MAX {
        return Ok(name.to_owned());
    }
    Err(Wrong::new(
        "`{key}` is not a plain file name",
        "write a name without folders, as in `main.cpp`",
    ))
}

fn absolute_paths<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    list(from, |path: &String| {
        let upwards = path.split('/').any(|part| part == "..");
        if path.starts_with('/') && !path.contains('\0') && !upwards {
            return Ok(path.clone());
        }
        Err(Wrong::new(
            format!("`{}` is not an absolute path", path.escape_debug()),
            "write it from `/` on and without `..`: the sandbox shows it at the same place",
        ))
    })
}

fn extensions<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    let plain = |character: char| character.is_ascii_alphanumeric() || "+-_".contains(character);
    let list: Vec<String> = list(from, |text: &String| {
        if !text.is_empty() && text.len() <= FILE_NAME_BYTES_MAX && text.chars().all(plain) {
            return Ok(text.to_ascii_lowercase());
        }
        Err(Wrong::new(
            format!("`{}` is not an extension", text.escape_debug()),
            "write it without the dot: letters, digits, `+`, `-` and `_`",
        ))
    })?;
    if (1..=EXTENSIONS_MAX).contains(&list.len()) {
        return Ok(list);
    }
    Err(Wrong::new(
        format!("a language has 1 to {EXTENSIONS_MAX} extensions"),
        "to switch a language off, write `offer = false`",
    )
    .error(None))
}

fn environment<'de, D: Deserializer<'de>>(from: D) -> Result<BTreeMap<String, String>, D::Error> {
    BTreeMap::<Spanned<String>, String>::deserialize(from)?
        .into_iter()
        .map(|(name, value)| {
            let span = name.span();
            let name = name.into_inner();
            if !name.is_empty() && !name.contains(['=', '\0']) && !value.contains('\0') {
                return Ok((name, value));
            }
            Err(Wrong::new(
                "this cannot be an environment variable",
                "a name has a character or more, and no `=`",
            )
            .error(Some(span)))
        })
        .collect()
}

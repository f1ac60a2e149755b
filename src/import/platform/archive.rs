//! An archive as platforms look at it, and what each says of it.

use std::sync::LazyLock;

use regex::Regex;

use crate::import::claim::Reading;
use crate::import::entry::Entry;
use crate::import::source::Source;

/// A file of a platform's own: a list, a time.
const OWN_FILE_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// A platform that archives come from.
#[derive(Debug)]
pub struct Platform {
    /// What `--platform` calls it, and the roster's column of its own keys if it has any.
    pub id: &'static str,
    /// What people call it.
    pub name: &'static str,
    /// What each entry is to it.
    pub read: fn(&mut Archive<'_>) -> Vec<Reading>,
}

/// An archive as platforms look at it.
pub struct Archive<'a> {
    pub source: &'a mut Source,
    /// The name of the file or folder, without its extension.
    pub origin: &'a str,
    /// How many leading folders are passed over: people zip a platform's folder again.
    pub outer: usize,
    /// Whether a person has said that it is this platform's.
    pub is_named: bool,
}

impl Archive<'_> {
    /// The entries' paths, without the outer folders; what is refused or noise has none.
    pub fn paths(&self) -> impl Iterator<Item = Option<&str>> {
        let entries = self.source.entries().iter();
        entries.map(|entry| path_of(entry, self.outer))
    }

    /// The folder that everything lies in, or the archive's own name.
    pub fn outermost(&self) -> Option<&str> {
        if self.outer == 0 {
            return Some(self.origin);
        }
        let first = self
            .source
            .entries()
            .iter()
            .find_map(|entry| path_of(entry, 0))?;
        first.split('/').next()
    }

    /// The path of a folder that lies in the outer folders.
    pub fn full(&self, folder: &str) -> String {
        match self.outermost().filter(|_| self.outer > 0) {
            Some(outer) => format!("{outer}/{folder}"),
            None => folder.to_owned(),
        }
    }

    /// A file of the platform's own, as text.
    pub fn text(&mut self, index: usize) -> Option<String> {
        let bytes = self.source.read(index, OWN_FILE_BYTES_MAX).ok()?;
        Some(crate::util::excerpt::decode(&bytes, bytes.len()).text)
    }

    /// Reads each path on its own.
    pub fn each(&self, read: impl Fn(&str) -> Reading) -> Vec<Reading> {
        let reading = |path: Option<&str>| path.map_or(Reading::Strange, &read);
        self.paths().map(reading).collect()
    }
}

pub fn path_of(entry: &Entry, outer: usize) -> Option<&str> {
    if entry.refused.is_some() || entry.is_noise() {
        return None;
    }
    let mut path = entry.path.as_str();
    for _ in 0..outer {
        path = path.split_once('/')?.1;
    }
    Some(path)
}

/// A pattern that is part of the program, compiled when it is first needed.
pub type Shape = LazyLock<Regex>;

/// Compiles a pattern that is part of the program.
pub fn shape(text: &str) -> Regex {
    Regex::new(text).expect("a test compiles every pattern of the program")
}

/// What a pattern of the program's own has captured; "" where that group took no part.
pub fn captured<'t>(captures: &regex::Captures<'t>, name: &str) -> &'t str {
    captures.name(name).map_or("", |found| found.as_str())
}

//! What lies where in a package, and what it is there for, as `table.toml` says it.

use std::str::Split;
use std::sync::LazyLock;

use serde::Deserialize;

use super::super::constants::Constants;
use super::super::format::Format;
use super::entry::Entry;
use crate::domain::is_header;

/// Folders of `data` that only try the package's own programs.
pub const VALIDATION_FOLDERS: [&str; 3] = ["invalid_input", "invalid_output", "valid_output"];
/// What something in a package is there for.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Meaning {
    /// It is read: another one is another package.
    Read,
    /// It is for people, or for other programs.
    Known,
    /// An answer, which is read if its input is there.
    Answer,
    /// Nothing reads it, and this is what to do about it.
    Remark(String),
    /// The same; one of these names may be meant.
    Meant(String, Vec<String>),
    /// It holds programs, none of which this key of the manifest names.
    Unused(String),
    /// A test that would not be run.
    Lost(String),
    /// A folder that is not read, whose tests belong there; where it has none, one of these names
    /// may be meant.
    Nested(String, Vec<String>),
}

/// What a row of the table is about.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    File,
    /// A file that is known to be harmless.
    ForPeople,
    Folder,
    Either,
}

/// What a row is about, what a path is like, and what it means.
type Row = (Kind, String, Meaning);

/// What lies where, and what it means: the first row that fits counts.
#[derive(Deserialize)]
struct Tables {
    own: Vec<Row>,
    kattis: Vec<Row>,
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    toml::from_str(include_str!("table.toml")).expect("a test reads the file as it is here")
});

/// Whether a path fits a pattern of the table.
fn fits(mut patterns: Split<'_, char>, mut names: Split<'_, char>) -> bool {
    let is_name = |pattern: &str, name: &str| match pattern.split_once('*') {
        None => pattern == name,
        Some((begin, end)) => {
            let rest = name.strip_prefix(begin);
            !name.is_empty() && rest.is_some_and(|rest| rest.ends_with(end))
        }
    };
    let Some(one_of) = patterns.next() else {
        return names.next().is_none();
    };
    if one_of == "**" {
        return loop {
            if fits(patterns.clone(), names.clone()) {
                break true;
            }
            if names.next().is_none() {
                break false;
            }
        };
    }
    let mut one_of = one_of.split('|');
    names
        .next()
        .is_some_and(|name| one_of.any(|pattern| is_name(pattern, name)))
        && fits(patterns, names)
}

/// What a manifest names in its package: the paths of programs, the folders of groups below
/// `data/secret`.
#[derive(Debug, Clone, Default)]
pub struct Named {
    pub format: Format,
    pub constants: Constants,
    pub programs: Vec<String>,
    pub groups: Vec<String>,
}

impl Named {
    /// What a path means for the programs; none where it has nothing to do with them.
    fn meaning(&self, path: &str, is_folder: bool) -> Option<&'static Meaning> {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let first = path.split('/').next().unwrap_or_default();
        self.programs.iter().find_map(|program| {
            let (beside, _) = program.rsplit_once('/').unwrap_or(("", program));
            let leads_there = format!("{beside}/").starts_with(&format!("{path}/"));
            let is_used = match (is_folder, beside) {
                (true, _) => leads_there,
                (false, "") => program == path || (folder.is_empty() && is_header(name)),
                (false, beside) => folder == beside,
            };
            let is_below = beside.split('/').next() == Some(first)
                && !["data", "hacks", "submissions"].contains(&first);
            match (is_used, is_below) {
                (true, _) => Some(&Meaning::Read),
                (false, true) => Some(&Meaning::Known),
                (false, false) => None,
            }
        })
    }

    /// The group whose folder a path lies in, or is, and the rest of the path.
    fn group<'p>(&self, path: &'p str) -> Option<(&str, &'p str)> {
        let below = path.strip_prefix("data/secret/")?;
        let (name, rest) = below.split_at(below.find('/').unwrap_or(below.len()));
        let group = self.groups.iter().find(|group| *group == name)?;
        Some((group, rest))
    }

    pub fn meaning_of(&self, entry: &Entry) -> &'static Meaning {
        if let Some(meaning) = self.meaning(&entry.path, entry.is_folder) {
            return meaning;
        }
        let of_group = self.group(&entry.path);
        let path = of_group.map(|(_, rest)| format!("data/{rest}"));
        let path = path.as_deref().unwrap_or(&entry.path);
        let is_kind = |kind: &Kind| match kind {
            Kind::File => !entry.is_folder,
            Kind::ForPeople => entry.is_harmless_file(),
            Kind::Folder => entry.is_folder,
            Kind::Either => true,
        };
        let table = match self.format {
            Format::Own => &TABLES.own,
            Format::Kattis => &TABLES.kattis,
        };
        let mut rows = table.iter();
        let row = rows
            .find(|(kind, pattern, _)| is_kind(kind) && fits(pattern.split('/'), path.split('/')));
        row.map_or(&Meaning::Known, |(.., meaning)| meaning)
    }
}

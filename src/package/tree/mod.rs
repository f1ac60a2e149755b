//! What lies in a package: read once, and what each file and folder there is for.
//!
//! Nothing is passed over in silence. A test that would not be run breaks the package, because
//! people would be graded on fewer tests than their instructor has written. Anything else that
//! nothing here reads is a remark, unless it is known to be harmless: generators, hidden files.

mod entry;
mod table;

use std::collections::HashSet;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::constants::Constants;
use super::error::Trouble;
use super::remarks::{Remark, Remarks};
use crate::domain::Digest;
use crate::domain::bounds::TESTS_MAX;
use crate::util::hash::Key;
use crate::util::words::nearest;

pub(super) use entry::{Entry, entries};
use entry::{has_inputs, leads_out};
use table::Meaning;
pub(super) use table::{Named, VALIDATION_FOLDERS};

/// Where hacks are dropped.
pub const HACKS_FOLDER: &str = "hacks";
/// The programs that a package promises to be right.
pub const ACCEPTED_FOLDER: &str = "submissions/accepted";
/// Entries of one folder of a package: each test has its input, its answer, a note, a result.
const ENTRIES_MAX: usize = 8 * TESTS_MAX;
/// Entries of a whole package, and how deep folders lie in each other: links to folders could make
/// it endless.
const ALL_ENTRIES_MAX: usize = 4 * ENTRIES_MAX;
const DEPTH_MAX: usize = 12;
const LEADS_OUT: &str = "it leads out of the package by a link; put the file itself there";
const NO_ANSWER: &str = "an answer without an input: put its input beside it, which has the same \
                         name and ends in .in, or delete it";

/// What lies in a package.
#[derive(Debug, Default)]
pub(super) struct Tree {
    /// The package's folder, without any links.
    root: PathBuf,
    /// Each folder before what lies in it.
    entries: Vec<(Entry, &'static Meaning)>,
    remarks: Remarks,
    /// What stands in its files by name.
    pub constants: Constants,
    /// The first of the tests that would not be run.
    lost: Option<Trouble>,
}

impl Tree {
    /// Reads a package's folder.
    pub fn read(root: &Path, named: &Named) -> Result<Self, Trouble> {
        let mut tree = Self {
            root: root.canonicalize().unwrap_or_else(|_| root.to_owned()),
            constants: named.constants.clone(),
            ..Self::default()
        };
        tree.add(root, "", named)?;
        Ok(tree)
    }

    /// Adds what lies in a folder, as if that were the one of this path in the package.
    pub fn add(&mut self, folder: &Path, below: &str, named: &Named) -> Result<(), Trouble> {
        let unread = |error| Trouble::unread(folder, error);
        let entries = entries(folder, below, ENTRIES_MAX).map_err(unread)?;
        if entries.len() > ENTRIES_MAX {
            let words = format!("more than {ENTRIES_MAX} files");
            return Err(Trouble::file(folder, words));
        }
        let is_deep = below.matches('/').count() >= DEPTH_MAX;
        if is_deep || self.entries.len() + entries.len() > ALL_ENTRIES_MAX {
            return Err(endless(folder));
        }
        let inputs: HashSet<String> = entries
            .iter()
            .filter_map(|entry| entry.path.strip_suffix(".in"))
            .map(str::to_owned)
            .collect();
        for entry in entries {
            let meaning = named.meaning_of(&entry);
            let (file, path) = (entry.file.clone(), entry.path.clone());
            let is_read = matches!(meaning, Meaning::Read | Meaning::Answer);
            if is_read && leads_out(&entry, &self.root) {
                if path == "data" || path.starts_with("data/") {
                    self.lose(&file, LEADS_OUT);
                } else {
                    self.remarks.add(&file, LEADS_OUT);
                }
                continue;
            }
            self.say(&entry, meaning, below, &inputs)?;
            let is_read_folder = entry.is_folder && is_read;
            self.entries.push((entry, meaning));
            if is_read_folder {
                self.add(&file, &path, named)?;
            }
        }
        Ok(())
    }

    /// What is to be said of an entry of a folder with these inputs.
    fn say(
        &mut self,
        entry: &Entry,
        meaning: &Meaning,
        below: &str,
        inputs: &HashSet<String>,
    ) -> Result<(), Trouble> {
        let file = entry.file.as_path();
        let words = match meaning {
            Meaning::Read | Meaning::Known => None,
            Meaning::Answer => {
                let stem = entry.path.strip_suffix(".ans").unwrap_or(&entry.path);
                (!inputs.contains(stem)).then(|| NO_ANSWER.to_owned())
            }
            Meaning::Remark(words) => Some(words.clone()),
            Meaning::Meant(words, names) => Some(with_meaning(words, entry.name(), names)),
            Meaning::Unused(key) => {
                let name = entry.name();
                Some(format!(
                    "it is not used: name the program in problem.toml, as in `{key} = \"{name}/…\"`"
                ))
            }
            Meaning::Lost(words) => {
                self.lose(file, words);
                None
            }
            Meaning::Nested(target, names) => {
                if has_inputs(file).map_err(|error| Trouble::unread(file, error))? {
                    let target = if target.is_empty() { below } else { target };
                    let words = format!("tests in folders are not read; move them to {target}");
                    self.lose(file, &words);
                    None
                } else if names.is_empty() {
                    Some("folders are not read here".to_owned())
                } else {
                    Some(with_meaning(
                        "nothing reads this folder",
                        entry.name(),
                        names,
                    ))
                }
            }
        };
        if let Some(words) = words {
            self.remarks.add(file, words);
        }
        Ok(())
    }

    fn lose(&mut self, file: &Path, words: &str) {
        self.lost.get_or_insert_with(|| Trouble::file(file, words));
    }

    /// The error: there are tests that would not be run.
    pub fn check_tests(&self) -> Result<(), Trouble> {
        self.lost.clone().map_or(Ok(()), Err)
    }

    /// What is not read, and what to do about it.
    pub fn remarks(self) -> Vec<Remark> {
        self.remarks.finish()
    }

    /// Changes when the package should be read again: with names, sizes and times of what is read,
    /// and with the names of the rest.
    pub fn fingerprint(&self, mut key: Key) -> Digest {
        for (entry, meaning) in &self.entries {
            // Results of hacks are ours.
            if entry.folder() == HACKS_FOLDER && entry.ending() == "result" {
                continue;
            }
            key = key.part(entry.file.as_os_str().as_encoded_bytes());
            if let Some(facts) = &entry.facts
                && matches!(meaning, Meaning::Read | Meaning::Answer)
                && !entry.is_folder
            {
                key = with_facts(key, facts);
            }
        }
        if let Some(lost) = &self.lost {
            key = key.part(lost.in_one_line().as_bytes());
        }
        key.finish()
    }

    /// What lies directly in a folder.
    pub fn below<'t>(&'t self, folder: &str) -> impl Iterator<Item = &'t Entry> {
        let entries = self.entries.iter().map(|(entry, _)| entry);
        entries.filter(move |entry| entry.folder() == folder)
    }

    /// The files of a folder whose names have one of these endings.
    pub fn files(&self, folder: &str, endings: &[&str]) -> Vec<PathBuf> {
        let wanted = |entry: &&Entry| !entry.is_folder && endings.contains(&entry.ending());
        let files = self.below(folder).filter(wanted);
        files.map(|entry| entry.file.clone()).collect()
    }

    /// What lies in a folder and in the folders below it.
    pub fn all_below<'t>(&'t self, folder: &str) -> impl Iterator<Item = &'t Entry> {
        let entries = self.entries.iter().map(|(entry, _)| entry);
        entries.filter(move |entry| {
            let rest = entry.path.strip_prefix(folder);
            rest.is_some_and(|rest| rest.starts_with('/'))
        })
    }
}

fn endless(folder: &Path) -> Trouble {
    let words = format!(
        "there are more than {ALL_ENTRIES_MAX} files in the package, or more than {DEPTH_MAX} \
         folders in each other; does a link lead to a folder above?"
    );
    Trouble::file(folder, words)
}

/// Everything in a package's folder, folders before what is in them, but what is hidden or leads
/// out of it.
pub fn entries_of(root: &Path) -> Result<Vec<Entry>, Trouble> {
    let real = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    let (mut all, mut folders) = (Vec::new(), vec![(root.to_owned(), String::new())]);
    while let Some((folder, below)) = folders.pop() {
        let found = entries(&folder, &below, ENTRIES_MAX);
        let mut found = found.map_err(|error| Trouble::unread(&folder, error))?;
        if below.matches('/').count() >= DEPTH_MAX || all.len() + found.len() > ALL_ENTRIES_MAX {
            return Err(endless(&folder));
        }
        found.retain(|entry| !leads_out(entry, &real));
        let inner = found.iter().filter(|entry| entry.is_folder);
        folders.extend(inner.map(|entry| (entry.file.clone(), entry.path.clone())));
        all.append(&mut found);
    }
    Ok(all)
}

/// What tells a file from one that was written later.
pub(super) fn with_facts(key: Key, facts: &Metadata) -> Key {
    key.part(&facts.len().to_le_bytes())
        .part(&facts.ino().to_le_bytes())
        .part(&facts.mtime().to_le_bytes())
        .part(&facts.mtime_nsec().to_le_bytes())
        .part(&facts.ctime().to_le_bytes())
        .part(&facts.ctime_nsec().to_le_bytes())
}

fn with_meaning(words: &str, name: &str, names: &[String]) -> String {
    match nearest(name, names.iter().map(String::as_str)) {
        Some(meant) => format!("{words}; did you mean `{meant}`?"),
        None => words.to_owned(),
    }
}

#[cfg(test)]
mod tests;

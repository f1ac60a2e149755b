//! What lies in a package: read once, and what each file and folder there is for.
//!
//! Nothing is passed over in silence. A test that would not be run breaks the package, because
//! people would be graded on fewer tests than their instructor has written. Anything else that
//! nothing here reads is a remark, unless it is known to be harmless: generators, hidden files.

use std::ffi::OsStr;
use std::fs::Metadata;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::error::Trouble;
use super::remarks::{Remark, Remarks};
use crate::domain::Digest;
use crate::domain::bounds::TESTS_MAX;
use crate::util::hash::Key;
use crate::util::order::natural_files;
use crate::util::words::nearest;

/// Where hacks are dropped.
pub const HACKS_FOLDER: &str = "hacks";
/// The programs that a package promises to be right.
pub const ACCEPTED_FOLDER: &str = "submissions/accepted";
/// The folders of example submissions; `verdictd check` knows what each of them promises.
pub const EXAMPLE_FOLDERS: [&str; 7] = [
    "accepted",
    "partially_accepted",
    "wrong_answer",
    "time_limit_exceeded",
    "run_time_error",
    "compile_error",
    "rejected",
];
/// Folders of `data`.
const DATA_FOLDERS: [&str; 5] = [
    "sample",
    "secret",
    "invalid_input",
    "invalid_output",
    "valid_output",
];
/// Endings of files that are for people.
const HARMLESS_ENDINGS: [&str; 10] = [
    "md", "pdf", "tex", "html", "png", "jpg", "jpeg", "svg", "desc", "hint",
];
/// Beginnings of files' names that are for people, in lower case.
const HARMLESS_NAMES: [&str; 5] = ["readme", "license", "licence", "makefile", "changelog"];
/// What makes a file beside a program a header that it may include.
const HEADER_ENDINGS: [&str; 3] = ["h", "hpp", "hh"];

/// Entries of one folder of a package: each test has its input, its answer, a note, a result.
const ENTRIES_MAX: usize = 8 * TESTS_MAX;
/// Folders that are looked at for tests below one that is not read, and entries of each.
const NESTED_FOLDERS_MAX: usize = 100;
const NESTED_ENTRIES_MAX: usize = 1_000;
/// What something in a package is there for.
#[derive(Debug, Clone, Copy)]
enum Meaning {
    /// It is read: another one is another package.
    Read,
    /// It is for people, or for other programs.
    Known,
    /// An answer, which is read if its input is there.
    Answer,
    /// Nothing reads it, and this is what to do about it.
    Remark(&'static str),
    /// The same; one of these names may be meant.
    Meant(&'static str, &'static [&'static str]),
    /// It holds programs, none of which this key of the manifest names.
    Unused(&'static str),
    /// A test that would not be run.
    Lost(&'static str),
    /// A folder that is not read, whose tests belong there.
    Nested(&'static str, Option<&'static [&'static str]>),
}

/// What a row of the table is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    File,
    /// A file that is known to be harmless.
    ForPeople,
    Folder,
    Either,
}

/// What lies where, and what it means: the first row that fits counts. `*` stands for any
/// characters of a name, `|` for another name; a name that is empty is that of a group's folder,
/// which lies below `data/secret`; `**` is anything.
#[rustfmt::skip]
const TABLE: &[(Kind, &str, Meaning)] = {
    use Kind::{Either, File, Folder, ForPeople};
    use Meaning::{Answer, Known, Lost, Meant, Nested, Read, Remark, Unused};
    &[
        (File, "problem.toml", Read),
        (Folder, "data|hacks|submissions|statement|problem_statement", Read),
        (File, "statement|problem_statement/*", Read),
        (Folder, "data/sample|secret|", Read),
        (File, "data/sample|secret|/*.in", Read),
        (File, "data/sample|secret|/*.ans", Answer),
        (File, "hacks/*.result", Known),
        (File, "hacks/*.in|*.txt|*.ans|*.note|*.force", Read),
        (Folder, "submissions/accepted|partially_accepted|wrong_answer|time_limit_exceeded|run_time_error|compile_error|rejected", Read),
        (File, "submissions/accepted/*", Read),
        (File, "submissions/*/*", Known),
        // Pictures of the statement among them.
        (ForPeople, "*", Read),
        (ForPeople, "**", Known),
        (Folder, "solution|generators|attachments|input_visualizer|output_visualizer", Known),
        (Folder, "data/invalid_input|invalid_output|valid_output", Known),
        (Folder, "data/sample/*", Nested("data/sample", None)),
        (Folder, "data/secret/*", Nested("data/secret, or declare the folder in problem.toml as a group of tests with [[groups]]", None)),
        (Folder, "data//*", Nested("", None)),
        (Folder, "data/*", Nested("data/secret", Some(&DATA_FOLDERS))),
        (File, "data/*.in", Lost("tests directly in data are not read; move them to data/secret or data/sample")),
        (File, "data/*", Remark(FILE)),
        (File, "data/*/*", Remark("it is not read: an input ends in .in, its answer in .ans")),
        (Folder, "hacks/*", Remark("hacks in folders are not read; move them to hacks")),
        (File, "hacks/*", Remark("it is not read: a hack ends in .in or .txt")),
        (Folder, "submissions/*", Meant("its programs are not judged; the folders are accepted, partially_accepted, wrong_answer, time_limit_exceeded, run_time_error, compile_error, rejected", &EXAMPLE_FOLDERS)),
        (File, "submissions/*", Remark("it is not judged: put it into the folder that says what is expected, as in submissions/accepted")),
        (Folder, "submissions/*/*", Remark("a program of several files is not judged: put one source file into the folder above")),
        (Either, "input_validators|input_validator|input_format_validators", Unused("validator")),
        (Either, "output_validators|output_validator", Unused("checker")),
        (Either, "problem.yaml|problem.yml|domjudge-problem.ini|init.yml|problem.xml", Remark("it is of another package format and is not read: what it sets must stand in problem.toml; then delete it")),
        (Either, ".timelimit", Remark("it is not read: write `cpu_s` under [limits] of problem.toml")),
        (Either, "include", Remark("it is not read: nothing is compiled with what people hand in")),
        (Folder, "*", Remark("nothing reads this folder")),
        (File, "*.in|*.ans", Remark("tests are read from data/sample and data/secret: move it there")),
        (File, "*", Remark(FILE)),
        // What lies beside a program may be compiled with it.
        (Either, "**", Known),
    ]
};
const FILE: &str = "nothing reads this file";
const NO_ANSWER: &str = "an answer without an input: put its input beside it, which has the same \
                         name and ends in .in, or delete it";

/// Whether a path fits a pattern of the table.
fn fits(pattern: &str, path: &str) -> bool {
    let is_name = |pattern: &str, name: &str| match pattern.split_once('*') {
        None => pattern == name,
        Some((begin, end)) => {
            let rest = name.strip_prefix(begin);
            !name.is_empty() && rest.is_some_and(|rest| rest.ends_with(end))
        }
    };
    let (patterns, names) = (pattern.split('/'), path.split('/'));
    let is_as_deep = patterns.clone().count() == names.clone().count();
    let mut both = patterns.zip(names);
    pattern == "**"
        || (is_as_deep
            && both.all(|(one_of, name)| one_of.split('|').any(|pattern| is_name(pattern, name))))
}

/// What a manifest names in its package: the paths of programs, the folders of groups below
/// `data/secret`.
#[derive(Debug, Clone, Default)]
pub(super) struct Named {
    pub programs: Vec<String>,
    pub groups: Vec<String>,
}

impl Named {
    /// What a path means for the programs; none where it has nothing to do with them.
    fn meaning(&self, path: &str, is_folder: bool) -> Option<Meaning> {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let first = path.split('/').next().unwrap_or_default();
        self.programs.iter().find_map(|program| {
            let (beside, _) = program.rsplit_once('/').unwrap_or(("", program));
            let leads_there = format!("{beside}/").starts_with(&format!("{path}/"));
            let is_used = match (is_folder, beside) {
                (true, _) => leads_there,
                (false, "") => {
                    program == path || (folder.is_empty() && HEADER_ENDINGS.contains(&ending(name)))
                }
                (false, beside) => folder == beside,
            };
            let is_below = beside.split('/').next() == Some(first)
                && !["data", HACKS_FOLDER, "submissions"].contains(&first);
            match (is_used, is_below) {
                (true, _) => Some(Meaning::Read),
                (false, true) => Some(Meaning::Known),
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

    fn meaning_of(&self, entry: &Entry) -> Meaning {
        if let Some(meaning) = self.meaning(&entry.path, entry.is_folder) {
            return meaning;
        }
        let of_group = self.group(&entry.path);
        let path = of_group.map(|(_, rest)| format!("data/{rest}"));
        let path = path.as_deref().unwrap_or(&entry.path);
        let is_kind = |kind| match kind {
            Kind::File => !entry.is_folder,
            Kind::ForPeople => entry.is_harmless_file(),
            Kind::Folder => entry.is_folder,
            Kind::Either => true,
        };
        let mut rows = TABLE.iter();
        let row = rows.find(|(kind, pattern, _)| is_kind(*kind) && fits(pattern, path));
        row.map_or(Meaning::Known, |(.., meaning)| *meaning)
    }
}

/// A file or folder.
#[derive(Debug)]
pub(super) struct Entry {
    /// Where it is in the package, with `/`; bytes that are not UTF-8 are replaced.
    pub path: String,
    pub file: PathBuf,
    pub is_folder: bool,
    /// What the directory says of it; none where it is gone.
    facts: Option<Metadata>,
}

impl Entry {
    /// Its name.
    pub fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }

    /// Its folder in the package.
    fn folder(&self) -> &str {
        self.path.rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    pub fn ending(&self) -> &str {
        ending(self.name())
    }

    /// Whether it is for people, or something that an editor has left.
    pub fn is_harmless_file(&self) -> bool {
        let lower = self.name().to_ascii_lowercase();
        !self.is_folder
            && (HARMLESS_ENDINGS.contains(&self.ending())
                || HARMLESS_NAMES.iter().any(|known| lower.starts_with(known))
                || lower.ends_with('~'))
    }
}

fn ending(name: &str) -> &str {
    let ending = Path::new(name).extension().and_then(OsStr::to_str);
    ending.unwrap_or_default()
}

/// The entries of a folder in the order in which people count, without hidden ones; a missing
/// folder has none. There is one more than `most` where there are too many.
pub(super) fn entries(folder: &Path, below: &str, most: usize) -> io::Result<Vec<Entry>> {
    let listed = match std::fs::read_dir(folder) {
        Ok(listed) => listed,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut found = Vec::new();
    for entry in listed.take(most + 1) {
        let file = entry?.path();
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with('.') && name != ".timelimit" {
            continue;
        }
        let facts = std::fs::symlink_metadata(&file).ok();
        found.push(Entry {
            path: match below {
                "" => name.into_owned(),
                below => format!("{below}/{name}"),
            },
            // What cannot be looked at is taken for a file: reading it says why, while leaving out
            // a test would change verdicts in silence.
            is_folder: facts
                .as_ref()
                .is_some_and(|facts| facts.is_dir() || (facts.is_symlink() && file.is_dir())),
            facts,
            file,
        });
    }
    found.sort_by(|one, other| natural_files(&one.file, &other.file));
    Ok(found)
}

/// Whether there is a test input in a folder or below it.
fn has_inputs(folder: &Path) -> io::Result<bool> {
    let mut folders = vec![folder.to_owned()];
    let mut looked_at = 0;
    while let Some(next) = folders.pop() {
        looked_at += 1;
        if looked_at > NESTED_FOLDERS_MAX {
            // So many folders are hardly there for nothing.
            return Ok(true);
        }
        for entry in entries(&next, "", NESTED_ENTRIES_MAX)? {
            if entry.is_folder {
                folders.push(entry.file);
            } else if entry.ending().eq_ignore_ascii_case("in") {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// What lies in a package.
#[derive(Debug, Default)]
pub(super) struct Tree {
    /// Each folder before what lies in it.
    entries: Vec<(Entry, Meaning)>,
    remarks: Remarks,
    /// The first of the tests that would not be run.
    lost: Option<Trouble>,
}

impl Tree {
    /// Reads a package's folder.
    pub fn read(root: &Path, named: &Named) -> Result<Self, Trouble> {
        let mut tree = Self::default();
        tree.add(root, "", named)?;
        Ok(tree)
    }

    fn add(&mut self, folder: &Path, below: &str, named: &Named) -> Result<(), Trouble> {
        let unread = |error| Trouble::unread(folder, error);
        let entries = entries(folder, below, ENTRIES_MAX).map_err(unread)?;
        if entries.len() > ENTRIES_MAX {
            return Err(Trouble::file(
                folder,
                format!("more than {ENTRIES_MAX} files"),
            ));
        }
        let inputs: Vec<String> = entries
            .iter()
            .filter_map(|entry| entry.path.strip_suffix(".in"))
            .map(str::to_owned)
            .collect();
        for entry in entries {
            let meaning = named.meaning_of(&entry);
            let (file, path) = (entry.file.clone(), entry.path.clone());
            let add = |remarks: &mut Remarks, reason: String| remarks.add(&entry.file, reason);
            match meaning {
                Meaning::Read | Meaning::Known => {}
                Meaning::Answer => {
                    let stem = path.strip_suffix(".ans").unwrap_or(&path);
                    if !inputs.iter().any(|input| input == stem) {
                        add(&mut self.remarks, NO_ANSWER.to_owned());
                    }
                }
                Meaning::Remark(words) => add(&mut self.remarks, words.to_owned()),
                Meaning::Meant(words, names) => {
                    add(&mut self.remarks, with_meaning(words, entry.name(), names));
                }
                Meaning::Unused(key) => {
                    let name = entry.name();
                    let words = format!(
                        "it is not used: name the program in problem.toml, as in `{key} = \"{name}/…\"`"
                    );
                    add(&mut self.remarks, words);
                }
                Meaning::Lost(words) => self.lose(&file, words),
                Meaning::Nested(target, names) => {
                    if has_inputs(&file).map_err(|error| Trouble::unread(&file, error))? {
                        let target = if target.is_empty() { below } else { target };
                        let words = format!("tests in folders are not read; move them to {target}");
                        self.lose(&file, &words);
                    } else if let Some(names) = names {
                        let words = "nothing reads this folder";
                        add(&mut self.remarks, with_meaning(words, entry.name(), names));
                    } else {
                        add(&mut self.remarks, "folders are not read here".to_owned());
                    }
                }
            }
            let is_read_folder = entry.is_folder && matches!(meaning, Meaning::Read);
            self.entries.push((entry, meaning));
            if is_read_folder {
                self.add(&file, &path, named)?;
            }
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

    /// The programs that the package promises to be right.
    pub fn accepted(&self) -> Vec<PathBuf> {
        let files = self.below(ACCEPTED_FOLDER).filter(|entry| !entry.is_folder);
        files.map(|entry| entry.file.clone()).collect()
    }

    /// The headers beside a program. A link could lead out of the package; nothing that is not a
    /// plain file is a header.
    pub fn headers(&self, program: &str) -> Vec<&Entry> {
        let folder = program.rsplit_once('/').map_or("", |(folder, _)| folder);
        let is_plain = |entry: &&Entry| entry.facts.as_ref().is_some_and(Metadata::is_file);
        let is_header = |entry: &&Entry| HEADER_ENDINGS.contains(&entry.ending());
        let headers = self.below(folder).filter(is_header);
        headers.filter(is_plain).collect()
    }
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

fn with_meaning(words: &str, name: &str, names: &[&str]) -> String {
    match nearest(name, names.iter().copied()) {
        Some(meant) => format!("{words}; did you mean `{meant}`?"),
        None => words.to_owned(),
    }
}

#[cfg(test)]
mod tests;

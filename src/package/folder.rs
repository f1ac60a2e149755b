//! The folders of a package and what lies in them.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use super::error::PackageError;
use crate::domain::bounds::TESTS_MAX;
use crate::util::order::natural_files;

/// The instructor's tests.
pub const SECRET_FOLDER: &str = "data/secret";
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
/// Endings of files that are for people.
const HARMLESS_ENDINGS: [&str; 10] = [
    "md", "pdf", "tex", "html", "png", "jpg", "jpeg", "svg", "desc", "hint",
];
/// Beginnings of files' names that are for people, in lower case.
const HARMLESS_NAMES: [&str; 5] = ["readme", "license", "licence", "makefile", "changelog"];

/// Entries of one folder of a package: each test has its input, its answer, a note, a result.
pub const ENTRIES_MAX: usize = 8 * TESTS_MAX;

/// A file or folder.
pub struct Entry {
    pub path: PathBuf,
    /// Its name; bytes that are not UTF-8 are replaced.
    pub name: String,
    pub is_folder: bool,
}

impl Entry {
    pub fn ending(&self) -> &str {
        let ending = self.path.extension().and_then(OsStr::to_str);
        ending.unwrap_or_default()
    }

    /// Whether it is for people, or something that an editor has left.
    pub fn is_harmless_file(&self) -> bool {
        let lower = self.name.to_ascii_lowercase();
        !self.is_folder
            && (HARMLESS_ENDINGS.contains(&self.ending())
                || HARMLESS_NAMES.iter().any(|known| lower.starts_with(known))
                || lower.ends_with('~'))
    }
}

/// At most so many entries of a folder, in the order in which people count, with hidden files. A
/// missing folder has none.
fn all_entries(folder: &Path, most: usize) -> io::Result<Vec<Entry>> {
    let listed = match std::fs::read_dir(folder) {
        Ok(listed) => listed,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut found = Vec::new();
    for entry in listed.take(most) {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        found.push(Entry {
            name: name.into_owned(),
            // What cannot be looked at is taken for a file: reading it says why, while leaving out
            // a test would change verdicts in silence.
            is_folder: path.is_dir(),
            path,
        });
    }
    found.sort_by(|one, other| natural_files(&one.path, &other.path));
    Ok(found)
}

/// The same without hidden files.
pub fn entries(folder: &Path, most: usize) -> io::Result<Vec<Entry>> {
    let mut entries = all_entries(folder, most)?;
    entries.retain(|entry| !entry.name.starts_with('.') || entry.name == ".timelimit");
    Ok(entries)
}

/// The files in a folder whose names have one of these endings. More than [`ENTRIES_MAX`] entries
/// are an error: none is passed over.
pub fn files_with(folder: &Path, endings: &[&str]) -> Result<Vec<PathBuf>, PackageError> {
    let entries = all_entries(folder, ENTRIES_MAX + 1)
        .map_err(|error| PackageError::unread(folder, error))?;
    if entries.len() > ENTRIES_MAX {
        let reason = format!("more than {ENTRIES_MAX} files");
        return Err(PackageError::file(folder, reason));
    }
    let is_wanted = |entry: &Entry| {
        !entry.name.starts_with('.') && endings.contains(&entry.ending()) && !entry.is_folder
    };
    let wanted = entries.into_iter().filter(is_wanted);
    Ok(wanted.map(|entry| entry.path).collect())
}

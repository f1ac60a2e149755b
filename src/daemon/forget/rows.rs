//! The files in which a student has rows or lines beside others', and where else the name stands.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::trees::{Logs, old_logs};
use crate::access::{Links, LinksError};
use crate::config::{Config, tidy};
use crate::course::{self, Terms};
use crate::domain::Student;
use crate::import::MANIFEST_FILE;
use crate::report::log::is_of_student;
use crate::util::excerpt::visible_line;
use crate::util::files::{is_same, read_regular, replace};
use crate::util::words::{amount, listed};

/// The largest file that is read for a name, in bytes: the manifest of imports has this bound.
const BYTES_MAX: u64 = 256 << 20;
/// Files of one folder that are looked at.
const FILES_MAX: usize = 10_000;
/// Lines of one file that are named.
const LINES_MAX: usize = 5;

/// The files that have rows of students: CSV files beside the configuration, the roster, the
/// extensions, the manifest of imports, and old logs.
pub(super) fn files_with_rows(config: &Config) -> Vec<PathBuf> {
    let base = config.file.parent().unwrap_or(Path::new("/"));
    let mut found: Vec<PathBuf> = files_in(base)
        .into_iter()
        .filter(|file| file.extension().is_some_and(|ending| ending == "csv"))
        .collect();
    found.extend(config.overview.roster.clone());
    found.extend(Terms::extensions_file(base).map(|file| tidy(&base.join(file))));
    found.push(config.folders.staff.join(MANIFEST_FILE));
    found.extend(old_logs(config, Logs::Plain));
    found.sort();
    found.dedup();
    found
}

fn files_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let files = entries.take(FILES_MAX).map(|entry| entry.path());
    let mut files: Vec<PathBuf> = files.filter(|path| path.is_file()).collect();
    files.sort();
    files
}

/// Takes a student's rows out of a file; says which.
pub(super) fn strike(file: &Path, student: &Student, is_dry: bool) -> io::Result<Option<String>> {
    let bytes = match read_regular(file, BYTES_MAX) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        read => read?,
    };
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let (kept, what) = if file.extension().is_some_and(|ending| ending == "csv") {
        let struck = course::strike(&bytes, student);
        let lines = struck.lines.iter().map(u64::to_string);
        let lines: Vec<String> = lines.collect();
        let lines = listed(lines.iter().map(String::as_str), LINES_MAX);
        (struck.bytes, format!("line {lines}"))
    } else if name.starts_with("verdicts") && name.contains(".log") {
        without_lines(&bytes, |line| {
            is_of_student(&String::from_utf8_lossy(line), student.as_str())
        })
    } else {
        let is_of = |value: &Value| value["student"] == student.as_str();
        without_lines(&bytes, |line| {
            serde_json::from_slice(line).is_ok_and(|value| is_of(&value))
        })
    };
    if kept == bytes {
        return Ok(None);
    }
    if !is_dry && !is_same(file, &kept) {
        // What a link leads to has the rows, so that is what changes.
        let file = fs::canonicalize(file)?;
        let permissions = fs::metadata(&file)?.permissions();
        replace(&file, &kept)?;
        fs::set_permissions(&file, permissions)?;
    }
    let shown = visible_line(&file.to_string_lossy());
    Ok(Some(format!("{shown}: {what}")))
}

fn without_lines(bytes: &[u8], is_gone: impl Fn(&[u8]) -> bool) -> (Vec<u8>, String) {
    let mut kept = Vec::new();
    let mut count = 0;
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        if is_gone(line) {
            count += 1;
        } else {
            kept.extend(line);
        }
    }
    (kept, amount(count, "line"))
}

/// Strikes the personal link, which leads nowhere from now on; says whether something was written
/// about it.
pub(super) fn strike_link(
    state: &Path,
    student: &Student,
    is_dry: bool,
) -> Result<Option<String>, LinksError> {
    let file = Links::path(state);
    if !file.exists() {
        return Ok(None);
    }
    let is_named = Links::names(state, student)?;
    if !is_dry {
        Links::change(state, |links| links.forget(student))?;
    }
    let shown = visible_line(&file.to_string_lossy());
    Ok(is_named.then(|| format!("{shown}: the personal link")))
}

/// Whether a file has the name in it, as a word of its own.
pub(super) fn names(file: &Path, student: &Student) -> bool {
    read_regular(file, BYTES_MAX).is_ok_and(|bytes| has_word(&bytes, student.as_str()))
}

/// Whether neither a letter nor a digit stands before or after it.
fn has_word(text: &[u8], word: &str) -> bool {
    let text = String::from_utf8_lossy(text);
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
    })
}

/// Where the name stands in what is not ours to change: files beside the configuration and in the
/// staff's folder, and inputs of hacks with what is beside them.
pub(super) fn mentions(config: &Config, student: &Student, is_dry: bool) -> Vec<String> {
    let base = config.file.parent().unwrap_or(Path::new("/"));
    let struck = files_with_rows(config);
    let ours = super::trees::of_everybody(config);
    let mut files = files_in(base);
    files.extend(files_in(&config.folders.staff));
    let problems = fs::read_dir(&config.folders.problems);
    for problem in problems.into_iter().flatten().flatten().take(FILES_MAX) {
        let hacks = files_in(&problem.path().join(crate::package::HACKS_FOLDER));
        // Results are written again.
        files.extend(hacks.into_iter().filter(|file| {
            let ending = file.extension().unwrap_or_default();
            ending != "result"
        }));
    }
    let roster = config.overview.roster.as_ref();
    // One whose column has another name than `student`.
    let has_row = roster.filter(|file| {
        let loaded = course::Roster::load(file);
        loaded.is_ok_and(|roster| roster.has(student))
    });
    files.retain(|file| Some(file) != has_row);
    let named = files
        .into_iter()
        .filter(|file| !ours.contains(file))
        .filter(|file| !is_dry || !struck.contains(file))
        .filter(|file| names(file, student));
    has_row
        .filter(|_| !is_dry)
        .cloned()
        .into_iter()
        .chain(named)
        .map(|file| visible_line(&file.to_string_lossy()))
        .collect()
}

//! What lies in a package and is not read: nothing of it is passed over in silence.
//!
//! A test that would not be run breaks the package, because people would be graded on fewer tests
//! than their instructor has written. Anything else that nothing here reads is a remark, unless it
//! is known to be harmless: statements, generators, hidden files.

use std::io;
use std::path::Path;

use super::contents::Remark;
use super::error::PackageError;
use super::folder::{ENTRIES_MAX, EXAMPLE_FOLDERS, Entry, HACKS_FOLDER, SECRET_FOLDER, entries};
use crate::util::nearest::nearest;

/// The folders with tests.
const TEST_FOLDERS: [&str; 2] = ["sample", "secret"];
/// Where tests in a folder below `data/secret` belong.
const SECRET_OR_A_GROUP: &str =
    "data/secret, or declare the folder in problem.toml as a group of tests with [[groups]]";
/// Folders of `data` without tests; `verdictd check` reads the first one.
const OTHER_DATA_FOLDERS: [&str; 3] = ["invalid_input", "invalid_output", "valid_output"];
/// Folders of a package that are for people, or that other programs read.
const HARMLESS_FOLDERS: [&str; 7] = [
    "statement",
    "problem_statement",
    "solution",
    "generators",
    "attachments",
    "input_visualizer",
    "output_visualizer",
];
/// Folders below a folder that are looked at for tests, and entries of each.
const NESTED_FOLDERS_MAX: usize = 100;
const NESTED_ENTRIES_MAX: usize = 1_000;
/// Remarks about one package, or about the folder of all packages; of more only the number is
/// given.
pub(super) const REMARKS_MAX: usize = 20;

/// Remarks, up to a bound.
#[derive(Default)]
pub(super) struct Remarks {
    kept: Vec<Remark>,
    more: usize,
}

impl Remarks {
    pub(super) fn add(&mut self, entry: &Entry, reason: impl Into<String>) {
        if self.kept.len() == REMARKS_MAX {
            self.more += 1;
            return;
        }
        self.kept.push(Remark {
            path: entry.path.clone(),
            reason: reason.into(),
        });
    }

    /// All of them, the last one with the number of those that were left out.
    pub(super) fn finish(mut self) -> Vec<Remark> {
        if let Some(last) = self.kept.last_mut()
            && self.more > 0
        {
            last.reason = format!("{} (and {} more like these)", last.reason, self.more);
        }
        self.kept
    }
}

/// Looks through a package; its manifest names the paths in `programs` and the folders in `groups`.
/// The error: there are tests that would not be run.
pub(super) fn survey(
    root: &Path,
    programs: &[&str],
    groups: &[&str],
) -> Result<Vec<Remark>, PackageError> {
    let mut remarks = Remarks::default();
    look_at_data(&root.join("data"), groups, &mut remarks)?;
    look_at_hacks(&root.join(HACKS_FOLDER), &mut remarks)?;
    look_at_submissions(&root.join("submissions"), &mut remarks)?;
    for entry in list(root)? {
        if !is_read(&entry, programs) {
            remarks.add(&entry, stranger_in_root(&entry));
        }
    }
    Ok(remarks.finish())
}

fn list(folder: &Path) -> Result<Vec<Entry>, PackageError> {
    entries(folder, ENTRIES_MAX).map_err(|error| PackageError::unread(folder, error))
}

/// Whether something in a package's own folder is read, or need not be.
fn is_read(entry: &Entry, programs: &[&str]) -> bool {
    let name = entry.name.as_str();
    let used = |program: &&str| {
        let first = program.split('/').next().unwrap_or_default();
        // A header beside a program is compiled with it.
        first == name || (!program.contains('/') && matches!(entry.ending(), "h" | "hpp" | "hh"))
    };
    if programs.iter().any(used) {
        return true;
    }
    if entry.is_folder {
        return matches!(name, "data" | "submissions" | HACKS_FOLDER)
            || HARMLESS_FOLDERS.contains(&name);
    }
    name == "problem.toml" || entry.is_harmless_file()
}

fn stranger_in_root(entry: &Entry) -> String {
    let key = match entry.name.as_str() {
        "input_validators" | "input_validator" | "input_format_validators" => "validator",
        "output_validators" | "output_validator" => "checker",
        "problem.yaml" | "problem.yml" | "domjudge-problem.ini" | "init.yml" | "problem.xml" => {
            return "it is of another package format and is not read: what it sets must stand in \
                    problem.toml; then delete it"
                .to_owned();
        }
        ".timelimit" => {
            return "it is not read: write `cpu_s` under [limits] of problem.toml".to_owned();
        }
        "include" => {
            return "it is not read: nothing is compiled with what people hand in".to_owned();
        }
        _ if entry.is_folder => return "nothing reads this folder".to_owned(),
        _ if matches!(entry.ending(), "in" | "ans") => {
            return "tests are read from data/sample and data/secret: move it there".to_owned();
        }
        _ => return "nothing reads this file".to_owned(),
    };
    format!(
        "it is not used: name the program in problem.toml, as in `{key} = \"{}/…\"`",
        entry.name
    )
}

fn look_at_data(data: &Path, groups: &[&str], remarks: &mut Remarks) -> Result<(), PackageError> {
    for entry in list(data)? {
        let name = entry.name.as_str();
        if entry.is_folder && TEST_FOLDERS.contains(&name) {
            let (target, groups) = match name {
                "secret" => (SECRET_OR_A_GROUP, groups),
                _ => ("data/sample", &[][..]),
            };
            look_at_tests(&entry.path, target, groups, remarks)?;
        } else if entry.is_folder && !OTHER_DATA_FOLDERS.contains(&name) {
            refuse_nested(&entry, "data/secret")?;
            let known = nearest(name, TEST_FOLDERS.into_iter().chain(OTHER_DATA_FOLDERS));
            remarks.add(&entry, with_meaning("nothing reads this folder", known));
        } else if !entry.is_folder && entry.ending() == "in" {
            return Err(PackageError::file(
                &entry.path,
                "tests directly in data are not read; move them to data/secret or data/sample",
            ));
        } else if !entry.is_folder && !entry.is_harmless_file() {
            remarks.add(&entry, "nothing reads this file");
        }
    }
    Ok(())
}

fn look_at_tests(
    folder: &Path,
    target: &str,
    groups: &[&str],
    remarks: &mut Remarks,
) -> Result<(), PackageError> {
    let entries = list(folder)?;
    for entry in &entries {
        if entry.is_folder && groups.contains(&entry.name.as_str()) {
            look_at_tests(
                &entry.path,
                &format!("{SECRET_FOLDER}/{}", entry.name),
                &[],
                remarks,
            )?;
            continue;
        }
        if entry.is_folder {
            refuse_nested(entry, target)?;
            remarks.add(entry, "folders are not read here");
            continue;
        }
        match entry.ending() {
            "in" => {}
            "ans" => {
                if !entry.path.with_extension("in").exists() {
                    remarks.add(
                        entry,
                        "an answer without an input: put its input beside it, which has the same \
                         name and ends in .in, or delete it",
                    );
                }
            }
            _ if entry.is_harmless_file() => {}
            _ => remarks.add(
                entry,
                "it is not read: an input ends in .in, its answer in .ans",
            ),
        }
    }
    Ok(())
}

/// Tests in folders are an error: without them people would be graded on too few.
fn refuse_nested(folder: &Entry, target: &str) -> Result<(), PackageError> {
    match has_inputs(&folder.path) {
        Ok(false) => Ok(()),
        Ok(true) => Err(PackageError::file(
            &folder.path,
            format!("tests in folders are not read; move them to {target}"),
        )),
        Err(error) => Err(PackageError::unread(&folder.path, error)),
    }
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
        for entry in entries(&next, NESTED_ENTRIES_MAX)? {
            if entry.is_folder {
                folders.push(entry.path);
            } else if entry.ending().eq_ignore_ascii_case("in") {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

fn look_at_hacks(hacks: &Path, remarks: &mut Remarks) -> Result<(), PackageError> {
    for entry in list(hacks)? {
        let known = matches!(entry.ending(), "in" | "txt" | "ans" | "note" | "result");
        if entry.is_folder {
            remarks.add(&entry, "hacks in folders are not read; move them to hacks");
        } else if !known && !entry.is_harmless_file() {
            remarks.add(&entry, "it is not read: a hack ends in .in or .txt");
        }
    }
    Ok(())
}

fn look_at_submissions(folder: &Path, remarks: &mut Remarks) -> Result<(), PackageError> {
    for entry in list(folder)? {
        let name = entry.name.as_str();
        if entry.is_folder && EXAMPLE_FOLDERS.contains(&name) {
            for inner in list(&entry.path)?.iter().filter(|inner| inner.is_folder) {
                remarks.add(
                    inner,
                    "a program of several files is not judged: put one source file into the \
                     folder above",
                );
            }
        } else if entry.is_folder {
            let meant = nearest(name, EXAMPLE_FOLDERS);
            let words = format!(
                "its programs are not judged; the folders are {}",
                EXAMPLE_FOLDERS.join(", ")
            );
            remarks.add(&entry, with_meaning(&words, meant));
        } else if !entry.is_harmless_file() {
            remarks.add(
                &entry,
                "it is not judged: put it into the folder that says what is expected, as in \
                 submissions/accepted",
            );
        }
    }
    Ok(())
}

fn with_meaning(words: &str, meant: Option<&str>) -> String {
    match meant {
        Some(meant) => format!("{words}; did you mean `{meant}`?"),
        None => words.to_owned(),
    }
}

#[cfg(test)]
mod tests;

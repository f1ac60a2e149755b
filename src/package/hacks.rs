//! Hack inputs: files that an instructor drops into `hacks/` of a package while it is in use.
//!
//! A hack comes from outside, so a bad one is refused with the reason and breaks nothing: the package is as it would be without the file.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::inputs::{accepted, read_test};
use super::{Oracle, Package, PackageError, Test};
use crate::domain::bounds::{HACK_FILE_BYTES_MAX, HACK_NOTE_BYTES_MAX, NAME_BYTES_MAX, TESTS_MAX};
use crate::domain::{Digest, TestKind};
use crate::problems::Normalisation;
use crate::util::files::read_regular;
use crate::util::hash::{self, Key};

/// The folder below the package's.
pub const HACKS_FOLDER: &str = "hacks";
/// Endings of files that are taken as inputs.
const ENDINGS: [&str; 2] = ["in", "txt"];

/// A file in `hacks/` and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hack {
    /// The file.
    pub file: PathBuf,
    /// The test's name, where it joins: `hack/evil`.
    pub name: String,
    /// Digest of the file as it is.
    pub digest: Digest,
    /// What the instructor says of it, from the file of the same name that ends in `.note`.
    pub note: Option<String>,
    /// Whether it is one of the tests.
    pub fate: Fate,
}

/// What became of a hack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    /// It is one of the tests; this was undone to make it one.
    Joined(Vec<Normalisation>),
    /// It is not, for this reason.
    Refused(String),
    /// It is not, and that is our fault: two algorithms of ours disagree.
    Disagreement(String),
}

impl Hack {
    /// Whether it is one of the tests.
    pub fn joined(&self) -> bool {
        matches!(self.fate, Fate::Joined(_))
    }

    /// Why it is not, without the file.
    pub fn refusal(&self) -> Option<&str> {
        match &self.fate {
            Fate::Joined(_) => None,
            Fate::Refused(reason) | Fate::Disagreement(reason) => Some(reason),
        }
    }

    /// Why it is not, with the file.
    pub fn complaint(&self) -> Option<String> {
        let reason = self.refusal()?;
        Some(format!("{}: refused: {reason}", self.file.display()))
    }
}

/// The files in `hacks/` that are taken as inputs, by name. A missing folder has none.
pub fn hack_files(package_folder: &Path) -> Result<Vec<PathBuf>, PackageError> {
    let folder = package_folder.join(HACKS_FOLDER);
    let entries = match std::fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(PackageError::file(&folder, error)),
    };
    let mut files = Vec::new();
    for entry in entries.take(8 * TESTS_MAX) {
        let path = entry
            .map_err(|error| PackageError::file(&folder, error))?
            .path();
        let name = path.file_name().unwrap_or_default().as_bytes();
        let ending = path.extension().and_then(OsStr::to_str).unwrap_or_default();
        if !name.starts_with(b".") && ENDINGS.contains(&ending) && path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    files.truncate(TESTS_MAX);
    Ok(files)
}

/// Where the result of a hack is written: beside it.
pub fn result_file(file: &Path) -> PathBuf {
    let mut name = file.file_name().unwrap_or_default().to_owned();
    name.push(".result");
    file.with_file_name(name)
}

/// Examines every hack of a package; those that hold join its tests.
pub fn join(package: &mut Package, oracle: &mut dyn Oracle) -> Result<(), PackageError> {
    let mut names = BTreeSet::new();
    for file in hack_files(&package.folder)? {
        let name = name_of(&file, &mut names);
        let (digest, examined) = match examine(package, &file, name.as_deref(), oracle) {
            Ok((digest, test)) => (digest, Ok(test)),
            Err(Bad::Fate(digest, fate)) => (digest, Err(fate)),
            // What could not be tried is not known to be bad, and to leave it out would change verdicts.
            Err(Bad::Untried(error)) => return Err(error),
        };
        let fate = match examined {
            Ok(test) => {
                let notes = test.notes.clone();
                package.tests.push(test);
                Fate::Joined(notes)
            }
            Err(fate) => fate,
        };
        package.hacks.push(Hack {
            note: note_of(&file),
            name: name.unwrap_or_else(|| "hack/?".to_owned()),
            file,
            digest,
            fate,
        });
    }
    Ok(())
}

/// `hack/` and the file's stem; where `evil.in` and `evil.txt` are there, the second is `hack/evil.txt`.
fn name_of(file: &Path, names: &mut BTreeSet<String>) -> Option<String> {
    let whole = file.file_name()?.to_str()?;
    let stem = file.file_stem()?.to_str()?;
    if whole.len() > NAME_BYTES_MAX {
        return None;
    }
    let kind = TestKind::Hack.word();
    [stem, whole]
        .map(|name| format!("{kind}/{name}"))
        .into_iter()
        .find(|name| names.insert(name.clone()))
}

/// Why a file is not one of the tests.
enum Bad {
    /// This became of it.
    Fate(Digest, Fate),
    /// The package's programs could not be run on it.
    Untried(PackageError),
}

/// A hack as a test, or what became of it instead.
fn examine(
    package: &Package,
    file: &Path,
    name: Option<&str>,
    oracle: &mut dyn Oracle,
) -> Result<(Digest, Test), Bad> {
    let unread = |error: std::io::Error| {
        let reason = match error.kind() {
            std::io::ErrorKind::FileTooLarge => format!(
                "it is larger than {} KiB, the bound of a hack",
                HACK_FILE_BYTES_MAX / 1024
            ),
            _ => error.to_string(),
        };
        let digest = Key::new("unread").part(reason.as_bytes()).finish();
        Bad::Fate(digest, Fate::Refused(reason))
    };
    let raw = read_regular(file, HACK_FILE_BYTES_MAX).map_err(unread)?;
    let digest = hash::digest(&raw);
    let refused = |reason: String| Bad::Fate(digest, Fate::Refused(reason));
    let Some(name) = name else {
        return Err(refused(format!(
            "its name is not UTF-8, or longer than {NAME_BYTES_MAX} bytes; rename it"
        )));
    };
    if package.tests.len() >= TESTS_MAX {
        return Err(refused(format!(
            "there are {TESTS_MAX} tests already, as many as a problem may have"
        )));
    }
    let mut test = match read_test(package, file, TestKind::Hack, oracle) {
        Ok(test) => test,
        Err(error) if error.ours => return Err(Bad::Untried(error)),
        Err(error) => return Err(refused(reason_of(&error, file))),
    };
    name.clone_into(&mut test.name.name);
    let twin = package
        .tests
        .iter()
        .find(|other| other.name.input == test.name.input);
    if let Some(twin) = twin {
        return Err(refused(format!(
            "a duplicate: the same input as {}",
            twin.name.name
        )));
    }
    match disagreement(package, &test, oracle).map_err(Bad::Untried)? {
        None => Ok((digest, test)),
        Some(fault) => Err(Bad::Fate(digest, Fate::Disagreement(fault))),
    }
}

/// What is wrong and where, without the file's own name.
fn reason_of(error: &PackageError, file: &Path) -> String {
    match error.place {
        Some((line, column)) if error.file == file => {
            format!("line {line}, column {column}: {}", error.reason)
        }
        _ if error.file == file => error.reason.clone(),
        _ => error.to_string(),
    }
}

/// Where the built-in reference solver and a second algorithm do not say the same.
fn disagreement(
    package: &Package,
    test: &Test,
    oracle: &mut dyn Oracle,
) -> Result<Option<String>, PackageError> {
    let Some(task) = package.task() else {
        return Ok(None);
    };
    let second: Arc<[u8]> = match task.answer(&test.input) {
        Ok(second) => Arc::from(second),
        Err(fault) => return Ok(Some(format!("the second algorithm refuses it: {fault}"))),
    };
    let place = if package.checker.is_some() {
        match accepted(
            package,
            &test.file,
            &test.input,
            &test.expected,
            &second,
            oracle,
        ) {
            Ok(()) => return Ok(None),
            Err(error) if error.ours => return Err(error),
            Err(error) => error.reason,
        }
    } else {
        if *second == *test.expected {
            return Ok(None);
        }
        let same = second
            .split(|&byte| byte == b'\n')
            .zip(test.expected.split(|&byte| byte == b'\n'))
            .take_while(|(one, other)| one == other)
            .count();
        format!("in line {} of the answer", same + 1)
    };
    Ok(Some(format!(
        "verdictd's two algorithms for {} disagree: {place}; so nobody is judged on it; please report this input, it is a fault of verdictd",
        task.slug()
    )))
}

fn note_of(file: &Path) -> Option<String> {
    let bytes = read_regular(&file.with_extension("note"), HACK_NOTE_BYTES_MAX).ok()?;
    let text = String::from_utf8_lossy(&bytes).trim().to_owned();
    (!text.is_empty()).then_some(text)
}

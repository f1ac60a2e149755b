//! Hack inputs: files that an instructor drops into `hacks/` of a package while it is in use.
//!
//! A hack comes from outside, so a bad one is refused with the reason and breaks nothing: the
//! package is as it would be without the file.
//!
//! A valid one may still be wrong in spirit, too heavy for one. So the package's accepted examples
//! are run on it first: if one of them fails, the hack is held back until the instructor insists,
//! by a file of the same name that ends in `.force`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::contents::{Hack, HackOutcome, Package, Test};
use super::error::Trouble;
use super::inputs::{accepted, read_test};
use super::oracle::{Case, Oracle};
use super::outline::Found;
use super::tree::{HACKS_FOLDER, Tree};
use crate::domain::bounds::{HACK_FILE_BYTES_MAX, HACK_NOTE_BYTES_MAX, NAME_BYTES_MAX, TESTS_MAX};
use crate::domain::{Complaint, TestKind};
use crate::problems::{self, Normalisation};
use crate::util::files::read_regular;
use crate::util::hash::{self, Key};

/// The ending of the file beside a hack that lets it join whatever the accepted examples make of
/// it.
pub const FORCE_ENDING: &str = "force";
/// Endings of files that are taken as inputs.
const ENDINGS: [&str; 2] = ["in", "txt"];

impl Package {
    /// What would be undone to make a file one of the tests. The complaint: why it cannot be one.
    /// Whether the accepted examples pass it is not asked here.
    pub fn candidate(
        &self,
        file: &Path,
        answer: &Path,
        oracle: &mut dyn Oracle,
    ) -> Result<Vec<Normalisation>, Trouble> {
        read(file)?;
        let examined = examine(self, (file, answer), Some("hack/candidate"), oracle)?;
        examined
            .map(|test| test.notes)
            .map_err(|outcome| Complaint::new(file, outcome.reason()).into())
    }
}

/// Where the result of a hack is written: beside it.
pub fn result_file(file: &Path) -> PathBuf {
    let mut name = file.file_name().unwrap_or_default().to_owned();
    name.push(".result");
    file.with_file_name(name)
}

/// Examines every hack of a package; those that hold join its tests.
/// What could not be tried is not known to be bad, and to leave it out would change verdicts: it is
/// an error.
pub(super) fn join(
    package: &mut Package,
    tree: &Tree,
    oracle: &mut dyn Oracle,
) -> Result<(), Trouble> {
    let forced = tree.files(HACKS_FOLDER, &[FORCE_ENDING]);
    let mut names = BTreeSet::new();
    for file in tree
        .files(HACKS_FOLDER, &ENDINGS)
        .into_iter()
        .take(TESTS_MAX)
    {
        let name = name_of(&file, &mut names);
        let (digest, examined) = match read(&file) {
            Ok(raw) => {
                let answer = file.with_extension("ans");
                let examined = examine(package, (&file, &answer), name.as_deref(), oracle)?;
                (hash::digest(&raw), examined)
            }
            Err(Trouble::Theirs(Complaint { reason, .. })) => {
                let digest = Key::new("unread").part(reason.as_bytes()).finish();
                (digest, Err(HackOutcome::Refused(reason)))
            }
            Err(ours) => return Err(ours),
        };
        let outcome = match examined.and_then(|test| vouched(package, test, &forced, oracle)) {
            Ok((test, untried)) => {
                let undone = test.notes.clone();
                package.tests.push(test);
                HackOutcome::Joined { undone, untried }
            }
            Err(outcome) => outcome,
        };
        package.hacks.push(Hack {
            note: note_of(&file),
            name: name.unwrap_or_else(|| "hack/?".to_owned()),
            file,
            digest,
            outcome,
        });
    }
    Ok(())
}

/// A test that may join, with the accepted examples that could not be tried on it, or that it may
/// not for now.
fn vouched(
    package: &Package,
    test: Test,
    forced: &[PathBuf],
    oracle: &mut dyn Oracle,
) -> Result<(Test, Vec<String>), HackOutcome> {
    if forced.contains(&test.file.with_extension(FORCE_ENDING)) {
        return Ok((test, Vec::new()));
    }
    match oracle.vouch(package, &test) {
        Ok(untried) => Ok((test, untried)),
        Err(Trouble::Theirs(complaint)) => Err(HackOutcome::HeldBack(complaint.reason)),
        Err(Trouble::Ours(fault)) => Err(HackOutcome::Untried(format!(
            "the accepted examples could not be run on it, which is tried again: {fault}"
        ))),
    }
}

/// `hack/` and the file's stem; where `evil.in` and `evil.txt` are there, the second is
/// `hack/evil.txt`.
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

/// The bytes of a hack.
fn read(file: &Path) -> Result<Vec<u8>, Trouble> {
    read_regular(file, HACK_FILE_BYTES_MAX).map_err(|error| match error.kind() {
        std::io::ErrorKind::FileTooLarge => {
            let kib = HACK_FILE_BYTES_MAX / 1024;
            let words = format!("it is larger than {kib} KiB, the bound of a hack");
            Trouble::file(file, words)
        }
        _ => Trouble::unread(file, error),
    })
}

/// A hack as a test, or its other outcome. The error: the package's programs could not be
/// run on it.
fn examine(
    package: &Package,
    (file, answer): (&Path, &Path),
    name: Option<&str>,
    oracle: &mut dyn Oracle,
) -> Result<Result<Test, HackOutcome>, Trouble> {
    let refused = |reason: String| Ok(Err(HackOutcome::Refused(reason)));
    let Some(name) = name else {
        return refused(format!(
            "its name is not UTF-8, or longer than {NAME_BYTES_MAX} bytes; rename it"
        ));
    };
    if package.tests.len() >= TESTS_MAX {
        return refused(format!(
            "there are {TESTS_MAX} tests already, as many as a problem may have"
        ));
    }
    let kind = TestKind::Hack;
    let found = Found {
        file: file.to_owned(),
        folder: kind.word().to_owned(),
        kind,
        group: package.groups.of_hacks(),
        arguments: None,
        told: None,
    };
    let mut test = match read_test(package, &found, answer, oracle) {
        Ok(test) => test,
        Err(Trouble::Theirs(complaint)) => return refused(reason_of(&complaint, file)),
        Err(ours) => return Err(ours),
    };
    name.clone_into(&mut test.name.name);
    let mut tests = package.tests.iter();
    if let Some(twin) = tests.find(|other| package.are_twins(&other.name, &test.name)) {
        return refused(format!("a duplicate: the same input as {}", twin.name.name));
    }
    let difference = disagreement(package, &test, oracle)?;
    Ok(difference.map_or(Ok(test), |words| Err(HackOutcome::Disagreement(words))))
}

/// What is wrong and where, without the file's own name.
fn reason_of(complaint: &Complaint, file: &Path) -> String {
    match complaint.place {
        Some((line, Some(column))) if complaint.file == file => {
            format!("line {line}, column {column}: {}", complaint.reason)
        }
        _ if complaint.file == file => complaint.reason.clone(),
        _ => complaint.to_string(),
    }
}

/// Where the built-in reference solver and the second algorithm do not say the same.
fn disagreement(
    package: &Package,
    test: &Test,
    oracle: &mut dyn Oracle,
) -> Result<Option<String>, Trouble> {
    let Some(task) = package.task() else {
        return Ok(None);
    };
    let [input, answer] = test.read()?;
    let different = match problems::disagreement(task, &input) {
        Ok(None) => return Ok(None),
        Ok(Some(difference)) => difference,
        Err(fault) => format!("the second algorithm refuses it, {fault}"),
    };
    // Where more than one output is right, two right ones may differ.
    if package.checker.is_some()
        && !package.talks()
        && let Ok(Some(second)) = task.second_opinion(&input)
    {
        let second: Arc<[u8]> = Arc::from(second);
        let case = Case {
            input: &input,
            answer: &answer,
            output: &second,
            told: None,
        };
        match accepted(package, &test.file, &case, oracle) {
            Ok(()) => return Ok(None),
            Err(Trouble::Ours(fault)) => return Err(fault.into()),
            Err(Trouble::Theirs(_)) => {}
        }
    }
    Ok(Some(format!(
        "verdictd's two algorithms for {} disagree: {different}. Nobody is judged on it; please report this input, it is a fault of verdictd",
        task.slug()
    )))
}

fn note_of(file: &Path) -> Option<String> {
    let bytes = read_regular(&file.with_extension("note"), HACK_NOTE_BYTES_MAX).ok()?;
    let text = String::from_utf8_lossy(&bytes).trim().to_owned();
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests;

//! What was written means what is judged here: it is read again and compared.

use std::path::Path;

use super::super::contents::Package;
use super::super::error::Trouble;
use super::super::load::look_at;
use super::super::oracle::TrustingOracle;
use crate::compare::Mode;
use crate::domain::{Complaint, Limits, Scoring, TestKind};

/// The error: the format has no words for what the package says.
pub fn read_again(package: &Package, folder: &Path, defaults: &Limits) -> Result<(), Trouble> {
    let seen = look_at(folder.to_owned(), &package.slug);
    let read = seen.load(defaults, &mut TrustingOracle);
    let refuse = |what: &str| {
        let words = format!(
            "in this version of the format its {what} cannot be written, and it would be judged in another way"
        );
        Err(Complaint::new(&package.folder, words).into())
    };
    let read = match read {
        Ok(read) => read,
        Err(Trouble::Theirs(complaint)) => {
            let file = complaint
                .file
                .strip_prefix(folder)
                .unwrap_or(&complaint.file);
            let words = format!(
                "what would be written cannot be read: {}: {}",
                file.display(),
                complaint.words()
            );
            return Err(Complaint::new(&package.folder, words).into());
        }
        Err(ours) => return Err(ours),
    };
    let of = |one: &Package| {
        let limits = &one.limits;
        (limits.cpu, limits.memory_bytes, limits.output_bytes)
    };
    if of(package) != of(&read) {
        return refuse("limits");
    }
    if tests(package) != tests(&read) {
        return refuse("tests, their groups, or what the checker is told about them,");
    }
    let of = |one: &Package| {
        let checker = one.checker.as_ref();
        let checker = checker.map(|checker| (checker.rounds, checker.arguments.clone()));
        let told = one.validators.first().map(|one| one.arguments.clone());
        (checker, told.unwrap_or_default(), one.mode)
    };
    // A checker of ours compares in this way.
    if package.mode != Mode::Lines && of(package) != of(&read) {
        return refuse("comparison");
    }
    Ok(())
}

/// What tells tests apart, whatever they are called.
fn tests(package: &Package) -> Vec<String> {
    let tests = package.tests.iter().map(|test| {
        let name = &test.name;
        let group = name
            .group
            .and_then(|place| package.groups.iter().nth(place));
        let group = group.map_or((0, Scoring::All), |group| (group.points, group.scoring));
        let is_sample = name.kind == TestKind::Sample;
        let (told, points) = (&name.told, (!package.groups.is_empty()).then_some(group));
        format!(
            "{is_sample} {} {} {told:?} {points:?}",
            name.input, name.expected
        )
    });
    let mut tests: Vec<String> = tests.collect();
    tests.sort();
    tests
}

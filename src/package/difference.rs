//! What has changed from one reading of a package to the next, in a few words for the history of
//! verdicts.

use std::collections::BTreeMap;

use super::contents::{Package, Test};
use crate::domain::{Because, TestKind};

/// Changes that are named; of more only the number is given.
const NAMED_MAX: usize = 3;

/// What has changed that a verdict may depend on: `hack/evil joined`, `the limits changed; secret/3
/// changed`.
pub fn difference(old: &Package, new: &Package) -> String {
    let same_limits = old.limits == new.limits && old.time_factors == new.time_factors;
    let changes = [
        (!same_limits, Because::Limits),
        (old.compare_key() != new.compare_key(), Because::Comparison),
        (old.groups != new.groups, Because::Groups),
        (old.io != new.io, Because::InputAndOutput),
    ];
    let changes = changes.into_iter().filter(|(changed, _)| *changed);
    let mut words: Vec<String> = changes.map(|(_, what)| what.words().to_owned()).collect();
    let (before, after) = (by_name(old), by_name(new));
    for test in &new.tests {
        let name = test.name.name.as_str();
        let hack = test.name.kind == TestKind::Hack;
        match before.get(name) {
            None if hack => words.push(format!("{name} joined")),
            None => words.push(format!("{name} added")),
            Some(old) if (old.name.input, &old.name.told) != (test.name.input, &test.name.told) => {
                words.push(format!("{name} changed"));
            }
            Some(old) if old.name.expected != test.name.expected => {
                words.push(format!("the answer of {name} changed"));
            }
            Some(_) => {}
        }
    }
    for test in &old.tests {
        let name = test.name.name.as_str();
        if !after.contains_key(name) {
            let gone = match test.name.kind {
                TestKind::Hack => "withdrawn",
                TestKind::Sample | TestKind::Secret => "removed",
            };
            words.push(format!("{name} {gone}"));
        }
    }
    if words.len() > NAMED_MAX + 1 {
        let more = words.len() - NAMED_MAX;
        words.truncate(NAMED_MAX);
        words.push(format!("{more} more changes"));
    }
    if words.is_empty() {
        return Because::Package.words().to_owned();
    }
    words.join("; ")
}

fn by_name(package: &Package) -> BTreeMap<&str, &Test> {
    package
        .tests
        .iter()
        .map(|test| (test.name.name.as_str(), test))
        .collect()
}

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
    // There that mode is a checker of ours.
    let compares = package.mode != Mode::Lines;
    let words = match seen.load(defaults, &mut TrustingOracle) {
        Ok(read) if facts(package, compares) == facts(&read, compares) => return Ok(()),
        Ok(_) => "the format cannot say it; it would be judged in another way".to_owned(),
        Err(Trouble::Theirs(why)) => {
            let file = why.file.strip_prefix(folder).unwrap_or(&why.file);
            format!("{}: {}", file.display(), why.words())
        }
        Err(ours) => return Err(ours),
    };
    let words = format!("it cannot be written in this version: {words}");
    Err(Complaint::new(&package.folder, words).into())
}

/// What decides verdicts and points, whatever tests are called.
fn facts(package: &Package, compares: bool) -> Vec<String> {
    let groups: Vec<_> = package.groups.iter().collect();
    let limits = &package.limits;
    let limits = (limits.cpu, limits.memory_bytes, limits.output_bytes);
    let tests = package.tests.iter().map(|test| {
        let (name, is_sample) = (&test.name, test.name.kind == TestKind::Sample);
        let group = name.group.map(|place| groups[place]);
        let group = group.map_or((0, Scoring::All), |group| (group.points, group.scoring));
        let told = (&name.told, Some(group).filter(|_| !groups.is_empty()));
        format!("{is_sample} {} {} {told:?}", name.input, name.expected)
    });
    let mut facts: Vec<String> = tests.collect();
    facts.sort();
    let checker = package.checker.as_ref();
    let checker = checker.map(|checker| (checker.rounds, &checker.arguments));
    facts.extend(compares.then(|| format!("{checker:?} {:?}", package.mode)));
    facts.push(format!("{limits:?}"));
    facts
}

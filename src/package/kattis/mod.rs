//! Packages of the Kattis and ICPC format, with what `DOMjudge` has added: read in place, as they
//! are.
//!
//! What such a package says and is not supported is a complaint when it is read, and what only has
//! no effect here is a remark.

mod data;
mod flags;
mod limits;
mod metadata;
mod points;
mod programs;
mod submissions;
mod test_groups;
mod version;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::constants::Constants;
use super::error::Trouble;
use super::format::{DOMJUDGE_INI, Format, PROBLEM_YAML};
use super::manifest::{self, Gives, Io, Protocol};
use super::outline::{Found, Outline, Part};
use super::remarks::Remarks;
use super::tree::Tree;
use super::yaml::Yaml;
use crate::compare::{Mode, WrongLayout};
use crate::domain::{Complaint, Disclosures, Groups, Limits, TestKind};
use data::{Data, Style};
pub use flags::flags_of;
pub(super) use flags::mode_of;
use limits::Ini;
use metadata::{Kind, OTHER};
use points::Told;
pub use programs::{NOT_USED, SOURCE_ENDINGS};
use programs::{
    OUTPUT_FOLDER, OUTPUT_FOLDERS, input_validators, output_validator, the_output_validator,
};
pub use submissions::Expectations;
pub use version::Version;

/// How many ways there are to tell validators about an input that is none of the tests, beside what
/// they are told about all secret ones.
const ARGUMENTS_MAX: usize = 8;

/// Reads what a package says of itself, from the text of its manifest: that of problem.yaml, or of
/// `DOMjudge`'s file where there is nothing else.
pub fn outline(
    root: &Path,
    (text, file): (&str, &Path),
    tree: &Tree,
    defaults: &Limits,
    disclosure: Disclosures,
) -> Result<Outline, Trouble> {
    let (ini_file, is_yaml) = (root.join(DOMJUDGE_INI), file.ends_with(PROBLEM_YAML));
    let yaml = Yaml::read(if is_yaml { text } else { "" }, file)?;
    let has = |name: &str| tree.below("").any(|entry| entry.name() == name);
    let ini = if has(DOMJUDGE_INI) {
        limits::ini(&manifest::read(&ini_file)?)
    } else {
        Ini::new()
    };
    let mut remarks = Remarks::default();
    let version = Version::of(&yaml)?;
    metadata::keys(&yaml, file, version, &mut remarks)?;
    let kind = metadata::kind(&yaml, version)?;
    let is_custom = kind.is_custom || (version != Version::Legacy && has(OUTPUT_FOLDER));
    supported(&ini, &ini_file, is_custom)?;
    let (limits, multipliers) = limits::limits(
        (root, tree),
        (&yaml, version),
        (&ini, &ini_file),
        defaults,
        &mut remarks,
    )?;
    let style = Style::of(tree, version, &mut remarks)?;
    let mut data = data::data(root, tree, (kind.has_points, style), &mut remarks)?;
    let (mode, checker) = comparison(
        (root, tree),
        (&yaml, version),
        kind,
        &mut data,
        &mut remarks,
    )?;
    let gives = (checker.is_some() && kind.gives).then_some(Gives::Points);
    let groups = match style {
        _ if !kind.has_points => Groups::default(),
        Style::TestGroup => {
            test_groups::groups(root, &data.groups, gives.is_some(), &mut data.tests)?
        }
        Style::Testdata => points::groups(root, &data.told, gives.is_some(), &mut data.tests)?,
    };
    let (arguments, other_arguments) = arguments_of_others(&mut data);
    let expected = match style {
        Style::Testdata => None,
        Style::TestGroup => Some(Expectations::read(root, tree, &mut remarks)?),
    };
    Ok(Outline {
        format: Format::Kattis,
        title: metadata::title(root, &yaml, &ini, tree),
        sources: metadata::sources(&yaml),
        io: Io::Stdio,
        limits,
        multipliers,
        time_factors: BTreeMap::new(),
        mode,
        wrong_layout: WrongLayout::Wrong,
        disclosure,
        groups,
        reference: None,
        validators: input_validators(root, tree, &arguments, &mut remarks),
        other_arguments,
        checker,
        judge: None,
        rounds: kind.rounds,
        gives,
        tests: data.tests,
        validation_data: data.validation,
        expected,
        remarks,
    })
}

/// What validators are told about an input that is none of the tests, and what they may be told in
/// its place: what they are told about secret ones, those of the last folder first, which are
/// mostly the largest.
fn arguments_of_others(data: &mut Data) -> (Vec<String>, Vec<Vec<String>>) {
    let mut all: Vec<Vec<String>> = Vec::new();
    let secret = (data.tests.iter().rev()).filter(|test| test.kind == TestKind::Secret);
    for arguments in secret.filter_map(|test| test.arguments.as_ref()) {
        if !all.contains(arguments) && all.len() < ARGUMENTS_MAX {
            all.push(arguments.clone());
        }
    }
    let of_all = data.told.remove("data/secret").unwrap_or_default().input;
    if all.is_empty() || !(of_all.is_empty() || all.contains(&of_all)) {
        all.push(of_all);
    }
    let first = all.remove(0);
    (first, all)
}

/// The values that stand in a package by name; none where its manifest is wrong, of which
/// [`outline`] complains.
pub fn constants(text: &str, file: &Path) -> Constants {
    let yaml = Yaml::read(text, file).ok();
    let yaml =
        yaml.filter(|yaml| Version::of(yaml).is_ok_and(|version| version != Version::Legacy));
    let constants = yaml.and_then(|yaml| Constants::read(&yaml).ok());
    constants.unwrap_or_default()
}

/// The error: `DOMjudge`'s file asks for a program that is not there, or not run.
fn supported(ini: &Ini, ini_file: &Path, is_custom: bool) -> Result<(), Complaint> {
    if let Some((line, runner)) = ini.get("special_run").filter(|(_, name)| !name.is_empty()) {
        let words = format!("`special_run = {runner}`: programs that run others are not supported");
        return Err(Complaint::new(ini_file, words).on(*line).with_help(OTHER));
    }
    if let Some((line, name)) = ini
        .get("special_compare")
        .filter(|(_, name)| !name.is_empty())
        && !is_custom
    {
        let words =
            format!("`special_compare = {name}` names a program that is not in the package");
        let help = "put it into output_validators, write `validation: custom` into problem.yaml, and take the line out";
        return Err(Complaint::new(ini_file, words).on(*line).with_help(help));
    }
    Ok(())
}

/// The arguments of the output validator, where they are the same for every test; else those for
/// hacks, while tests keep their own. Then the error has two folders that differ.
fn told_of_all(
    root: &Path,
    flags: &[String],
    secret: &Told,
    tests: &mut [Found],
) -> (Vec<String>, Result<(), [PathBuf; 2]>) {
    for told in tests.iter_mut().filter_map(|test| test.told.as_mut()) {
        *told = [flags, told].concat();
    }
    let first = tests
        .first()
        .map(|test| (test.folder.clone(), test.told.clone()));
    let (folder, of_first) = first.unwrap_or_default();
    let other = tests.iter().find(|test| test.told != of_first);
    let apart =
        other.map(|test| [&folder, &test.folder].map(|folder| root.join("data").join(folder)));
    let told = of_first.filter(|_| apart.is_none());
    let told = told.unwrap_or_else(|| [flags, &secret.output].concat());
    for test in tests {
        test.told = test.told.take().filter(|own| *own != told);
    }
    (told, apart.map_or(Ok(()), Err))
}

/// Who says whether an output is right: the package's own validator, or a comparison.
fn comparison(
    (root, tree): (&Path, &Tree),
    (yaml, version): (&Yaml<'_>, Version),
    kind: Kind,
    data: &mut Data,
    remarks: &mut Remarks,
) -> Result<(Mode, Option<Part>), Complaint> {
    let flags = yaml.words("validator_flags")?.unwrap_or_default();
    let secret = data.told.get("data/secret").cloned().unwrap_or_default();
    for told in (data.validation.iter_mut()).filter_map(|found| found.told.as_mut()) {
        *told = [&*flags, told].concat();
    }
    let (flags, is_same) = told_of_all(root, &flags, &secret, &mut data.tests);
    let part = if version == Version::Legacy {
        let folder = OUTPUT_FOLDERS.iter();
        let is_there = |name: &&&str| tree.below("").any(|entry| entry.name() == **name);
        match folder.clone().find(is_there) {
            _ if kind.is_custom => Some(output_validator(root, tree, remarks)?),
            Some(folder) => {
                let words = "it is not used: problem.yaml does not say `validation: custom`";
                remarks.add(&root.join(folder), words);
                None
            }
            None => None,
        }
    } else {
        the_output_validator(root, tree, kind.is_custom, remarks)?
    };
    if let Some(part) = part {
        let part = Part {
            protocol: Some(Protocol::Icpc),
            arguments: flags,
            ..part
        };
        return Ok((Mode::Tokens, Some(part)));
    }
    if let Err([first, other]) = is_same {
        let words = format!(
            "outputs would be compared in another way than those of {}",
            first.display()
        );
        let help = "say the same to the output validator for every test; only a package's own can be told another thing in each folder";
        return Err(Complaint::new(other, words).with_help(help));
    }
    match mode_of(&flags) {
        Ok(mode) => Ok((mode, None)),
        Err((message, help)) => Err(match yaml.entries.get("validator_flags") {
            Some(value) => yaml.complaint(value, message, help),
            None => Complaint::new(root.join("data"), message).with_help(help),
        }),
    }
}

#[cfg(test)]
mod tests;

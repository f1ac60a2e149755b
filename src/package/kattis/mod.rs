//! Packages of the Kattis and ICPC format, legacy, with what `DOMjudge` has added: read in place, as
//! they are.
//!
//! What such a package says and is not supported is a complaint when it is read, and what only has
//! no effect here is a remark.

mod data;
mod flags;
mod limits;
mod points;
mod programs;

use std::collections::BTreeMap;
use std::path::Path;

use super::error::Trouble;
use super::format::{DOMJUDGE_INI, Format, PROBLEM_YAML};
use super::manifest::{self, Io, Protocol};
use super::outline::{Outline, Part};
use super::remarks::Remarks;
use super::statement::{statement_in_pdf, title_in_statement};
use super::tree::Tree;
use super::yaml::{Node, Value, Yaml};
use crate::compare::{Mode, WrongLayout};
use crate::domain::{Complaint, Disclosures, Groups, Limits, Rounds};
use crate::util::words::hint;
use data::Data;
use flags::mode_of;
use limits::Ini;
use programs::{OUTPUT_FOLDERS, input_validators, output_validator};

/// Every key of problem.yaml.
const KEYS: [&str; 16] = [
    "problem_format_version",
    "type",
    "name",
    "uuid",
    "author",
    "source",
    "source_url",
    "license",
    "rights_owner",
    "limits",
    "validation",
    "validator_flags",
    "grading",
    "keywords",
    "languages",
    "version",
];
const VERSIONS: [&str; 2] = ["legacy", "legacy-icpc"];

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
    let ini = if tree.below("").any(|entry| entry.name() == DOMJUDGE_INI) {
        limits::ini(&manifest::read(&ini_file)?)
    } else {
        Ini::new()
    };
    let mut remarks = Remarks::default();
    supported(&yaml, &ini, &ini_file)?;
    for key in yaml
        .entries
        .keys()
        .filter(|key| !KEYS.contains(&key.as_str()))
    {
        let hint = hint(key, KEYS);
        remarks.add(file, format!("the key `{key}` is not known{hint}"));
    }
    let (limits, multipliers) = limits::limits(
        (root, tree),
        &yaml,
        (&ini, &ini_file),
        defaults,
        &mut remarks,
    )?;
    let has_points = has_points(&yaml);
    let Data { mut tests, told } = data::data(root, tree, has_points, &mut remarks)?;
    let groups = if has_points {
        grading(&yaml, file, &mut remarks)?;
        let of = |folder: &str| told.get(folder).map(|told| told.grading.clone());
        points::groups(root, |folder| of(folder).unwrap_or_default(), &mut tests)?
    } else {
        Groups::default()
    };
    let output_flags = output_flags(root, &yaml, &told)?;
    if let Some(pdf) = statement_in_pdf(tree) {
        remarks.add(
            &pdf,
            "the statement is a PDF, which pages do not show; give it to students yourself",
        );
    }
    let secret = told.get("data/secret").cloned().unwrap_or_default();
    let validators = input_validators(root, tree, &mut remarks).into_iter();
    let rounds = limits::rounds(&yaml)?;
    let (mode, checker) = comparison(root, &yaml, tree, (output_flags, rounds), &mut remarks)?;
    Ok(Outline {
        format: Format::Kattis,
        title: title(root, &yaml, &ini, tree),
        sources: sources(&yaml),
        io: Io::Stdio,
        limits,
        multipliers,
        time_factors: BTreeMap::new(),
        mode,
        wrong_layout: WrongLayout::Wrong,
        disclosure,
        groups,
        reference: None,
        validators: validators
            .map(|part| Part {
                protocol: Some(Protocol::Icpc),
                arguments: secret.input.clone(),
                ..part
            })
            .collect(),
        checker,
        rounds,
        tests,
        remarks,
    })
}

/// What a value of problem.yaml means that cannot be read here, and the way out.
const UNSUPPORTED: [(&str, &str, &str, &str); 2] = [
    (
        "type",
        "submit-answer",
        "problems in which an output is handed in are not supported",
        OTHER,
    ),
    (
        "validation",
        "score",
        "validators that give points are not supported",
        POINTS,
    ),
];
const POINTS: &str = "write a problem.toml in its place, with [[groups]]";
const OTHER: &str = "take the package out of the problems folder";

/// The error: the package needs something that is not supported here.
fn supported(yaml: &Yaml<'_>, ini: &Ini, ini_file: &Path) -> Result<(), Complaint> {
    if let Some((value, version)) = yaml.get("problem_format_version")
        && !VERSIONS.contains(&version.as_str())
    {
        return Err(yaml.complaint(
            value,
            format!("packages of the format `{version}` are not read"),
            "legacy and legacy-icpc are; or write a problem.toml in its place",
        ));
    }
    for key in ["type", "validation"] {
        let Some(value) = yaml.entries.get(key) else {
            continue;
        };
        let text = yaml.single(key, value)?.unwrap_or_default();
        let words: Vec<&str> = text.split_whitespace().collect();
        for word in &words {
            supported_word(yaml, value, key, word)?;
        }
        // `custom` may be talked with, and either kind may be played in rounds.
        let mut kinds = words.clone();
        kinds.retain(|word| !limits::is_of_rounds(word));
        if kinds.len() > 1 {
            let message = format!("`{key}: {text}`: only one of these words is supported");
            return Err(yaml.complaint(value, message, "take the others out"));
        }
    }
    if let Some((line, runner)) = ini.get("special_run").filter(|(_, name)| !name.is_empty()) {
        let words = format!("`special_run = {runner}`: programs that run others are not supported");
        return Err(Complaint::new(ini_file, words).on(*line).with_help(OTHER));
    }
    let is_custom = yaml
        .get("validation")
        .is_some_and(|(_, text)| text.split_whitespace().any(|word| word == "custom"));
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

fn supported_word(yaml: &Yaml<'_>, value: &Value, key: &str, word: &str) -> Result<(), Complaint> {
    if limits::is_of_rounds(word) {
        return Ok(());
    }
    let known = UNSUPPORTED.iter().filter(|(of, ..)| *of == key);
    let mut known = known.filter(|(_, unsupported, ..)| *unsupported == word);
    if let Some((_, _, what, help)) = known.next() {
        return Err(yaml.complaint(value, format!("`{key}: {word}`: {what}"), *help));
    }
    let words: &[&str] = match key {
        "type" => &["pass-fail", "scoring"],
        _ => &["default", "custom"],
    };
    if words.contains(&word) {
        return Ok(());
    }
    let message = format!("`{key}` cannot be `{word}`");
    Err(yaml.complaint(value, message, format!("it is {}", words.join(" or "))))
}

/// Whether points are given, beside what else `type` says.
fn has_points(yaml: &Yaml<'_>) -> bool {
    let kind = yaml.get("type");
    kind.is_some_and(|(_, kind)| kind.contains("scoring"))
}

/// The error: what `grading` says of all folders at once gives points another meaning.
fn grading(yaml: &Yaml<'_>, file: &Path, remarks: &mut Remarks) -> Result<(), Complaint> {
    for (key, value) in yaml.table("grading")? {
        let text = yaml.single(&format!("grading.{key}"), value)?;
        match (key, text.unwrap_or_default().as_str()) {
            ("objective", "min") => {
                let words = "`objective: min`: problems in which the fewest points are the best are not supported";
                return Err(yaml.complaint(value, words, OTHER));
            }
            ("accept_score" | "reject_score" | "on_reject", _) => {
                let words = format!("`grading.{key}` is not supported: it holds for every folder");
                let help = "say it in the `testdata.yaml` of the folders that it is meant for";
                return Err(yaml.complaint(value, words, help));
            }
            ("objective" | "range" | "show_test_data_groups", _) => {}
            _ => remarks.add(file, format!("the key `grading.{key}` is not known")),
        }
    }
    Ok(())
}

/// What the output validator is told, which has to be the same for every test.
fn output_flags(
    root: &Path,
    yaml: &Yaml<'_>,
    told: &BTreeMap<String, data::Told>,
) -> Result<Vec<String>, Complaint> {
    let mut flags = yaml.words("validator_flags")?.unwrap_or_default();
    let mut folders = told.iter().filter(|(folder, _)| folder.as_str() != "data");
    let Some((first, of_first)) = folders.next() else {
        return Ok(flags);
    };
    if let Some((other, _)) = folders.find(|(_, told)| told.output != of_first.output) {
        let words = format!("`output_validator_flags` are not the same for {first} and {other}");
        let help = "output validators that are told another thing in each folder are not supported: write the flags into problem.yaml, as `validator_flags`";
        return Err(Complaint::new(root.join(other), words).with_help(help));
    }
    flags.extend(of_first.output.iter().cloned());
    Ok(flags)
}

/// Who says whether an output is right: the package's own validator, or a comparison.
fn comparison(
    root: &Path,
    yaml: &Yaml<'_>,
    tree: &Tree,
    (flags, rounds): (Vec<String>, Rounds),
    remarks: &mut Remarks,
) -> Result<(Mode, Option<Part>), Complaint> {
    let validation = yaml.get("validation").map(|(_, text)| text);
    let is_custom =
        validation.is_some_and(|text| text.split_whitespace().any(|word| word == "custom"));
    if is_custom || rounds.is_talk() {
        let part = Part {
            protocol: Some(Protocol::Icpc),
            arguments: flags,
            ..output_validator(root, tree, remarks)?
        };
        return Ok((Mode::Tokens, Some(part)));
    }
    if let Some(entry) = tree
        .below("")
        .find(|entry| OUTPUT_FOLDERS.contains(&entry.name()))
    {
        let words = "it is not used: problem.yaml does not say `validation: custom`";
        remarks.add(&entry.file, words);
    }
    match mode_of(&flags) {
        Ok(mode) => Ok((mode, None)),
        Err((message, help)) => Err(match yaml.entries.get("validator_flags") {
            Some(value) => yaml.complaint(value, message, help),
            None => Complaint::new(root.join("data"), message).with_help(help),
        }),
    }
}

/// Its name: that of problem.yaml, in English where there are several; else `DOMjudge`'s, or the one
/// in the statement; else its folder's.
fn title(root: &Path, yaml: &Yaml<'_>, ini: &Ini, tree: &Tree) -> String {
    let of_yaml = match yaml.entries.get("name").map(|value| (value, &value.value)) {
        Some((_, Node::Map(names))) => {
            let name = names.get("en").or_else(|| names.values().next());
            name.and_then(|value| yaml.text(value))
        }
        Some((value, _)) => yaml.text(value),
        None => None,
    };
    let given = of_yaml.or_else(|| ini.get("name").map(|(_, name)| name.clone()));
    let given = given.filter(|name| !name.trim().is_empty());
    given
        .or_else(|| title_in_statement(tree))
        .unwrap_or_else(|| {
            let name = root.file_name().unwrap_or_default();
            name.to_string_lossy().into_owned()
        })
}

/// Where it comes from, who wrote it, and under which license it may be used.
fn sources(yaml: &Yaml<'_>) -> Vec<String> {
    let lines = [("source", ""), ("author", "by "), ("license", "license: ")];
    let lines = lines.into_iter().filter_map(|(key, before)| {
        let (_, text) = yaml.get(key)?;
        (!text.trim().is_empty()).then(|| format!("{before}{text}"))
    });
    lines.collect()
}

#[cfg(test)]
mod tests;

//! What problem.yaml says of a package as a whole: what kind of problem it is, what it is called,
//! where it comes from.

use std::path::Path;

use super::super::constants::Constants;
use super::super::remarks::Remarks;
use super::super::statement::title_in_statement;
use super::super::tree::Tree;
use super::super::yaml::{Node, Value, Yaml};
use super::super::zipped::name_of;
use super::limits::{self, Ini};
use super::version::Version;
use crate::domain::{Complaint, Rounds};
use crate::util::words::hint;

/// Every key of problem.yaml in `legacy`, and since the draft.
const LEGACY_KEYS: &str = "problem_format_version type name uuid author source source_url license rights_owner limits validation validator_flags grading keywords languages version";
const KEYS: &str = "problem_format_version type name uuid version credits source license rights_owner embargo_until limits keywords languages allow_file_writing constants";
/// Keys of `legacy` that decide verdicts, and have gone since.
const GONE: [&str; 3] = ["validation", "validator_flags", "grading"];

/// What kind of problem it is.
#[derive(Debug, Clone, Copy)]
pub struct Kind {
    pub has_points: bool,
    /// Whether an output validator has to be there.
    pub is_custom: bool,
    /// Whether that says what a test brings.
    pub gives: bool,
    pub rounds: Rounds,
}

/// A type of problem that cannot be read here.
const SUBMIT_ANSWER: &str = "submit-answer";
/// What the validator does beside saying what is right.
const SCORE: &str = "score";
pub const OTHER: &str = "take the package out of the problems folder";

/// Keys that mean nothing in this version, and what has no effect here. The error: one of them
/// decides verdicts in another version, or asks for what is not supported.
pub fn keys(
    yaml: &Yaml<'_>,
    file: &Path,
    version: Version,
    remarks: &mut Remarks,
) -> Result<(), Complaint> {
    let keys = match version {
        Version::Legacy => LEGACY_KEYS,
        Version::Draft | Version::Latest => KEYS,
    };
    for (key, value) in &yaml.entries {
        if keys.split(' ').any(|known| known == key) {
            continue;
        }
        if GONE.contains(&key.as_str()) {
            let words = format!("`{key}` is a key of the format legacy, and not of this one");
            let help = "an output validator is used where there is one, `type` says whether it talks, and test_group.yaml has `output_validator_args` and points";
            return Err(yaml.complaint(value, words, help));
        }
        let hint = hint(key, keys.split(' '));
        remarks.add(file, format!("the key `{key}` is not known{hint}"));
    }
    if version == Version::Legacy {
        return grading(yaml, file, remarks);
    }
    Constants::read(yaml)?;
    if let Some(value) = yaml.entries.get("languages")
        && yaml.text(value).as_deref() != Some("all")
    {
        let words = "`languages` is not used: programs are judged in every language of the course";
        remarks.add(file, words);
    }
    Ok(())
}

/// The error: what `grading` says of all folders at once gives points another meaning.
fn grading(yaml: &Yaml<'_>, file: &Path, remarks: &mut Remarks) -> Result<(), Complaint> {
    let has_points = yaml
        .get("type")
        .is_some_and(|(_, kind)| kind.contains("scoring"));
    for (key, value) in yaml.table("grading")?.into_iter().filter(|_| has_points) {
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

/// What kind of problem it is. The error: it is one that is not supported.
pub fn kind(yaml: &Yaml<'_>, version: Version) -> Result<Kind, Complaint> {
    let mut all = Vec::new();
    for key in ["type", "validation"] {
        let Some(value) = yaml.entries.get(key) else {
            continue;
        };
        let words = match (version, &value.value) {
            (Version::Draft | Version::Latest, Node::List(_)) => yaml.strings(key, value)?,
            _ => yaml.words(key)?.unwrap_or_default(),
        };
        for word in &words {
            supported_word(yaml, value, key, word)?;
        }
        // `custom` may be talked with and give points, and either kind may be played in rounds.
        let plain = |word: &&String| !limits::is_of_rounds(word) && *word != SCORE;
        if words.iter().filter(plain).count() > 1 {
            let text = words.join(" ");
            let message = format!("`{key}: {text}`: only one of these words is supported");
            return Err(yaml.complaint(value, message, "take the others out"));
        }
        all.extend(words);
    }
    let rounds = limits::rounds(yaml, &all)?;
    let says = |word: &str| all.iter().any(|one| one == word);
    // Since the draft every one may give points.
    let gives = says(SCORE) || version != Version::Legacy;
    Ok(Kind {
        has_points: says("scoring"),
        is_custom: says("custom") || says(SCORE) || rounds.is_talk(),
        gives: gives && says("scoring"),
        rounds,
    })
}

fn supported_word(yaml: &Yaml<'_>, value: &Value, key: &str, word: &str) -> Result<(), Complaint> {
    if limits::is_of_rounds(word) {
        return Ok(());
    }
    if word == SUBMIT_ANSWER && key == "type" {
        let words = "problems in which an output is handed in are not supported";
        return Err(yaml.complaint(value, format!("`{key}: {word}`: {words}"), OTHER));
    }
    let words: &[&str] = match key {
        "type" => &["pass-fail", "scoring"],
        _ => &["default", "custom", SCORE],
    };
    if words.contains(&word) {
        return Ok(());
    }
    let message = format!("`{key}` cannot be `{word}`");
    Err(yaml.complaint(value, message, format!("it is {}", words.join(" or "))))
}

/// Its name: that of problem.yaml, in English where there are several; else `DOMjudge`'s, or the one
/// in the statement; else that of its folder or zip file.
pub fn title(root: &Path, yaml: &Yaml<'_>, ini: &Ini, tree: &Tree) -> String {
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
    let given = given.or_else(|| title_in_statement(tree));
    given.unwrap_or_else(|| name_of(root))
}

/// Where it comes from, who wrote it, and under which license it may be used.
pub fn sources(yaml: &Yaml<'_>) -> Vec<String> {
    let lines = [
        ("source", ""),
        ("author", "by "),
        ("credits", "by "),
        ("license", "license: "),
    ];
    let lines = lines.into_iter().filter_map(|(key, before)| {
        let names = names(yaml, yaml.entries.get(key)?).join(", ");
        (!names.trim().is_empty()).then(|| format!("{before}{names}"))
    });
    lines.collect()
}

/// The names of people or of sources: one or a list, each a text, or keys of which `name` is one;
/// or those of the authors among people.
fn names(yaml: &Yaml<'_>, value: &Value) -> Vec<String> {
    match &value.value {
        Node::List(list) => list.iter().flat_map(|one| names(yaml, one)).collect(),
        Node::Map(keys) => {
            let inner = keys.get("name").or_else(|| keys.get("authors"));
            inner.map_or(Vec::new(), |inner| names(yaml, inner))
        }
        _ => yaml.text(value).into_iter().collect(),
    }
}

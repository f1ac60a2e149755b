//! Packages of DMOJ: init.yml and the tests that it lists.

use std::collections::BTreeMap;

use super::super::yaml::{Node, Value, Yaml};
use super::package::{MANIFEST_BYTES_MAX, Package, ending_of};
use super::problem::{Content, Done, Problem};
use crate::domain::{Complaint, Scoring};

pub const FILE: &str = "init.yml";
const LIST: &str = "list the tests under `test_cases`, each with `in` and `out`";
const MADE: &str = "tests that are made when they are judged are not supported";
const GRADER: &str = "what is compiled with students' programs is not supported";
const TALKS: &str = "judges and interactors of DMOJ are not supported";
const BRIDGED: &str = "it is not called as testlib's are, or has flags or several sources";
const LIMITS: &str = "limits and programs are not in it; [limits] of problem.toml are the course's";
const PARTS: &str = "whether some of the tests bring points is set on the site: here they do";
const LINES: &str = "line breaks count for `standard`; here white space only separates words";
/// Keys that are read, or mean nothing here.
#[rustfmt::skip]
const KEYS: [&str; 10] = [
    "archive", "checker", "custom_judge", "generator", "hints", "interactive", "meta", "points",
    "test_cases", "unbuffered",
];

type Keys = BTreeMap<String, Value>;

/// Reads a package, which is called as its folder is.
pub fn read(from: &mut Package<'_>, name: &str) -> Result<Problem, Complaint> {
    let (text, file) = (from.text(FILE, MANIFEST_BYTES_MAX)?, from.root().join(FILE));
    let yaml = &Yaml::read(&text, &file)?;
    if let Some(grader) = yaml.entries.get("signature_grader") {
        return Err(yaml.complaint(grader, GRADER, "take another problem"));
    }
    if let Some((_, path)) = yaml.get("archive") {
        from.attach(&path)?;
    }
    let mut to = Problem::new(&from.root(), name, name);
    to.leave_out(FILE, LIMITS);
    to.leave_out(FILE, PARTS);
    to.leave_keys(FILE, &yaml.entries, &KEYS);
    checker(from, &mut to, yaml)?;
    cases(from, &mut to, yaml)?;
    let talks = yaml.entries.get("custom_judge");
    if talks.or(yaml.entries.get("interactive")).is_some() {
        to.lack("interactor", FILE, TALKS);
    }
    Ok(to)
}

fn keys_of(value: &Value) -> Option<&Keys> {
    match &value.value {
        Node::Map(keys) => Some(keys),
        _ => None,
    }
}

fn list_of(value: Option<&Value>) -> &[Value] {
    match value.map(|value| &value.value) {
        Some(Node::List(list)) => list,
        _ => value.map_or(&[], std::slice::from_ref),
    }
}

/// What the first of these says of a key: what stands further out holds for all within it.
fn get<'v>(yaml: &Yaml<'_>, key: &str, scopes: &[&'v Keys]) -> Option<(&'v Value, String)> {
    let value = scopes.iter().find_map(|keys| keys.get(key))?;
    Some((value, yaml.text(value)?))
}

fn cases(from: &Package<'_>, to: &mut Problem, yaml: &Yaml<'_>) -> Done {
    let mut batches: Vec<String> = Vec::new();
    let cases = yaml.entries.get("test_cases");
    if let Some(cases) = cases.filter(|cases| !matches!(cases.value, Node::List(_))) {
        return Err(yaml.complaint(cases, "tests found by patterns are not read", LIST));
    }
    let wrong = |value: &Value| yaml.complaint(value, "this cannot be read", LIST);
    for case in list_of(cases) {
        let keys = keys_of(case).ok_or_else(|| wrong(case))?;
        let points = get(yaml, "points", &[keys, &yaml.entries]);
        let points = points.map_or(Ok(1.0), |(value, text)| {
            text.parse().map_err(|_| wrong(value))
        })?;
        // What brings no points is a condition for all that follows.
        let pretests = to.groups.iter().filter(|group| group.points <= 0.0);
        let mut needs: Vec<String> = pretests.map(|group| group.name.clone()).collect();
        let Some(batch) = keys.get("batched") else {
            let name = format!("pretest-{}", to.groups.len() + 1);
            let group = if points > 0.0 {
                to.alone(points, needs)?
            } else {
                to.group(&name, 0.0, Scoring::All, needs)?
            };
            test(from, to, yaml, (case, &[keys, &yaml.entries], &group))?;
            continue;
        };
        for needed in list_of(keys.get("dependencies")) {
            let number = yaml
                .text(needed)
                .and_then(|text| text.parse::<usize>().ok());
            let name = number.and_then(|number| batches.get(number.checked_sub(1)?));
            needs.push(name.ok_or_else(|| wrong(needed))?.clone());
        }
        let name = format!("batch-{}", batches.len() + 1);
        for case in list_of(Some(batch)) {
            let inner = keys_of(case).ok_or_else(|| wrong(case))?;
            test(from, to, yaml, (case, &[inner, keys, &yaml.entries], &name))?;
        }
        batches.push(to.group(&name, points, Scoring::All, needs)?);
    }
    Ok(())
}

fn test(
    from: &Package<'_>,
    to: &mut Problem,
    yaml: &Yaml<'_>,
    (case, scopes, group): (&Value, &[&Keys], &str),
) -> Done {
    let has = |key: &str| scopes.iter().any(|keys| keys.contains_key(key));
    if has("generator_args") || has("generator_in") || (has("generator") && !has("in")) {
        return Err(yaml.complaint(case, MADE, "write them into files, as `in` and `out`"));
    }
    if scopes[0].contains_key("checker") {
        to.lack("checker", FILE, "single tests have checkers of their own");
    }
    let [input, answer] = ["in", "out"].map(|key| match get(yaml, key, scopes) {
        // What is not named is empty there.
        None => Ok(Content::Bytes(Vec::new())),
        Some((_, path)) if from.has(&path) => Ok(Content::File(path)),
        Some((value, _)) => Err(yaml.complaint(value, "it is not in the package", "put it there")),
    });
    let name = (to.tests.len() + 1).to_string();
    to.test(&name, false, group, &(input?, Some(answer?)))
}

fn checker(from: &mut Package<'_>, to: &mut Problem, yaml: &Yaml<'_>) -> Done {
    let none = Keys::new();
    let checker = yaml.entries.get("checker");
    let keys = checker.and_then(keys_of);
    let arguments = keys
        .and_then(|keys| keys_of(keys.get("args")?))
        .unwrap_or(&none);
    let name = keys
        .map_or(checker, |keys| keys.get("name"))
        .map(|name| yaml.text(name));
    let said =
        |key, usual: &str| get(yaml, key, &[arguments]).map_or(usual.into(), |(_, text)| text);
    match name.flatten().as_deref() {
        None if checker.is_none() => to.leave_out(FILE, LINES),
        Some("standard") => to.leave_out(FILE, LINES),
        Some("identical") => to.set("compare.mode", "exact"),
        Some("rstripped") => to.set("compare.mode", "lines"),
        Some("floats") => {
            let by: &[&str] = match said("error_mode", "default").as_str() {
                "default" => &["absolute", "relative"],
                "absolute" => &["absolute"],
                "relative" => &["relative"],
                _ => &[],
            };
            match format!("1e-{}", said("precision", "6")).parse() {
                Ok(error) if !by.is_empty() => to.compare_numbers(error, by),
                _ => to.lack("checker", FILE, "what `floats` is told cannot be read"),
            }
        }
        Some("bridged") => {
            let files = list_of(arguments.get("files"))
                .iter()
                .filter_map(|file| yaml.text(file));
            let (headers, sources): (Vec<_>, Vec<_>) =
                files.partition(|file| ending_of(file) == "h");
            let is_told = ["args_format_string", "flags"]
                .iter()
                .any(|key| arguments.contains_key(*key));
            let is_known = ["default", "testlib"].contains(&said("type", "default").as_str());
            match sources.as_slice() {
                [source] if is_known && !is_told => {
                    let there = from.program(to, (source, &headers), "output_validator")?;
                    to.set("checker", there);
                    to.set("protocol", "testlib");
                }
                _ => to.lack("checker", FILE, BRIDGED),
            }
        }
        other => {
            let name = other.unwrap_or_default();
            to.lack(
                "checker",
                FILE,
                format!("the checker `{name}` has no counterpart"),
            );
        }
    }
    Ok(())
}

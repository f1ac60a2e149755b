//! Packages of DMOJ: init.yml and the tests that it lists.

use std::collections::{BTreeMap, BTreeSet};

use super::super::yaml::{Node, Value, Yaml};
use super::package::{ABSENT, MANIFEST_BYTES_MAX, Package};
use super::problem::{Content, LineEnds, Problem, Read};
use crate::domain::is_header;
use crate::util::words::listed;

pub const FILE: &str = "init.yml";
const LIST: &str = "list the tests under `test_cases`, each with `in` and `out`";
const MADE: &str = "tests that are made when they are judged are not supported";
const GRADER: &str = "what is compiled with students' programs is not supported";
const TALKS: &str = "judges and interactors of DMOJ are not supported";
const BRIDGED: &str = "it is not called as testlib's are, or has flags or several sources";
const LIMITS: &str = "limits are not in it; [limits] of problem.toml are the course's";
const PARTS: &str = "whether some of the tests bring points is set on the site: here they do";
/// That of `standard` and of CMS.
pub const LINES: &str = "line breaks count there; here white space only separates words";
const ENDS: &str = "empty lines at the end of an output count there, and not here";
/// Keys that are read, or mean nothing here.
#[rustfmt::skip]
const KEYS: [&str; 18] = [
    "archive", "checker", "custom_judge", "generator", "hints", "interactive", "meta", "points",
    "test_cases", "pretest_test_cases", "unbuffered", "binary_data", "in", "out", "batched",
    "dependencies", "generator_args", "generator_in",
];

/// Files that are named.
const OTHERS_MAX: usize = 20;

type Keys = BTreeMap<String, Value>;

pub fn read(from: &mut Package, name: &str) -> Read<Problem> {
    let (text, file) = (from.text(FILE, MANIFEST_BYTES_MAX)?, from.root().join(FILE));
    let yaml = &Yaml::read(&text, &file)?;
    if let Some(grader) = yaml.entries.get("signature_grader") {
        return Err(yaml.complaint(grader, GRADER, "take another problem"));
    }
    let archive = yaml.get("archive").map(|(_, path)| path);
    if let Some(path) = &archive {
        from.attach(path)?;
    }
    let mut to = Problem::new(from.root(), name, name);
    let binary = yaml.get("binary_data").map(|(_, text)| text.to_lowercase());
    to.line_ends = match binary.as_deref() {
        Some("true" | "yes" | "on") => LineEnds::Kept,
        _ => LineEnds::Always,
    };
    to.leave_out(FILE, LIMITS);
    to.leave_out(FILE, PARTS);
    checker(from, &mut to, yaml)?;
    let talks = yaml.entries.get("custom_judge");
    if talks.or(yaml.entries.get("interactive")).is_some() {
        to.lack("interactor", FILE, TALKS);
    }
    cases(from, &mut to, yaml)?;
    let mut others = from.files("");
    others.retain(|path| path != FILE && Some(path) != archive.as_ref() && !to.takes(path));
    if !others.is_empty() {
        let words = format!("nothing here reads these: {}", listed(others, OTHERS_MAX));
        to.leave_out("", words);
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

fn cases(from: &Package, to: &mut Problem, yaml: &Yaml<'_>) -> Read<()> {
    let (root, mut batches) = (&yaml.entries, 0);
    let mut keys: BTreeSet<&String> = root.keys().collect();
    let wrong = |value: &Value| yaml.complaint(value, "this cannot be read", LIST);
    let cases = root.get("test_cases");
    if let Some(cases) = cases.filter(|cases| keys_of(cases).is_some()) {
        return Err(yaml.complaint(cases, "tests found by patterns are not read", LIST));
    }
    for key in ["pretest_test_cases", "test_cases"] {
        for case in list_of(root.get(key)) {
            let of_case = keys_of(case).ok_or_else(|| wrong(case))?;
            keys.extend(of_case.keys());
            let points = match get(yaml, "points", &[of_case, root]) {
                _ if key != "test_cases" => 0.0,
                None => 1.0,
                Some((value, text)) => text.parse().map_err(|_| wrong(value))?,
            };
            // What brings no points is a condition for all that follows.
            let pretests = to.groups.iter().filter(|group| group.points <= 0.0);
            let mut needs: Vec<String> = pretests.map(|group| group.of.clone()).collect();
            let Some(batch) = of_case.get("batched") else {
                let name = format!("pretest-{}", to.groups.len() + 1);
                let group = match points {
                    some if some > 0.0 => to.part("part", some, needs),
                    _ => to.group(&name, 0.0, needs),
                };
                test(from, to, yaml, (case, &[of_case, root], group))?;
                continue;
            };
            for needed in list_of(of_case.get("dependencies")) {
                let name = format!("batch-{}", yaml.text(needed).unwrap_or_default());
                if to.groups.iter().all(|group| group.of != name) {
                    return Err(wrong(needed));
                }
                needs.push(name);
            }
            batches += 1;
            let group = to.group(&format!("batch-{batches}"), points, needs);
            for case in list_of(Some(batch)) {
                let inner = keys_of(case).ok_or_else(|| wrong(case))?;
                keys.extend(inner.keys());
                let scopes = &[inner, of_case, root];
                test(from, to, yaml, (case, scopes, group.clone()))?;
            }
        }
    }
    to.leave_keys(FILE, &keys, &KEYS);
    Ok(())
}

fn test(
    from: &Package,
    to: &mut Problem,
    yaml: &Yaml<'_>,
    (case, scopes, group): (&Value, &[&Keys], String),
) -> Read<()> {
    let has = |key: &str| scopes.iter().any(|keys| keys.contains_key(key));
    if has("generator_args") || has("generator_in") || (has("generator") && !has("in")) {
        return Err(yaml.complaint(case, MADE, "write them into files, as `in` and `out`"));
    }
    let mut inner = scopes[..scopes.len() - 1].iter();
    if inner.any(|keys| keys.contains_key("checker")) {
        to.lack("checker", FILE, "single tests have checkers of their own");
    }
    let [input, answer] = ["in", "out"].map(|key| match get(yaml, key, scopes) {
        // What is not named is empty there.
        None => Ok(Content::Bytes(Vec::new())),
        Some((_, path)) if from.has(&path) => Ok(Content::File(path)),
        // Whoever talks with a program may know what is right.
        Some(_) if key == "out" && to.toml.contains_key("interactor") => {
            Ok(Content::Bytes(Vec::new()))
        }
        Some((value, _)) => Err(yaml.complaint(value, ABSENT, "put it there")),
    });
    let path = format!("secret/{}", to.tests.len() + 1);
    to.test(path, group, (input?, Some(answer?)));
    Ok(())
}

fn checker(from: &mut Package, to: &mut Problem, yaml: &Yaml<'_>) -> Read<()> {
    let none = Keys::new();
    let checker = yaml.entries.get("checker");
    let keys = checker.and_then(keys_of);
    let arguments = keys.and_then(|keys| keys_of(keys.get("args")?));
    let arguments = arguments.unwrap_or(&none);
    let name = keys.map_or(checker, |keys| keys.get("name"));
    let name = name.and_then(|name| yaml.text(name)).unwrap_or_default();
    let said = |key| get(yaml, key, &[arguments]).map(|(_, text)| text);
    match name.as_str() {
        "" if checker.is_none() => to.leave_out(FILE, LINES),
        "standard" => to.leave_out(FILE, LINES),
        "identical" => to.set("compare.mode", "exact"),
        "rstripped" if arguments.is_empty() => {
            to.set("compare.mode", "lines");
            to.leave_out(FILE, ENDS);
        }
        "floats" | "floatsabs" | "floatsrel" => {
            let mode = said("error_mode").unwrap_or_default();
            let by: &[&str] = match (&*name, &*mode) {
                ("floatsabs", _) | (_, "absolute") => &["absolute"],
                ("floatsrel", _) | (_, "relative") => &["relative"],
                (_, "" | "default") => &["absolute", "relative"],
                _ => &[],
            };
            let precision = said("precision").unwrap_or("6".to_owned());
            match format!("1e-{precision}").parse() {
                Ok(error) if !by.is_empty() => to.compare_numbers(error, by),
                _ => to.lack("checker", FILE, "what `floats` is told cannot be read"),
            }
            to.leave_out(FILE, LINES);
        }
        "bridged" => {
            let files = list_of(arguments.get("files")).iter();
            let mut sources: Vec<_> = files.filter_map(|file| yaml.text(file)).collect();
            sources.retain(|file| !is_header(file));
            let others = ["args_format_string", "flags"];
            let is_told = others.iter().any(|key| arguments.contains_key(*key));
            let kind = said("type").unwrap_or_default();
            let is_known = ["", "default", "testlib"].contains(&&*kind);
            match sources.as_slice() {
                [source] if is_known && !is_told => {
                    from.program(to, source, "checker", "output_validator")?;
                }
                _ => to.lack("checker", FILE, BRIDGED),
            }
        }
        other => {
            let reason = format!("the checker `{other}` has no counterpart");
            to.lack("checker", FILE, reason);
        }
    }
    Ok(())
}

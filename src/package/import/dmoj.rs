//! Packages of DMOJ: init.yml and the tests that it lists.

use std::collections::BTreeMap;

use super::super::yaml::{Node, Value, Yaml};
use super::package::Package;
use super::problem::{Content, Problem};
use crate::domain::{Complaint, Scoring};

pub const FILE: &str = "init.yml";
const LIST: &str = "list the tests under `test_cases`, each with `in` and `out`";
const MADE: &str = "tests that are made when they are judged are not supported";
const FILES: &str = "write what the generator makes into files, as `in` and `out`";
const LIMITS: &str =
    "limits are not in the package: the course's hold, until problem.toml has [limits]";
const PARTS: &str = "whether some of the tests bring points is set on the site: here they do";
const LINES: &str =
    "line breaks count for the checker `standard`; here white space only separates words";
const BRIDGED: &str = "the checker is not called as testlib's are, or has flags or several sources";
/// Keys that are read, or mean nothing here.
#[rustfmt::skip]
const KEYS: [&str; 10] = [
    "archive", "checker", "custom_judge", "generator", "hints", "interactive", "meta", "points",
    "test_cases", "unbuffered",
];

type Keys = BTreeMap<String, Value>;

/// Reads a package.
pub fn read(package: &mut Package, name: &str) -> Result<Problem, Complaint> {
    let (text, file) = (package.text(FILE)?, package.root().join(FILE));
    let yaml = Yaml::read(&text, &file)?;
    if let Some(grader) = yaml.entries.get("signature_grader") {
        let message = "what is compiled with students' programs is not supported";
        return Err(yaml.complaint(grader, message, "take another problem"));
    }
    if let Some((_, path)) = yaml.get("archive") {
        package.attach(&path)?;
    }
    let mut problem = Problem::new(&package.root(), name, name);
    problem.leave_out(FILE, LIMITS);
    problem.leave_out(FILE, PARTS);
    problem.leave_keys(FILE, &yaml.entries, &KEYS);
    let yaml = &yaml;
    let mut reader = Reader {
        yaml,
        package,
        problem,
    };
    reader.checker()?;
    reader.cases()?;
    if ["custom_judge", "interactive"]
        .iter()
        .any(|key| yaml.entries.contains_key(*key))
    {
        reader.problem.lack(
            "interactor",
            FILE,
            "judges and interactors of DMOJ are not supported",
        );
    }
    Ok(reader.problem)
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

struct Reader<'a> {
    yaml: &'a Yaml<'a>,
    package: &'a mut Package,
    problem: Problem,
}

impl Reader<'_> {
    /// What the first of these says of a key: what stands further out holds for all within it.
    fn get<'v>(&self, key: &str, scopes: &[&'v Keys]) -> Option<(&'v Value, String)> {
        let value = scopes.iter().find_map(|keys| keys.get(key))?;
        Some((value, self.yaml.text(value)?))
    }

    fn cases(&mut self) -> Result<(), Complaint> {
        let (yaml, mut batches) = (self.yaml, Vec::new());
        let cases = yaml.entries.get("test_cases");
        if let Some(pattern) = cases.filter(|cases| !matches!(cases.value, Node::List(_))) {
            return Err(yaml.complaint(pattern, "tests found by patterns are not read", LIST));
        }
        for case in list_of(cases) {
            let wrong = |value, what| yaml.complaint(value, format!("{what} cannot be read"), LIST);
            let keys = keys_of(case).ok_or_else(|| wrong(case, "the test"))?;
            let points = self.get("points", &[keys, &yaml.entries]);
            let points = points.map_or(Ok(1.0), |(value, text)| {
                text.parse().map_err(|_| wrong(value, "`points`"))
            })?;
            // What brings no points is a condition for all that follows.
            let pretests = self
                .problem
                .groups
                .iter()
                .filter(|group| group.points <= 0.0);
            let mut needs: Vec<String> = pretests.map(|group| group.name.clone()).collect();
            let Some(batch) = keys.get("batched") else {
                let number = self.problem.groups.len() + 1;
                let group = match points > 0.0 {
                    true => self.problem.alone(points, needs),
                    false => {
                        self.problem
                            .group(&format!("pretest-{number}"), 0.0, Scoring::All, needs)
                    }
                };
                self.test(&[keys, &yaml.entries], case, &group)?;
                continue;
            };
            for needed in list_of(keys.get("dependencies")) {
                let number = yaml
                    .text(needed)
                    .and_then(|text| text.parse::<usize>().ok()?.checked_sub(1));
                let name = number.and_then(|number| batches.get(number));
                needs.push(String::clone(
                    name.ok_or_else(|| wrong(needed, "the number of a batch before it"))?,
                ));
            }
            let name = format!("batch-{}", batches.len() + 1);
            batches.push(self.problem.group(&name, points, Scoring::All, needs));
            for case in list_of(Some(batch)) {
                let inner = keys_of(case).ok_or_else(|| wrong(case, "the test"))?;
                self.test(&[inner, keys, &yaml.entries], case, &name)?;
            }
        }
        Ok(())
    }

    fn test(&mut self, scopes: &[&Keys], case: &Value, group: &str) -> Result<(), Complaint> {
        let has = |key: &str| scopes.iter().any(|keys| keys.contains_key(key));
        if has("generator_args") || has("generator_in") || (has("generator") && !has("in")) {
            return Err(self.yaml.complaint(case, MADE, FILES));
        }
        if scopes[0].contains_key("checker") {
            self.problem
                .lack("checker", FILE, "single tests have checkers of their own");
        }
        let [input, answer] = ["in", "out"].map(|key| match self.get(key, scopes) {
            // What is not named is empty there.
            None => Ok(Content::Bytes(Vec::new())),
            Some((_, path)) if self.package.has(&path) => Ok(Content::File(path)),
            Some((value, _)) => {
                Err(self
                    .yaml
                    .complaint(value, "this file is not in the package", "put it there"))
            }
        });
        let name = (self.problem.tests.len() + 1).to_string();
        self.problem
            .test(&name, false, Some(group), (input?, Some(answer?)));
        Ok(())
    }

    fn checker(&mut self) -> Result<(), Complaint> {
        let (checker, none) = (self.yaml.entries.get("checker"), Keys::new());
        let keys = checker.and_then(keys_of);
        let name = keys.map_or(checker, |keys| keys.get("name"));
        let name = name.map_or(Some("standard".to_owned()), |name| self.yaml.text(name));
        let arguments = keys
            .and_then(|keys| keys_of(keys.get("args")?))
            .unwrap_or(&none);
        let argument = |key| {
            self.get(key, &[arguments])
                .map_or(String::new(), |(_, text)| text)
        };
        match name.unwrap_or_default().as_str() {
            "standard" => self.problem.leave_out(FILE, LINES),
            "identical" => self.problem.set("compare.mode", "exact"),
            "rstripped" => self.problem.set("compare.mode", "lines"),
            "floats" => {
                let digits = Some(argument("precision")).filter(|text| !text.is_empty());
                let error = format!("1e-{}", digits.unwrap_or("6".to_owned()))
                    .parse()
                    .ok();
                match (error, argument("error_mode").as_str()) {
                    (Some(_), "" | "default") => self.problem.compare_numbers(error, error),
                    (Some(_), "absolute") => self.problem.compare_numbers(error, None),
                    (Some(_), "relative") => self.problem.compare_numbers(None, error),
                    _ => self.problem.lack(
                        "checker",
                        FILE,
                        "the arguments of `floats` cannot be read",
                    ),
                }
            }
            "bridged" => {
                let files = list_of(arguments.get("files"))
                    .iter()
                    .filter_map(|file| self.yaml.text(file));
                let (headers, sources): (Vec<_>, Vec<_>) =
                    files.partition(|file| file.ends_with(".h"));
                let is_plain = !["args_format_string", "flags"]
                    .iter()
                    .any(|key| arguments.contains_key(*key));
                let is_plain =
                    is_plain && ["", "default", "testlib"].contains(&argument("type").as_str());
                let [source] = sources.as_slice() else {
                    self.problem.lack("checker", FILE, BRIDGED);
                    return Ok(());
                };
                if !is_plain {
                    self.problem.lack("checker", FILE, BRIDGED);
                    return Ok(());
                }
                let there = self.package.program(
                    &mut self.problem,
                    (source, &headers),
                    "output_validator",
                )?;
                self.problem.set("checker", there);
                self.problem.set("protocol", "testlib");
            }
            other => self.problem.lack(
                "checker",
                FILE,
                format!("the checker `{other}` has no counterpart"),
            ),
        }
        Ok(())
    }
}

//! Packages of DMOJ: init.yml and the tests that it lists.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::super::manifest::Protocol;
use super::super::yaml::{Node, Value, Yaml};
use super::package::Package;
use super::problem::{Content, Group, Problem, Test};
use crate::domain::{Complaint, Scoring};

pub const FILE: &str = "init.yml";
const LIST: &str = "list the tests under `test_cases`, each with `in` and `out`";
/// Keys that are read, or that say how DMOJ runs programs.
const KEYS: [&str; 11] = [
    "archive",
    "checker",
    "custom_judge",
    "file_io",
    "generator",
    "hints",
    "interactive",
    "meta",
    "points",
    "test_cases",
    "unbuffered",
];

type Keys = BTreeMap<String, Value>;

/// Reads a package.
pub fn read(package: &mut Package) -> Result<Problem, Complaint> {
    let file = package.place(FILE);
    let text = package.text(FILE)?;
    let yaml = Yaml::read(&text, &file)?;
    if let Some(grader) = yaml.entries.get("signature_grader") {
        let message = "what is compiled with the programs of students is not supported";
        return Err(yaml.complaint(grader, message, "take another problem"));
    }
    if let Some((_, path)) = yaml.get("archive") {
        package.attach(&path)?;
    }
    let mut problem = Problem::new(package.name(), package.name());
    problem.leave_out(&file, "limits are not in the package: those of the course hold; write `cpu_s` and `memory_mib` into problem.toml, as the site has them");
    let others = yaml.entries.keys().map(String::as_str);
    problem.leave_keys(&file, others.filter(|key| !KEYS.contains(key)));
    if let Some(names) = yaml.entries.get("file_io").and_then(keys_of) {
        let [input, output] = ["input", "output"].map(|key| {
            names
                .get(key)
                .and_then(|value| yaml.text(value))
                .unwrap_or_default()
        });
        problem.read_and_write(&file, &input, &output);
    }
    let mut reader = Reader {
        yaml: &yaml,
        file: file.clone(),
        package,
        problem,
        batches: Vec::new(),
        tests: 0,
    };
    reader.cases()?;
    reader.checker()?;
    if ["custom_judge", "interactive"]
        .iter()
        .any(|key| yaml.entries.contains_key(*key))
    {
        reader
            .problem
            .lack_interactor(&file, "interactors and judges of DMOJ are not supported");
    }
    Ok(reader.problem)
}

fn keys_of(value: &Value) -> Option<&Keys> {
    match &value.value {
        Node::Map(keys) => Some(keys),
        _ => None,
    }
}

fn list_of(value: &Value) -> &[Value] {
    match &value.value {
        Node::List(list) => list,
        _ => std::slice::from_ref(value),
    }
}

struct Reader<'a> {
    yaml: &'a Yaml<'a>,
    file: PathBuf,
    package: &'a mut Package,
    problem: Problem,
    /// The group of each batch.
    batches: Vec<String>,
    tests: usize,
}

impl Reader<'_> {
    /// What the first of these says of a key: what stands further out holds for all that is in it.
    fn get<'v>(&self, key: &str, scopes: &[&'v Keys]) -> Option<(&'v Value, String)> {
        let value = scopes.iter().find_map(|keys| keys.get(key))?;
        Some((value, self.yaml.text(value)?))
    }

    fn cases(&mut self) -> Result<(), Complaint> {
        let yaml = self.yaml;
        let Some(cases) = yaml.entries.get("test_cases") else {
            return Err(
                Complaint::new(&self.file, "there are no `test_cases` in it").with_help(LIST),
            );
        };
        let Node::List(list) = &cases.value else {
            return Err(yaml.complaint(
                cases,
                "tests that are found by patterns are not read",
                LIST,
            ));
        };
        self.problem.leave_out(
            &self.file,
            "whether a program gets points for some of the tests is set on the site: here it does",
        );
        for case in list {
            let Some(keys) = keys_of(case) else {
                return Err(yaml.complaint(case, "it is no test", LIST));
            };
            let scopes = [keys, &yaml.entries];
            let points = self
                .get("points", &scopes)
                .map_or(Some(1.0), |(_, text)| text.parse().ok());
            let points: f64 =
                points.ok_or_else(|| yaml.complaint(case, "its `points` are no number", LIST))?;
            // Without points it is what all that follows depends on.
            let groups = self.problem.manifest.groups.iter();
            let mut needs: Vec<String> = groups
                .filter(|one| one.points <= 0.0)
                .map(|one| one.name.clone())
                .collect();
            let Some(batch) = keys.get("batched") else {
                let group = match points > 0.0 {
                    true => self.problem.alone(points, &needs),
                    false => self.group("pretest", 0.0, needs),
                };
                self.test(&scopes, case, group)?;
                continue;
            };
            for needed in keys.get("dependencies").map_or(&[][..], list_of) {
                let number: Option<usize> = yaml.text(needed).and_then(|text| text.parse().ok());
                let name = number.and_then(|number| self.batches.get(number.checked_sub(1)?));
                needs.push(
                    name.ok_or_else(|| {
                        yaml.complaint(needed, "there is no such batch before this one", LIST)
                    })?
                    .clone(),
                );
            }
            let group = self.group("batch", points, needs);
            self.batches.push(group.clone());
            for case in list_of(batch) {
                let Some(inner) = keys_of(case) else {
                    return Err(yaml.complaint(case, "it is no test", LIST));
                };
                self.test(&[inner, keys, &yaml.entries], case, group.clone())?;
            }
        }
        Ok(())
    }

    fn group(&mut self, kind: &str, points: f64, needs: Vec<String>) -> String {
        let name = format!("{kind}-{}", self.problem.manifest.groups.len() + 1);
        self.problem.manifest.groups.push(Group {
            name: name.clone(),
            points,
            score: Scoring::All,
            needs,
            each: None,
        });
        name
    }

    fn test(&mut self, scopes: &[&Keys], case: &Value, group: String) -> Result<(), Complaint> {
        let is_made = ["generator_args", "generator_in"]
            .iter()
            .any(|key| scopes[0].contains_key(*key));
        let has_generator =
            self.get("in", scopes).is_none() && self.yaml.entries.contains_key("generator");
        if is_made || has_generator {
            let message = "tests that a generator makes when they are judged are not supported";
            return Err(self.yaml.complaint(
                case,
                message,
                "write what it makes into files, as `in` and `out`",
            ));
        }
        if scopes[0].contains_key("checker") {
            self.problem
                .lack_checker(&self.file, "single tests have checkers of their own");
        }
        let [input, answer] = ["in", "out"].map(|key| match self.get(key, scopes) {
            // What is not named is empty there.
            None => Ok(Content::Bytes(Vec::new())),
            Some((_, path)) if self.package.has(&path) => Ok(Content::File(path)),
            Some((value, path)) => {
                let message = format!("the test's file `{path}` is not in the package");
                Err(self.yaml.complaint(
                    value,
                    message,
                    "put it beside init.yml, or into the archive that this names",
                ))
            }
        });
        self.tests += 1;
        self.problem.tests.push(Test {
            name: self.tests.to_string(),
            is_sample: false,
            group: Some(group),
            input: input?,
            answer: Some(answer?),
        });
        Ok(())
    }

    fn checker(&mut self) -> Result<(), Complaint> {
        let checker = self.yaml.entries.get("checker");
        let keys = checker.and_then(keys_of);
        let name = keys.map_or(checker, |keys| keys.get("name"));
        let name = name
            .map_or(Some("standard".to_owned()), |name| self.yaml.text(name))
            .unwrap_or_default();
        let none = BTreeMap::new();
        let arguments = keys
            .and_then(|keys| keys_of(keys.get("args")?))
            .unwrap_or(&none);
        let argument = |key| self.get(key, &[arguments]).map(|(_, text)| text);
        match name.as_str() {
            "standard" => {
                self.problem.compare("tokens");
                self.problem.leave_out(&self.file, "line breaks count for the checker `standard`; here white space only separates words");
            }
            "identical" => self.problem.compare("exact"),
            "rstripped" => self.problem.compare("lines"),
            "floats" => {
                let digits: Option<i32> =
                    argument("precision").map_or(Some(6), |text| text.parse().ok());
                let error = 10_f64.powi(-digits.unwrap_or(6));
                match (digits, argument("error_mode").as_deref()) {
                    (Some(_), None | Some("default")) => {
                        self.problem.compare_numbers(Some(error), Some(error))
                    }
                    (Some(_), Some("absolute")) => self.problem.compare_numbers(Some(error), None),
                    (Some(_), Some("relative")) => self.problem.compare_numbers(None, Some(error)),
                    _ => self.problem.lack_checker(
                        &self.file,
                        "the arguments of the checker `floats` are not known",
                    ),
                }
            }
            "bridged" => {
                let files: Vec<String> = arguments
                    .get("files")
                    .map_or(&[][..], list_of)
                    .iter()
                    .filter_map(|file| self.yaml.text(file))
                    .collect();
                let (headers, sources): (Vec<_>, Vec<_>) =
                    files.into_iter().partition(|file| file.ends_with(".h"));
                let is_plain = ["args_format_string", "flags"]
                    .iter()
                    .all(|key| !arguments.contains_key(*key));
                let kind = argument("type").unwrap_or("default".to_owned());
                match sources.as_slice() {
                    [source] if is_plain && ["default", "testlib"].contains(&kind.as_str()) => {
                        let there = self.package.program(&mut self.problem, source, &headers, "output_validator")?;
                        (self.problem.manifest.checker, self.problem.manifest.protocol) = (Some(there), Some(Protocol::Testlib));
                    }
                    _ => self.problem.lack_checker(&self.file, format!("a checker of the type `{kind}`, of several sources, or with flags or arguments of its own is not supported")),
                }
            }
            other => self.problem.lack_checker(
                &self.file,
                format!("the checker `{other}` has no counterpart"),
            ),
        }
        Ok(())
    }
}

//! Packages of Polygon: problem.xml, with the tests themselves or with the generators that make
//! them.

use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

use roxmltree::Node;

use super::super::groups::GROUPS_MAX;
use super::super::manifest::Protocol;
use super::package::{Package, name_of};
use super::problem::{Content, Generator, Group, Problem, Test, folder_name};
use super::xml::{all, attribute, parse, text};
use crate::domain::bounds::TESTS_MAX;
use crate::domain::{Complaint, Scoring};

pub const FILE: &str = "problem.xml";
const EXECUTABLES: &str = "files/executables/executable/source";
const FULL: &str = "take the full package of Polygon, which has all tests";
/// testlib's own checkers that accept the same outputs as a mode of ours, and the error that they
/// forgive. All others are taken over as programs.
const CHECKERS: [(&str, Option<f64>); 7] = [
    ("std::wcmp.cpp", None),
    ("std::ncmp.cpp", None),
    ("std::icmp.cpp", None),
    ("std::hcmp.cpp", None),
    ("std::rcmp4.cpp", Some(1e-4)),
    ("std::rcmp6.cpp", Some(1e-6)),
    ("std::rcmp9.cpp", Some(1e-9)),
];
/// Where programs go that are tagged so.
const SOLUTIONS: [(&str, &str); 9] = [
    ("main", "accepted"),
    ("accepted", "accepted"),
    ("wrong-answer", "wrong_answer"),
    ("presentation-error", "wrong_answer"),
    ("time-limit-exceeded", "time_limit_exceeded"),
    ("memory-limit-exceeded", "run_time_error"),
    ("time-limit-exceeded-or-memory-limit-exceeded", "rejected"),
    ("rejected", "rejected"),
    ("failed", "rejected"),
];

/// Reads a package; `has_language` says whether programs can end so here.
pub fn read(
    package: &mut Package,
    has_language: &dyn Fn(&str) -> bool,
) -> Result<Problem, Complaint> {
    let file = package.place(FILE);
    let text_of_file = package.text(FILE)?;
    let document = parse(&text_of_file, &file)?;
    let root = document.root_element();
    let title = english(all(root, "names/name")).map_or("", |name| attribute(name, "value"));
    let mut problem = Problem::new(attribute(root, "short-name"), title);
    problem.manifest.sources = Vec::from_iter(root.attribute("url").map(str::to_owned));
    let headers = package.headers("files/");
    let mut reader = Reader {
        package,
        file,
        headers,
        problem,
    };
    reader.statements(root);
    reader.limits(root)?;
    reader.tests(root)?;
    reader.checker(root)?;
    reader.solutions(root, has_language)?;
    Ok(reader.problem)
}

/// Of things in several languages the English one, or else the first.
fn english<'a, 't>(things: Vec<Node<'a, 't>>) -> Option<Node<'a, 't>> {
    let is_english = |thing: &&Node<'_, '_>| thing.attribute("language") == Some("english");
    things.iter().find(is_english).or(things.first()).copied()
}

struct Reader<'p> {
    package: &'p mut Package,
    file: PathBuf,
    headers: Vec<String>,
    problem: Problem,
}

impl Reader<'_> {
    fn leave_out(&mut self, reason: impl Into<String>) {
        self.problem.leave_out(&self.file, reason);
    }

    /// The statement in LaTeX and its pictures.
    fn statements(&mut self, root: Node<'_, '_>) {
        let mut in_latex = all(root, "statements/statement");
        in_latex.retain(|one| attribute(*one, "type") == "application/x-tex");
        in_latex.retain(|one| self.package.has(attribute(*one, "path")));
        let Some(shown) = english(in_latex.clone()) else {
            return self.leave_out("there is no statement in LaTeX; write statement.md");
        };
        let path = attribute(shown, "path");
        let folder = &path[..path.len() - name_of(path).len()];
        for beside in self.package.files(folder) {
            let is_picture = [".png", ".jpg", ".jpeg", ".svg"]
                .iter()
                .any(|ending| beside.ends_with(ending));
            if is_picture {
                let to = format!("statement/{}", name_of(&beside));
                self.problem.files.push((to, Content::File(beside)));
            }
        }
        let to = "statement/problem.tex".to_owned();
        self.problem
            .files
            .push((to, Content::File(path.to_owned())));
        for other in in_latex.into_iter().filter(|one| *one != shown) {
            let to = format!(
                "statement/problem.{}.tex",
                folder_name(attribute(other, "language"))
            );
            self.problem
                .files
                .push((to, Content::File(attribute(other, "path").to_owned())));
        }
    }

    fn limits(&mut self, root: Node<'_, '_>) -> Result<(), Complaint> {
        let Some(judging) = all(root, "judging").into_iter().next() else {
            return Err(Complaint::new(&self.file, "there is no `judging` in it").with_help(FULL));
        };
        let (input, output) = (
            attribute(judging, "input-file"),
            attribute(judging, "output-file"),
        );
        self.problem.read_and_write(&self.file, input, output);
        if !["", "1"].contains(&attribute(judging, "run-count")) {
            let reason = "programs are run several times on each test, which is not taken over";
            return Err(Complaint::new(&self.file, reason)
                .with_help("write a package with `passes` by hand"));
        }
        Ok(())
    }

    fn tests(&mut self, root: Node<'_, '_>) -> Result<(), Complaint> {
        let mut sets = all(root, "judging/testset");
        let at = sets
            .iter()
            .position(|set| attribute(*set, "name") == "tests");
        if sets.is_empty() {
            return Err(Complaint::new(&self.file, "there is no `testset` in it").with_help(FULL));
        }
        let set = sets.remove(at.unwrap_or(0));
        for other in sets {
            self.leave_out(format!(
                "the test set `{}`: a package has one",
                attribute(other, "name")
            ));
        }
        let number = |path| self.number(text(set, path), path);
        let (time_ms, memory) = (number("time-limit")?, number("memory-limit")?);
        self.problem.manifest.limits.cpu_s = Some(Duration::from_millis(time_ms).as_secs_f64());
        self.problem.limit_memory(&self.file, memory);
        let mut tests = all(set, "tests/test");
        // Too many are refused before they are written.
        tests.truncate(TESTS_MAX + 1);
        self.groups(set, &tests)?;
        for (at, test) in tests.into_iter().enumerate() {
            self.test(root, (set, test), at + 1)?;
        }
        Ok(())
    }

    fn number(&self, text: &str, what: &str) -> Result<u64, Complaint> {
        let reason = || Complaint::new(&self.file, format!("`{what}` is no number: `{text}`"));
        text.parse().map_err(|_| reason())
    }

    /// The groups that bring points, in the order of their first tests.
    fn groups(&mut self, set: Node<'_, '_>, tests: &[Node<'_, '_>]) -> Result<(), Complaint> {
        for test in tests {
            let name = attribute(*test, "group");
            let known =
                |groups: &[Group]| groups.iter().any(|group| group.name == folder_name(name));
            if name.is_empty() || known(&self.problem.manifest.groups) {
                continue;
            }
            let declared = all(set, "groups/group");
            let declared = declared
                .into_iter()
                .find(|group| attribute(*group, "name") == name);
            let attribute_of = |key| declared.map_or("", |group| attribute(group, key));
            let of_tests: Vec<f64> = tests
                .iter()
                .filter(|test| attribute(**test, "group") == name)
                .map(points)
                .collect();
            let is_sum = attribute_of("points-policy") == "each-test";
            if is_sum
                && of_tests
                    .iter()
                    .any(|points| (points - of_tests[0]).abs() > 1e-6)
            {
                self.leave_out(format!("the tests of the group `{name}` bring different points there, and the same here"));
            }
            let mut needs = Vec::new();
            for needed in declared.map_or(Vec::new(), |group| all(group, "dependencies/dependency"))
            {
                let needed = attribute(needed, "group");
                let brings =
                    |group: &&Group| group.name == folder_name(needed) && group.points > 0.0;
                match self.problem.manifest.groups.iter().find(brings) {
                    Some(group) => needs.push(group.name.clone()),
                    None => self.leave_out(format!("the group `{name}` needs `{needed}`, which is no group with points before it")),
                }
            }
            self.problem.manifest.groups.push(Group {
                name: folder_name(name),
                points: attribute_of("points")
                    .parse()
                    .unwrap_or_else(|_| of_tests.iter().sum()),
                score: if is_sum { Scoring::Sum } else { Scoring::All },
                needs,
                each: None,
            });
            if self.problem.manifest.groups.len() > GROUPS_MAX {
                let reason = format!("there are more than {GROUPS_MAX} groups of tests");
                return Err(Complaint::new(&self.file, reason));
            }
        }
        Ok(())
    }

    fn test(
        &mut self,
        root: Node<'_, '_>,
        (set, test): (Node<'_, '_>, Node<'_, '_>),
        number: usize,
    ) -> Result<(), Complaint> {
        let path = numbered(text(set, "input-path-pattern"), number);
        let answer = numbered(text(set, "answer-path-pattern"), number);
        let input = match self.package.has(&path) {
            true => Content::File(path.clone()),
            false => self.made(root, test, &path)?,
        };
        let answer = self.package.has(&answer).then_some(Content::File(answer));
        let group = match attribute(test, "group") {
            "" if points(&test) > 0.0 => Some(self.problem.alone(points(&test), &[])),
            "" => None,
            name => Some(folder_name(name)),
        };
        let brings = |name: &String| {
            self.problem
                .manifest
                .groups
                .iter()
                .any(|group| group.name == *name && group.points > 0.0)
        };
        let (group, is_sample) = (group.filter(brings), attribute(test, "sample") == "true");
        let copy = Test {
            name: name_of(&path).to_owned(),
            is_sample,
            group: None,
            input,
            answer,
        };
        if let Some(group) = group {
            let of_group = Test {
                group: Some(group),
                name: copy.name.clone(),
                input: copy.input.clone(),
                answer: copy.answer.clone(),
                ..copy
            };
            // A sample that brings points is in both places.
            self.problem.tests.extend(is_sample.then_some(copy));
            self.problem.tests.push(of_group);
        } else {
            self.problem.tests.push(copy);
        }
        Ok(())
    }

    /// A test that is not there: what its generator prints.
    fn made(
        &self,
        root: Node<'_, '_>,
        test: Node<'_, '_>,
        path: &str,
    ) -> Result<Content, Complaint> {
        let refused =
            |reason: String| Complaint::new(self.package.place(path), reason).with_help(FULL);
        let command = attribute(test, "cmd");
        let mut words = command.split_whitespace().map(str::to_owned);
        let is_plain = !command.contains(['"', '\'', '>', '<', '|', '\\'])
            && test.attribute("from-file").is_none();
        let Some(name) = words.next().filter(|_| is_plain) else {
            return Err(refused(match command {
                "" => "the test is not in the package, and no generator is named".to_owned(),
                _ => format!(
                    "the test is not in the package, and no line of one generator and its arguments: `{command}`"
                ),
            }));
        };
        let sources = all(root, EXECUTABLES);
        let mut sources = sources.into_iter().map(|source| attribute(source, "path"));
        let is_it = |path: &&str| name_of(path).split('.').next() == Some(&name);
        let source = sources
            .find(is_it)
            .filter(|source| self.package.has(source));
        let source = source.ok_or_else(|| {
            refused(format!(
                "the test is not in the package, nor is its generator `{name}`"
            ))
        })?;
        let generator = Generator {
            source: source.to_owned(),
            headers: self.headers.clone(),
        };
        Ok(Content::Made(Rc::new(generator), words.collect()))
    }

    fn checker(&mut self, root: Node<'_, '_>) -> Result<(), Complaint> {
        let source = |path: &str| {
            all(root, path)
                .into_iter()
                .map(|source| attribute(source, "path"))
                .collect::<Vec<_>>()
        };
        let validators = source("assets/validators/validator/source");
        for path in validators.iter().skip(1) {
            self.problem.leave_out(
                &self.package.place(path),
                "a second validator: a package has one",
            );
        }
        let Self {
            package,
            headers,
            problem,
            ..
        } = self;
        if let Some(path) = validators.first() {
            problem.manifest.validator =
                Some(package.program(problem, path, headers, "input_validators")?);
        }
        if let Some(path) = source("assets/interactor/source").first() {
            problem.lack_interactor(
                &package.place(path),
                "testlib's interactors are not supported",
            );
            return Ok(());
        }
        let path = source("assets/checker/source")
            .first()
            .copied()
            .unwrap_or_default();
        let name = all(root, "assets/checker")
            .first()
            .map_or("", |checker| attribute(*checker, "name"));
        match CHECKERS.iter().find(|(known, _)| *known == name) {
            Some((_, None)) => problem.compare("tokens"),
            Some((_, error)) => problem.compare_numbers(*error, *error),
            None if package.has(path) => {
                problem.manifest.checker =
                    Some(package.program(problem, path, headers, "output_validator")?);
            }
            None => problem.lack_checker(
                &self.file,
                format!("the checker `{name}` is not in the package"),
            ),
        }
        let programs = [&problem.manifest.validator, &problem.manifest.checker];
        problem.manifest.protocol = programs
            .iter()
            .any(|one| one.is_some())
            .then_some(Protocol::Testlib);
        Ok(())
    }

    fn solutions(
        &mut self,
        root: Node<'_, '_>,
        has_language: &dyn Fn(&str) -> bool,
    ) -> Result<(), Complaint> {
        for solution in all(root, "assets/solutions/solution") {
            let tag = attribute(solution, "tag");
            let source = all(solution, "source").into_iter().next();
            let [path, kind] =
                ["path", "type"].map(|key| source.map_or("", |source| attribute(source, key)));
            let place = self.package.place(path);
            let ending = name_of(path)
                .rsplit_once('.')
                .map_or("", |(_, ending)| ending);
            match SOLUTIONS.iter().find(|(known, _)| *known == tag) {
                None => self.problem.leave_out(
                    &place,
                    format!("`{tag}` promises no verdict that can be tried here"),
                ),
                Some(_) if !has_language(ending) => self
                    .problem
                    .leave_out(&place, format!("`.{ending}` belongs to no language here")),
                Some(_) if kind == "python.2" => {
                    self.problem.leave_out(&place, "it is written in Python 2")
                }
                Some((_, folder)) => {
                    let folder = format!("submissions/{folder}");
                    let there = self
                        .package
                        .program(&mut self.problem, path, &[], &folder)?;
                    if tag == "main" {
                        self.problem.manifest.reference = Some(there);
                    }
                }
            }
        }
        let unanswered = self.problem.tests.iter().find(|test| test.answer.is_none());
        if let (None, Some(test)) = (&self.problem.manifest.reference, unanswered) {
            let reason = format!(
                "the answer of the test {} is not in the package, and no main solution that can be run here",
                test.name
            );
            return Err(Complaint::new(&self.file, reason).with_help(FULL));
        }
        Ok(())
    }
}

fn points(test: &Node<'_, '_>) -> f64 {
    attribute(*test, "points").parse().unwrap_or(0.0)
}

/// A path with the number of a test, as in `tests/%02d`.
fn numbered(pattern: &str, number: usize) -> String {
    let Some((before, rest)) = pattern.split_once('%') else {
        return pattern.to_owned();
    };
    let (width, after) = rest.split_once('d').unwrap_or((rest, ""));
    let width = width.parse().unwrap_or(0).min(9);
    format!("{before}{number:0width$}{after}")
}

//! Packages of Polygon: problem.xml, with the tests or with the generators that make them.

use std::rc::Rc;

use roxmltree::Node;

use super::super::groups::GROUPS_MAX;
use super::package::{Package, ending_of, name_of};
use super::problem::{Content, HasLanguage, Problem, SAME_POINTS};
use super::xml::{all, attribute, own, parse, text};
use crate::domain::bounds::TESTS_MAX;
use crate::domain::{Complaint, Scoring};

pub const FILE: &str = "problem.xml";
const FULL: &str = "take the full package of Polygon, which has all tests";
const HEADERS: [&str; 3] = ["h", "hpp", "hh"];
const PICTURES: [&str; 4] = ["png", "jpg", "jpeg", "svg"];
/// testlib's own checkers that accept what a mode of ours accepts, and the error that they forgive.
/// All others are taken over as programs.
#[rustfmt::skip]
const CHECKERS: [(&str, Option<f64>); 7] = [
    ("wcmp", None), ("ncmp", None), ("icmp", None), ("hcmp", None),
    ("rcmp4", Some(1e-4)), ("rcmp6", Some(1e-6)), ("rcmp9", Some(1e-9)),
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

/// Reads a package; `has_language` says whether the names of programs can end so here.
pub fn read(package: &mut Package, has_language: HasLanguage<'_>) -> Result<Problem, Complaint> {
    let xml = package.text(FILE)?;
    let document = parse(&xml, &package.root().join(FILE))?;
    let root = document.root_element();
    let title = english(all(root, "names/name")).map_or("", |name| own(name, "value"));
    let mut problem = Problem::new(&package.root(), own(root, "short-name"), title);
    problem.set("sources", Vec::from_iter(root.attribute("url")));
    let [input, output] = ["input-file", "output-file"].map(|key| attribute(root, "judging", key));
    problem.read_and_write(FILE, input, output);
    if !["", "1"].contains(&attribute(root, "judging", "run-count")) {
        let reason = "programs run several times on each test there, which cannot be taken over";
        return Err(problem
            .complaint(FILE, reason)
            .with_help("take another problem"));
    }
    let headers = package.files("files/").into_iter();
    let headers = headers
        .filter(|path| HEADERS.contains(&ending_of(path)))
        .collect();
    let mut reader = Reader {
        package,
        root,
        headers,
        problem,
    };
    reader.statement();
    reader.test_set()?;
    reader.checker()?;
    reader.solutions(has_language)?;
    Ok(reader.problem)
}

/// Of things in several languages the English one, or else the first.
fn english<'a, 't>(things: Vec<Node<'a, 't>>) -> Option<Node<'a, 't>> {
    let is_english = |thing: &&Node<'_, '_>| own(**thing, "language") == "english";
    things.iter().find(is_english).or(things.first()).copied()
}

struct Reader<'p, 'a, 't> {
    package: &'p mut Package,
    root: Node<'a, 't>,
    headers: Vec<String>,
    problem: Problem,
}

impl<'a, 't> Reader<'_, 'a, 't> {
    /// The statement in LaTeX and its pictures.
    fn statement(&mut self) {
        let mut statements = all(self.root, "statements/statement");
        statements.retain(|one| ending_of(own(*one, "path")) == "tex");
        for other in statements
            .iter()
            .filter(|one| Some(**one) != english(statements.clone()))
        {
            self.problem
                .leave_out(own(*other, "path"), "one statement is shown");
        }
        let Some(path) = english(statements).map(|one| own(one, "path")) else {
            return self
                .problem
                .leave_out("statements", "there is none in LaTeX: write statement.md");
        };
        let mut files = self.package.files(path.trim_end_matches(name_of(path)));
        files.retain(|file| file == path || PICTURES.contains(&ending_of(file)));
        let files = files
            .into_iter()
            .map(|file| (format!("statement/{}", name_of(&file)), Content::File(file)));
        self.problem.files.extend(files);
    }

    fn test_set(&mut self) -> Result<(), Complaint> {
        let mut sets = all(self.root, "judging/testset");
        sets.sort_by_key(|set| own(*set, "name") != "tests");
        for other in sets.iter().skip(1) {
            let words = format!("the test set `{}`: a package has one", own(*other, "name"));
            self.problem.leave_out(FILE, words);
        }
        let number = |key| text(*sets.first()?, key).parse::<f64>().ok();
        let (Some(time_ms), Some(bytes)) = (number("time-limit"), number("memory-limit")) else {
            let reason = "it has no `testset` with `time-limit` and `memory-limit`";
            return Err(self.problem.complaint(FILE, reason).with_help(FULL));
        };
        let set = sets.swap_remove(0);
        self.problem.set("limits.cpu_s", time_ms / 1e3);
        self.problem.limit_memory(FILE, bytes / f64::from(1 << 20));
        let mut tests = all(set, "tests/test");
        // Too many are refused when they are to be written.
        tests.truncate(TESTS_MAX + 1);
        for (at, test) in tests.iter().enumerate() {
            self.group(set, &tests, &folder_name(own(*test, "group")))?;
            self.test(set, *test, at + 1)?;
        }
        Ok(())
    }

    /// The group of this name, where it is new.
    fn group(
        &mut self,
        set: Node<'a, 't>,
        tests: &[Node<'a, 't>],
        name: &str,
    ) -> Result<(), Complaint> {
        if name.is_empty() || self.problem.groups.iter().any(|group| group.name == name) {
            return Ok(());
        }
        let declared = all(set, "groups/group")
            .into_iter()
            .find(|one| folder_name(own(*one, "name")) == name);
        let said = |key| declared.map_or("", |group| own(group, key));
        let of_group = tests
            .iter()
            .filter(|test| folder_name(own(**test, "group")) == name);
        let points: Vec<f64> = of_group.map(points).collect();
        let is_sum = said("points-policy") == "each-test";
        if is_sum
            && points
                .iter()
                .any(|one| (one - points[0]).abs() > SAME_POINTS)
        {
            let words = format!("the tests of the group {name} bring different points there");
            self.problem.leave_out(FILE, words);
        }
        let mut needs = Vec::new();
        for needed in declared.map_or(Vec::new(), |one| all(one, "dependencies/dependency")) {
            let needed = folder_name(own(needed, "group"));
            match self.problem.groups.iter().any(|group| group.name == needed) {
                true => needs.push(needed),
                false => self
                    .problem
                    .leave_out(FILE, format!("{name} needs {needed}, which comes later")),
            }
        }
        let score = if is_sum { Scoring::Sum } else { Scoring::All };
        let sum = said("points").parse().unwrap_or(points.iter().sum());
        self.problem.group(name, sum, score, needs);
        match self.problem.groups.len() > GROUPS_MAX {
            true => Err(self
                .problem
                .complaint(FILE, format!("more than {GROUPS_MAX} groups"))),
            false => Ok(()),
        }
    }

    fn test(
        &mut self,
        set: Node<'a, 't>,
        test: Node<'a, 't>,
        number: usize,
    ) -> Result<(), Complaint> {
        let [input, answer] = ["input-path-pattern", "answer-path-pattern"]
            .map(|key| numbered(text(set, key), number));
        let input = match self.package.has(&input) {
            true => Content::File(input),
            false => self.made(test, &input)?,
        };
        let answer = self.package.has(&answer).then_some(Content::File(answer));
        let group = match own(test, "group") {
            "" if points(&test) > 0.0 => Some(self.problem.alone(points(&test), Vec::new())),
            "" => None,
            name => Some(folder_name(name)),
        };
        let is_sample = own(test, "sample") == "true";
        self.problem.test(
            &format!("{number:02}"),
            is_sample,
            group.as_deref(),
            (input, answer),
        );
        Ok(())
    }

    /// A test that is not there: what its generator prints.
    fn made(&self, test: Node<'_, '_>, path: &str) -> Result<Content, Complaint> {
        let command = own(test, "cmd");
        let mut words = command.split_whitespace();
        let name = words.next().unwrap_or_default();
        let sources = all(self.root, "files/executables/executable/source").into_iter();
        let mut sources = sources.map(|source| own(source, "path"));
        let source = sources.find(|path| name_of(path).split('.').next() == Some(name));
        let is_plain =
            !command.contains(['"', '\'', '>', '|', '\\']) && test.attribute("from-file").is_none();
        let Some(source) = source.filter(|path| is_plain && self.package.has(path)) else {
            let reason = format!("the test is not there, nor can a generator make it: `{command}`");
            return Err(self.problem.complaint(path, reason).with_help(FULL));
        };
        let arguments = words.map(str::to_owned).collect();
        Ok(Content::Made(
            Rc::new((source.to_owned(), self.headers.clone())),
            arguments,
        ))
    }

    fn checker(&mut self) -> Result<(), Complaint> {
        let Self {
            package,
            root,
            headers,
            problem,
        } = self;
        for (at, source) in all(*root, "assets/validators/validator/source")
            .into_iter()
            .enumerate()
        {
            let path = own(source, "path");
            match at {
                0 => {
                    let there = package.program(problem, (path, headers), "input_validators")?;
                    problem.set("validator", there);
                }
                _ => problem.leave_out(path, "a package has one validator"),
            }
        }
        let name = attribute(*root, "assets/checker", "name");
        let path = attribute(*root, "assets/checker/source", "path");
        let standard = name.trim_start_matches("std::").trim_end_matches(".cpp");
        let interactor = attribute(*root, "assets/interactor/source", "path");
        match CHECKERS
            .iter()
            .find(|(known, _)| *known == standard && name != standard)
        {
            _ if !interactor.is_empty() => problem.lack(
                "interactor",
                interactor,
                "testlib's interactors are not supported",
            ),
            Some((_, None)) => problem.set("compare.mode", "tokens"),
            Some((_, error)) => problem.compare_numbers(*error, *error),
            None if package.has(path) => {
                let there = package.program(problem, (path, headers), "output_validator")?;
                problem.set("checker", there);
            }
            None => problem.lack(
                "checker",
                FILE,
                format!("the checker `{name}` is not in the package"),
            ),
        }
        Ok(())
    }

    fn solutions(&mut self, has_language: HasLanguage<'_>) -> Result<(), Complaint> {
        for solution in all(self.root, "assets/solutions/solution") {
            let (tag, path) = (own(solution, "tag"), attribute(solution, "source", "path"));
            let folder = SOLUTIONS.iter().find(|(known, _)| *known == tag);
            let Some((_, folder)) = folder.filter(|_| has_language(ending_of(path))) else {
                let words = format!(
                    "`{tag}` promises nothing that can be tried here, or its language is not known"
                );
                self.problem.leave_out(path, words);
                continue;
            };
            let folder = format!("submissions/{folder}");
            let there = self
                .package
                .program(&mut self.problem, (path, &[]), &folder)?;
            if tag == "main" {
                self.problem.set("reference", there);
            }
        }
        let is_open = self.problem.tests.iter().any(|test| test.answer.is_none());
        if is_open && !self.problem.toml.contains_key("reference") {
            let reason =
                "there are no answers, and no main solution in a language that is known here";
            return Err(self.problem.complaint(FILE, reason).with_help(FULL));
        }
        Ok(())
    }
}

fn points(test: &Node<'_, '_>) -> f64 {
    own(*test, "points").parse().unwrap_or(0.0)
}

/// A name of a group as one of a folder.
fn folder_name(name: &str) -> String {
    let usable = |one: char| one.is_alphanumeric() || one == '_';
    name.replace(|one| !usable(one), "-")
}

/// A path with the number of a test, as in `tests/%02d`.
fn numbered(pattern: &str, number: usize) -> String {
    let (before, rest) = pattern.split_once('%').unwrap_or((pattern, "d"));
    let (width, after) = rest.split_once('d').unwrap_or_default();
    let width: usize = width.parse().unwrap_or(0);
    format!("{before}{number:0$}{after}", width.min(9))
}

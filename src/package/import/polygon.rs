//! Packages of Polygon: problem.xml, with the tests or with the generators that make them.

use std::rc::Rc;

use super::package::{MANIFEST_BYTES_MAX, Package, ending_of, name_of};
use super::problem::{Content, Done, Problem, SAME_POINTS};
use super::xml::{Xml, all, attribute, own, parse, text};
use crate::domain::{Complaint, Scoring, is_header};

pub const FILE: &str = "problem.xml";
const FULL: &str = "take the full package of Polygon, which has all tests";
const MADE: &str = "the test is not in the package, and no generator there can make it";
const NO_ANSWERS: &str = "it has neither all answers nor a main solution that can be run here";
const PASSES: &str = "programs run several times on each test there, which is not taken over";
const TALKS: &str = "testlib's interactors are not supported";
const PICTURES: [&str; 4] = ["png", "jpg", "jpeg", "svg"];
/// testlib's own checkers that accept what a mode of ours accepts, and the error that they forgive.
/// All others are taken over as programs.
#[rustfmt::skip]
const CHECKERS: [(&str, Option<f64>); 7] = [
    ("std::wcmp.cpp", None), ("std::ncmp.cpp", None), ("std::icmp.cpp", None), ("std::hcmp.cpp", None),
    ("std::rcmp4.cpp", Some(1e-4)), ("std::rcmp6.cpp", Some(1e-6)), ("std::rcmp9.cpp", Some(1e-9)),
];
/// Where programs go that are tagged so.
#[rustfmt::skip]
const SOLUTIONS: [(&str, &str); 9] = [
    ("main", "accepted"), ("accepted", "accepted"),
    ("wrong-answer", "wrong_answer"), ("presentation-error", "wrong_answer"),
    ("time-limit-exceeded", "time_limit_exceeded"), ("memory-limit-exceeded", "run_time_error"),
    ("time-limit-exceeded-or-memory-limit-exceeded", "rejected"),
    ("rejected", "rejected"), ("failed", "rejected"),
];

/// Reads a package.
pub fn read(from: &mut Package<'_>) -> Result<Problem, Complaint> {
    let xml = from.text(FILE, MANIFEST_BYTES_MAX)?;
    let document = parse(&xml, &from.root().join(FILE))?;
    let root = document.root_element();
    let mut to = Problem::new(&from.root(), own(root, "short-name"), "");
    if let Some(name) = english_first(root, "names/name").first() {
        to.set("title", own(*name, "value"));
    }
    to.set("sources", Vec::from_iter(root.attribute("url")));
    let judging = ["input-file", "output-file", "run-count"];
    let [input, output, runs] = judging.map(|key| attribute(root, "judging", key));
    to.read_and_write(FILE, [input, output]);
    if !["", "1"].contains(&runs) {
        return Err(to.wrong(FILE, PASSES, "take another problem"));
    }
    let mut headers = from.files("files/");
    headers.retain(|path| is_header(path));
    statement(from, &mut to, root);
    tests(from, &mut to, root, &headers)?;
    programs(from, &mut to, root, &headers)?;
    solutions(from, &mut to, root)?;
    Ok(to)
}

/// Elements for several languages, the English ones first.
fn english_first<'a>(root: Xml<'a>, path: &str) -> Vec<Xml<'a>> {
    let mut found = all(root, path);
    found.sort_by_key(|one| own(*one, "language") != "english");
    found
}

/// The statement in LaTeX and its pictures.
fn statement(from: &Package<'_>, to: &mut Problem, root: Xml<'_>) {
    let mut statements = english_first(root, "statements/statement");
    statements.retain(|one| ending_of(own(*one, "path")) == "tex");
    if statements.is_empty() {
        to.leave_out("statements", "there is none in LaTeX: write statement.md");
    }
    for (at, path) in statements
        .into_iter()
        .map(|one| own(one, "path"))
        .enumerate()
    {
        if at > 0 {
            to.leave_out(path, "a package has one statement");
            continue;
        }
        for file in from.files(path.trim_end_matches(name_of(path))) {
            if file == path || PICTURES.contains(&ending_of(&file)) {
                let there = format!("statement/{}", name_of(&file));
                to.file(there, Content::File(file));
            }
        }
    }
}

fn tests(from: &Package<'_>, to: &mut Problem, root: Xml<'_>, headers: &[String]) -> Done {
    let mut sets = all(root, "judging/testset");
    sets.sort_by_key(|set| own(*set, "name") != "tests");
    for other in sets.iter().skip(1) {
        let name = own(*other, "name");
        to.leave_out(FILE, format!("the test set `{name}`: a package has one"));
    }
    let number = |key| text(*sets.first()?, key).parse::<f64>().ok();
    let limits = number("time-limit").zip(number("memory-limit"));
    let (ms, bytes) = limits.ok_or_else(|| to.wrong(FILE, "it has no tests and limits", FULL))?;
    to.set("limits.cpu_s", ms / 1e3);
    to.limit_memory(FILE, bytes / f64::from(1 << 20));
    let set = sets[0];
    let tests = all(set, "tests/test");
    groups(to, set, &tests)?;
    for (at, test) in tests.into_iter().enumerate() {
        let [input, answer] = ["input-path-pattern", "answer-path-pattern"]
            .map(|pattern| numbered(text(set, pattern), at + 1));
        let there = from.has(&input).then(|| Content::File(input.clone()));
        let there = there.or_else(|| made(from, root, test, headers));
        let there = there.ok_or_else(|| to.wrong(&input, MADE, FULL))?;
        let answer = from.has(&answer).then_some(Content::File(answer));
        let group = match folder_name(test, "group") {
            none if none.is_empty() && points(test) > 0.0 => to.alone(points(test), Vec::new())?,
            name => name,
        };
        let (name, is_sample) = (format!("{:02}", at + 1), own(test, "sample") == "true");
        to.test(&name, is_sample, &group, &(there, answer))?;
    }
    Ok(())
}

/// The groups in the order of their first tests.
fn groups(to: &mut Problem, set: Xml<'_>, tests: &[Xml<'_>]) -> Done {
    let declared = all(set, "groups/group");
    for (at, test) in tests.iter().enumerate() {
        let name = folder_name(*test, "group");
        if name.is_empty() || to.groups.iter().any(|group| group.name == name) {
            continue;
        }
        let declared = declared
            .iter()
            .find(|one| folder_name(**one, "name") == name);
        let of_group = tests[at..]
            .iter()
            .filter(|one| folder_name(**one, "group") == name);
        let each: Vec<f64> = of_group.map(|test| points(*test)).collect();
        let said = |key| declared.map_or("", |group| own(*group, key));
        let score = match said("points-policy") {
            "each-test" => Scoring::Sum,
            _ => Scoring::All,
        };
        if score == Scoring::Sum && each.iter().any(|one| (one - each[0]).abs() > SAME_POINTS) {
            to.leave_out(
                FILE,
                format!("tests of the group {name} bring different points there"),
            );
        }
        let needed = declared.map_or(Vec::new(), |one| all(*one, "dependencies/dependency"));
        let needed = needed.into_iter().map(|one| folder_name(one, "group"));
        let is_before = |name: &String| to.groups.iter().any(|group| group.name == *name);
        let (needs, late): (Vec<_>, Vec<_>) = needed.partition(is_before);
        for late in late {
            to.leave_out(
                FILE,
                format!("{name} needs {late}, which has no tests before it"),
            );
        }
        let points: f64 = said("points").parse().unwrap_or(each.iter().sum());
        to.group(&name, points, score, needs)?;
    }
    Ok(())
}

/// A test that is not there, if one generator prints it.
fn made(from: &Package<'_>, root: Xml<'_>, test: Xml<'_>, headers: &[String]) -> Option<Content> {
    let command = own(test, "cmd");
    if command.contains(['"', '\'', '>', '|', '\\']) || test.has_attribute("from-file") {
        return None;
    }
    let mut words = command.split_whitespace().map(str::to_owned);
    let name = words.next()?;
    let sources = all(root, "files/executables/executable/source").into_iter();
    let mut sources = sources.map(|source| own(source, "path"));
    let source = sources.find(|path| name_of(path).split('.').next() == Some(name.as_str()))?;
    let generator = from
        .has(source)
        .then(|| Rc::new((source.to_owned(), headers.to_vec())));
    Some(Content::Made(generator?, words.collect()))
}

/// The validator and the checker.
fn programs(from: &mut Package<'_>, to: &mut Problem, root: Xml<'_>, headers: &[String]) -> Done {
    for (at, source) in all(root, "assets/validators/validator/source")
        .into_iter()
        .enumerate()
    {
        let path = own(source, "path");
        if at > 0 {
            to.leave_out(path, "a package has one validator");
            continue;
        }
        let there = from.program(to, (path, headers), "input_validators")?;
        to.set("validator", there);
        to.set("protocol", "testlib");
    }
    let name = attribute(root, "assets/checker", "name");
    let path = attribute(root, "assets/checker/source", "path");
    let interactor = attribute(root, "assets/interactor/source", "path");
    match CHECKERS.iter().find(|(known, _)| *known == name) {
        _ if !interactor.is_empty() => to.lack("interactor", interactor, TALKS),
        Some((_, None)) => to.set("compare.mode", "tokens"),
        Some((_, Some(error))) => to.compare_numbers(*error, &["absolute", "relative"]),
        None if from.has(path) => {
            let there = from.program(to, (path, headers), "output_validator")?;
            to.set("checker", there);
            to.set("protocol", "testlib");
        }
        None => to.lack(
            "checker",
            FILE,
            format!("the checker `{name}` is not in the package"),
        ),
    }
    Ok(())
}

fn solutions(from: &mut Package<'_>, to: &mut Problem, root: Xml<'_>) -> Done {
    for solution in all(root, "assets/solutions/solution") {
        let (tag, path) = (own(solution, "tag"), attribute(solution, "source", "path"));
        let folder = SOLUTIONS.iter().find(|(known, _)| *known == tag);
        let Some((_, folder)) = folder.filter(|_| from.is_program(path)) else {
            let words = "what it promises cannot be tried, or its language is not known";
            to.leave_out(path, format!("{words}: `{tag}`"));
            continue;
        };
        let there = from.program(to, (path, &[]), &format!("submissions/{folder}"))?;
        if tag == "main" {
            to.set("reference", there);
        }
    }
    let is_open = to.tests.iter().any(|test| test.bytes.1.is_none());
    if is_open && !to.toml.contains_key("reference") {
        return Err(to.wrong(FILE, NO_ANSWERS, FULL));
    }
    Ok(())
}

fn points(test: Xml<'_>) -> f64 {
    own(test, "points").parse().unwrap_or(0.0)
}

/// A name of a group as one of a folder.
fn folder_name(node: Xml<'_>, key: &str) -> String {
    let usable = |one: char| one.is_alphanumeric() || one == '_';
    own(node, key).replace(|one| !usable(one), "-")
}

/// A path with the number of a test, as in `tests/%02d`.
fn numbered(pattern: &str, number: usize) -> String {
    let (before, rest) = pattern.split_once('%').unwrap_or((pattern, "d"));
    let (width, after) = rest.split_once('d').unwrap_or_default();
    let width = width.parse().unwrap_or(0).min(9);
    format!("{before}{number:0width$}{after}")
}

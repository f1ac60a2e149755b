//! Packages of Polygon: problem.xml, with the tests or with the generators that make them.

use std::collections::HashMap;

use super::super::groups::GROUPS_MAX;
use super::package::{MANIFEST_BYTES_MAX, Package, name_of};
use super::problem::{Content, Problem, Read};
use super::xml::{Xml, all, attribute, own, parse, text};
use crate::domain::bounds::TESTS_MAX;
use crate::domain::ending;
use crate::util::text::contains;
use crate::util::words::amount;

pub const FILE: &str = "problem.xml";
const FULL: &str = "take the full package of Polygon, which has all tests";
const MADE: &str = "the test is not in the package, and no generator there can make it";
const NO_ANSWERS: &str = "it has neither all answers nor a main solution that prints them here";
const PASSES: &str = "programs run several times on each test there, which is not taken over";
const TALKS: &str = "the interactor, or the checker of what it writes, is not in the package";
const PROMISE: &str = "what it promises cannot be tried, or its language is not known";
const PICTURES: [&str; 4] = ["png", "jpg", "jpeg", "svg"];
/// The call by which a checker of testlib gives points.
const GIVES: &[u8] = b"quitp";
const POINTLESS: &str =
    "no test brings points there: if it gives some, problem.toml needs [[groups]] and `gives`";
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

pub fn read(from: &mut Package, name: &str) -> Read<Problem> {
    let xml = from.text(FILE, MANIFEST_BYTES_MAX)?;
    let document = parse(&xml, &from.root().join(FILE))?;
    let root = document.root_element();
    let name = root.attribute("short-name").unwrap_or(name);
    let titles = english_first(root, "names/name");
    let title = titles.first().map_or(name, |title| own(*title, "value"));
    let mut to = Problem::new(from.root(), name, title);
    to.set("sources", Vec::from_iter(root.attribute("url")));
    let judging = ["input-file", "output-file", "run-count"];
    let [input, output, runs] = judging.map(|key| attribute(root, "judging", key));
    to.read_and_write(FILE, [input, output]);
    if !["", "1"].contains(&runs) {
        return Err(to.wrong(FILE, PASSES, "take another problem"));
    }
    files(from, &mut to, root);
    tests(from, &mut to, root)?;
    programs(from, &mut to, root)?;
    let is_open = to.tests.iter().any(|test| test.pair.1.is_none());
    if is_open && !to.toml.contains_key("reference") {
        return Err(to.wrong(FILE, NO_ANSWERS, FULL));
    }
    Ok(to)
}

/// Elements for several languages, the English ones first.
fn english_first<'a>(root: Xml<'a>, path: &str) -> Vec<Xml<'a>> {
    let mut found = all(root, path);
    found.sort_by_key(|one| own(*one, "language") != "english");
    found
}

/// The statement in LaTeX and its pictures; what students are given.
fn files(from: &Package, to: &mut Problem, root: Xml<'_>) {
    let statements = english_first(root, "statements/statement").into_iter();
    let paths = statements.map(|one| own(one, "path"));
    let (paths, others): (Vec<&str>, Vec<&str>) = paths.partition(|path| ending(path) == "tex");
    let mut paths = paths.into_iter();
    if let Some(path) = paths.next() {
        from.copy(to, path, "statement");
        let mut others = from.beside(path);
        others.retain(|other| PICTURES.contains(&ending(other)));
        for other in others {
            from.copy(to, &other, "statement");
        }
    }
    let is_pdf = |path: &&&str| ending(path) == "pdf" && from.has(path);
    if let Some(path) = others.iter().find(is_pdf) {
        from.copy(to, path, "statement");
    }
    for path in paths {
        to.leave_out(path, "a package has one statement");
    }
    for attachment in all(root, "files/attachments/file") {
        from.copy(to, own(attachment, "path"), "attachments");
    }
}

fn tests(from: &Package, to: &mut Problem, root: Xml<'_>) -> Read<()> {
    let mut sets = all(root, "judging/testset");
    sets.sort_by_key(|set| own(*set, "name") != "tests");
    let number = |key| text(*sets.first()?, key).parse::<f64>().ok();
    let limits = number("time-limit").zip(number("memory-limit"));
    let (ms, bytes) = limits.ok_or_else(|| to.wrong(FILE, "it has no tests and limits", FULL))?;
    to.set("limits.cpu_s", ms / 1e3);
    to.limit_memory(FILE, bytes / f64::from(1 << 20));
    for other in &sets[1..] {
        let name = own(*other, "name");
        to.leave_out(FILE, format!("the test set `{name}`: a package has one"));
    }
    let (set, tests) = (sets[0], all(sets[0], "tests/test"));
    let declared = all(set, "groups/group").into_iter();
    let declared: HashMap<_, _> = declared.map(|one| (own(one, "name"), one)).collect();
    let sources = all(root, "files/executables/executable/source").into_iter();
    let sources = sources.map(|source| own(source, "path"));
    let stem = |path| name_of(path).split('.').next().unwrap_or_default();
    let generators: HashMap<_, _> = sources.map(|path| (stem(path), path)).collect();
    let mut sums: HashMap<&str, (f64, f64)> = HashMap::new();
    for test in &tests {
        let sum = sums.entry(own(*test, "group")).or_default();
        *sum = (sum.0 + points(*test), sum.1 + 1.0);
    }
    let patterns = ["input-path-pattern", "answer-path-pattern"].map(|pattern| text(set, pattern));
    for (number, test) in (1..=TESTS_MAX + 1).zip(tests) {
        let [input, answer] = patterns.each_ref().map(|pattern| numbered(pattern, number));
        let there = from.has(&input).then(|| Content::File(input.clone()));
        let there = there.or_else(|| made(from, &generators, test));
        let there = there.ok_or_else(|| to.wrong(&input, MADE, FULL))?;
        let answer = from.has(&answer).then_some(Content::File(answer));
        let name = own(test, "group");
        let group = group(to, test, declared.get(name).copied(), sums[name]);
        let is_sample = own(test, "sample") == "true";
        let folder = if is_sample { "sample" } else { "secret" };
        to.test(format!("{folder}/{number:02}"), group, (there, answer));
    }
    Ok(())
}

/// The group of a test, whose tests have these points and are as many.
fn group(to: &mut Problem, test: Xml<'_>, declared: Option<Xml<'_>>, sum: (f64, f64)) -> String {
    let name = folder_name(test, "group");
    if name.is_empty() {
        return match points(test) {
            some if some > 0.0 => to.part("part", some, Vec::new()),
            _ => name,
        };
    }
    let said = |key| declared.map_or("", |group| own(group, key));
    let needed = declared.map_or(Vec::new(), |one| all(one, "dependencies/dependency"));
    let needed = needed.into_iter().take(GROUPS_MAX);
    let needs = needed.map(|one| folder_name(one, "group")).collect();
    let whole = said("points").parse().unwrap_or(sum.0);
    if said("points-policy") == "each-test" {
        let is_whole = sum.0 <= 0.0;
        let each = if is_whole {
            whole / sum.1
        } else {
            points(test)
        };
        return to.part(&name, each, needs);
    }
    match to.groups.iter().find(|group| group.of == name) {
        Some(group) => group.name.clone(),
        None => to.group(&name, whole, needs),
    }
}

/// A test that is not there, if one generator prints it.
fn made(from: &Package, generators: &HashMap<&str, &str>, test: Xml<'_>) -> Option<Content> {
    let command = own(test, "cmd");
    if command.contains(['"', '\'', '<', '>', '|', '\\', '$']) || test.has_attribute("from-file") {
        return None;
    }
    let mut words = command.split_whitespace();
    let source = *generators.get(words.next()?)?;
    let arguments = words.map(str::to_owned).collect();
    let made = Content::Made(source.to_owned(), arguments);
    from.has(source).then_some(made)
}

/// The validator, the checker, the solutions.
fn programs(from: &mut Package, to: &mut Problem, root: Xml<'_>) -> Read<()> {
    let mut unused = all(root, "assets/checker/testset/tests/test").len();
    for validator in all(root, "assets/validators/validator") {
        let path = attribute(validator, "source", "path");
        if to.toml.contains_key("validator") {
            to.leave_out(path, "a package has one validator");
            continue;
        }
        from.program(to, path, "validator", "input_validators")?;
        let pattern = text(validator, "testset/input-path-pattern");
        let tests = all(validator, "testset/tests/test").into_iter();
        for (number, test) in (1..=TESTS_MAX).zip(tests) {
            let path = numbered(&pattern, number);
            if own(test, "verdict") == "invalid" && from.has(&path) {
                let there = format!("data/invalid_input/{number:02}.in");
                to.file(&there, Content::File(path));
            } else {
                unused += 1;
            }
        }
    }
    if unused > 0 {
        let tests = amount(unused, "test");
        let words =
            format!("not taken over: {tests} of the checker, or valid ones of the validator");
        to.leave_out(FILE, words);
    }
    let name = attribute(root, "assets/checker", "name");
    let path = attribute(root, "assets/checker/source", "path");
    let interactor = attribute(root, "assets/interactor/source", "path");
    match CHECKERS.iter().find(|(known, _)| *known == name) {
        _ if from.has(interactor) && from.has(path) => {
            from.program(to, interactor, "interactor", "interactor")?;
            judge(from, to, path)?;
        }
        _ if !interactor.is_empty() => to.lack("interactor", FILE, TALKS),
        Some((_, None)) => to.set("compare.mode", "tokens"),
        Some((_, Some(error))) => to.compare_numbers(*error, &["absolute", "relative"]),
        None if from.has(path) => judge(from, to, path)?,
        None => {
            let reason = format!("the checker `{name}` is not in the package");
            to.lack("checker", FILE, reason);
        }
    }
    for solution in all(root, "assets/solutions/solution") {
        let (tag, path) = (own(solution, "tag"), attribute(solution, "source", "path"));
        let folder = SOLUTIONS.iter().find(|(known, _)| *known == tag);
        let Some((_, folder)) = folder.filter(|_| from.is_program(path)) else {
            to.leave_out(path, format!("{PROMISE}: `{tag}`"));
            continue;
        };
        let there = from.copy(to, path, &format!("submissions/{folder}"));
        // One that talks prints no answers.
        if let Some(there) = there.filter(|_| tag == "main" && interactor.is_empty()) {
            to.set("reference", there);
        }
    }
    Ok(())
}

/// The checker, as a program.
fn judge(from: &mut Package, to: &mut Problem, path: &str) -> Read<()> {
    from.program(to, path, "checker", "output_validator")?;
    let source = from.file(path)?;
    let gives = contains(&source, GIVES);
    match to.groups.iter().any(|group| group.points > 0.0) {
        true if gives => to.set("gives", "points"),
        false if gives => to.leave_out(path, POINTLESS),
        _ => {}
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

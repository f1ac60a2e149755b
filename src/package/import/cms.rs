//! Tasks of CMS in the Italian layout: task.yaml, the folders input and output, and the subtasks of
//! gen/GEN.

use super::super::yaml::Yaml;
use super::package::{Package, ending_of, name_of};
use super::problem::{Content, HasLanguage, Problem};
use crate::domain::bounds::TESTS_MAX;
use crate::domain::{Complaint, Scoring};

pub const FILE: &str = "task.yaml";
const GEN: &str = "gen/GEN";
const MAKE: &str = "make the files of the task first, as cmsMake does";
const OTHER: &str = "take another task";
const GRADER: &str =
    "what is compiled with students' programs, or talks with them, is not supported";
const PUBLIC: &str =
    "`public_testcases`: what students see of a test, [disclosure] of problem.toml says";
/// Keys that are read here.
#[rustfmt::skip]
const KEYS: [&str; 16] = [
    "name", "nome_breve", "title", "nome", "time_limit", "timeout", "memory_limit", "memlimit",
    "infile", "outfile", "n_input", "total_value", "output_only", "public_testcases", "risultati",
    "primary_language",
];

/// Reads a task.
pub fn read(package: &mut Package, has_language: HasLanguage<'_>) -> Result<Problem, Complaint> {
    let (text, file) = (package.text(FILE)?, package.root().join(FILE));
    let yaml = Yaml::read(&text, &file)?;
    let get = |key: &str, old: &str| yaml.get(key).or(yaml.get(old));
    let said = |key: &str, old: &str| get(key, old).map_or(String::new(), |(_, text)| text);
    let number = |key: &str, old: &str| {
        let read = |(value, text): (_, String)| {
            let number = text.parse::<f64>();
            number.map_err(|_| yaml.complaint(value, "it is no number", "write one"))
        };
        get(key, old).map(read).transpose()
    };
    if said("output_only", "").eq_ignore_ascii_case("true") {
        let words = "problems in which an output is handed in are not supported";
        return Err(Complaint::new(file, words).with_help(OTHER));
    }
    let title = said("title", "nome");
    let mut problem = Problem::new(&package.root(), said("name", "nome_breve"), &title);
    if let Some(seconds) = number("time_limit", "timeout")? {
        problem.set("limits.cpu_s", seconds);
    }
    if let Some(mib) = number("memory_limit", "memlimit")? {
        problem.limit_memory(FILE, mib);
    }
    let [input, output] =
        [("infile", "input.txt"), ("outfile", "output.txt")].map(|(key, usual)| {
            let value = yaml.entries.get(key);
            value.map_or(usual.to_owned(), |value| {
                yaml.text(value).unwrap_or_default()
            })
        });
    problem.read_and_write(FILE, &input, &output);
    problem.leave_keys(FILE, &yaml.entries, &KEYS);
    let count = number("n_input", "")?.map(|count| format!("{count:.0}"));
    let total = number("total_value", "")?.unwrap_or(100.0);
    tests(
        package,
        &mut problem,
        (count, total),
        &said("public_testcases", "risultati"),
    )?;
    files(package, &mut problem, has_language)?;
    Ok(problem)
}

/// The tests. In GEN, `#ST: points` begins a subtask; any other line that is more than a comment,
/// and `#COPY:`, is a test. Without subtasks all tests bring the same.
fn tests(
    package: &mut Package,
    problem: &mut Problem,
    (count, total): (Option<String>, f64),
    public: &str,
) -> Result<(), Complaint> {
    let mut groups: Vec<Option<String>> = Vec::new();
    let mut group = None;
    let script = if package.has(GEN) {
        package.text(GEN)?
    } else {
        String::new()
    };
    for (at, line) in script.lines().enumerate() {
        let (test, comment) = line.split_once('#').unwrap_or((line, ""));
        if let Some(points) = comment.trim().strip_prefix("ST:") {
            let wrong = |_| {
                problem
                    .complaint(GEN, "its points are no number")
                    .on(at + 1)
            };
            let points = points.trim().parse().map_err(wrong)?;
            let name = format!("subtask-{}", problem.groups.len() + 1);
            group = Some(problem.group(&name, points, Scoring::All, Vec::new()));
        } else if !test.trim().is_empty() || comment.trim().starts_with("COPY:") {
            groups.push(group.clone());
        }
    }
    let found = groups.len().to_string();
    if !package.has(GEN) {
        let number = count.as_ref().and_then(|count| count.parse().ok());
        groups.resize(number.unwrap_or(0).min(TESTS_MAX + 1), None);
    } else if count.is_some_and(|count| count != found) {
        let reason = format!("it has {found} tests, and `n_input` of {FILE} is another number");
        return Err(problem.complaint(GEN, reason).with_help(MAKE));
    }
    problem
        .groups
        .retain(|one| groups.iter().flatten().any(|name| *name == one.name));
    let is_public = |number: usize| {
        public == "all"
            || public
                .split(',')
                .any(|one| one.trim().parse() == Ok(number))
    };
    let each = total / f64::from(u32::try_from(groups.len()).unwrap_or(u32::MAX));
    for (number, group) in groups.into_iter().enumerate() {
        let paths = [
            format!("input/input{number}.txt"),
            format!("output/output{number}.txt"),
        ];
        if let Some(path) = paths.iter().find(|path| !package.has(path)) {
            return Err(problem
                .complaint(path, "the test is not in the package")
                .with_help(MAKE));
        }
        let is_free = |name: &String| {
            problem
                .groups
                .iter()
                .any(|one| one.name == *name && one.points <= 0.0)
        };
        let is_sample = group.as_ref().is_some_and(is_free) && is_public(number);
        let group = group.unwrap_or_else(|| problem.alone(each, Vec::new()));
        let [input, answer] = paths.map(Content::File);
        problem.test(
            &number.to_string(),
            is_sample,
            Some(&group),
            (input, Some(answer)),
        );
    }
    if !public.is_empty() {
        problem.leave_out(FILE, PUBLIC);
    }
    Ok(())
}

/// The checker, the programs that made the answers, the statement, what students are given.
fn files(
    package: &mut Package,
    problem: &mut Problem,
    has_language: HasLanguage<'_>,
) -> Result<(), Complaint> {
    let folders = ["check/", "cor/", "sol/", "att/", "statement/", "testo/"];
    let paths: Vec<String> = folders.iter().flat_map(|one| package.files(one)).collect();
    for path in paths {
        let (folder, name) = path.split_once('/').unwrap_or_default();
        let stem = name.split('.').next().unwrap_or_default();
        match (folder, stem) {
            ("check" | "cor", "manager") | ("sol", "grader" | "stub") => {
                return Err(problem.complaint(&path, GRADER).with_help(OTHER));
            }
            ("check" | "cor", "checker" | "correttore") => {
                problem.lack(
                    "checker",
                    &path,
                    "checkers that are called in the way of CMS are not supported",
                );
            }
            ("sol", "solution" | "soluzione") if has_language(ending_of(name)) => {
                package.program(problem, (&path, &[]), "submissions/accepted")?;
            }
            ("att", _) => problem
                .files
                .push((format!("attachments/{name}"), Content::File(path))),
            ("statement" | "testo", _) if ending_of(name) == "tex" => {
                problem
                    .files
                    .push((format!("statement/{}", name_of(&path)), Content::File(path)));
            }
            _ => problem.leave_out(&path, "nothing here reads it"),
        }
    }
    Ok(())
}

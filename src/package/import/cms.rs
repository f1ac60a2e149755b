//! Tasks of CMS in the Italian layout: task.yaml, the folders input and output, and the subtasks of
//! gen/GEN.

use super::super::yaml::Yaml;
use super::dmoj::LINES;
use super::package::{MANIFEST_BYTES_MAX, Package};
use super::problem::{Content, Problem, Read};
use crate::domain::bounds::TESTS_MAX;
use crate::domain::ending;

pub const FILE: &str = "task.yaml";
const GEN: &str = "gen/GEN";
const MAKE: &str = "make the files of the task first, as cmsMake does";
const OTHER: &str = "take another task";
const COUNT: &str = "`n_input` of task.yaml is another number of tests";
const OUTPUTS: &str = "problems in which an output is handed in are not supported";
const SCORES: &str = "points that are given in another way than by gen/GEN are not supported";
const GRADER: &str = "what is compiled with programs, or talks with them, is not supported";
const CHECKER: &str = "checkers that are called in the way of CMS are not supported";
const VALIDATOR: &str = "validators that are called in the way of CMS are not supported";
const PUBLIC: &str = "`public_testcases`: [disclosure] of problem.toml says what is shown of tests";
/// Keys that are read here.
#[rustfmt::skip]
const KEYS: [&str; 17] = [
    "name", "nome_breve", "title", "nome", "time_limit", "timeout", "memory_limit", "memlimit",
    "infile", "outfile", "n_input", "total_value", "output_only", "public_testcases", "risultati",
    "primary_language", "score_type",
];

pub fn read(from: &mut Package, name: &str) -> Read<Problem> {
    let (text, file) = (from.text(FILE, MANIFEST_BYTES_MAX)?, from.root().join(FILE));
    let yaml = Yaml::read(&text, &file)?;
    // Older tasks have other keys.
    let get = |keys: [&str; 2]| keys.iter().find_map(|key| yaml.get(key));
    let said = |keys| get(keys).map(|(_, text)| text);
    let number = |keys| match get(keys).map(|(at, text)| (at, text.parse::<f64>())) {
        None => Ok(None),
        Some((_, Ok(number))) => Ok(Some(number)),
        Some((at, Err(_))) => Err(yaml.complaint(at, "it is no number", "write one")),
    };
    for (key, why) in [("output_only", OUTPUTS), ("score_type", SCORES)] {
        let said = get([key, ""]);
        if let Some((value, _)) = said.filter(|(_, text)| !text.eq_ignore_ascii_case("false")) {
            return Err(yaml.complaint(value, why, OTHER));
        }
    }
    let name = said(["name", "nome_breve"]).unwrap_or(name.to_owned());
    let title = said(["title", "nome"]).unwrap_or(name.clone());
    let mut to = Problem::new(from.root(), &name, &title);
    if let Some(seconds) = number(["time_limit", "timeout"])? {
        to.set("limits.cpu_s", seconds);
    }
    if let Some(mib) = number(["memory_limit", "memlimit"])? {
        to.limit_memory(FILE, mib);
    }
    let usual = [("infile", "input.txt"), ("outfile", "output.txt")];
    let [input, output] = usual.map(|(key, usual)| match yaml.entries.get(key) {
        Some(name) => yaml.text(name).unwrap_or_default(),
        None => usual.to_owned(),
    });
    to.read_and_write(FILE, [&input, &output]);
    to.leave_keys(FILE, &yaml.entries.keys().collect(), &KEYS);
    to.leave_out(FILE, LINES);
    let public = said(["public_testcases", "risultati"]).unwrap_or_default();
    if !public.is_empty() {
        to.leave_out(FILE, PUBLIC);
    }
    files(from, &mut to)?;
    let groups = subtasks(from, &mut to, number(["n_input", ""])?)?;
    let total = number(["total_value", ""])?.unwrap_or(100.0);
    tests(from, &mut to, groups, (&public, total))?;
    Ok(to)
}

/// The group of each test. In GEN, `#ST: points` begins a subtask; any other line that is more than
/// a comment, and `#COPY:`, is a test.
fn subtasks(from: &mut Package, to: &mut Problem, count: Option<f64>) -> Read<Vec<String>> {
    let count = count.map(|count| format!("{count:.0}"));
    let (mut groups, mut group) = (Vec::new(), String::new());
    if !from.has(GEN) {
        let count = count.and_then(|count| count.parse().ok()).unwrap_or(0);
        return Ok(vec![group; count.min(TESTS_MAX + 1)]);
    }
    for (at, line) in from.text(GEN, MANIFEST_BYTES_MAX)?.lines().enumerate() {
        let (test, comment) = line.split_once('#').unwrap_or((line, ""));
        if let Some(points) = comment.trim().strip_prefix("ST:") {
            let wrong = to.wrong(GEN, "its points are no number", "write one");
            let points = points.trim().parse().map_err(|_| wrong.on(at + 1))?;
            let name = format!("subtask-{}", to.groups.len() + 1);
            group = to.group(&name, points, Vec::new());
        } else if !test.trim().is_empty() || comment.trim().starts_with("COPY:") {
            groups.push(group.clone());
        }
    }
    if count.is_some_and(|count| count != groups.len().to_string()) {
        return Err(to.wrong(GEN, COUNT, MAKE));
    }
    Ok(groups)
}

/// The tests. Those of no subtask bring the same points; those of one without points are samples,
/// if they are public.
fn tests(from: &Package, to: &mut Problem, groups: Vec<String>, said: (&str, f64)) -> Read<()> {
    let (public, each) = (said.0, said.1 / groups.iter().map(|_| 1.0).sum::<f64>());
    for (number, group) in groups.into_iter().enumerate() {
        let paths = ["in", "out"].map(|kind| format!("{kind}put/{kind}put{number}.txt"));
        if let Some(path) = paths.iter().find(|path| !from.has(path)) {
            return Err(to.wrong(path, "the test is not in the package", MAKE));
        }
        let is_named = |text: &str| text.trim() == "all" || text.trim().parse() == Ok(number);
        let mut without = to.groups.iter().filter(|group| group.points <= 0.0);
        let is_sample = without.any(|one| one.name == group) && public.split(',').any(is_named);
        let group = match group.as_str() {
            "" => to.part("part", each, Vec::new()),
            _ => group,
        };
        let [input, answer] = paths.map(Content::File);
        let folder = if is_sample { "sample" } else { "secret" };
        to.test(format!("{folder}/{number}"), group, (input, Some(answer)));
    }
    Ok(())
}

/// The checker, the programs that made the answers, the statement, what students are given.
fn files(from: &Package, to: &mut Problem) -> Read<()> {
    let folders = [
        "check/",
        "cor/",
        "sol/",
        "att/",
        "statement/",
        "testo/",
        "gen/",
    ];
    for path in folders.iter().flat_map(|folder| from.files(folder)) {
        let (folder, name) = path.split_once('/').unwrap_or_default();
        let there = match (folder, name.split('.').next().unwrap_or_default()) {
            ("check" | "cor", "manager") | ("sol", "grader" | "stub") => {
                return Err(to.wrong(&path, GRADER, OTHER));
            }
            ("check" | "cor", "checker" | "correttore") => {
                to.lack("checker", &path, CHECKER);
                continue;
            }
            ("sol", "solution" | "soluzione") if from.is_program(name) => "submissions/accepted",
            ("att", _) => "attachments",
            ("statement" | "testo", _) if ["tex", "pdf"].contains(&ending(name)) => "statement",
            ("gen", "valida" | "validator") => {
                to.leave_out(&path, VALIDATOR);
                continue;
            }
            ("gen", _) => continue,
            _ => {
                to.leave_out(&path, "nothing here reads it");
                continue;
            }
        };
        from.copy(to, &path, there);
    }
    Ok(())
}

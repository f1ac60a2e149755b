//! Tasks of CMS in the Italian layout: task.yaml, the folders input and output, and the subtasks of
//! gen/GEN.

use super::super::yaml::Yaml;
use super::package::{MANIFEST_BYTES_MAX, Package, ending_of};
use super::problem::{Content, Done, Problem};
use crate::domain::bounds::TESTS_MAX;
use crate::domain::{Complaint, Scoring};

pub const FILE: &str = "task.yaml";
const GEN: &str = "gen/GEN";
const MAKE: &str = "make the files of the task first, as cmsMake does";
const OTHER: &str = "take another task";
const COUNT: &str = "`n_input` of task.yaml is another number of tests";
const OUTPUTS: &str = "problems in which an output is handed in are not supported";
const GRADER: &str = "what is compiled with programs, or talks with them, is not supported";
const CHECKER: &str = "checkers that are called in the way of CMS are not supported";
const PUBLIC: &str = "`public_testcases`: [disclosure] of problem.toml says what is shown of tests";
/// Keys that are read here.
#[rustfmt::skip]
const KEYS: [&str; 16] = [
    "name", "nome_breve", "title", "nome", "time_limit", "timeout", "memory_limit", "memlimit",
    "infile", "outfile", "n_input", "total_value", "output_only", "public_testcases", "risultati",
    "primary_language",
];

/// Reads a task.
pub fn read(from: &mut Package<'_>) -> Result<Problem, Complaint> {
    let (text, file) = (from.text(FILE, MANIFEST_BYTES_MAX)?, from.root().join(FILE));
    let yaml = Yaml::read(&text, &file)?;
    // Older tasks have other keys.
    let get = |key: &str, old: &str| yaml.get(key).or(yaml.get(old));
    let said = |key: &str, old: &str| get(key, old).map_or(String::new(), |(_, text)| text);
    let number = |key: &str, old: &str| {
        let found = get(key, old).map(|(at, text)| (at, text.parse::<f64>()));
        match found {
            Some((value, Err(_))) => Err(yaml.complaint(value, "it is no number", "write one")),
            number => Ok(number.and_then(|(_, number)| number.ok())),
        }
    };
    let (name, title) = (said("name", "nome_breve"), said("title", "nome"));
    let mut to = Problem::new(&from.root(), name, &title);
    if said("output_only", "").eq_ignore_ascii_case("true") {
        return Err(to.wrong(FILE, OUTPUTS, OTHER));
    }
    if let Some(seconds) = number("time_limit", "timeout")? {
        to.set("limits.cpu_s", seconds);
    }
    if let Some(mib) = number("memory_limit", "memlimit")? {
        to.limit_memory(FILE, mib);
    }
    let usual = [("infile", "input.txt"), ("outfile", "output.txt")];
    let [input, output] = usual.map(|(key, usual)| match yaml.entries.get(key) {
        Some(name) => yaml.text(name).unwrap_or_default(),
        None => usual.to_owned(),
    });
    to.read_and_write(FILE, [&input, &output]);
    to.leave_keys(FILE, &yaml.entries, &KEYS);
    let public = said("public_testcases", "risultati");
    if !public.is_empty() {
        to.leave_out(FILE, PUBLIC);
    }
    let groups = subtasks(from, &mut to, number("n_input", "")?)?;
    let total = number("total_value", "")?.unwrap_or(100.0);
    tests(from, &mut to, groups, (&public, total))?;
    files(from, &mut to)?;
    Ok(to)
}

/// The group of each test. In GEN, `#ST: points` begins a subtask; any other line that is more than
/// a comment, and `#COPY:`, is a test.
fn subtasks(
    from: &mut Package<'_>,
    to: &mut Problem,
    count: Option<f64>,
) -> Result<Vec<String>, Complaint> {
    let count = count.map(|count| format!("{count:.0}"));
    let (mut groups, mut group) = (Vec::new(), String::new());
    if !from.has(GEN) {
        let count = count.and_then(|count| count.parse().ok()).unwrap_or(0);
        return Ok(vec![group; count.min(TESTS_MAX + 1)]);
    }
    for (at, line) in from.text(GEN, MANIFEST_BYTES_MAX)?.lines().enumerate() {
        let (test, comment) = line.split_once('#').unwrap_or((line, ""));
        if let Some(points) = comment.trim().strip_prefix("ST:") {
            let points = points.trim().parse();
            let wrong = |_| to.wrong(GEN, "its points are no number", "write one");
            let points = points.map_err(|error| wrong(error).on(at + 1))?;
            let name = format!("subtask-{}", to.groups.len() + 1);
            group = to.group(&name, points, Scoring::All, Vec::new())?;
        } else if !test.trim().is_empty() || comment.trim().starts_with("COPY:") {
            groups.push(group.clone());
        }
    }
    to.groups.retain(|one| groups.contains(&one.name));
    if count.is_some_and(|count| count != groups.len().to_string()) {
        return Err(to.wrong(GEN, COUNT, MAKE));
    }
    Ok(groups)
}

/// The tests. Those of no subtask bring the same points; those of one without points are samples,
/// if they are public.
fn tests(
    from: &Package<'_>,
    to: &mut Problem,
    groups: Vec<String>,
    (public, total): (&str, f64),
) -> Done {
    let each = total / f64::from(u32::try_from(groups.len()).unwrap_or(u32::MAX));
    for (number, group) in groups.into_iter().enumerate() {
        let paths = ["in", "out"].map(|kind| format!("{kind}put/{kind}put{number}.txt"));
        if let Some(path) = paths.iter().find(|path| !from.has(path)) {
            return Err(to.wrong(path, "the test is not in the package", MAKE));
        }
        let is_named = |text: &str| text.trim() == "all" || text.trim().parse() == Ok(number);
        let mut without = to.groups.iter().filter(|group| group.points <= 0.0);
        let is_sample = without.any(|one| one.name == group) && public.split(',').any(is_named);
        let group = match group.as_str() {
            "" => to.alone(each, Vec::new())?,
            _ => group,
        };
        let [input, answer] = paths.map(Content::File);
        let pair = (input, Some(answer));
        to.test(&number.to_string(), is_sample, &group, &pair)?;
    }
    Ok(())
}

/// The checker, the programs that made the answers, the statement, what students are given.
fn files(from: &mut Package<'_>, to: &mut Problem) -> Done {
    let folders = ["check/", "cor/", "sol/", "att/", "statement/", "testo/"];
    let paths: Vec<String> = folders.iter().flat_map(|one| from.files(one)).collect();
    for path in paths {
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
            ("statement" | "testo", _) if ending_of(name) == "tex" => "statement",
            _ => {
                to.leave_out(&path, "nothing here reads it");
                continue;
            }
        };
        to.file(format!("{there}/{name}"), Content::File(path));
    }
    Ok(())
}

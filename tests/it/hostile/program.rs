//! The programs of `tests/programs/`: the folder is the expected report, the source's head has
//! further demands.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;

/// The lines of a source's head, which may contain demands.
const HEAD_LINES_MAX: usize = 12;

/// A program and its expected report.
#[derive(Debug, Clone)]
pub struct Program {
    /// Its file's name without the extension; also the student's name.
    pub name: String,
    pub extension: String,
    pub source: Vec<u8>,
    /// The problem that it is submitted for.
    pub problem: String,
    /// The allowed verdicts and causes; `None` allows any cause.
    pub expected: Vec<(String, Option<String>)>,
    /// Demands on the numbers of its first run.
    pub bounds: Vec<Bound>,
    /// The protections that its verdict depends on.
    pub needs: BTreeSet<String>,
}

/// A demand on a number of the first test's result: its name, whether it is at least, and of what.
/// Memory is checked only if the kernel counts it: by the processes' own counters, no program uses
/// less than the sandbox did before it started them.
type Bound = (String, bool, u64);

/// Every program of `tests/programs/`, by name.
pub fn all() -> Vec<Program> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let below = |folder: &Path| {
        fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
    };
    let mut programs = Vec::new();
    for folder in below(&root).filter(|path| path.is_dir()) {
        let expected = expectation(folder.file_name().unwrap().to_str().unwrap());
        programs.extend(below(&folder).map(|file| read(&file, &expected)));
    }
    programs.sort_by(|left, right| left.name.cmp(&right.name));
    let names: BTreeSet<&str> = programs.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names.len(), programs.len(), "a name stands for one program");
    programs
}

/// Reads `TLE-cpu-or-RE`.
fn expectation(folder: &str) -> Vec<(String, Option<String>)> {
    let one = |one: &str| match one.split_once('-') {
        Some((verdict, cause)) => (verdict.to_owned(), Some(cause.to_owned())),
        None => (one.to_owned(), None),
    };
    folder.split("-or-").map(one).collect()
}

fn read(path: &Path, expected: &[(String, Option<String>)]) -> Program {
    let part = |part: Option<&std::ffi::OsStr>| part.unwrap().to_str().unwrap().to_owned();
    let source = fs::read(path).unwrap();
    let extension = part(path.extension());
    let mut program = Program {
        name: part(path.file_stem()),
        problem: usual_problem(&extension, expected).to_owned(),
        extension,
        expected: expected.to_vec(),
        bounds: Vec::new(),
        needs: BTreeSet::new(),
        source,
    };
    let text = String::from_utf8_lossy(&program.source).into_owned();
    for line in text.lines().take(HEAD_LINES_MAX) {
        let line = line.trim().trim_end_matches("*/").trim();
        if let Some((_, words)) = line.split_once("expect:") {
            program.bounds.push(bound(words, path));
        }
        if let Some((_, words)) = line.split_once("needs:") {
            let needed = words.split_whitespace().next().unwrap();
            let needed = needed.trim_end_matches(',').to_owned();
            program.needs.insert(needed);
        }
        if let Some((_, words)) = line.split_once("problem:") {
            words.trim().clone_into(&mut program.problem);
        }
    }
    program
}

/// The problem for a source that names none, by what its language and its expected report need.
fn usual_problem(extension: &str, expected: &[(String, Option<String>)]) -> &'static str {
    let causes = expected.iter().filter_map(|(_, cause)| cause.as_deref());
    let ends = |cause: &str| causes.clone().any(|one| one == cause);
    match extension {
        "java" | "js" => "roomy",
        _ if ends("idle") => "brief",
        _ if ends("cpu") => "endless",
        _ => "tight",
    }
}

fn bound(words: &str, path: &Path) -> Bound {
    match words.split_whitespace().collect::<Vec<_>>()[..] {
        [key, sign @ (">=" | "<="), value] => (key.into(), sign == ">=", value.parse().unwrap()),
        _ => panic!("{}: {words:?} is not `key >= number`", path.display()),
    }
}

/// What is wrong with a test's result, if anything.
fn broken((key, at_least, value): &Bound, test: &Value) -> Option<String> {
    let got = test[key].as_u64();
    let got = got.unwrap_or_else(|| panic!("{key} is no number of {test}"));
    let sign = if *at_least { "at least" } else { "at most" };
    let holds = got == *value || (got > *value) == *at_least;
    (!holds).then(|| format!("{key} is {got}, not {sign} {value}"))
}

impl Program {
    /// Whether its verdict cannot be tested with the protections of this report.
    pub fn is_let_go(&self, report: &Value) -> bool {
        !self.needs.iter().all(|needed| holds(report, needed))
    }

    /// What is wrong with its report, if anything.
    pub fn wrong(&self, report: &Value) -> Option<String> {
        let verdict = report["verdict"].as_str().unwrap_or("none");
        let cause = report["cause"].as_str();
        if self.is_let_go(report) {
            return None;
        }
        let right = self.is_expected(verdict, cause);
        let first = report["tests"].get(0);
        let counts = |(key, ..): &&Bound| key != "memory_kib" || holds(report, "memory");
        let bounds = self.bounds.iter().filter(counts);
        let broken = bounds.filter_map(|bound| broken(bound, first?));
        let broken: Vec<String> = broken.collect();
        if right && broken.is_empty() {
            return None;
        }
        let is_failing = |test: &&Value| test["name"] == report["first_failing_test"];
        let tests = report["tests"].as_array();
        let failing = tests.and_then(|tests| tests.iter().find(is_failing));
        let (name, expected, cause) = (&self.name, &self.expected, cause.unwrap_or_default());
        let test = failing.or(first).unwrap_or(&Value::Null);
        let words = &report["compiler"]["words"];
        let got = format!("{name}: {verdict} {cause} instead of {expected:?} {broken:?}");
        Some(format!("{got}\n    {test}\n    {words}"))
    }

    /// Whether a compile error is expected.
    pub fn is_expected_to_fail_to_build(&self) -> bool {
        self.expected.iter().any(|(code, _)| code == "CE")
    }

    /// Whether its compiler needs all the time or memory of a build.
    pub fn exhausts_its_compiler(&self) -> bool {
        let causes = ["compile-time", "compile-memory"].map(|cause| Some(cause.to_owned()));
        let mut expected = self.expected.iter();
        expected.any(|(_, cause)| causes.contains(cause))
    }

    /// Whether something is left of it when it has ended, or it uses up what there is a number of.
    pub fn leaves_something(&self) -> bool {
        const OTHERS: [&str; 3] = ["keys", "machine-wide-resources", "zombies"];
        let name = self.name.as_str();
        name.ends_with("-left") || name.starts_with("many-") || OTHERS.contains(&name)
    }

    /// Whether its verdict depends on what the sandbox counts: time, memory, output, processes.
    pub fn is_about_accounting(&self) -> bool {
        let counted = |(code, _): &(String, _)| ["MLE", "OLE", "TLE"].contains(&code.as_str());
        self.leaves_something() || self.expected.iter().any(counted)
    }

    /// Whether this is one of the right verdicts.
    pub fn is_expected(&self, verdict: &str, cause: Option<&str>) -> bool {
        let refined = |one: &Option<String>| one.is_none() || one.as_deref() == cause;
        let mut expected = self.expected.iter();
        expected.any(|(code, cause)| code == verdict && refined(cause))
    }
}

/// Whether this protection was on when the report was made, or this is the machine.
fn holds(report: &Value, needed: &str) -> bool {
    let protections = report["protections"].as_array().unwrap();
    let is_on = |one: &Value| one["name"] == needed && one["hold"] == "on";
    needed == std::env::consts::ARCH || protections.iter().any(is_on)
}

//! Tasks of CMS in the Italian layout: task.yaml, the folders input and output, and the subtasks of
//! gen/GEN.

use super::super::yaml::Yaml;
use super::package::{Package, name_of};
use super::problem::{Content, Group, Problem, Test};
use crate::domain::bounds::TESTS_MAX;
use crate::domain::{Complaint, Scoring};
use crate::util::MIB;

pub const FILE: &str = "task.yaml";
const GEN: &str = "gen/GEN";
const MAKE: &str = "make the task's files first, as `cmsMake` does";
/// Keys that are read here.
const KEYS: [&str; 17] = [
    "name",
    "nome_breve",
    "title",
    "nome",
    "time_limit",
    "timeout",
    "memory_limit",
    "memlimit",
    "infile",
    "outfile",
    "n_input",
    "total_value",
    "output_only",
    "public_testcases",
    "risultati",
    "score_type",
    "primary_language",
];

/// Reads a task; `has_language` says whether programs can end so here.
pub fn read(
    package: &mut Package,
    has_language: &dyn Fn(&str) -> bool,
) -> Result<Problem, Complaint> {
    let file = package.place(FILE);
    let text = package.text(FILE)?;
    let yaml = Yaml::read(&text, &file)?;
    let get = |keys: &[&str]| keys.iter().find_map(|key| yaml.get(key));
    let said = |keys: &[&str]| get(keys).map_or(String::new(), |(_, text)| text);
    let number = |keys: &[&str]| match get(keys) {
        None => Ok(None),
        Some((value, text)) => text
            .parse::<f64>()
            .map(Some)
            .map_err(|_| yaml.complaint(value, format!("`{text}` is no number"), "write one")),
    };
    refuse(package, &yaml)?;
    let mut problem = Problem::new(said(&["name", "nome_breve"]), said(&["title", "nome"]));
    problem.manifest.limits.cpu_s = number(&["time_limit", "timeout"])?;
    if let Some(mib) = number(&["memory_limit", "memlimit"])? {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "it saturates"
        )]
        problem.limit_memory(&file, (mib * MIB as f64) as u64);
    }
    let name = |key, otherwise: &str| {
        yaml.entries.get(key).map_or(otherwise.to_owned(), |value| {
            yaml.text(value).unwrap_or_default()
        })
    };
    problem.read_and_write(
        &file,
        &name("infile", "input.txt"),
        &name("outfile", "output.txt"),
    );
    let others = yaml.entries.keys().map(String::as_str);
    problem.leave_keys(&file, others.filter(|key| !KEYS.contains(key)));
    if let Some((value, kind)) =
        get(&["score_type"]).filter(|(_, kind)| !["Sum", "GroupMin"].contains(&kind.as_str()))
    {
        return Err(yaml.complaint(
            value,
            format!("points of the kind `{kind}` are not supported"),
            "write `score_type: GroupMin`",
        ));
    }
    let subtasks = subtasks(package, number(&["n_input"])?)?;
    let public = said(&["public_testcases", "risultati"]);
    tests(
        package,
        &mut problem,
        &subtasks,
        &public,
        number(&["total_value"])?.unwrap_or(100.0),
    )?;
    for path in package
        .files("check/")
        .into_iter()
        .chain(package.files("cor/"))
    {
        if problem.missing.is_empty()
            && ["checker", "correttore"]
                .iter()
                .any(|name| name_of(&path).starts_with(name))
        {
            problem.lack_checker(
                &package.place(&path),
                "a checker that is asked in the way of CMS is not supported",
            );
        }
    }
    files(package, &mut problem, has_language)?;
    Ok(problem)
}

/// The error: programs are not judged there by what they print for an input.
fn refuse(package: &Package, yaml: &Yaml<'_>) -> Result<(), Complaint> {
    if let Some((value, _)) = yaml
        .get("output_only")
        .filter(|(_, text)| text.eq_ignore_ascii_case("true"))
    {
        return Err(yaml.complaint(
            value,
            "problems in which an output is handed in are not supported",
            "take another task",
        ));
    }
    let folders = ["sol/", "check/", "cor/"]
        .into_iter()
        .flat_map(|folder| package.files(folder));
    let is_grader = |path: &String| {
        ["grader.", "stub.", "manager"]
            .iter()
            .any(|name| name_of(path).starts_with(name))
    };
    match folders.into_iter().find(is_grader) {
        Some(path) => Err(Complaint::new(
            package.place(&path),
            "what is compiled with the programs of students, or talks with them, is not supported",
        )
        .with_help("take another task")),
        None => Ok(()),
    }
}

/// The points of each subtask and the number of its tests; no points where tests stand for
/// themselves.
type Subtasks = Vec<(Option<f64>, usize)>;

/// What gen/GEN says: `#ST: points` begins a subtask; any other line that is more than a comment,
/// and `#COPY:`, is a test.
fn subtasks(package: &mut Package, count: Option<f64>) -> Result<Subtasks, Complaint> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it saturates"
    )]
    let count = count.map(|count| count as usize);
    let mut subtasks = vec![(None, 0)];
    let file = package.place(GEN);
    if package.has(GEN) {
        for (line, text) in package.text(GEN)?.lines().enumerate() {
            let (test, comment) = text.split_once('#').unwrap_or((text, ""));
            let comment = comment.trim();
            if let Some(points) = comment.strip_prefix("ST:") {
                let points = points.trim().parse();
                let points = points
                    .map_err(|_| Complaint::new(&file, "its points are no number").on(line + 1))?;
                subtasks.push((Some(points), 0));
            } else if !test.trim().is_empty() || comment.starts_with("COPY:") {
                subtasks.last_mut().expect("there is always one").1 += 1;
            }
        }
    } else {
        subtasks[0].1 = count.ok_or_else(|| {
            Complaint::new(
                package.place(FILE),
                "neither `n_input` nor gen/GEN says how many tests there are",
            )
            .with_help("write `n_input`")
        })?;
    }
    subtasks.retain(|(_, tests)| *tests > 0);
    let sum: usize = subtasks.iter().map(|(_, tests)| tests).sum();
    if sum > TESTS_MAX || count.is_some_and(|count| count != sum) {
        let reason = format!(
            "there are {sum} tests by it; `n_input` and the most that are possible, {TESTS_MAX}, say otherwise"
        );
        return Err(Complaint::new(file, reason).with_help(MAKE));
    }
    Ok(subtasks)
}

fn tests(
    package: &Package,
    problem: &mut Problem,
    subtasks: &Subtasks,
    public: &str,
    total: f64,
) -> Result<(), Complaint> {
    let file = package.place(FILE);
    let all: usize = subtasks.iter().map(|(_, tests)| tests).sum();
    let is_public = |number: usize| {
        public == "all"
            || public
                .split(',')
                .any(|one| one.trim().parse() == Ok(number))
    };
    let mut number = 0;
    for (at, (points, tests)) in subtasks.iter().enumerate() {
        let numbers = number..number + tests;
        number += tests;
        let is_sample = *points == Some(0.0) && numbers.clone().all(is_public);
        let group = points.filter(|points| *points > 0.0).map(|points| {
            let name = format!("subtask-{}", at + 1);
            problem.manifest.groups.push(Group {
                name: name.clone(),
                points,
                score: Scoring::All,
                needs: Vec::new(),
                each: None,
            });
            name
        });
        for number in numbers {
            let paths = [
                format!("input/input{number}.txt"),
                format!("output/output{number}.txt"),
            ];
            if let Some(path) = paths.iter().find(|path| !package.has(path)) {
                return Err(
                    Complaint::new(package.place(path), "the test is not in the package")
                        .with_help(MAKE),
                );
            }
            let group = match points {
                #[expect(clippy::cast_precision_loss, reason = "there are few tests")]
                None => Some(problem.alone(total / all as f64, &[])),
                Some(_) => group.clone(),
            };
            let [input, answer] = paths.map(Content::File);
            problem.tests.push(Test {
                name: number.to_string(),
                is_sample,
                group,
                input,
                answer: Some(answer),
            });
        }
    }
    if !public.is_empty() && !problem.tests.iter().any(|test| test.is_sample) {
        problem.leave_out(&file, "`public_testcases`: what students see of tests, [disclosure] in problem.toml says; none is a sample");
    }
    Ok(())
}

/// The statement, the programs that made the answers, and what students are given.
fn files(
    package: &mut Package,
    problem: &mut Problem,
    has_language: &dyn Fn(&str) -> bool,
) -> Result<(), Complaint> {
    for path in package.files("sol/") {
        let (stem, ending) = name_of(&path)
            .split_once('.')
            .unwrap_or((name_of(&path), ""));
        match ["solution", "soluzione"].contains(&stem) {
            true if has_language(ending) => {
                drop(package.program(problem, &path, &[], "submissions/accepted")?)
            }
            true => problem.leave_out(
                &package.place(&path),
                format!("`.{ending}` belongs to no language here"),
            ),
            false => problem.leave_out(
                &package.place(&path),
                "nothing says which verdict it should get",
            ),
        }
    }
    for path in package.files("att/") {
        problem.files.push((
            format!("attachments/{}", name_of(&path)),
            Content::File(path),
        ));
    }
    let statements = ["statement/statement", "testo/testo"];
    let statement = |ending| {
        statements
            .map(|path| format!("{path}.{ending}"))
            .into_iter()
            .find(|path| package.has(path))
    };
    match (statement("tex"), statement("pdf")) {
        (Some(path), _) => problem
            .files
            .push(("statement/problem.tex".to_owned(), Content::File(path))),
        (None, Some(path)) => problem.leave_out(
            &package.place(&path),
            "a PDF is not shown; write statement.md",
        ),
        (None, None) => problem.leave_out(
            &package.place("statement"),
            "there is no statement; write statement.md",
        ),
    }
    Ok(())
}

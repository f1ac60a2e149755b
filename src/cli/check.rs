//! `verdictd check [PROBLEM…]`: proves packages: tests and answers, invalid inputs, mutations, example submissions.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use comfy_table::{Table, presets};
use serde_json::json;

use super::check_folder::{remarks_row, show_strangers};
use super::check_programs::{invalid_row, programs_row};
use super::check_times::Times;
use super::names::{problem_named, unknown_problem};
use super::out::Style;
use super::session::{Piece, Recalled, Session};
use super::{Complaint, Exit, Out};
use crate::config::Intake;
use crate::domain::{
    ProblemSlug, SourceFile, Student, Submission, SubmissionId, TestKind, Verdict,
};
use crate::package::{self, Hack, Package, Test};
use crate::problems::{self, Task};
use crate::util::files::read_regular;
use crate::util::hash::digest;
use crate::util::order::natural_files;

/// Mutations tried on each test input.
const MUTATIONS_OF_ONE_TEST_MAX: usize = 40;
/// Example submissions of one package.
const EXAMPLES_MAX: usize = 1_000;
/// The folders of example submissions and the verdicts that each promises.
const EXPECTATIONS: [(&str, &[Verdict]); 6] = [
    ("accepted", &[Verdict::Accepted]),
    (
        "wrong_answer",
        &[
            Verdict::WrongAnswer,
            Verdict::PresentationError,
            Verdict::OutputLimit,
        ],
    ),
    ("time_limit_exceeded", &[Verdict::TimeLimit]),
    (
        "run_time_error",
        &[Verdict::RuntimeError, Verdict::MemoryLimit],
    ),
    ("compile_error", &[Verdict::CompileError]),
    // As in the ICPC's format: any verdict will do, as long as it is not accepted.
    (
        "rejected",
        &[
            Verdict::WrongAnswer,
            Verdict::PresentationError,
            Verdict::OutputLimit,
            Verdict::TimeLimit,
            Verdict::RuntimeError,
            Verdict::MemoryLimit,
            Verdict::CompileError,
        ],
    ),
];

/// Arguments of `check`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The packages to check; all of them if none is named.
    problems: Vec<String>,
    /// One JSON object per check.
    #[arg(long)]
    json: bool,
}

/// One thing that was checked.
pub(super) struct Row {
    pub(super) problem: ProblemSlug,
    pub(super) what: &'static str,
    pub(super) count: usize,
    pub(super) complaints: Vec<String>,
    /// What does not keep the package from holding, but whoever wrote it should know.
    pub(super) warnings: Vec<String>,
    /// What was found, in a few words.
    pub(super) says: Option<String>,
}

impl Row {
    /// One that holds.
    pub(super) fn new(problem: &ProblemSlug, what: &'static str, count: usize) -> Self {
        Self {
            problem: problem.clone(),
            what,
            count,
            complaints: Vec::new(),
            warnings: Vec::new(),
            says: None,
        }
    }
}

/// Runs the command.
pub fn run(arguments: &Arguments, config_file: &Path, out: &mut Out) -> anyhow::Result<Exit> {
    let session = Session::open(config_file)?;
    let slugs = named(arguments, &session)?;
    let mut rows = Vec::new();
    for slug in &slugs {
        match &session
            .package(slug)
            .ok_or_else(|| unknown(slug.as_str(), &session))?
        {
            Err(error) => rows.push(Row {
                complaints: vec![error.to_string()],
                ..Row::new(slug, "package", 1)
            }),
            Ok(package) => {
                rows.push(tests_row(package));
                rows.push(remarks_row(package));
                if let Some(task) = package.task() {
                    rows.push(second_opinion_row(package, task));
                    rows.push(missing_row(package, task));
                }
                if package.task().is_some() || package.validator.is_some() {
                    rows.push(session.with_oracle(|oracle| invalid_row(package, oracle)));
                }
                if let Some(task) = package.task() {
                    rows.push(mutations_row(package, task));
                }
                if package.programs().next().is_some() {
                    rows.push(session.with_oracle(|oracle| programs_row(package, oracle)));
                }
                out.note(&format!(
                    "{slug}: {}; {}; judging the example submissions …",
                    [std::slice::from_ref(&package.title), &package.sources]
                        .concat()
                        .join(", "),
                    package.compare_words()
                ));
                rows.extend(examples_rows(&session, package));
            }
        }
    }
    // Whoever names a package asks about it alone.
    let strangers = match arguments.problems.as_slice() {
        [] => package::strangers(&session.config.folders.problems).map_err(Complaint::usage)?,
        [..] => Vec::new(),
    };
    show(&rows, arguments.json, out);
    if !strangers.is_empty() {
        show_strangers(&strangers, arguments.json, out);
    }
    let holds = strangers.is_empty() && rows.iter().all(|row| row.complaints.is_empty());
    Ok(if holds { Exit::Good } else { Exit::No })
}

fn named(arguments: &Arguments, session: &Session) -> anyhow::Result<Vec<ProblemSlug>> {
    if arguments.problems.is_empty() {
        return Ok(session.slugs.clone());
    }
    arguments
        .problems
        .iter()
        .map(|name| problem_named(name, &session.slugs, &session.config.folders.problems))
        .collect()
}

fn unknown(name: &str, session: &Session) -> anyhow::Error {
    let folder = &session.config.folders.problems;
    Complaint::usage(unknown_problem(name, &session.slugs, folder))
}

fn show(rows: &[Row], json: bool, out: &mut Out) {
    if json {
        for row in rows {
            out.json(&json!({
                "problem": row.problem.as_str(), "check": row.what, "count": row.count,
                "holds": row.complaints.is_empty(), "complaints": row.complaints,
                "warnings": row.warnings, "says": row.says,
            }));
        }
        return;
    }
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(["PROBLEM", "CHECK", "COUNT", "RESULT"]);
    for row in rows {
        let result = match row.complaints.len() {
            0 => out.styled(Style::Good, "holds"),
            1 => out.styled(Style::Bad, "1 complaint"),
            more => out.styled(Style::Bad, &format!("{more} complaints")),
        };
        table.add_row([
            row.problem.to_string(),
            row.what.to_owned(),
            row.count.to_string(),
            result,
        ]);
    }
    out.line(&table.to_string());
    for row in rows {
        let warnings = row.warnings.iter().map(|words| format!("warning: {words}"));
        let words = row.says.iter().chain(&row.complaints).cloned();
        for words in words.chain(warnings) {
            out.line(&format!("{}: {}: {words}", row.problem, row.what));
        }
    }
}

/// Reading the package has validated every test and compared every stored answer; what is left is what it forgave.
fn tests_row(package: &Package) -> Row {
    let mut complaints: Vec<String> = package
        .tests
        .iter()
        .filter(|test| !test.notes.is_empty())
        .map(|test| {
            let notes: Vec<String> = test.notes.iter().map(ToString::to_string).collect();
            format!(
                "{}: not in its normal form: {}",
                test.file.display(),
                notes.join("; ")
            )
        })
        .collect();
    for (index, test) in package.tests.iter().enumerate() {
        let twin = package.tests[..index]
            .iter()
            .find(|other| other.name.input == test.name.input);
        if let Some(twin) = twin {
            complaints.push(format!(
                "{}: the same input as {}",
                test.name.name, twin.name.name
            ));
        }
    }
    complaints.extend(package.hacks.iter().filter_map(Hack::complaint));
    Row {
        complaints,
        ..Row::new(
            &package.slug,
            "tests valid, answers right",
            package.tests.len(),
        )
    }
}

/// Reading the package has answered every test with the reference solver; the second algorithm must say the same.
fn second_opinion_row(package: &Package, task: &dyn Task) -> Row {
    let complaint = |test: &Test| match problems::disagreement(task, &test.input) {
        Ok(difference) => Some(format!("{}: {}", test.name.name, difference?)),
        Err(error) => Some(format!("{}: {error}", test.name.name)),
    };
    Row {
        complaints: package.tests.iter().filter_map(complaint).collect(),
        ..Row::new(
            &package.slug,
            "second algorithm agrees",
            package.tests.len(),
        )
    }
}

/// What a built-in problem could have and does without: no fault, but worth a thought.
fn missing_row(package: &Package, task: &dyn Task) -> Row {
    let samples: Vec<&[u8]> = package
        .tests
        .iter()
        .filter(|test| test.name.kind == TestKind::Sample)
        .map(|test| &*test.input)
        .collect();
    let (warnings, complaints) = match problems::missing(task, &samples) {
        Ok(missing) => (missing.into_iter().map(str::to_owned).collect(), Vec::new()),
        Err(error) => (Vec::new(), vec![error.to_string()]),
    };
    Row {
        complaints,
        warnings,
        ..Row::new(&package.slug, "parts of the problem", samples.len())
    }
}

/// Ways to spoil a valid input that no statement allows, or that are normalised back to the same input.
fn mutations(input: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let joined = |parts: [&[u8]; 3]| parts.concat();
    let mut mutants = vec![
        ("text after the end", joined([input, b"1\n", b""])),
        ("a word after the end", joined([input, b"end\n", b""])),
        ("a byte order mark", joined([b"\xEF\xBB\xBF", input, b""])),
        ("an empty line first", joined([b"\n", input, b""])),
        ("a blank first", joined([b" ", input, b""])),
        ("CRLF", replaced(input, b'\n', b"\r\n")),
        ("blanks at line ends", replaced(input, b'\n', b"  \n")),
        ("doubled line feeds", replaced(input, b'\n', b"\n\n")),
        ("empty lines at the end", joined([input, b"\n\n", b""])),
        ("nothing", Vec::new()),
    ];
    if let [rest @ .., b'\n'] = input {
        mutants.push(("no final line feed", rest.to_vec()));
    }
    if let Some(digit) = input.iter().position(u8::is_ascii_digit) {
        for (what, extra) in [
            ("a leading zero", "0"),
            ("a plus sign", "+"),
            ("a minus sign", "-"),
        ] {
            mutants.push((
                what,
                joined([&input[..digit], extra.as_bytes(), &input[digit..]]),
            ));
        }
    }
    let lines: Vec<&[u8]> = input.split_inclusive(|&byte| byte == b'\n').collect();
    let room = MUTATIONS_OF_ONE_TEST_MAX.saturating_sub(mutants.len()) / 2;
    let step = (lines.len() / room.max(1)).max(1);
    for at in (0..lines.len()).step_by(step).take(room) {
        let without = [&lines[..at], &lines[at + 1..]].concat().concat();
        mutants.push(("a line dropped", without));
        let mut bad = lines[at].to_vec();
        bad.insert(0, b'#');
        let spoiled = [&lines[..at], &[bad.as_slice()], &lines[at + 1..]]
            .concat()
            .concat();
        mutants.push(("a strange character", spoiled));
    }
    mutants
}

fn replaced(input: &[u8], byte: u8, with: &[u8]) -> Vec<u8> {
    input
        .split(|&other| other == byte)
        .collect::<Vec<_>>()
        .join(with)
}

/// A mutant is refused, or it is read as some valid input whose normal form is stable.
fn mutations_row(package: &Package, task: &dyn Task) -> Row {
    let mut complaints = Vec::new();
    let mut count = 0;
    for test in &package.tests {
        for (what, mutant) in mutations(&test.input) {
            count += 1;
            let Ok(valid) = task.validate(&mutant) else {
                continue;
            };
            let harmless = matches!(what, "CRLF" | "blanks at line ends" | "no final line feed")
                || what.ends_with("at the end");
            if harmless && valid.input != *test.input {
                complaints.push(format!("{}: {what} changes the input", test.name.name));
            }
            let stable = task
                .validate(&valid.input)
                .is_ok_and(|again| again.input == valid.input && again.notes.is_empty());
            if !stable {
                complaints.push(format!("{}: {what}: no stable normal form", test.name.name));
            }
            let refused_always = matches!(
                what,
                "text after the end"
                    | "a word after the end"
                    | "a byte order mark"
                    | "a plus sign"
                    | "a minus sign"
                    | "a strange character"
                    | "nothing"
            );
            if refused_always {
                complaints.push(format!("{}: {what} is not refused", test.name.name));
            }
        }
    }
    Row {
        complaints,
        ..Row::new(&package.slug, "mutations refused or normalised", count)
    }
}

fn examples_rows(session: &Session, package: &Arc<Package>) -> [Row; 2] {
    let mut times = Times::of(&package.limits);
    let mut complaints = Vec::new();
    let mut pieces = Vec::new();
    let mut expected = Vec::new();
    for (folder, verdicts) in EXPECTATIONS {
        for file in example_files(&package.folder.join("submissions").join(folder)) {
            match example(session, package, &file) {
                Ok(piece) => {
                    pieces.push(piece);
                    expected.push((format!("{folder}/{}", file_name(&file)), verdicts));
                }
                Err(reason) => complaints.push(format!("{folder}/{}: {reason}", file_name(&file))),
            }
        }
    }
    if !expected
        .iter()
        .any(|(name, _)| name.starts_with("accepted/"))
    {
        complaints.push("there is no program in submissions/accepted".into());
    }
    session.judge_all(&pieces, Recalled::OfThisCommand, true, |index, result| {
        let (name, verdicts) = &expected[index];
        match result {
            Err(fault) => complaints.push(format!("{name}: not judged: {fault}")),
            Ok(judged) if verdicts.contains(&judged.judgement.verdict) => {
                times.add(name, &pieces[index].submission.language, &judged);
            }
            Ok(judged) => {
                let judgement = judged.judgement;
                let on = judgement
                    .first_failing
                    .map(|at| format!(" on {}", judgement.tests[at].test.name))
                    .unwrap_or_default();
                let words = String::from_utf8_lossy(&judgement.compiler_words);
                let words = words.lines().next().unwrap_or_default();
                complaints.push(format!("{name}: {}{on} {words}", judgement.verdict.words()));
            }
        }
    });
    let examples = Row {
        complaints,
        ..Row::new(&package.slug, "example submissions", pieces.len())
    };
    [examples, times.row(&package.slug)]
}

fn example_files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = entries
        .take(EXAMPLES_MAX)
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.is_file() && !file_name(path).starts_with('.'))
        .collect();
    files.sort_by(|one, other| natural_files(one, other));
    files
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default()
}

fn example(session: &Session, package: &Arc<Package>, file: &Path) -> Result<Piece, String> {
    let Intake {
        source_bytes_max, ..
    } = session.config.intake;
    let bytes = read_regular(file, source_bytes_max).map_err(|error| error.to_string())?;
    let extension = file
        .extension()
        .and_then(|extension| extension.to_str())
        .unwrap_or_default();
    let language = session
        .toolchain
        .language_of(extension)
        .ok_or_else(|| format!("`.{extension}` belongs to no language"))?;
    session.version(language.id())?;
    Ok(Piece {
        submission: Submission {
            id: SubmissionId(0),
            student: Student::new("example").map_err(|error| error.to_string())?,
            problem: package.slug.clone(),
            language: language.id().clone(),
            attempt: 1,
            received_ms: 0,
        },
        source: SourceFile {
            name: file_name(file),
            digest: digest(&bytes),
            bytes: Arc::from(bytes),
        },
        package: Arc::clone(package),
    })
}

#[cfg(test)]
mod tests {
    use super::EXPECTATIONS;
    use crate::package::EXAMPLE_FOLDERS;

    #[test]
    fn every_folder_of_examples_has_its_expectation() {
        assert_eq!(EXPECTATIONS.map(|(folder, _)| folder), EXAMPLE_FOLDERS);
    }
}

//! `results.xml`, as continuous integration reads it: a suite a problem, a case a test, only the attempt of each student that counts.
//!
//! A wrong program is a failure. What is our own fault is an error, and a test that was not run is skipped.

use std::collections::BTreeMap;
use std::time::Duration;

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::ExportError;
use crate::config::Counts;
use crate::domain::{Student, SubmissionId, Verdict};
use crate::overview::{Board, Entry};
use crate::report::{Document, TestPart, verdict_words, what_went_wrong};

/// Cases of one file. Of attempts beyond it only the verdict is one, so that the file stays readable.
const CASES_MAX: usize = 100_000;
/// Characters of the compiler's words.
const COMPILER_CHARACTERS_MAX: usize = 4_000;
/// The case of a program that could not be built.
const BUILD: &str = "build";
/// The case that stands for a whole attempt.
const VERDICT: &str = "verdict";
/// The type of an error on our side, as the CLICS specifications call it.
const JUDGING_ERROR: &str = "JE";

/// Where the rest of what is known comes from.
pub trait Source {
    /// The report of a submission; none where there is none, or another version has written it.
    fn document(&mut self, id: SubmissionId) -> Result<Option<Document>, ExportError>;
}

/// The whole file. `faults` has the submissions that could not be judged, and why.
pub fn render(
    board: &Board,
    counts: Counts,
    faults: &BTreeMap<SubmissionId, String>,
    source: &mut dyn Source,
) -> Result<String, ExportError> {
    let mut report = Report::new("verdictd");
    for problem in board.problems() {
        let mut suite = TestSuite::new(text(problem.as_str()));
        let mut time = Duration::ZERO;
        for (student, cell) in board.cells_of(problem) {
            let Some(entry) = cell.counting(counts) else {
                let fault = cell
                    .entries
                    .iter()
                    .rev()
                    .find_map(|one| faults.get(&one.id));
                suite.add_test_case(without_verdict(student, fault));
                continue;
            };
            let detailed = report.tests + suite.tests < CASES_MAX;
            let document = if detailed {
                source.document(entry.id)?
            } else {
                None
            };
            for case in cases(student, entry, document.as_ref()) {
                time += case.time.unwrap_or_default();
                suite.add_test_case(case);
            }
        }
        suite.set_time(time);
        // The crate calls them disabled, and most readers look for this word.
        suite
            .extra
            .insert("skipped".into(), suite.disabled.to_string().into());
        report.add_test_suite(suite);
    }
    report
        .to_string()
        .map_err(|error| ExportError::Results(error.to_string()))
}

fn without_verdict(student: &Student, fault: Option<&String>) -> TestCase {
    let status = match fault {
        None => skipped("it waits for its verdict"),
        Some(reason) => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
            status.set_type(JUDGING_ERROR);
            status.set_message(text(&format!("not judged: {reason}")));
            status
        }
    };
    case(student, VERDICT, status)
}

fn cases(student: &Student, entry: &Entry, document: Option<&Document>) -> Vec<TestCase> {
    match document {
        Some(document) if document.tests.is_empty() => vec![build(student, document)],
        Some(document) => document
            .tests
            .iter()
            .map(|part| test(student, part))
            .collect(),
        None => vec![whole(student, entry)],
    }
}

/// An attempt of which only the verdict is known here.
fn whole(student: &Student, entry: &Entry) -> TestCase {
    let judged = entry.judged.as_ref();
    let verdict = judged.map_or(Verdict::Skipped, |judged| judged.verdict);
    let first = judged.and_then(|judged| judged.first_failing_test.as_deref());
    let mut case = case(
        student,
        VERDICT,
        status(verdict, None, first.unwrap_or_default()),
    );
    if let Some(slowest_ms) = judged.and_then(|judged| judged.slowest_ms) {
        case.set_time(Duration::from_millis(slowest_ms));
    }
    case
}

fn build(student: &Student, document: &Document) -> TestCase {
    let words = &document.compiler.words;
    let words: String = words.chars().take(COMPILER_CHARACTERS_MAX).collect();
    let status = status(document.verdict.0, document.cause.as_deref(), &words);
    case(student, BUILD, status)
}

fn test(student: &Student, part: &TestPart) -> TestCase {
    let status = status(
        part.verdict.0,
        part.cause.as_deref(),
        &what_went_wrong(part).join("\n"),
    );
    let mut case = case(student, &part.name, status);
    if part.verdict.0 != Verdict::Skipped {
        case.set_time(Duration::from_millis(part.cpu_ms));
    }
    case
}

fn status(verdict: Verdict, cause: Option<&str>, details: &str) -> TestCaseStatus {
    match verdict {
        Verdict::Accepted => TestCaseStatus::success(),
        Verdict::Skipped => skipped("an earlier test had failed"),
        _ => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status.set_type(verdict.code());
            status.set_message(text(&verdict_words(verdict, cause)));
            if !details.is_empty() {
                status.set_description(text(details));
            }
            status
        }
    }
}

fn skipped(why: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::skipped();
    status.set_message(why);
    status
}

fn case(student: &Student, name: &str, status: TestCaseStatus) -> TestCase {
    let mut case = TestCase::new(text(name), status);
    case.set_classname(text(student.as_str()));
    case
}

/// XML has no way to write two of the characters that a name may have.
fn text(text: &str) -> String {
    text.replace(['\u{FFFE}', '\u{FFFF}'], "\u{FFFD}")
}

//! `results.json` as Gradescope reads it from an autograder: the score, the report's text, and one
//! entry a test.
//!
//! It is made from the document that its reader may see, so nothing in it needs to be hidden from
//! anybody.

use serde::Serialize;

use super::document::Report;
use super::places::Audience;
use super::schema::{Document, TestPart};
use super::text;
use super::units::{cpu, memory, verdict_words, what_went_wrong};
use crate::domain::{Cause, Verdict};

/// Tests of one report; what comes after them is counted.
const TESTS_MAX: usize = 500;
/// Everything in it is the text that it is, and is never read as HTML or Markdown.
const TEXT: &str = "text";
const VISIBLE: &str = "visible";
const MILLISECONDS: f64 = 1_000.0;

#[derive(Serialize)]
struct Results {
    score: u8,
    execution_time: f64,
    output: String,
    output_format: &'static str,
    test_output_format: &'static str,
    test_name_format: &'static str,
    visibility: &'static str,
    stdout_visibility: &'static str,
    tests: Vec<Test>,
    extra_data: Extra,
}

#[derive(Serialize)]
struct Test {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'static str>,
    output: String,
    tags: Vec<String>,
    visibility: &'static str,
}

/// What a script may look for.
#[derive(Serialize)]
struct Extra {
    student: String,
    problem: String,
    attempt: u32,
    language: String,
    verdict: &'static str,
    cause: Option<String>,
    first_failing_test: Option<String>,
}

/// The results of a submission.
pub fn render(report: &Report<'_>, audience: Audience) -> String {
    let results = results(report.document, audience);
    let mut json = serde_json::to_string_pretty(&results)
        .expect("strings, numbers and lists of them always have a JSON form");
    json.push('\n');
    json
}

fn results(document: &Document, audience: Audience) -> Results {
    let submission = &document.submission;
    let mut tests: Vec<Test> = document.tests.iter().take(TESTS_MAX).map(test).collect();
    let more = document.tests.len() - tests.len();
    if more > 0 {
        tests.push(Test {
            name: format!("{more} more tests"),
            status: None,
            output: "They are in the report.".to_owned(),
            tags: Vec::new(),
            visibility: VISIBLE,
        });
    }
    let spent_ms: u64 = document.tests.iter().map(|test| test.cpu_ms).sum();
    Results {
        score: u8::from(document.verdict == Verdict::Accepted),
        execution_time: seconds(spent_ms),
        output: text::render(document, audience),
        output_format: TEXT,
        test_output_format: TEXT,
        test_name_format: TEXT,
        visibility: VISIBLE,
        stdout_visibility: "hidden",
        tests,
        extra_data: Extra {
            student: submission.student.clone(),
            problem: submission.problem.clone(),
            attempt: submission.attempt,
            language: submission.language.clone(),
            verdict: document.verdict.code(),
            cause: document.cause.as_ref().map(Cause::code),
            first_failing_test: document.first_failing_test.clone(),
        },
    }
}

fn test(test: &TestPart) -> Test {
    Test {
        name: test.name.clone(),
        status: match test.verdict {
            Verdict::Accepted => Some("passed"),
            // Gradescope has no word for it; without one the test is shown as neither.
            Verdict::Skipped => None,
            Verdict::PresentationError
            | Verdict::WrongAnswer
            | Verdict::TimeLimit
            | Verdict::MemoryLimit
            | Verdict::OutputLimit
            | Verdict::RuntimeError
            | Verdict::CompileError => Some("failed"),
        },
        output: output(test),
        tags: vec![test.kind.word().to_owned()],
        visibility: VISIBLE,
    }
}

fn output(test: &TestPart) -> String {
    let verdict = test.verdict;
    if verdict == Verdict::Skipped {
        return format!("{}, because an earlier test had failed", verdict.words());
    }
    let mut lines = vec![
        verdict_words(verdict, test.cause.as_ref()),
        format!("{} of CPU time, {} of memory", cpu(test), memory(test)),
    ];
    lines.extend(what_went_wrong(test));
    lines.join("\n")
}

/// Milliseconds as Gradescope counts time. A test takes hours at most, so no digit is lost.
#[expect(clippy::cast_precision_loss, reason = "no run takes 2^52 milliseconds")]
fn seconds(ms: u64) -> f64 {
    ms as f64 / MILLISECONDS
}

//! `results.json` as Gradescope reads it from an autograder: the score, the report's text, and one
//! entry per test.
//!
//! It is made from the document that its reader may see, so nothing in it needs to be hidden from
//! anybody.

use serde_json::{Value, json};

use super::document::Report;
use super::places::Audience;
use super::schema::{Document, TestPart};
use super::score::GroupPart;
use super::text;
use super::units::{cpu, memory, verdict_words, what_went_wrong};
use crate::domain::{Cause, Verdict};

/// Tests of one report; what comes after them is counted.
const TESTS_MAX: usize = 500;
/// Everything in it is the text that it is, and is never read as HTML or Markdown.
const TEXT: &str = "text";
const VISIBLE: &str = "visible";
const MILLISECONDS: f64 = 1_000.0;

/// The results of a submission.
pub fn render(report: &Report<'_>, audience: Audience) -> String {
    format!("{:#}\n", results(report.document, audience))
}

fn results(document: &Document, audience: Audience) -> Value {
    let submission = &document.submission;
    let shown = document.tests.iter().take(TESTS_MAX);
    let mut tests: Vec<Value> = document
        .groups
        .iter()
        .map(group)
        .chain(shown.map(test))
        .collect();
    let more = document.tests.len().saturating_sub(TESTS_MAX);
    if more > 0 {
        tests.push(json!({
            "name": format!("{more} more tests"), "output": "They are in the report.",
            "tags": [], "visibility": VISIBLE,
        }));
    }
    let spent_ms: u64 = document.tests.iter().map(|test| test.cpu_ms).sum();
    json!({
        // It overrides the sum of the groups, which it is.
        "score": document.score.map_or(u32::from(document.verdict == Verdict::Accepted), |score| score.got),
        "execution_time": seconds(spent_ms),
        "output": text::render(document, audience),
        "output_format": TEXT, "test_output_format": TEXT, "test_name_format": TEXT,
        "visibility": VISIBLE, "stdout_visibility": "hidden",
        "tests": tests,
        // What a script may look for.
        "extra_data": {
            "student": submission.student, "problem": submission.problem,
            "attempt": submission.attempt, "language": submission.language,
            "verdict": document.verdict.code(), "cause": document.cause.as_ref().map(Cause::code),
            "first_failing_test": document.first_failing_test,
        },
    })
}

/// A group has its points; the tests in it then have none of their own.
fn group(group: &GroupPart) -> Value {
    let score = group.score;
    json!({
        "name": group.name, "score": score.got, "max_score": score.of, "output": group.words(),
        "status": if score.is_full() { "passed" } else { "failed" },
        "tags": ["group"], "visibility": VISIBLE,
    })
}

fn test(test: &TestPart) -> Value {
    let mut entry = json!({
        "name": test.name, "output": output(test), "tags": [test.kind.word()],
        "visibility": VISIBLE,
    });
    match test.verdict {
        Verdict::Accepted => entry["status"] = "passed".into(),
        // Gradescope has no word for it; without one the test is shown as neither.
        Verdict::Skipped => {}
        Verdict::PresentationError
        | Verdict::WrongAnswer
        | Verdict::TimeLimit
        | Verdict::MemoryLimit
        | Verdict::OutputLimit
        | Verdict::RuntimeError
        | Verdict::CompileError => entry["status"] = "failed".into(),
    }
    entry
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

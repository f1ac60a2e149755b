//! `results.json` as Gradescope reads it from an autograder: the score, the report's text, and one
//! entry per test.
//!
//! It is made from the document that its reader may see, so nothing in it needs to be hidden from
//! anybody.

use serde_json::{Value, json};

use super::document::Report;
use super::places::Audience;
use super::schema::TestReport;
use super::shown::{verdict_words, what_went_wrong};
use super::text;
use crate::domain::{GroupResult, Verdict};
use crate::util::clock::as_seconds;

/// Tests of one report; what comes after them is counted.
const TESTS_MAX: usize = 500;
/// Everything in it is the text that it is, and is never read as HTML or Markdown.
const TEXT: &str = "text";
const VISIBLE: &str = "visible";

/// The results of a submission.
pub fn render(report: &Report<'_>, audience: Audience) -> String {
    let document = report.document;
    let submission = &document.submission;
    let shown = document.tests.iter().take(TESTS_MAX).map(test);
    let more = document.tests.len().saturating_sub(TESTS_MAX);
    let name = format!("{more} more tests");
    let left_out = (more > 0).then(|| entry(&name, "They are in the report."));
    let by_verdict = u32::from(document.verdict == Verdict::Accepted);
    let results = json!({
        // It overrides the sum of the groups, which it is.
        "score": document.score.map_or(by_verdict, |score| score.got),
        "execution_time": as_seconds(document.tests.iter().map(|test| test.cpu_ms).sum()),
        "output": text::render(document, audience),
        "output_format": TEXT,
        "test_output_format": TEXT,
        "test_name_format": TEXT,
        "visibility": VISIBLE,
        "stdout_visibility": "hidden",
        "tests": document.groups.iter().map(group).chain(shown).chain(left_out).collect::<Value>(),
        // What a script may look for.
        "extra_data": {
            "student": submission.student,
            "problem": submission.problem,
            "attempt": submission.attempt,
            "language": submission.language,
            "verdict": document.verdict,
            "cause": document.cause,
            "first_failing_test": document.first_failing_test,
        },
    });
    format!("{results:#}\n")
}

/// A test, or a group of tests: a group has its points; the tests in it then have none of their own.
fn entry(name: &str, output: &str) -> Value {
    json!({ "name": name, "output": output, "tags": [], "visibility": VISIBLE })
}

/// Gradescope has no word for a test that was not run; without one it is shown as neither.
fn status(is_passed: bool) -> Value {
    Value::from(if is_passed { "passed" } else { "failed" })
}

fn group(group: &GroupResult) -> Value {
    let mut entry = entry(&group.name, &group.words());
    entry["tags"] = json!(["group"]);
    entry["score"] = group.score.got.into();
    entry["max_score"] = group.score.of.into();
    entry["status"] = status(group.score.is_full());
    entry
}

fn test(test: &TestReport) -> Value {
    let output = if test.was_run() {
        let used = format!("{} of CPU time, {} of memory", test.cpu(), test.memory());
        let lines = [verdict_words(test.verdict, test.cause.as_ref()), used].into_iter();
        lines
            .chain(what_went_wrong(test))
            .collect::<Vec<String>>()
            .join("\n")
    } else {
        let words = test.verdict.words();
        format!("{words}, because an earlier test had failed")
    };
    let mut entry = entry(&test.name, &output);
    entry["tags"] = json!([test.kind.word()]);
    if test.was_run() {
        entry["status"] = status(test.verdict == Verdict::Accepted);
    }
    entry
}

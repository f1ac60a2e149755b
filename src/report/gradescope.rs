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
use crate::domain::{Score, Verdict};
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
    // A group has its points; the tests in it then have none of their own.
    let groups = document.groups.iter().map(|group| {
        let (name, output, status) = (&group.name, group.words(), status(group.score.is_full()));
        let Score { got, of } = group.score;
        json!({ "name": name, "output": output, "tags": ["group"], "visibility": VISIBLE,
            "score": got, "max_score": of, "status": status })
    });
    let shown = document.tests.iter().take(TESTS_MAX).map(test);
    let more = document.tests.len().saturating_sub(TESTS_MAX);
    let left_out = (more > 0).then(|| {
        let (name, output) = (format!("{more} more tests"), "They are in the report.");
        json!({ "name": name, "output": output, "tags": [], "visibility": VISIBLE })
    });
    let by_verdict = u32::from(document.verdict == Verdict::Accepted);
    let results = json!({
        // It overrides the sum of the groups, which it is.
        "score": document.score.map_or(by_verdict, |score| score.got),
        "execution_time": as_seconds(document.tests.iter().map(|test| test.cpu_ms).sum()),
        "output": text::render(document, audience),
        "output_format": TEXT, "test_output_format": TEXT, "test_name_format": TEXT,
        "visibility": VISIBLE, "stdout_visibility": "hidden",
        "tests": groups.chain(shown).chain(left_out).collect::<Value>(),
        // What a script may look for.
        "extra_data": {
            "student": submission.student, "problem": submission.problem,
            "attempt": submission.attempt, "language": submission.language,
            "verdict": document.verdict, "cause": document.cause,
            "first_failing_test": document.first_failing_test,
        },
    });
    format!("{results:#}\n")
}

fn status(is_passed: bool) -> &'static str {
    if is_passed { "passed" } else { "failed" }
}

/// Gradescope has no word for a test that was not run; without one it is shown as neither.
fn test(test: &TestReport) -> Value {
    let (name, tag) = (&test.name, test.kind.word());
    if !test.was_run() {
        let words = test.verdict.words();
        let output = format!("{words}, because an earlier test had failed");
        return json!({ "name": name, "output": output, "tags": [tag], "visibility": VISIBLE });
    }
    let status = status(test.verdict == Verdict::Accepted);
    let used = format!("{} of CPU time, {} of memory", test.cpu(), test.memory());
    let mut lines = vec![verdict_words(test.verdict, test.cause.as_ref()), used];
    lines.extend(what_went_wrong(test));
    json!({ "name": name, "output": lines.join("\n"), "tags": [tag], "visibility": VISIBLE,
        "status": status })
}

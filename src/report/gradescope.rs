//! `results.json` as Gradescope reads it from an autograder: the score, the report's text, and one
//! entry per test.
//!
//! It is made from the document that its reader may see, so nothing in it needs to be hidden from
//! anybody.

use serde::Serialize;

use super::document::Report;
use super::places::Audience;
use super::schema::TestReport;
use super::shown::{verdict_words, what_went_wrong};
use super::text;
use crate::domain::{Cause, GroupResult, Verdict};
use crate::util::clock::as_seconds;

/// Tests of one report; what comes after them is counted.
const TESTS_MAX: usize = 500;
/// Everything in it is the text that it is, and is never read as HTML or Markdown.
const TEXT: &str = "text";
const VISIBLE: &str = "visible";

#[derive(Serialize)]
struct Results<'a> {
    /// It overrides the sum of the groups, which it is.
    score: u32,
    execution_time: f64,
    output: String,
    output_format: &'static str,
    test_output_format: &'static str,
    test_name_format: &'static str,
    visibility: &'static str,
    stdout_visibility: &'static str,
    tests: Vec<Test>,
    extra_data: ExtraData<'a>,
}

/// What a script may look for.
#[derive(Serialize)]
struct ExtraData<'a> {
    student: &'a str,
    problem: &'a str,
    attempt: u32,
    language: &'a str,
    verdict: Verdict,
    cause: Option<&'a Cause>,
    first_failing_test: Option<&'a str>,
}

/// A test, or a group of tests: a group has its points; the tests in it then have none of their
/// own.
#[derive(Serialize)]
struct Test {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_score: Option<u32>,
    output: String,
    /// Gradescope has no word for a test that was not run; without one it is shown as neither.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'static str>,
    tags: Vec<&'static str>,
    visibility: &'static str,
}

/// The results of a submission.
pub fn render(report: &Report<'_>, audience: Audience) -> String {
    let document = report.document;
    let submission = &document.submission;
    let groups = document.groups.iter().map(group);
    let shown = document.tests.iter().take(TESTS_MAX).map(test);
    let more = document.tests.len().saturating_sub(TESTS_MAX);
    let words = "They are in the report.".to_owned();
    let left_out = entry(&format!("{more} more tests"), None, None, words);
    let by_verdict = u32::from(document.verdict == Verdict::Accepted);
    let results = serde_json::to_value(Results {
        score: document.score.map_or(by_verdict, |score| score.got),
        execution_time: as_seconds(document.tests.iter().map(|test| test.cpu_ms).sum()),
        output: text::render(document, audience),
        output_format: TEXT,
        test_output_format: TEXT,
        test_name_format: TEXT,
        visibility: VISIBLE,
        stdout_visibility: "hidden",
        tests: groups
            .chain(shown)
            .chain((more > 0).then_some(left_out))
            .collect(),
        extra_data: ExtraData {
            student: submission.student.as_str(),
            problem: submission.problem.as_str(),
            attempt: submission.attempt,
            language: submission.language.as_str(),
            verdict: document.verdict,
            cause: document.cause.as_ref(),
            first_failing_test: document.first_failing_test.as_deref(),
        },
    });
    let results = results.expect("strings and numbers always have a JSON form");
    format!("{results:#}\n")
}

fn entry(name: &str, tag: Option<&'static str>, is_passed: Option<bool>, output: String) -> Test {
    Test {
        name: name.to_owned(),
        score: None,
        max_score: None,
        output,
        status: is_passed.map(|is_passed| if is_passed { "passed" } else { "failed" }),
        tags: tag.into_iter().collect(),
        visibility: VISIBLE,
    }
}

fn group(group: &GroupResult) -> Test {
    let is_full = Some(group.score.is_full());
    Test {
        score: Some(group.score.got),
        max_score: Some(group.score.of),
        ..entry(&group.name, Some("group"), is_full, group.words())
    }
}

fn test(test: &TestReport) -> Test {
    let tag = Some(test.kind.word());
    if !test.was_run() {
        let output = format!(
            "{}, because an earlier test had failed",
            test.verdict.words()
        );
        return entry(&test.name, tag, None, output);
    }
    let used = format!("{} of CPU time, {} of memory", test.cpu(), test.memory());
    let lines = [verdict_words(test.verdict, test.cause.as_ref()), used].into_iter();
    let lines: Vec<String> = lines.chain(what_went_wrong(test)).collect();
    let is_passed = test.verdict == Verdict::Accepted;
    entry(&test.name, tag, Some(is_passed), lines.join("\n"))
}

//! The points of a report, in every format.

use serde_json::{Value, json};

use super::gradescope::results;
use super::samples::{line, page, past_verdict, report};
use crate::domain::{Disclosure, Score, Verdict};
use crate::report::redact::redact;
use crate::report::{Audience, Document, text};
use crate::util::samples::with_groups;

/// The report as a student has it whose tests are hidden.
fn hidden() -> Document {
    let mut whole = report("alpha", &with_groups());
    whole.disclosure.secret = Disclosure::VerdictOnly;
    redact(&whole)
}

#[test]
fn text_and_page_tell_the_points_and_how_they_came_to_be() {
    let document = hidden();
    let text = text::render(&document, Audience::Student);
    let groups = "Points: 65 of 100 points\n  easy  30/30  1 of 1 tests passed\n  hard  35/70  ";
    for words in ["  score     65 of 100 points\n", groups, "secret/#2"] {
        assert!(text.contains(words), "{words}\n{text}");
    }
    let page = page(&document, b"x");
    let hard = "<bdi>hard</bdi></dt><dd><strong>35</strong> of 70: 1 of 2 tests passed</dd>";
    assert!(page.contains(hard), "{page}");
    // The name of a group may be known, that of a test in it not.
    for shown in [text, page] {
        assert!(!shown.contains("hard/1"), "{shown}");
    }
}

#[test]
fn programs_read_the_points() {
    let document = hidden();
    let value: Value = serde_json::from_str(&document.to_json()).unwrap();
    let hard = json!({
        "name": "hard", "score": {"got": 35, "of": 70}, "scoring": "sum",
        "passed": 1, "tests": 2, "lacks": null,
    });
    assert_eq!(value["groups"][1], hard);
    assert_eq!(Document::from_json(&document.to_json()).unwrap(), document);
    let line: Value = serde_json::from_str(&line(1, &document).to_json()).unwrap();
    assert_eq!(line["score"], json!({"got": 65, "of": 100}));
    let results = results(&document);
    assert_eq!(results["score"], 65);
    let tests = results["tests"].as_array().unwrap();
    let most = tests.iter().filter_map(|test| test["max_score"].as_u64());
    assert_eq!(most.sum::<u64>(), 100);
    let got = tests.iter().filter_map(|test| test["score"].as_u64());
    assert_eq!(got.sum::<u64>(), 65);
}

#[test]
fn changed_points_are_told_with_their_reason() {
    let mut document = hidden();
    let wrong = Verdict::WrongAnswer;
    document.history = [(30, "received"), (65, "the groups of tests changed")]
        .map(|(got, because)| past_verdict(wrong, Some(Score { got, of: 100 }), because))
        .into();
    let text = text::render(&redact(&document), Audience::Student);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let before = "with 30 of 100 points until 2026-03-01 12:30 UTC; the groups of tests changed.";
    for words in [before, "WA 65/100 because: the groups of tests changed"] {
        assert!(text.contains(words), "{words}\n{text}");
    }
}

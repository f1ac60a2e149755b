//! What was found out in idle time: what of it students see, and how it is shown.

use super::samples::{failing, page, report};
use crate::domain::{
    Counterexample, Disclosures, Explanation, Growth, GrowthPoint, Reason, Verdict,
};
use crate::report::redact::redact;
use crate::report::{Audience, Document, render_text, reported};
use crate::util::samples::counterexample;

fn explanation(found_by: &str) -> Explanation {
    let stopped = GrowthPoint {
        size: 4,
        cpu_us: 2_000_000,
        is_stopped: true,
    };
    Explanation {
        counterexample: Some(Counterexample {
            cells: Some(2),
            witness: Some("left\nright".to_owned()),
            ..counterexample("2 1\n1 0\n", found_by)
        }),
        causes: vec![Reason {
            code: "constant".to_owned(),
            summary: "It always prints the same.".to_owned(),
            evidence: "-1 for every case".to_owned(),
        }],
        growth: Some(Growth {
            quantity: "rows".to_owned(),
            points: vec![stopped],
            law: Some("exponential".to_owned()),
            summary: "It doubles with every added row.".to_owned(),
        }),
        ..Explanation::default()
    }
}

/// A report with an explanation; the first failing test is hidden or shown.
fn document(found_by: &str, task: Option<&str>, is_shown: bool, is_hidden: bool) -> Document {
    let mut document = report("alpha", &failing(Verdict::WrongAnswer, None));
    if is_hidden {
        document.disclosure = Disclosures::least();
    }
    let mut found = explanation(found_by);
    found.counterexample.as_mut().unwrap().task = task.map(str::to_owned);
    document.explanation = Some(reported(&found, is_shown));
    document
}

#[test]
fn students_see_what_gives_no_hidden_test_away() {
    let task = Some("curling");
    for (ways, task, is_shown, is_hidden, told) in [
        ("enumeration|family full", task, true, true, true),
        // Without a row, a test is still the test.
        ("shrink|test|cut|prefix", task, true, true, false),
        ("shrink", None, true, true, false),
        ("shrink|test", task, true, false, true),
        ("prefix", None, true, false, true),
        ("enumeration", task, false, false, false),
        ("enumeration", task, false, true, false),
    ] {
        for found_by in ways.split('|') {
            let case = format!("{found_by} {task:?} {is_shown} {is_hidden}");
            let student = redact(&document(found_by, task, is_shown, is_hidden));
            let found = student.explanation.clone().unwrap_or_default();
            assert_eq!(found.counterexample.is_some(), told, "{case}");
            assert_eq!(found.growth.is_some(), is_shown, "{case}");
            // Reasons are about what was printed on the failing test.
            assert_eq!(found.causes.len(), usize::from(!is_hidden), "{case}");
            assert_eq!(student.to_json().contains("left"), told, "{case}");
        }
    }
}

#[test]
fn it_is_on_the_page_and_in_the_text() {
    let document = document("enumeration", Some("curling"), true, false);
    let text = render_text(&document, Audience::Student);
    let page = page(&document, b"int main() {}");
    let all = "It was found among small inputs; none with fewer cells was found.|\
        It always prints the same.|It doubles with every added row.|2000 ms, then stopped|\
        Why that is right";
    for words in all.split('|') {
        assert!(text.contains(words), "{words}: {text}");
        assert!(page.contains(words), "{words}: {page}");
    }
}

#[test]
fn a_prefix_says_that_something_is_carried_over_unless_a_limit_was_exceeded() {
    let mut prefix = explanation("prefix");
    let found = prefix.counterexample.as_mut().unwrap();
    (found.cases, found.is_carried_over) = (3, true);
    for (verdict, is_carried_over) in [
        (Verdict::WrongAnswer, true),
        (Verdict::RuntimeError, true),
        (Verdict::TimeLimit, false),
        (Verdict::OutputLimit, false),
    ] {
        let mut document = report("alpha", &failing(verdict, None));
        document.explanation = Some(reported(&prefix, true));
        let text = render_text(&document, Audience::Staff).replace("\n  ", " ");
        let is_told = text.contains("carries state over");
        assert_eq!(is_told, is_carried_over, "{text}");
    }
}

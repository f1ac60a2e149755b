//! That each format tells what a reader needs: input, expected and printed output, and nothing that
//! is untrue.

use scraper::{Html, Selector};

use super::samples::{case, excerpt, failing, judged, page, report, run_of, test, wrong};
use crate::domain::{Cause, Stop, Verdict};
use crate::report::schema::PastVerdict;
use crate::report::{Audience, Document, Report, gradescope, text};

fn student_text(document: &Document) -> String {
    text::render(document, Audience::Student)
}

/// A document without cases, as of a problem that is not built in.
fn of_lines() -> Document {
    let mut document = report("alpha", &wrong("2", "1 1"));
    let mut part = case();
    part.title = None;
    part.task = None;
    part.words = "The first difference is in line 1 of the output.".to_owned();
    part.input = excerpt("3\n5 7\n", 1, None);
    part.expected = excerpt("2\n", 1, Some((0, 1)));
    part.got = Some(excerpt("1 1\n", 1, Some((0, 1))));
    document.case = Some(part);
    document
}

#[test]
fn text_and_gradescope_tell_input_expected_and_printed() {
    let document = of_lines();
    let source = &b"print(1)"[..];
    let report = Report {
        document: &document,
        source,
    };
    let gradescope: serde_json::Value =
        serde_json::from_str(&gradescope::render(&report, Audience::Student)).unwrap();
    for text in [
        student_text(&document),
        text::render_findings(&document),
        gradescope["output"].as_str().unwrap().to_owned(),
    ] {
        for part in [
            "  Input:\n  | 3\n  | 5 7\n",
            "  Expected:\n  | 2\n",
            "  Printed:\n  | 1 1\n",
        ] {
            assert!(text.contains(part), "{part} is not in\n{text}");
        }
    }
}

#[test]
fn tests_that_were_not_run_are_one_line_and_are_counted() {
    let skipped = |number| test(&format!("secret/{number}"), Verdict::Skipped, None);
    let mut tests = vec![
        test("sample/1", Verdict::Accepted, None),
        test("secret/1", Verdict::WrongAnswer, Some(Cause::Differs)),
    ];
    tests.extend((2..40).map(skipped));
    let document = report("alpha", &judged(tests));
    let text = student_text(&document);
    assert!(
        text.contains("Tests: 1 of 40 passed, 38 not run\n"),
        "{text}"
    );
    assert!(text.contains("  38 more tests were not run"), "{text}");
    assert!(!text.contains("secret/2"), "{text}");
    let page = page(&document, b"");
    assert!(
        page.contains("<strong>1</strong> of 40 tests passed, 38 not run"),
        "{page}"
    );
}

#[test]
fn an_empty_line_reads_as_one_and_the_end_as_nothing() {
    let side = |document: &Document| -> (String, String) {
        let html = Html::parse_document(&page(document, b""));
        let selector = Selector::parse("#failing ~ dl dd").unwrap();
        let sides: Vec<String> = html
            .select(&selector)
            .map(|side| side.text().collect::<String>().trim().to_owned())
            .collect();
        (sides[0].clone(), sides[1].clone())
    };
    let mut layout = failing(Verdict::PresentationError, None);
    let missing = failing(Verdict::WrongAnswer, Some(Cause::Missing));
    layout.tests[1].difference = wrong("", "Board #2").tests[1].difference.clone();
    let document = report("alpha", &layout);
    assert_eq!(
        side(&document),
        ("an empty line".to_owned(), "Board #2".to_owned())
    );
    assert!(student_text(&document).contains("  expected  (an empty line)\n"));
    // Every byte counts: there the output had to end, and its line feeds are shown.
    layout.tests[1].difference = wrong("", "\\n").tests[1].difference.clone();
    assert_eq!(side(&report("alpha", &layout)).0, "nothing");
    let mut ended = missing;
    ended.tests[1].difference = wrong("7", "").tests[1].difference.clone();
    let document = report("alpha", &ended);
    assert_eq!(side(&document), ("7".to_owned(), "nothing".to_owned()));
    assert!(student_text(&document).contains("  printed   (nothing)\n"));
}

#[test]
fn a_program_that_ended_too_late_was_not_stopped() {
    let mut late = failing(Verdict::TimeLimit, Some(Cause::Cpu));
    run_of(&mut late.tests[1]).cpu = std::time::Duration::from_millis(2_304);
    run_of(&mut late.tests[1]).stop = None;
    let mut document = report("alpha", &late);
    let text = student_text(&document);
    assert!(
        text.contains("Your program ended after 2.31 s of CPU time; the limit is 2 s."),
        "{text}"
    );
    assert!(!text.contains("stopped"), "{text}");
    run_of(&mut late.tests[1]).stop = Some(Stop::Cpu);
    document = report("alpha", &late);
    let text = student_text(&document);
    assert!(
        text.contains("still running after 2 s of CPU time"),
        "{text}"
    );
}

#[test]
fn the_same_verdict_on_another_test_is_no_other_verdict() {
    let mut document = report("alpha", &failing(Verdict::TimeLimit, Some(Cause::Cpu)));
    let change = |verdict, because: &str| PastVerdict {
        at: "2026-03-01T12:30:00Z".to_owned(),
        verdict,
        score: None,
        first_failing_test: None,
        because: because.to_owned(),
    };
    for (before, is_told) in [(Verdict::Accepted, true), (Verdict::TimeLimit, false)] {
        document.history = vec![
            change(before, "received"),
            change(Verdict::TimeLimit, "hack/big joined"),
        ];
        assert_eq!(student_text(&document).contains("This was AC"), is_told);
    }
}

//! That each format tells what a reader needs: input, expected and printed output, and nothing that
//! is untrue.

use scraper::{Html, Selector};

use super::samples::{failing, judged, page, past_verdict, report, run_of, test, wrong};
use crate::domain::{Cause, Verdict};
use crate::report::{Audience, Document, text};

fn student_text(document: &Document) -> String {
    text::render(document, Audience::Student)
}

#[test]
fn tests_that_were_not_run_are_one_line_and_are_counted() {
    let mut tests = vec![
        test("sample/1", Verdict::Accepted, None),
        test("secret/1", Verdict::WrongAnswer, Some(Cause::Differs)),
    ];
    tests.extend((2..40).map(|number| test(&format!("secret/{number}"), Verdict::Skipped, None)));
    let text = student_text(&report("alpha", &judged(tests)));
    let counted = "Tests: 1 of 40 passed, 38 not run\n";
    assert!(text.contains(counted), "{text}");
    assert!(text.contains("  38 more tests were not run"), "{text}");
    assert!(!text.contains("secret/2"), "{text}");
}

#[test]
fn an_empty_line_reads_as_one_and_the_end_as_nothing() {
    let (layout, missing) = (Verdict::PresentationError, Verdict::WrongAnswer);
    for (verdict, expected, got, sides, words) in [
        (layout, "", "2", ["an empty line", "2"], "(an empty line)\n"),
        // Every byte counts: there the output had to end, and its line feeds are shown.
        (layout, "", "\\n", ["nothing", "\\n"], "(nothing)\n"),
        (missing, "7", "", ["7", "nothing"], "(nothing)\n"),
    ] {
        let mut judgement = failing(verdict, got.is_empty().then_some(Cause::Missing));
        let said = &mut judgement.tests[1].said;
        said.difference = wrong(expected, got).tests[1].said.difference.clone();
        let document = report("alpha", &judgement);
        let html = Html::parse_document(&page(&document, b""));
        let selector = Selector::parse("#failing ~ dl dd").unwrap();
        let texts = html.select(&selector).map(|side| side.text().collect());
        let texts: Vec<String> = texts.take(2).collect();
        assert!(texts.iter().map(|text| text.trim()).eq(sides), "{texts:?}");
        let side = ["expected  ", "printed   "][usize::from(got.is_empty())];
        let words = format!("{side}{words}");
        assert!(student_text(&document).contains(&words), "{words}");
    }
}

#[test]
fn a_program_that_ended_too_late_was_not_stopped() {
    let mut late = failing(Verdict::TimeLimit, Some(Cause::Cpu));
    run_of(&mut late.tests[1]).cpu = std::time::Duration::from_millis(2_304);
    run_of(&mut late.tests[1]).stop = None;
    let text = student_text(&report("alpha", &late));
    let words = "Your program ended after 2.31 s of CPU time; the limit is 2 s.";
    assert!(text.contains(words) && !text.contains("stopped"), "{text}");
}

#[test]
fn the_same_verdict_on_another_test_is_no_other_verdict() {
    let mut document = report("alpha", &failing(Verdict::TimeLimit, Some(Cause::Cpu)));
    for (before, is_told) in [(Verdict::Accepted, true), (Verdict::TimeLimit, false)] {
        document.history = vec![
            past_verdict(before, None, "received"),
            past_verdict(Verdict::TimeLimit, None, "hack/big joined"),
        ];
        assert_eq!(student_text(&document).contains("This was AC"), is_told);
    }
}

#[test]
fn what_judges_are_told_has_one_title_whoever_says_it() {
    let mut document = report("alpha", &wrong("1", "2"));
    let words = "every measurement was made on a busy machine";
    document.tests[1].judge_message = Some(words.to_owned());
    let text = text::render(&document, Audience::Staff);
    for shown in [text, page(&document, b"")] {
        let (_, below) = shown.split_once("For the judges (students").unwrap();
        assert!(below.contains(words), "{shown}");
        assert!(!shown.contains("checker says"), "{shown}");
    }
}

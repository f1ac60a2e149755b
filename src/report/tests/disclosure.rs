//! What a student's document must not tell, whatever the instructor chose.

use super::samples::{case, judged, not_built, report, test};
use crate::domain::{Cause, TestResult, Verdict};
use crate::report::disclose::for_student;
use crate::report::schema::{ChangePart, Code, DisclosurePart, DisclosureWord, Document};

/// What marks everything that comes from a hidden test.
const SECRET: &str = "s3cr3t";

/// A report in which every field of every test that can hold one holds a marked secret.
fn marked(levels: [DisclosureWord; 3]) -> Document {
    let failing = |name: &str| test(name, Verdict::RuntimeError, Some(Cause::ExitCode(77)));
    let mut document = report(
        "alpha",
        &judged(vec![
            test("sample/1", Verdict::Accepted, None),
            failing("secret/1"),
            failing("secret/2"),
            failing("hack/1"),
        ]),
    );
    let [sample, secret, hack] = levels;
    document.disclosure = DisclosurePart {
        sample,
        secret,
        hack,
    };
    for (number, test) in document.tests.iter_mut().enumerate() {
        let mark = format!("{SECRET}-{}-{number}", test.kind);
        test.name = format!("{}/{mark}", test.kind);
        test.stderr.clone_from(&mark);
        test.checker = Some(mark.clone());
        test.input_digest = Some(mark.clone());
        test.expected_digest = Some(mark);
    }
    document.hints = vec![format!("{SECRET}-secret-hint")];
    let change = |verdict, because: String| ChangePart {
        at: document.judged_at.clone(),
        verdict: Code(verdict),
        first_failing_test: Some(document.tests[2].name.clone()),
        because,
    };
    document.history = vec![
        change(Verdict::Accepted, "received".to_owned()),
        change(
            Verdict::RuntimeError,
            format!("{} joined; {SECRET}-hack-gone", document.tests[3].name),
        ),
    ];
    let mut case = case();
    case.words = format!("{SECRET}-secret-words");
    case.title = Some(format!("{SECRET}-secret-title"));
    case.input.text = format!("{SECRET}-secret-input");
    case.expected.text = format!("{SECRET}-secret-expected");
    document.case = Some(case);
    document.first_failing_test = Some(document.tests[1].name.clone());
    document
}

fn shown(levels: [DisclosureWord; 3]) -> (Document, String) {
    let document = for_student(&marked(levels));
    let text = document.to_json();
    (document, text)
}

#[test]
fn of_a_hidden_test_only_the_verdict_is_left() {
    use DisclosureWord::{Full, VerdictOnly};
    let (document, text) = shown([Full, VerdictOnly, VerdictOnly]);
    assert!(text.contains("s3cr3t-sample-0"));
    assert!(!text.contains("s3cr3t-secret"), "{text}");
    assert!(!text.contains("s3cr3t-hack"), "{text}");
    let tells_exit_code = text.contains("exit-77") || text.contains("exit code 77");
    assert!(
        !tells_exit_code,
        "the exit code is the program's to choose: {text}"
    );
    let names: Vec<&str> = document.tests.iter().map(|test| &*test.name).collect();
    assert_eq!(names[1..], ["secret/#1", "secret/#2", "hack/#1"]);
    assert_eq!(document.first_failing_test.as_deref(), Some("secret/#1"));
    assert!(document.case.is_none() && document.hints.is_empty());
    let because: Vec<&str> = document
        .history
        .iter()
        .map(|change| &*change.because)
        .collect();
    let told = "a hack test was added; the problem changed";
    assert_eq!(because, ["received", told]);
    assert!(document.tests[1..].iter().all(|test| test.withheld));
    assert_eq!(document.verdict.0, Verdict::RuntimeError);
}

#[test]
fn the_first_failure_is_shown_and_no_other() {
    use DisclosureWord::{FirstFailure, Full};
    let (document, text) = shown([Full, FirstFailure, FirstFailure]);
    assert!(text.contains("s3cr3t-secret-1"));
    assert!(!text.contains("s3cr3t-secret-2"), "{text}");
    assert!(!text.contains("s3cr3t-hack"), "{text}");
    assert_eq!(document.cause.as_deref(), Some("exit-77"));
}

#[test]
fn everything_is_left_where_everything_is_shown() {
    let whole = marked([DisclosureWord::Full; 3]);
    // What the sandbox enforced concerns the staff alone.
    assert!(!whole.protections.is_empty());
    let mut shown = for_student(&whole);
    assert!(shown.protections.is_empty());
    shown.protections.clone_from(&whole.protections);
    assert_eq!(shown, whole);
}

#[test]
fn where_nothing_was_run_no_digest_tells_of_the_tests_either() {
    use DisclosureWord::{FirstFailure, Full};
    let mut document = report("alpha", &not_built(Cause::Compiler, b"no"));
    let package = document.provenance.clone().unwrap().package;
    assert!(!for_student(&document).to_json().contains(&package));
    document.disclosure.secret = FirstFailure;
    assert!(!for_student(&document).to_json().contains(&package));
    document.disclosure = DisclosurePart {
        sample: Full,
        secret: Full,
        hack: Full,
    };
    assert!(for_student(&document).to_json().contains(&package));
}

#[test]
fn what_is_shown_of_standard_error_tells_nothing_of_other_groups() {
    let noisy = |secret_bytes: usize| {
        let mut tests: Vec<TestResult> = (0..20)
            .map(|number| test(&format!("secret/{number}"), Verdict::Accepted, None))
            .collect();
        for test in &mut tests {
            test.stderr = vec![b'x'; secret_bytes];
        }
        let mut last = test("hack/1", Verdict::WrongAnswer, Some(Cause::Differs));
        last.stderr = vec![b'y'; 4_096];
        tests.push(last);
        let document = report("alpha", &judged(tests));
        document.tests[20].stderr.clone()
    };
    assert_eq!(noisy(4_096), noisy(0));
    assert_eq!(noisy(0).len(), 4_096);
}

#[test]
fn times_are_told_in_quarters_of_the_limit() {
    let mut whole = marked([DisclosureWord::VerdictOnly; 3]);
    let limit = whole.limits.cpu_ms;
    let told = |whole: &Document| for_student(whole).tests[0].cpu_ms;
    for (used, quarters) in [
        (0, 0),
        (1, 1),
        (limit / 4, 1),
        (limit / 4 + 1, 2),
        (limit, 4),
        (3 * limit, 5),
    ] {
        whole.tests[0].cpu_ms = used;
        assert_eq!(told(&whole), quarters * limit / 4, "{used}");
    }
    // A limit that has no quarters in whole milliseconds is not exceeded by what was within it.
    whole.limits.cpu_ms = 250;
    whole.tests[0].cpu_ms = 200;
    assert_eq!(told(&whole), 250);
}

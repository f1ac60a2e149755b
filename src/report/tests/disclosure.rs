//! What a student's document must not tell, whatever the instructor chose.

use super::samples::{
    case, disclosures, excerpt, judged, not_built, past_verdict, report, run_of, test,
};
use crate::domain::{Cause, Disclosure, TestKind, Verdict};
use crate::report::redact::redact;
use crate::report::schema::{Document, PastVerdict, TestReport};
use crate::util::samples::difference;

/// What marks everything that comes from a hidden test.
const SECRET: &str = "s3cr3t";
/// What marks the words of a checker that are for the judges.
const JUDGES: &str = "judges-0nly";

/// A report in which every field of every test that can hold one holds a marked secret.
fn marked(levels: [Disclosure; 3]) -> Document {
    let failing = |name: &str| test(name, Verdict::RuntimeError, Some(Cause::ExitCode(77)));
    let mut tests = vec![test("sample/1", Verdict::Accepted, None)];
    tests.extend(["secret/1", "secret/2", "hack/1"].map(failing));
    let mut document = report("alpha", &judged(tests));
    document.disclosure = disclosures(levels);
    for (number, test) in document.tests.iter_mut().enumerate() {
        let mark = format!("{SECRET}-{}-{number}", test.kind.word());
        test.name = format!("{}/{mark}", test.kind.word());
        test.stderr.clone_from(&mark);
        test.checker = Some(mark.clone());
        test.judge_message = Some(format!("{JUDGES}-{mark}"));
        test.input_digest = Some(mark.clone());
        test.expected_digest = Some(mark.clone());
        test.difference = Some(difference(1, 1, [&mark, &mark]));
        test.waited_ms = 4_321;
        test.busy = 1;
    }
    document.hints = vec![format!("{SECRET}-secret-hint")];
    document.cause_words = Some(format!("{SECRET}-secret-cause"));
    let joined = format!("{} joined; {SECRET}-hack-gone", document.tests[3].name);
    let failing = Some(document.tests[2].name.clone());
    let changes = ["received", &joined].map(|because| PastVerdict {
        first_failing_test: failing.clone(),
        ..past_verdict(Verdict::RuntimeError, None, because)
    });
    document.history = changes.into();
    let mut case = case();
    case.words = format!("{SECRET}-secret-words");
    case.title = Some(format!("{SECRET}-secret-title"));
    case.input.text = format!("{SECRET}-secret-input");
    case.expected.text = format!("{SECRET}-secret-expected");
    case.task = Some(format!("{SECRET}-secret-task"));
    case.answer = Some(format!("{SECRET}-secret-answer"));
    case.got = Some(excerpt(&format!("{SECRET}-secret-got"), 1, None));
    document.case = Some(case);
    document.first_failing_test = Some(document.tests[1].name.clone());
    document
}

fn shown(levels: [Disclosure; 3]) -> (Document, String) {
    let document = redact(&marked(levels));
    let text = document.to_json();
    (document, text)
}

#[test]
fn of_a_hidden_test_only_the_verdict_is_left() {
    use Disclosure::{Full, VerdictOnly};
    let (document, text) = shown([Full, VerdictOnly, VerdictOnly]);
    assert!(text.contains("s3cr3t-sample-0"));
    assert!(!text.contains("s3cr3t-secret"), "{text}");
    assert!(!text.contains("s3cr3t-hack"), "{text}");
    let tells_exit_code = text.contains("exit-77") || text.contains("exit code 77");
    assert!(!tells_exit_code, "a program chooses its exit code: {text}");
    assert_eq!(document.first_failing_test.as_deref(), Some("secret/#1"));
    assert!(document.case.is_none() && document.hints.is_empty());
    let because = &document.history[1].because;
    assert_eq!(because, "a hack test was added; the problem changed");
    let left = TestReport {
        name: "secret/#1".to_owned(),
        kind: TestKind::Secret,
        verdict: Verdict::RuntimeError,
        cause: None,
        ended_by_itself: false,
        input_digest: None,
        expected_digest: None,
        withheld: true,
        measurements: 1,
        busy: 1,
        waited_ms: 0,
        cpu_ms: document.limits.cpu_ms / 4,
        wall_ms: document.limits.wall_ms / 4,
        memory_kib: document.limits.memory_kib / 4,
        output_bytes: 0,
        difference: None,
        checker: None,
        given: None,
        judge_message: None,
        stderr: String::new(),
    };
    assert_eq!(document.tests[1], left);
    assert_eq!(document.verdict, Verdict::RuntimeError);
    assert_eq!(document.cause_words, None);
}

#[test]
fn every_group_is_shown_as_its_own_word_says() {
    use Disclosure::{FirstFailure, Full, VerdictOnly};
    for hidden in [FirstFailure, VerdictOnly] {
        for groups in [&[0][..], &[1], &[2], &[1, 2], &[0, 1, 2]] {
            let level = |group| [Full, hidden][usize::from(groups.contains(&group))];
            let levels = [0, 1, 2].map(level);
            let whole = marked(levels);
            let (document, text) = shown(levels);
            let names = ["sample/#1", "secret/#1", "secret/#2", "hack/#1"];
            for (number, (group, name)) in [0, 1, 1, 2].into_iter().zip(names).enumerate() {
                let is_first = number == 1 && hidden == FirstFailure;
                let (known, test) = (&whole.tests[number], &document.tests[number]);
                let is_hidden = groups.contains(&group) && !is_first;
                let expected = if is_hidden { name } else { &known.name };
                assert_eq!(test.name, expected, "{levels:?}");
                assert_eq!(test.withheld, is_hidden, "{levels:?}");
                let mark = known.expected_digest.as_deref().unwrap();
                assert_eq!(text.contains(mark), !is_hidden, "{levels:?}: {mark}");
            }
            let note = "times and memory are rounded up";
            assert!(text.contains(note), "{levels:?}");
            let cause = Some(Cause::ExitCode(77)).filter(|_| !document.tests[1].withheld);
            assert_eq!(document.cause, cause, "{levels:?}");
            assert!(!text.contains(JUDGES), "{levels:?}");
        }
    }
}

#[test]
fn everything_is_left_where_everything_is_shown() {
    let whole = marked([Disclosure::Full; 3]);
    // What the sandbox enforced and what a checker tells the judges concerns the staff alone.
    assert!(!whole.protections.is_empty() && whole.to_json().contains(JUDGES));
    let mut shown = redact(&whole);
    assert!(shown.protections.is_empty() && !shown.to_json().contains(JUDGES));
    shown.protections.clone_from(&whole.protections);
    for (shown, whole) in shown.tests.iter_mut().zip(&whole.tests) {
        shown.judge_message.clone_from(&whole.judge_message);
    }
    assert_eq!(shown, whole);
}

#[test]
fn where_nothing_was_run_no_digest_tells_of_the_tests_either() {
    use Disclosure::{FirstFailure, Full};
    let mut document = report("alpha", &not_built(Cause::Compiler, b"no"));
    let provenance = document.provenance.clone().unwrap();
    let digests = [provenance.package, provenance.fold];
    let told = |document: &Document| {
        let text = redact(document).to_json();
        digests.clone().map(|digest| text.contains(&digest))
    };
    assert_eq!(told(&document), [false; 2]);
    document.disclosure.secret = FirstFailure;
    assert_eq!(told(&document), [false; 2]);
    document.disclosure = disclosures([Full; 3]);
    assert_eq!(told(&document), [true; 2]);
}

#[test]
fn the_name_under_which_a_hidden_test_is_shown_shows_no_test_of_that_name() {
    let mut whole = marked([Disclosure::VerdictOnly; 3]);
    whole.history[0].because = "secret/#1 changed".to_owned();
    let told = redact(&whole);
    assert!(told.tests[1].withheld && told.tests[1].name == "secret/#1");
    assert_eq!(told.history[0].because, "a secret test was changed");
}

#[test]
fn what_is_shown_of_standard_error_tells_nothing_of_other_groups() {
    let noisy = |secret_bytes: usize| {
        let mut passed = test("secret/1", Verdict::Accepted, None);
        run_of(&mut passed).stderr = vec![b'x'; secret_bytes];
        let mut tests = vec![passed; 20];
        let mut last = test("hack/1", Verdict::WrongAnswer, Some(Cause::Differs));
        run_of(&mut last).stderr = vec![b'y'; 4_096];
        tests.push(last);
        report("alpha", &judged(tests)).tests[20].stderr.clone()
    };
    assert_eq!(noisy(4_096), noisy(0));
    assert_eq!(noisy(0).len(), 4_096);
}

/// A time or the memory that is shown of a test, and its limit.
type Column = (fn(&mut Document) -> &mut u64, fn(&mut Document) -> &mut u64);

#[test]
fn times_and_memory_are_told_in_quarters_of_their_limits() {
    let columns: [Column; 3] = [
        (|of| &mut of.tests[0].cpu_ms, |of| &mut of.limits.cpu_ms),
        (|of| &mut of.tests[0].wall_ms, |of| &mut of.limits.wall_ms),
        (
            |it| &mut it.tests[0].memory_kib,
            |it| &mut it.limits.memory_kib,
        ),
    ];
    for (column, (used, limit)) in columns.into_iter().enumerate() {
        let mut whole = marked([Disclosure::VerdictOnly; 3]);
        let most = *limit(&mut whole);
        for (value, quarters) in [(0, 0), (1, 1), (most / 4 + 1, 2), (most, 4), (3 * most, 5)] {
            *used(&mut whole) = value;
            let told = *used(&mut redact(&whole));
            assert_eq!(told, quarters * most / 4, "column {column}: {value}");
        }
        // A limit that has no whole quarters is not exceeded by what was within it.
        *limit(&mut whole) = 250;
        *used(&mut whole) = 200;
        assert_eq!(*used(&mut redact(&whole)), 250, "column {column}");
    }
}

//! What may be read of a hidden test by verdicts, groups, notes, histories and digests.

use super::samples::{disclosures, judged, past_verdict, report, test};
use crate::domain::Disclosure::{self, Full, VerdictOnly};
use crate::domain::{Cause, Verdict};
use crate::report::redact::redact;
use crate::report::schema::{Document, PastVerdict};

/// A sample that passed, then a test of each other group that ended like this.
fn ended(verdict: Verdict, cause: Option<&Cause>, levels: [Disclosure; 3]) -> Document {
    let tests = vec![
        test("sample/1", Verdict::Accepted, None),
        test("secret/big", verdict, cause.cloned()),
        test("hack/evil", verdict, cause.cloned()),
    ];
    let mut document = report("alpha", &judged(tests));
    document.disclosure = disclosures(levels);
    document
}

#[test]
fn which_limit_of_time_was_exceeded_is_told_and_no_other_cause() {
    for (verdict, cause, told) in [
        (Verdict::TimeLimit, Cause::Cpu, true),
        (Verdict::TimeLimit, Cause::Wall, true),
        (Verdict::TimeLimit, Cause::Idle, true),
        (Verdict::RuntimeError, Cause::ExitCode(3), false),
        (Verdict::RuntimeError, Cause::Signal(11), false),
        (Verdict::WrongAnswer, Cause::Empty, false),
        (Verdict::WrongAnswer, Cause::Refused, false),
    ] {
        let whole = ended(verdict, Some(&cause), [Full, VerdictOnly, VerdictOnly]);
        assert!(whole.cause.is_some() && whole.tests[1].cause.is_some());
        let shown = redact(&whole);
        assert!(shown.tests[1].withheld);
        let causes = |of: &Document| [of.cause.clone(), of.tests[1].cause.clone()];
        let known = causes(&whole).map(|known| known.filter(|_| told));
        assert_eq!(causes(&shown), known, "{cause:?}");
        assert_eq!(shown.cause_words, whole.cause_words.filter(|_| told));
    }
}

#[test]
fn a_history_names_the_tests_that_are_shown() {
    let mut whole = ended(Verdict::WrongAnswer, None, [Full, Full, VerdictOnly]);
    let change = |test: &str| PastVerdict {
        first_failing_test: Some(test.to_owned()),
        ..past_verdict(Verdict::WrongAnswer, None, &format!("{test} joined"))
    };
    let (big, evil, gone) = ("secret/big", "hack/evil", "secret/gone");
    whole.history = [big, evil, gone].map(change).into();
    for (shown, (test, because)) in redact(&whole).history.iter().zip([
        (Some(big), "secret/big joined"),
        (None, "a hack test was added"),
        (None, "a secret test was added"),
    ]) {
        let read = (shown.first_failing_test.as_deref(), &*shown.because);
        assert_eq!(read, (test, because));
    }
    // Its number may be the name of another test.
    whole.tests[2].name = "hack/shown".to_owned();
    whole.history[1].first_failing_test = Some("hack/#1".to_owned());
    assert_eq!(redact(&whole).history[1].first_failing_test, None);
}

#[test]
fn no_digest_that_covers_a_hidden_test_is_told() {
    let whole = ended(Verdict::Accepted, None, [Full, Full, VerdictOnly]);
    let provenance = whole.provenance.clone().unwrap();
    let input = whole.tests[2].input_digest.clone().unwrap();
    let (before, told) = (whole.to_json(), redact(&whole));
    for secret in [input, provenance.package, provenance.fold] {
        assert!(before.contains(&secret) && !told.to_json().contains(&secret));
    }
    assert!(told.tests[2].expected_digest.is_none());
    let told = told.provenance.unwrap();
    assert_eq!(told.artifact, provenance.artifact, "the student's own");
    assert_eq!(told.machine, provenance.machine);
}

//! What a student may see of a report. Pure, and the last step before anything is written: the
//! whole document in, the student's out.
//!
//! Of a test that is not shown only the verdict is left, and how much was used in quarters of the
//! limits:
//! a program can tell what it reads by whatever it does, so its words, its exit code, the length of
//! its output and its exact times go.
//! Even the test's name goes: it may say what the test is.
//! What the sandbox enforced concerns the staff alone.

use std::collections::BTreeMap;

use super::history;
use super::schema::{Document, TestReport};
use crate::domain::{Counterexample, Disclosure, Strategy, TestKind, Verdict, WhenShown};

/// Steps in which times and memory are given of a test that is not shown.
const STEPS: u64 = 4;
/// In place of a digest from which a test's answer could be found by trying.
const WITHHELD: &str = "withheld";

/// The document as its student may see it.
pub fn redact(document: &Document) -> Document {
    let mut shown = document.clone();
    shown.protections.clear();
    for test in &mut shown.tests {
        // What a checker says to the judges may name hidden answers, however much of a test is
        // shown. Nor is a student told that a limit was exceeded on a busy machine: the verdict
        // stands until the staff say otherwise.
        if test.judge_message.take().is_some() && tells_time(test.verdict) {
            (test.busy, test.waited_ms) = (0, 0);
        }
    }
    let levels = document.disclosure;
    if [levels.sample, levels.secret, levels.hack] == [Disclosure::Full; 3] {
        redact_explanation(&mut shown, false);
        return shown;
    }
    let first_is_hidden = redact_tests(&mut shown, document);
    if first_is_hidden {
        shown.case = None;
        // They tell of what was printed on that test.
        shown.hints.clear();
        if !tells_time(document.verdict) {
            shown.cause = None;
            shown.cause_words = None;
        }
    }
    redact_explanation(&mut shown, first_is_hidden);
    for change in &mut shown.history {
        let tests = &shown.tests;
        let is_shown = |name: &str| tests.iter().any(|test| !test.withheld && test.name == name);
        let failing = change.first_failing_test.take();
        change.first_failing_test = failing.filter(|name| is_shown(name));
        change.because = history::redacted(&change.because, is_shown);
    }
    // Not only where a test is withheld in this report: a program that was not built has none, and
    // the digests are the same. The package's covers the tests: with a guess for what is not known
    // of them it could be tried.
    if let Some(from) = &mut shown.provenance {
        WITHHELD.clone_into(&mut from.package);
        WITHHELD.clone_into(&mut from.fold);
    }
    if shown
        .tests
        .iter()
        .any(|test| test.withheld && test.was_run())
    {
        shown.notes.push(
            "tests shown as #1, #2, … are hidden: only the verdict is shown; times and memory are rounded up"
                .to_owned(),
        );
    }
    shown
}

/// Leaves the verdict alone of each test that is not shown; says whether the first failing one is
/// such a test.
fn redact_tests(shown: &mut Document, document: &Document) -> bool {
    let mut numbers: BTreeMap<TestKind, usize> = BTreeMap::new();
    let mut first_is_hidden = false;
    for test in &mut shown.tests {
        let number = numbers.entry(test.kind).or_default();
        *number += 1;
        let is_first = document.first_failing_test.as_ref() == Some(&test.name);
        let is_open = match document.disclosure.of(test.kind) {
            Disclosure::Full => true,
            Disclosure::FirstFailure => is_first,
            Disclosure::VerdictOnly => false,
        };
        if is_open {
            continue;
        }
        *test = withheld(test, *number, document);
        if is_first {
            first_is_hidden = true;
            shown.first_failing_test = Some(test.name.clone());
        }
    }
    first_is_hidden
}

/// Which limit of time was exceeded is told; every other cause is the program's to choose.
fn tells_time(verdict: Verdict) -> bool {
    verdict == Verdict::TimeLimit
}

fn withheld(test: &TestReport, number: usize, document: &Document) -> TestReport {
    let limits = &document.limits;
    TestReport {
        name: format!("{}/#{number}", test.kind.word()),
        kind: test.kind,
        verdict: test.verdict,
        cause: test.cause.clone().filter(|_| tells_time(test.verdict)),
        ended_by_itself: false,
        input_digest: None,
        expected_digest: None,
        withheld: true,
        measurements: test.measurements,
        busy: test.busy,
        waited_ms: 0,
        cpu_ms: stepped(test.cpu_ms, limits.cpu_ms),
        wall_ms: stepped(test.wall_ms, limits.wall_ms),
        memory_kib: stepped(test.memory_kib, limits.memory_kib),
        output_bytes: 0,
        difference: None,
        checker: None,
        given: None,
        judge_message: None,
        stderr: String::new(),
    }
}

/// Rounded up to a step of the limit; nothing stays nothing, what is within the limit stays within
/// it, and what is over it is one step over it.
fn stepped(value: u64, limit: u64) -> u64 {
    let step = limit.div_ceil(STEPS).max(1);
    if value > limit {
        return limit + step;
    }
    (value.div_ceil(step) * step).min(limit)
}

/// Leaves of the explanation what may be shown, and says when there will be more. What was printed
/// on a hidden test may not be told, and neither may that test or a part of it.
fn redact_explanation(shown: &mut Document, is_test_hidden: bool) {
    let Some(explanation) = &mut shown.explanation else {
        return;
    };
    let is_shown = explanation.is_shown == Some(true);
    let found = explanation.counterexample.take();
    let found = found.filter(|found| !is_test_hidden || is_our_own(found));
    let when = shown.disclosure.counterexample;
    if found.is_some() && !is_shown && when != WhenShown::Never {
        shown.notes.push(format!(
            "an input was found on which this program fails; such inputs are shown {when}"
        ));
    }
    explanation.counterexample = found.filter(|_| is_shown);
    explanation.growth = explanation.growth.take().filter(|_| is_shown);
    if is_test_hidden {
        explanation.causes.clear();
        explanation.fails_alone = None;
    }
    let nothing = (&None, &[][..], &None);
    let left = (
        &explanation.counterexample,
        &explanation.causes[..],
        &explanation.growth,
    );
    if left == nothing {
        shown.explanation = None;
    }
}

/// Whether nothing of a test is in it. What was made from a test step by step may have only lost
/// some of its cases, or a row.
fn is_our_own(found: &Counterexample) -> bool {
    matches!(found.found_by, Strategy::Enumeration | Strategy::Family(_))
}

//! What a student may see of a report. Pure: the whole document in, the student's out.
//!
//! Of a test that is not shown only the verdict is left, and how much was used in quarters of the
//! limits:
//! a program can tell what it reads by whatever it does, so its words, its exit code, the length of
//! its output and its exact times go.
//! Even the test's name goes: it may say what the test is.
//! What the sandbox enforced concerns the staff alone.

use std::collections::BTreeMap;

use super::history;
use super::schema::{DisclosureWord, Document, ProvenancePart, TestPart};
use crate::domain::{TestKind, Verdict};

/// Steps in which times and memory are told of a test that is not shown.
const STEPS: u64 = 4;
/// How the setting says that students are never shown a counterexample.
const NEVER: &str = "never";
/// In place of a digest from which a test's answer could be found by trying.
const WITHHELD: &str = "withheld";

/// The document as its student may see it.
pub fn for_student(document: &Document) -> Document {
    let mut shown = document.clone();
    shown.protections.clear();
    // What a checker says to the judges may name hidden answers, however much of a test is shown.
    for test in &mut shown.tests {
        // Nor is a student told that a limit was exceeded on a busy machine: the verdict stands
        // until the staff say otherwise.
        if test.judge_message.take().is_some() && tells_time(test.verdict) {
            (test.busy, test.waited_ms) = (0, 0);
        }
    }
    if is_all_shown(document) {
        explain(&mut shown, false);
        return shown;
    }
    let first_failing = document.first_failing_test.as_deref();
    let mut numbers: BTreeMap<TestKind, usize> = BTreeMap::new();
    let mut first_is_hidden = false;
    for (test, whole) in shown.tests.iter_mut().zip(&document.tests) {
        let number = numbers.entry(whole.kind).or_default();
        *number += 1;
        let is_first = first_failing == Some(whole.name.as_str());
        let open = match level(document, whole.kind) {
            DisclosureWord::Full => true,
            DisclosureWord::FirstFailure => is_first,
            DisclosureWord::VerdictOnly => false,
        };
        if open {
            continue;
        }
        *test = TestPart {
            busy: test.busy,
            ..withheld(whole, *number, document)
        };
        if is_first {
            first_is_hidden = true;
            shown.first_failing_test = Some(test.name.clone());
        }
    }
    if first_is_hidden {
        shown.case = None;
        // They tell of what was printed on that test.
        shown.hints.clear();
        if !tells_time(document.verdict) {
            shown.cause = None;
            shown.cause_words = None;
        }
    }
    explain(&mut shown, first_is_hidden);
    shown.history = history::for_student(&document.history, |name| {
        let is_shown = |test: &TestPart| !test.withheld && test.name == name;
        shown.tests.iter().any(is_shown)
    });
    // Not only where a test is withheld in this report: a program that was not built has none, and
    // the digests are the same.
    shown.provenance = shown.provenance.map(without_tests);
    let is_told = |test: &TestPart| test.withheld && test.verdict != Verdict::Skipped;
    if shown.tests.iter().any(is_told) {
        shown.notes.push(
            "tests shown as #1, #2, … are hidden: only the verdict is shown; times and memory are rounded up"
                .to_owned(),
        );
    }
    shown
}

/// Leaves of the explanation what may be shown, and says when there will be more.
fn explain(shown: &mut Document, is_test_hidden: bool) {
    let Some(explanation) = shown.explanation.take() else {
        return;
    };
    let when = &shown.disclosure.counterexample;
    let found = explanation.counterexample.as_ref();
    let may_be_shown = found.is_some_and(|found| found.may_be_shown(is_test_hidden));
    if may_be_shown && !explanation.is_shown && when != NEVER {
        shown.notes.push(format!(
            "an input was found on which this program fails; such inputs are shown {when}"
        ));
    }
    shown.explanation = explanation.for_student(is_test_hidden);
}

fn is_all_shown(document: &Document) -> bool {
    let levels = &document.disclosure;
    [levels.sample, levels.secret, levels.hack]
        .iter()
        .all(|level| *level == DisclosureWord::Full)
}

fn level(document: &Document, kind: TestKind) -> DisclosureWord {
    match kind {
        TestKind::Sample => document.disclosure.sample,
        TestKind::Secret => document.disclosure.secret,
        TestKind::Hack => document.disclosure.hack,
    }
}

/// Which limit of time was exceeded is told; every other cause is the program's to choose.
fn tells_time(verdict: Verdict) -> bool {
    verdict == Verdict::TimeLimit
}

fn withheld(test: &TestPart, number: usize, document: &Document) -> TestPart {
    let limits = &document.limits;
    TestPart {
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

/// The package's digest covers the tests: with a guess for what is not known of them it could be
/// tried.
fn without_tests(provenance: ProvenancePart) -> ProvenancePart {
    ProvenancePart {
        package: WITHHELD.to_owned(),
        fold: WITHHELD.to_owned(),
        ..provenance
    }
}

//! Which runs are made of a program that fails, and what follows from them: programs here are
//! functions of the input's size in bytes.

use std::cell::Cell;
use std::sync::Arc;
use std::time::Duration;

use super::{Again, Failure, Ran, Reasons, Terms, is_carried_over, reasons};
use crate::compare::Mode;
use crate::domain::{Cause, Fault, TestResult, Verdict};
use crate::explain::search::{Found, Way};
use crate::explain::tests::{built_in, judgement};
use crate::util::samples::run_of;

const REGIONS: &str = "1 2\n12\n";
const CURLING: &str = "2 1\n3 2\n2 1\n2 3\n3 1\n2 0 3\n0 0\n";

/// What a program does with an input of so many bytes on these terms.
type Does<'d> = dyn Fn(usize, Terms) -> Option<(Verdict, u64)> + 'd;

struct Scripted<'a> {
    like: TestResult,
    does: &'a Does<'a>,
    runs: usize,
}

impl Again for Scripted<'_> {
    fn again(
        &mut self,
        input: &Arc<[u8]>,
        _: &Arc<[u8]>,
        terms: Terms,
    ) -> Result<Option<Ran>, Fault> {
        self.runs += 1;
        Ok((self.does)(input.len(), terms).map(|(verdict, cpu_ms)| {
            let mut result = TestResult {
                verdict,
                cause: (verdict == Verdict::RuntimeError).then_some(Cause::Signal(11)),
                ..self.like.clone()
            };
            run_of(&mut result).cpu = Duration::from_millis(cpu_ms);
            Ran {
                result,
                printed: Arc::default(),
            }
        }))
    }
}

/// What is found about a program that fails like this on a test, and the runs that it took.
fn found(
    (slug, input): (&str, &str),
    (verdict, cause): (Verdict, Option<Cause>),
    printed: &str,
    does: &Does<'_>,
) -> (Reasons, usize) {
    let package = built_in(slug, Mode::Tokens, input);
    let judgement = judgement(&package, verdict, cause, printed.len() as u64);
    let result = judgement.failing().unwrap();
    let failure = Failure {
        package: &package,
        limits: &package.limits,
        test: &package.tests[0],
        result,
        printed: &Arc::from(printed.as_bytes()),
        source: b"",
    };
    let mut program = Scripted {
        like: result.clone(),
        does,
        runs: 0,
    };
    let reasons = reasons(&failure, &mut program).unwrap();
    (reasons, program.runs)
}

fn codes(reasons: &Reasons) -> Vec<&str> {
    let causes = reasons.causes.iter();
    causes.map(|cause| cause.code.as_str()).collect()
}

/// Passes within the limit, or is stopped at it.
#[expect(
    clippy::unnecessary_wraps,
    reason = "what a scripted program does may be nothing"
)]
fn timed(cpu_ms: u64, terms: Terms) -> Option<(Verdict, u64)> {
    let limit = 2_000 * u64::from(terms.times);
    Some(if cpu_ms > limit {
        (Verdict::TimeLimit, limit)
    } else {
        (Verdict::Accepted, cpu_ms)
    })
}

const TOO_SLOW: (Verdict, Option<Cause>) = (Verdict::TimeLimit, Some(Cause::Cpu));
const CRASHED: (Verdict, Option<Cause>) = (Verdict::RuntimeError, Some(Cause::Signal(11)));

#[test]
fn a_slow_program_is_run_longer_and_on_inputs_that_grow() {
    // On the test it takes 3 s; its time doubles with every 5 of the single cells.
    let does: &Does<'_> = &|bytes, terms| {
        let rows = u32::try_from(bytes).unwrap() / 6;
        let on_others = 20 << rows.min(20);
        timed(if terms.times > 1 { 3_000 } else { on_others }, terms)
    };
    let (reasons, _) = found(("regions", REGIONS), TOO_SLOW, "", does);
    assert_eq!(codes(&reasons), ["too-slow"]);
    let growth = reasons.growth.unwrap();
    assert_eq!(growth.law.as_deref(), Some("exponential"), "{growth:#?}");
    assert!(growth.points.last().unwrap().is_stopped);
    // The slowness does not show on any of them, and more time does not help: only what ends is right.
    let does: &Does<'_> = &|_, terms| timed(if terms.times > 1 { 99_000 } else { 10 }, terms);
    let (reasons, _) = found(("regions", REGIONS), TOO_SLOW, "", does);
    assert_eq!(codes(&reasons), ["too-slow"]);
    assert!(
        reasons.causes[0]
            .evidence
            .contains("it had not ended after")
    );
    assert!(reasons.growth.is_none());
    // It slept.
    let idle = (Verdict::TimeLimit, Some(Cause::Idle));
    let (_, runs) = found(("regions", REGIONS), idle, "", does);
    assert_eq!(runs, 0);
}

#[test]
fn a_crash_is_tried_with_a_larger_stack_and_on_otherss() {
    let crash = Some((Verdict::RuntimeError, 1));
    let passes = Some((Verdict::Accepted, 1));
    let by_size = move |bytes: usize, terms: Terms| {
        let is_test = bytes == CURLING.len() && terms.stack_bytes.is_none();
        if is_test || bytes > 400 {
            crash
        } else {
            passes
        }
    };
    let (reasons, _) = found(("curling", CURLING), CRASHED, "", &by_size);
    assert_eq!(codes(&reasons), ["stack-overflow", "crash-on-large"]);
    // It crashed once and never again: that was not the stack.
    let never = move |_: usize, _: Terms| passes;
    let (reasons, _) = found(("curling", CURLING), CRASHED, "", &never);
    assert!(codes(&reasons).is_empty());
    let always = move |_: usize, _: Terms| crash;
    let (reasons, _) = found(("curling", CURLING), CRASHED, "", &always);
    assert!(codes(&reasons).is_empty());
    let (reasons, runs) = found(("curling", CURLING), CRASHED, "", &|_, _| None);
    assert!(codes(&reasons).is_empty());
    assert!(runs <= 4, "no run is wanted any more: {runs}");
    let half = |_: usize, terms: Terms| terms.stack_bytes.map(|_| (Verdict::RuntimeError, 1));
    let memory = (Verdict::MemoryLimit, None);
    let (reasons, _) = found(("curling", CURLING), memory, "", &half);
    assert_eq!(codes(&reasons), ["stack-overflow"]);
}

#[test]
fn an_output_that_ends_with_a_case_is_tried_without_the_rest() {
    let wrong = (Verdict::WrongAnswer, Some(Cause::Missing));
    let passes = |_: usize, _: Terms| Some((Verdict::Accepted, 1));
    let (reasons, runs) = found(("curling", CURLING), wrong.clone(), "1\n", &passes);
    assert_eq!(codes(&reasons), ["missing-output", "reads-less"]);
    assert_eq!(runs, 1);
    let fails = |_: usize, _: Terms| Some((Verdict::WrongAnswer, 1));
    let (reasons, _) = found(("curling", CURLING), wrong, "1\n", &fails);
    assert_eq!(codes(&reasons), ["missing-output"]);
}

/// Whether a program that fails like this is said to carry something over.
fn carries(input: &str, verdict: Verdict, does: &Does<'_>) -> bool {
    let package = built_in("curling", Mode::Tokens, input);
    let mut program = Scripted {
        like: judgement(&package, verdict, None, 0).tests[0].clone(),
        does,
        runs: 0,
    };
    let test = &package.tests[0];
    let found = Found {
        input: Arc::clone(&test.input),
        expected: Arc::clone(&test.expected),
        verdict,
        printed: Arc::from(&b"1\n1\n77\n"[..]),
        way: Way::Prefix,
    };
    is_carried_over(&found, package.task().unwrap(), &mut program).unwrap()
}

#[test]
fn earlier_cases_are_blamed_only_where_that_is_seen_again() {
    let passes = Some((Verdict::Accepted, 1));
    let wrong = Some((Verdict::WrongAnswer, 1));
    let is_whole = |bytes: usize| bytes == CURLING.len();
    let after_others = |bytes: usize, _: Terms| if is_whole(bytes) { wrong } else { passes };
    assert!(carries(CURLING, Verdict::WrongAnswer, &after_others));
    let crashes = |bytes: usize, _: Terms| {
        let crash = Some((Verdict::RuntimeError, 1));
        if is_whole(bytes) { crash } else { passes }
    };
    assert!(carries(CURLING, Verdict::RuntimeError, &crashes));

    let always = |_: usize, _: Terms| wrong;
    assert!(!carries(CURLING, Verdict::WrongAnswer, &always));
    let never_again = |_: usize, _: Terms| passes;
    assert!(!carries(CURLING, Verdict::WrongAnswer, &never_again));
    let runs = Cell::new(0);
    let now_and_then = |_: usize, _: Terms| {
        runs.set(runs.get() + 1);
        if runs.get() == 1 { passes } else { wrong }
    };
    assert!(!carries(CURLING, Verdict::WrongAnswer, &now_and_then));
    let stopped = |bytes: usize, _: Terms| wrong.filter(|_| is_whole(bytes));
    assert!(!carries(CURLING, Verdict::WrongAnswer, &stopped));
    // A limit is for all cases together, and one case has none before it.
    assert!(!carries(CURLING, Verdict::TimeLimit, &after_others));
    let one = "2 1\n3 2\n0 0\n";
    assert!(!carries(one, Verdict::WrongAnswer, &after_others));
}

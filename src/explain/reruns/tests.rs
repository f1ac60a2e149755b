//! Which runs are made of a program that fails, and what follows from them: programs here are
//! functions of the input's size in bytes.

use std::cell::Cell;
use std::sync::Arc;
use std::time::Duration;

use super::{Failure, Ran, Reasons, Rerun, Terms, is_carried_over, reasons};
use crate::compare::Mode;
use crate::domain::{Cause, Compared, Fault, Strategy, TestResult, Verdict};
use crate::explain::search::Found;
use crate::explain::tests::{CURLING, built_in, judgement};
use crate::util::samples::run_of;

const REGIONS: &str = "1 2\n12\n";

/// What a program does with an input of so many bytes on these terms.
type Does<'d> = dyn Fn(usize, Terms) -> Option<(Verdict, u64)> + 'd;

struct Scripted<'a> {
    like: TestResult,
    does: &'a Does<'a>,
    runs: usize,
}

impl Rerun for Scripted<'_> {
    fn rerun(
        &mut self,
        input: &Arc<[u8]>,
        _: &Arc<[u8]>,
        terms: Terms,
    ) -> Result<Option<Ran>, Fault> {
        self.runs += 1;
        Ok((self.does)(input.len(), terms).map(|(verdict, cpu_ms)| {
            let crashed = (verdict == Verdict::RuntimeError).then_some(Cause::Signal(11));
            let mut result = self.like.clone();
            result.said = Compared::plain(verdict, crashed);
            run_of(&mut result).cpu = Duration::from_millis(cpu_ms);
            let printed = Arc::default();
            Ran { result, printed }
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
    (reasons(&failure, &mut program).unwrap(), program.runs)
}

fn codes(reasons: &Reasons) -> Vec<&str> {
    let causes = reasons.causes.iter();
    causes.map(|cause| cause.code.as_str()).collect()
}

/// Passes within the limit, or is stopped at it.
fn timed(cpu_ms: u64, terms: Terms) -> (Verdict, u64) {
    let limit = 2_000 * u64::from(terms.times);
    let ends = [(Verdict::Accepted, cpu_ms), (Verdict::TimeLimit, limit)];
    ends[usize::from(cpu_ms > limit)]
}

const TOO_SLOW: (Verdict, Option<Cause>) = (Verdict::TimeLimit, Some(Cause::Cpu));
const CRASHED: (Verdict, Option<Cause>) = (Verdict::RuntimeError, Some(Cause::Signal(11)));

#[test]
fn a_slow_program_is_run_longer_and_on_inputs_that_grow() {
    // On the test it takes 3 s; its time doubles with every 5 of the single cells.
    let does: &Does<'_> = &|bytes, terms| {
        let on_others = 20 << (bytes / 6).min(20);
        let cpu_ms = if terms.times > 1 { 3_000 } else { on_others };
        Some(timed(cpu_ms, terms))
    };
    let (reasons, _) = found(("regions", REGIONS), TOO_SLOW, "", does);
    assert_eq!(codes(&reasons), ["too-slow"]);
    let growth = reasons.growth.unwrap();
    assert_eq!(growth.law.as_deref(), Some("exponential"), "{growth:#?}");
    assert!(growth.points.last().unwrap().is_stopped);
    // The slowness does not show on any of them, and more time does not help: only what ends is right.
    let does: &Does<'_> = &|_, terms| {
        let cpu_ms = if terms.times > 1 { 99_000 } else { 10 };
        Some(timed(cpu_ms, terms))
    };
    let (reasons, _) = found(("regions", REGIONS), TOO_SLOW, "", does);
    assert_eq!(codes(&reasons), ["too-slow"]);
    let evidence = &reasons.causes[0].evidence;
    assert!(evidence.contains("it had not ended after"), "{evidence}");
    assert!(reasons.growth.is_none());
    // It slept.
    let idle = (Verdict::TimeLimit, Some(Cause::Idle));
    let (_, runs) = found(("regions", REGIONS), idle, "", does);
    assert_eq!(runs, 0);
}

const PASSES: Option<(Verdict, u64)> = Some((Verdict::Accepted, 1));
const CRASHES: Option<(Verdict, u64)> = Some((Verdict::RuntimeError, 1));
const WRONG: Option<(Verdict, u64)> = Some((Verdict::WrongAnswer, 1));

#[test]
fn a_crash_is_tried_with_a_larger_stack_and_on_others() {
    let by_size: &Does<'_> = &|bytes, terms| {
        let is_test = bytes == CURLING.len() && terms.stack_bytes.is_none();
        [PASSES, CRASHES][usize::from(is_test || bytes > 400)]
    };
    let with_stack: &Does<'_> = &|_, terms| terms.stack_bytes.and(CRASHES);
    let memory = (Verdict::MemoryLimit, None);
    for (failure, does, expected) in [
        (CRASHED, by_size, &["stack-overflow", "crash-on-large"][..]),
        // It crashed once and never again: that was not the stack.
        (CRASHED, &|_, _| PASSES, &[]),
        (CRASHED, &|_, _| CRASHES, &[]),
        (CRASHED, &|_, _| None, &[]),
        (memory, with_stack, &["stack-overflow"]),
    ] {
        let (reasons, _) = found(("curling", CURLING), failure, "", does);
        assert_eq!(codes(&reasons), expected);
    }
    let (_, runs) = found(("curling", CURLING), CRASHED, "", &|_, _| None);
    assert!(runs <= 4, "no run is wanted any more: {runs}");
}

#[test]
fn an_output_that_ends_with_a_case_is_tried_without_the_rest() {
    let both = ["missing-output", "reads-less"];
    for (alone, expected) in [(PASSES, &both[..]), (WRONG, &both[..1])] {
        let wrong = (Verdict::WrongAnswer, Some(Cause::Missing));
        let (reasons, runs) = found(("curling", CURLING), wrong, "1\n", &|_, _| alone);
        assert_eq!((&*codes(&reasons), runs), (expected, 1));
    }
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
        input: test.input.read().unwrap(),
        expected: test.expected.read().unwrap(),
        verdict,
        printed: Arc::from(&b"1\n1\n77\n"[..]),
        strategy: Strategy::Prefix,
    };
    is_carried_over(&found, package.task().unwrap(), &mut program).unwrap()
}

#[test]
fn earlier_cases_are_blamed_only_where_that_is_seen_again() {
    let is_whole = |bytes: usize| bytes == CURLING.len();
    let after_others: &Does<'_> = &|bytes, _| if is_whole(bytes) { WRONG } else { PASSES };
    let crashes: &Does<'_> = &|bytes, _| if is_whole(bytes) { CRASHES } else { PASSES };
    let runs = Cell::new(0);
    let now_and_then: &Does<'_> = &|_, _| {
        runs.set(runs.get() + 1);
        if runs.get() == 1 { PASSES } else { WRONG }
    };
    let stopped: &Does<'_> = &|bytes, _| WRONG.filter(|_| is_whole(bytes));
    let one = "2 1\n3 2\n0 0\n";
    let cases: [(&str, Verdict, &Does<'_>, bool); 8] = [
        (CURLING, Verdict::WrongAnswer, after_others, true),
        (CURLING, Verdict::RuntimeError, crashes, true),
        (CURLING, Verdict::WrongAnswer, &|_, _| WRONG, false),
        (CURLING, Verdict::WrongAnswer, &|_, _| PASSES, false),
        (CURLING, Verdict::WrongAnswer, now_and_then, false),
        (CURLING, Verdict::WrongAnswer, stopped, false),
        // A limit is for all cases together, and one case has none before it.
        (CURLING, Verdict::TimeLimit, after_others, false),
        (one, Verdict::WrongAnswer, after_others, false),
    ];
    for (number, (input, verdict, does, is_carried)) in cases.into_iter().enumerate() {
        assert_eq!(carries(input, verdict, does), is_carried, "{number}");
    }
}

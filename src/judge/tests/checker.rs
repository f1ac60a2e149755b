//! When the checker of a package is asked, counted, and what becomes of its failures.

use super::grade::Course;
use super::samples::{checked, exited, limits, test};
use crate::domain::bounds::OUTPUT_KEPT_WHOLE_BYTES_MAX;
use crate::domain::{Cause, End, Limits, Stop, Verdict};
use crate::judge::Judged;
use crate::package::Package;
use crate::sandbox::Outcome;
use crate::util::MIB;

fn opinion(code: i32) -> Outcome {
    exited(code, "")
}

/// The verdict, and how often something was built, run and checked.
fn said(judged: &Judged) -> (Verdict, u32, u32, u32) {
    let (verdict, builds, runs) = super::grade::said(judged);
    (verdict, builds, runs, judged.checks)
}

/// Two tests and a checker.
fn sum(checker: &str) -> Package {
    let tests = vec![test("secret/1", "3\n"), test("secret/2", "3\n")];
    checked(tests, checker)
}

/// Builds of the program and of the checker, a run and an opinion a test.
fn first(course: &Course, package: &Package) {
    let printed = Outcome::printed;
    let build_and_run = [printed(""), printed("2 1\n"), printed(""), opinion(42)];
    let script = build_and_run
        .into_iter()
        .chain([printed("1 2\n"), opinion(42)]);
    let judged = course.judge(package, script).unwrap();
    assert_eq!(said(&judged), (Verdict::Accepted, 1, 2, 2));
}

#[test]
fn a_changed_checker_asks_again_without_a_run() {
    let course = Course::new();
    first(&course, &sum("1"));
    let again = course.judge(&sum("1"), []).unwrap();
    assert_eq!(said(&again), (Verdict::Accepted, 0, 0, 0));
    // The new checker is built, and has another opinion of the second output.
    let script = [Outcome::printed(""), opinion(42), opinion(43)];
    let changed = course.judge(&sum("2"), script).unwrap();
    assert_eq!(said(&changed), (Verdict::WrongAnswer, 0, 0, 2));
    assert_eq!(changed.judgement.cause, Some(Cause::Refused));
    // Between two opinions nothing else was run, so the runner stayed in the checker's room.
    let rooms = course.runner.rooms();
    let names: Vec<&str> = rooms
        .iter()
        .rev()
        .take(2)
        .map(|room| room.app.first().map_or("", |file| &*file.name))
        .collect();
    assert_eq!(names, ["main.py", ""], "{rooms:?}");
}

#[test]
fn a_changed_answer_asks_the_checker_and_a_changed_limit_nobody() {
    let course = Course::new();
    let mut package = sum("1");
    first(&course, &package);
    package.limits.cpu *= 2;
    let limits = course.judge(&package, []).unwrap();
    assert_eq!(said(&limits), (Verdict::Accepted, 0, 0, 0));
    package.tests[1] = test("secret/2", "4\n");
    let answer = course.judge(&package, [opinion(43)]).unwrap();
    assert_eq!(said(&answer), (Verdict::WrongAnswer, 0, 0, 1));
}

#[test]
fn a_checker_that_fails_is_a_fault_and_the_run_is_kept() {
    let printed = Outcome::printed;
    let failures = [
        opinion(1),
        Outcome {
            stop: Some(Stop::Wall),
            ..opinion(42)
        },
        Outcome {
            end: End::Signalled(11),
            ..opinion(42)
        },
    ];
    for failure in failures {
        let course = Course::new();
        let script = [printed(""), printed("2 1\n"), printed(""), failure];
        let fault = course.judge(&sum("1"), script).unwrap_err();
        assert!(fault.step.contains("checker of sum"), "{fault}");
        assert!(fault.step.contains("secret/1"), "{fault}");
        // The next try asks about the output that is known, and runs only the second test.
        let script = [opinion(42), printed("1 2\n"), opinion(42)];
        let rest = course.judge(&sum("1"), script).unwrap();
        assert_eq!(said(&rest), (Verdict::Accepted, 0, 1, 2));
    }
}

#[test]
fn a_checker_that_cannot_be_built_is_a_fault() {
    let course = Course::new();
    let refused = exited(1, "SyntaxError");
    let printed = Outcome::printed;
    // The compiler itself works: it is the checker.
    let script = [printed(""), printed("2 1\n"), refused, printed("")];
    let fault = course.judge(&sum("def"), script).unwrap_err();
    assert!(fault.reason.contains("SyntaxError"), "{fault}");
}

#[test]
fn an_output_that_is_not_kept_whole_is_checked_when_it_is_run() {
    let course = Course::new();
    let long = |byte: u8| Outcome::printed(vec![byte; OUTPUT_KEPT_WHOLE_BYTES_MAX + 1]);
    let package = |checker: &str| Package {
        limits: Limits {
            output_bytes: 4 * MIB,
            ..limits()
        },
        ..checked(vec![test("secret/1", "3\n")], checker)
    };
    let empty = Outcome::printed("");
    let script = [empty.clone(), long(b'1'), empty.clone(), opinion(43)];
    let judged = course.judge(&package("1"), script).unwrap();
    assert_eq!(said(&judged), (Verdict::WrongAnswer, 1, 1, 1));
    let given = course.runner.jobs().pop().unwrap();
    assert_eq!(given.stdin.len(), OUTPUT_KEPT_WHOLE_BYTES_MAX + 1);
    let again = course.judge(&package("1"), []).unwrap();
    assert_eq!(said(&again), (Verdict::WrongAnswer, 0, 0, 0));
    // Another checker has to see what was not kept.
    let script = [long(b'1'), empty, opinion(42)];
    let changed = course.judge(&package("2"), script).unwrap();
    assert_eq!(said(&changed), (Verdict::Accepted, 0, 1, 1));
}

#[test]
fn a_program_that_ends_badly_is_not_checked() {
    let course = Course::new();
    let script = [Outcome::printed(""), opinion(3)];
    let judged = course.judge(&sum("1"), script).unwrap();
    assert_eq!(said(&judged), (Verdict::RuntimeError, 1, 1, 0));
}

/// Each of two answers to one input asks for a run of its own, which makes the other one's
/// worthless.
#[test]
fn outputs_that_are_never_the_same_end_in_a_fault_and_not_in_endless_runs() {
    let course = Course::new();
    let (one, other) = (test("secret/2", "3\n"), test("secret/2", "4\n"));
    let tests = vec![test("secret/1", "1\n"), one, other];
    let package = Package {
        limits: Limits {
            output_bytes: 4 * MIB,
            ..limits()
        },
        ..checked(tests, "1")
    };
    let long = |byte: u8| Outcome::printed(vec![byte; OUTPUT_KEPT_WHOLE_BYTES_MAX + 1]);
    let empty = Outcome::printed("");
    let first = [empty.clone(), long(b'0'), empty, opinion(42)];
    let others = (b'1'..=b'9').flat_map(|byte| [long(byte), opinion(42)]);
    let script: Vec<Outcome> = first.into_iter().chain(others).collect();
    let fault = course.judge(&package, script).unwrap_err();
    assert!(fault.reason.contains("does not suffice"), "{fault}");
}

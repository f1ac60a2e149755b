//! When the checker of a package is asked, counted, and what becomes of its failures.

use super::grade::{Course, said};
use super::samples::{checked, exited, test};
use crate::domain::bounds::OUTPUT_KEPT_WHOLE_BYTES_MAX;
use crate::domain::{Cause, End, Stop};
use crate::package::{Package, Test};
use crate::sandbox::Outcome;
use crate::util::MIB;

fn opinion(code: i32) -> Outcome {
    exited(code, "")
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
    let rest = [printed("1 2\n"), opinion(42)];
    let script = build_and_run.into_iter().chain(rest);
    assert_eq!(course.says(package, script), "AC 1 2 2");
}

#[test]
fn a_changed_checker_asks_again_without_a_run() {
    let course = Course::new();
    first(&course, &sum("1"));
    let rooms = "a build, print(3), a build, 1, print(3), 1";
    assert_eq!(course.rooms(), rooms);
    assert_eq!(course.says(&sum("1"), []), "AC 0 0 0");
    // The new checker is built, and has another opinion of the second output.
    let script = [Outcome::printed(""), opinion(42), opinion(43)];
    let changed = course.judge(&sum("2"), script).unwrap();
    assert_eq!(said(&changed), "WA 0 0 2");
    assert_eq!(changed.judgement.cause, Some(Cause::Refused));
    // Between two opinions nothing else was run, so the runner stayed in the checker's room.
    assert_eq!(course.rooms(), format!("{rooms}, a build, 2"));
}

#[test]
fn a_changed_answer_asks_the_checker_and_a_changed_limit_nobody() {
    let (course, mut package) = (Course::new(), sum("1"));
    first(&course, &package);
    package.limits.cpu *= 2;
    assert_eq!(course.says(&package, []), "AC 0 0 0");
    package.tests[1] = test("secret/2", "4\n");
    assert_eq!(course.says(&package, [opinion(43)]), "WA 0 0 1");
}

#[test]
fn a_checker_that_fails_is_a_fault_and_the_run_is_kept() {
    let printed = Outcome::printed;
    let (mut stopped, mut crashed) = (opinion(42), opinion(42));
    stopped.stop = Some(Stop::Wall);
    crashed.end = End::Signalled(11);
    for failure in [opinion(1), stopped, crashed] {
        let course = Course::new();
        let script = [printed(""), printed("2 1\n"), printed(""), failure];
        let fault = course.judge(&sum("1"), script).unwrap_err();
        assert!(fault.step.contains("checker of sum"), "{fault}");
        assert!(fault.step.contains("secret/1"), "{fault}");
        // The next try asks about the output that is known, and runs only the second test.
        let script = [opinion(42), printed("1 2\n"), opinion(42)];
        assert_eq!(course.says(&sum("1"), script), "AC 0 1 2");
    }
    // It cannot be built, and the compiler itself works: it is the checker.
    let refused = exited(1, "SyntaxError");
    let script = [printed(""), printed("2 1\n"), refused, printed("")];
    let fault = Course::new().judge(&sum("def"), script).unwrap_err();
    assert!(fault.reason.contains("SyntaxError"), "{fault}");
    // A program that ends badly is not checked.
    let script = [printed(""), opinion(3)];
    assert_eq!(Course::new().says(&sum("1"), script), "RE 1 1 0");
}

/// An output that is too long to be kept whole.
fn long(byte: u8) -> Outcome {
    Outcome::printed(vec![byte; OUTPUT_KEPT_WHOLE_BYTES_MAX + 1])
}

/// A package with a checker in which an output may be so long.
fn of_long(tests: Vec<Test>, checker: &str) -> Package {
    let mut package = checked(tests, checker);
    package.limits.output_bytes = 4 * MIB;
    package
}

#[test]
fn an_output_that_is_not_kept_whole_is_checked_when_it_is_run() {
    let course = Course::new();
    let package = |checker| of_long(vec![test("secret/1", "3\n")], checker);
    let empty = Outcome::printed("");
    let script = [empty.clone(), long(b'1'), empty.clone(), opinion(43)];
    assert_eq!(course.says(&package("1"), script), "WA 1 1 1");
    let given = course.last_job().stdin;
    assert_eq!(given.len(), OUTPUT_KEPT_WHOLE_BYTES_MAX + 1);
    assert_eq!(course.says(&package("1"), []), "WA 0 0 0");
    // Another checker has to see what was not kept.
    let script = [long(b'1'), empty, opinion(42)];
    assert_eq!(course.says(&package("2"), script), "AC 0 1 1");
}

/// Each of two answers to one input asks for a run of its own, which makes the other one's
/// worthless.
#[test]
fn outputs_that_are_never_the_same_end_in_a_fault_and_not_in_endless_runs() {
    let (one, other) = (test("secret/2", "3\n"), test("secret/2", "4\n"));
    let package = of_long(vec![test("secret/1", "1\n"), one, other], "1");
    let empty = Outcome::printed("");
    let first = [empty.clone(), long(b'0'), empty, opinion(42)];
    let others = (b'1'..=b'9').flat_map(|byte| [long(byte), opinion(42)]);
    let script: Vec<Outcome> = first.into_iter().chain(others).collect();
    let fault = Course::new().judge(&package, script).unwrap_err();
    assert!(fault.reason.contains("does not suffice"), "{fault}");
}

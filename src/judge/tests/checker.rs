//! When the checker of a package is asked, counted, and what becomes of its failures.

use super::grade::{Course, said};
use super::samples::{checked, limits, test};
use crate::domain::bounds::OUTPUT_KEPT_WHOLE_BYTES_MAX;
use crate::domain::{Cause, End, Stop, Verdict};
use crate::package::Package;
use crate::sandbox::Outcome;
use crate::util::MIB;

fn opinion(code: i32) -> Outcome {
    Outcome {
        end: End::Exited(code),
        ..Outcome::printed("")
    }
}

/// Two tests and a checker.
fn sum(checker: &str) -> Package {
    checked(
        vec![test("secret/1", "3\n"), test("secret/2", "3\n")],
        checker,
    )
}

/// Builds of the program and of the checker, a run and an opinion a test.
fn first(course: &Course, package: &Package) {
    let printed = Outcome::printed;
    let judged = course.judge(
        package,
        [
            printed(""),
            printed("2 1\n"),
            printed(""),
            opinion(42),
            printed("1 2\n"),
            opinion(42),
        ],
    );
    let judged = judged.unwrap();
    assert_eq!(said(&judged), (Verdict::Accepted, 1, 2));
    assert_eq!(judged.checks, 2);
}

#[test]
fn a_changed_checker_asks_again_without_a_run() {
    let course = Course::new();
    first(&course, &sum("1"));
    let again = course.judge(&sum("1"), []).unwrap();
    assert_eq!((said(&again), again.checks), ((Verdict::Accepted, 0, 0), 0));
    // The new checker is built, and has another opinion of the second output.
    let changed = course
        .judge(&sum("2"), [Outcome::printed(""), opinion(42), opinion(43)])
        .unwrap();
    assert_eq!(
        (said(&changed), changed.checks),
        ((Verdict::WrongAnswer, 0, 0), 2)
    );
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
    assert_eq!(
        (said(&limits), limits.checks),
        ((Verdict::Accepted, 0, 0), 0)
    );
    package.tests[1] = test("secret/2", "4\n");
    let answer = course.judge(&package, [opinion(43)]).unwrap();
    assert_eq!(
        (said(&answer), answer.checks),
        ((Verdict::WrongAnswer, 0, 0), 1)
    );
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
        let fault = course
            .judge(
                &sum("1"),
                [printed(""), printed("2 1\n"), printed(""), failure],
            )
            .unwrap_err();
        assert!(fault.step.contains("checker of sum"), "{fault}");
        assert!(fault.step.contains("secret/1"), "{fault}");
        // The next try asks about the output that is known, and runs only the second test.
        let rest = course
            .judge(&sum("1"), [opinion(42), printed("1 2\n"), opinion(42)])
            .unwrap();
        assert_eq!((said(&rest), rest.checks), ((Verdict::Accepted, 0, 1), 2));
    }
}

#[test]
fn a_checker_that_cannot_be_built_is_a_fault() {
    let course = Course::new();
    let refused = Outcome {
        stderr: b"SyntaxError".to_vec(),
        ..opinion(1)
    };
    let fault = course
        .judge(
            &sum("def"),
            [
                Outcome::printed(""),
                Outcome::printed("2 1\n"),
                refused,
                // The compiler itself works: it is the checker.
                Outcome::printed(""),
            ],
        )
        .unwrap_err();
    assert!(fault.reason.contains("SyntaxError"), "{fault}");
}

#[test]
fn an_output_that_is_not_kept_whole_is_checked_when_it_is_run() {
    let course = Course::new();
    let long = |byte: u8| Outcome::printed(vec![byte; OUTPUT_KEPT_WHOLE_BYTES_MAX + 1]);
    let package = |checker: &str| Package {
        limits: crate::domain::Limits {
            output_bytes: 4 * MIB,
            ..limits()
        },
        ..checked(vec![test("secret/1", "3\n")], checker)
    };
    let empty = Outcome::printed("");
    let judged = course
        .judge(
            &package("1"),
            [empty.clone(), long(b'1'), empty.clone(), opinion(43)],
        )
        .unwrap();
    assert_eq!(
        (said(&judged), judged.checks),
        ((Verdict::WrongAnswer, 1, 1), 1)
    );
    let given = course.runner.jobs().pop().unwrap();
    assert_eq!(given.stdin.len(), OUTPUT_KEPT_WHOLE_BYTES_MAX + 1);
    let again = course.judge(&package("1"), []).unwrap();
    assert_eq!(said(&again), (Verdict::WrongAnswer, 0, 0));
    // Another checker has to see what was not kept.
    let changed = course
        .judge(&package("2"), [long(b'1'), empty, opinion(42)])
        .unwrap();
    assert_eq!(
        (said(&changed), changed.checks),
        ((Verdict::Accepted, 0, 1), 1)
    );
}

#[test]
fn a_program_that_ends_badly_is_not_checked() {
    let course = Course::new();
    let judged = course
        .judge(&sum("1"), [Outcome::printed(""), opinion(3)])
        .unwrap();
    assert_eq!(
        (said(&judged), judged.checks),
        ((Verdict::RuntimeError, 1, 1), 0)
    );
}

//! The fold by tables: facts and limits in, verdicts out.

use std::sync::Arc;
use std::time::Duration;

use super::{fold, judge_run, waits_for_checker};
use crate::compare::{Mode, WrongLayout};
use crate::domain::{
    Cause, Compared, Disclosures, End, Limits, Output, ProblemSlug, RunFacts, Stop, TestKind,
    TestRef, TestResult, Verdict,
};
use crate::package::{Checker, Io, Package, PackageProgram, Protocol, Reference, Test};
use crate::util::MIB;
use crate::util::hash::digest;

/// Limits for the tests of this layer.
pub fn limits() -> Limits {
    Limits {
        cpu: Duration::from_secs(2),
        wall: Duration::from_secs(5),
        memory_bytes: 256 * MIB,
        output_bytes: MIB,
        processes: 8,
        open_files: 8,
    }
}

/// A test whose input is its name.
pub fn test(name: &str, expected: &str) -> Test {
    Test {
        name: TestRef {
            name: name.to_owned(),
            kind: TestKind::Secret,
            input: digest(name.as_bytes()),
            expected: digest(expected.as_bytes()),
        },
        file: "1.in".into(),
        input: Arc::from(name.as_bytes()),
        expected: Arc::from(expected.as_bytes()),
        notes: Vec::new(),
    }
}

/// A package with these tests, compared line by line.
pub fn package(tests: Vec<Test>) -> Package {
    Package {
        slug: ProblemSlug::new("sum").unwrap(),
        folder: "sum".into(),
        title: "Sum".into(),
        sources: Vec::new(),
        reference: Reference::Stored,
        validator: None,
        checker: None,
        io: Io::Stdio,
        limits: limits(),
        mode: Mode::Lines,
        wrong_layout: WrongLayout::Presentation,
        disclosures: Disclosures::default(),
        tests,
        hacks: Vec::new(),
        remarks: Vec::new(),
    }
}

/// The same, judged by a checker with this source.
pub fn checked(tests: Vec<Test>, source: &str) -> Package {
    Package {
        checker: Some(Checker {
            program: PackageProgram {
                path: "check.py".into(),
                file: "check.py".into(),
                source: Arc::from(source.as_bytes()),
                headers: Vec::new(),
                digest: digest(source.as_bytes()),
            },
            protocol: Protocol::Icpc,
        }),
        ..package(tests)
    }
}

/// Facts of a run that ended well and printed this, far from every limit.
pub fn facts(output: &str) -> RunFacts {
    RunFacts {
        end: End::Exited(0),
        stop: None,
        memory_exceeded: false,
        measurements: 1,
        busy: 0,
        waited: Duration::ZERO,
        cpu: Duration::from_millis(100),
        wall: Duration::from_millis(120),
        memory_bytes: MIB,
        output: Output {
            digest: digest(output.as_bytes()),
            len_bytes: output.len() as u64,
            kept: Some(Arc::from(output.as_bytes())),
            file: None,
        },
        compared: None,
        stderr: Vec::new(),
        caps: limits(),
        machine: None,
    }
}

/// A result with this verdict, for the tests of other modules.
pub fn result(verdict: Verdict) -> TestResult {
    TestResult {
        test: test("secret/1", "").name,
        verdict,
        cause: None,
        ended_by_itself: true,
        measurements: 1,
        busy: 0,
        waited: Duration::ZERO,
        cpu: Duration::ZERO,
        wall: Duration::ZERO,
        memory_bytes: 0,
        output_bytes: 0,
        difference: None,
        checker: None,
        judge_message: None,
        stderr: Vec::new(),
    }
}

fn verdict_of(facts: &RunFacts, limits: &Limits) -> Option<(Verdict, Option<Cause>)> {
    let test = test("secret/1", "3\n4\n");
    let result = judge_run(&package(vec![test.clone()]), &test, limits, facts)?;
    Some((result.verdict, result.cause))
}

/// Applies changes to the facts of a right run and gives what they say.
fn says(change: impl FnOnce(&mut RunFacts)) -> Option<(Verdict, Option<Cause>)> {
    let mut changed = facts("3\n4\n");
    change(&mut changed);
    verdict_of(&changed, &limits())
}

#[test]
fn each_fact_alone() {
    let second = Duration::from_secs;
    assert_eq!(says(|_| {}), Some((Verdict::Accepted, None)));
    assert_eq!(
        says(|facts| facts.end = End::Exited(3)),
        Some((Verdict::RuntimeError, Some(Cause::ExitCode(3))))
    );
    assert_eq!(
        says(|facts| facts.end = End::Signalled(9)),
        Some((Verdict::RuntimeError, Some(Cause::Signal(9)))),
        "nobody but the program itself sent this signal"
    );
    assert_eq!(
        says(|facts| facts.cpu = second(2) + Duration::from_micros(1)),
        Some((Verdict::TimeLimit, Some(Cause::Cpu)))
    );
    assert_eq!(
        says(|facts| facts.cpu = second(2)),
        Some((Verdict::Accepted, None))
    );
    assert_eq!(
        says(|facts| {
            facts.stop = Some(Stop::Wall);
            facts.cpu = second(1);
        }),
        Some((Verdict::TimeLimit, Some(Cause::Wall)))
    );
    assert_eq!(
        says(|facts| facts.stop = Some(Stop::Wall)),
        Some((Verdict::TimeLimit, Some(Cause::Idle)))
    );
    assert_eq!(
        says(|facts| facts.memory_exceeded = true),
        Some((Verdict::MemoryLimit, None))
    );
    assert_eq!(
        says(|facts| facts.stop = Some(Stop::Output)),
        Some((Verdict::OutputLimit, None))
    );
}

#[test]
fn the_graver_fact_wins() {
    let everything = |facts: &mut RunFacts| {
        facts.end = End::Signalled(9);
        facts.cpu = Duration::from_secs(9);
        facts.memory_exceeded = true;
        facts.stop = Some(Stop::Output);
    };
    assert_eq!(
        says(everything).map(|(verdict, _)| verdict),
        Some(Verdict::OutputLimit)
    );
    assert_eq!(
        says(|facts| {
            everything(facts);
            facts.stop = Some(Stop::Cpu);
        })
        .map(|(verdict, _)| verdict),
        Some(Verdict::MemoryLimit)
    );
    assert_eq!(
        says(|facts| {
            everything(facts);
            facts.stop = Some(Stop::Cpu);
            facts.memory_exceeded = false;
        })
        .map(|(verdict, _)| verdict),
        Some(Verdict::TimeLimit)
    );
}

#[test]
fn outputs_are_compared() {
    for (output, verdict, cause) in [
        ("3  \n4", Verdict::Accepted, None),
        ("3 4\n", Verdict::PresentationError, None),
        ("3\n5\n", Verdict::WrongAnswer, Some(Cause::Differs)),
        ("3\n", Verdict::WrongAnswer, Some(Cause::Missing)),
        ("3\n4\n5\n", Verdict::WrongAnswer, Some(Cause::Extra)),
        ("", Verdict::WrongAnswer, Some(Cause::Empty)),
    ] {
        assert_eq!(
            verdict_of(&facts(output), &limits()),
            Some((verdict, cause)),
            "{output:?}"
        );
    }
}

#[test]
fn a_lower_limit_needs_no_run_and_a_higher_one_only_where_a_cap_was_touched() {
    let lower = Limits {
        cpu: Duration::from_millis(50),
        ..limits()
    };
    let higher = Limits {
        cpu: Duration::from_secs(4),
        ..limits()
    };
    let right = facts("3\n4\n");
    assert_eq!(
        verdict_of(&right, &lower),
        Some((Verdict::TimeLimit, Some(Cause::Cpu)))
    );
    assert_eq!(verdict_of(&right, &higher), Some((Verdict::Accepted, None)));
    let stopped = RunFacts {
        stop: Some(Stop::Cpu),
        cpu: Duration::from_secs(2),
        ..facts("")
    };
    assert_eq!(
        verdict_of(&stopped, &higher),
        None,
        "it may well end in 3 s"
    );
    let starved = RunFacts {
        memory_exceeded: true,
        ..facts("")
    };
    let roomier = Limits {
        memory_bytes: 512 * MIB,
        ..limits()
    };
    assert_eq!(verdict_of(&starved, &roomier), None);
    assert_eq!(
        verdict_of(&starved, &higher),
        Some((Verdict::MemoryLimit, None))
    );
}

#[test]
fn an_output_that_was_not_kept_is_judged_only_by_the_same_comparison() {
    let test = test("secret/1", "3\n4\n");
    let package = package(vec![test.clone()]);
    let mut long = facts("3   \n4\n");
    long.output.kept = Some(Arc::from(*b"3"));
    assert_eq!(judge_run(&package, &test, &limits(), &long), None);
    long.compared = Some(super::compare_bytes(&package, &test, b"3   \n4\n"));
    let known = judge_run(&package, &test, &limits(), &long);
    assert_eq!(known.map(|result| result.verdict), Some(Verdict::Accepted));
    let corrected = self::test("secret/1", "3\n5\n");
    assert_eq!(judge_run(&package, &corrected, &limits(), &long), None);
}

#[test]
fn the_first_failing_test_in_order_decides() {
    let tests = vec![
        test("secret/1", ""),
        test("secret/2", ""),
        test("secret/3", ""),
    ];
    let package = package(tests);
    for (results, verdict, first) in [
        ("AC AC AC", Verdict::Accepted, None),
        ("AC TLE WA", Verdict::TimeLimit, Some(1)),
        ("AC WA ?", Verdict::WrongAnswer, Some(1)),
        ("RE ? ?", Verdict::RuntimeError, Some(0)),
    ] {
        let known: Vec<Option<TestResult>> = results
            .split(' ')
            .map(|code| Verdict::from_code(code).map(result))
            .collect();
        let judgement = fold(&package, &known, Vec::new());
        assert_eq!(
            (judgement.verdict, judgement.first_failing),
            (verdict, first)
        );
        for (result, code) in judgement.tests.iter().zip(results.split(' ')) {
            assert_eq!(result.verdict == Verdict::Skipped, code == "?");
        }
    }
}

#[test]
fn only_the_checker_says_what_is_right_where_there_is_one() {
    let test = test("secret/1", "3\n");
    let package = checked(vec![test.clone()], "1");
    let judged = |facts: &RunFacts| judge_run(&package, &test, &limits(), facts);
    let waits = |facts: &RunFacts| waits_for_checker(&package, &test, &limits(), facts);
    // Not even the very bytes of the answer are right by themselves.
    let mut known = facts("3\n");
    assert!(judged(&known).is_none() && waits(&known));
    known.compared = Some(Compared {
        expected: test.name.expected,
        mode: package.compare_key(),
        verdict: Verdict::WrongAnswer,
        cause: Some(Cause::Refused),
        difference: None,
        words: Some("no".into()),
        judge_message: None,
    });
    let result = judged(&known).unwrap();
    assert_eq!(
        (result.verdict, result.checker.as_deref()),
        (Verdict::WrongAnswer, Some("no"))
    );
    assert!(!waits(&known));
    // A program that did not end well needs no checker.
    known.compared = None;
    known.end = End::Exited(1);
    assert_eq!(judged(&known).unwrap().verdict, Verdict::RuntimeError);
    assert!(!waits(&known));
    // Measured under caps too low to tell, it has to be run again first.
    known.caps.processes = 1;
    assert!(judged(&known).is_none() && !waits(&known));
}

#[test]
fn an_opinion_counts_for_its_checker_and_its_answer_alone() {
    let test = test("secret/1", "3\n");
    let old = checked(vec![test.clone()], "1");
    let mut known = facts("3\n");
    known.compared = Some(Compared {
        expected: test.name.expected,
        mode: old.compare_key(),
        verdict: Verdict::Accepted,
        cause: None,
        difference: None,
        words: None,
        judge_message: None,
    });
    let new = checked(vec![test.clone()], "2");
    assert_ne!(old.judging_digest(), new.judging_digest());
    assert!(judge_run(&new, &test, &limits(), &known).is_none());
    let mut other = test.clone();
    other.name.expected = digest(b"4\n");
    assert!(judge_run(&old, &other, &limits(), &known).is_none());
    assert!(judge_run(&old, &test, &limits(), &known).is_some());
}

//! The fold by tables: facts and limits in, verdicts out.

use std::time::Duration;

use super::samples::{
    MIB, built, case, checked, facts, judge_output, judge_run, limits, package, ran, rules, test,
    toolchain,
};
use crate::compare::{Mode, WrongLayout};
use crate::domain::{Cause, Compared, End, Limits, RunFacts, Stop, Verdict};
use crate::judge::case::Facts;
use crate::judge::fold::fold;
use crate::judge::order::Fact;
use crate::judge::settle::{Standing, compare_bytes, settle};
use crate::package::{Package, Protocol};
use crate::util::hash::digest;

fn verdict_of(output: &str, facts: &RunFacts, limits: &Limits) -> Option<(Verdict, Option<Cause>)> {
    let package = package(vec![test("secret/1", "3\n4\n")]);
    let result = judge_output(&package, limits, facts, output)?;
    Some((result.verdict, result.cause))
}

/// Applies changes to the facts of a right run and gives what they say.
fn says(change: impl FnOnce(&mut RunFacts)) -> Option<(Verdict, Option<Cause>)> {
    let mut changed = facts("3\n4\n");
    change(&mut changed);
    verdict_of("3\n4\n", &changed, &limits())
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
            verdict_of(output, &facts(output), &limits()),
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
        verdict_of("3\n4\n", &right, &lower),
        Some((Verdict::TimeLimit, Some(Cause::Cpu)))
    );
    assert_eq!(
        verdict_of("3\n4\n", &right, &higher),
        Some((Verdict::Accepted, None))
    );
    let stopped = RunFacts {
        stop: Some(Stop::Cpu),
        cpu: Duration::from_secs(2),
        ..facts("")
    };
    assert_eq!(
        verdict_of("", &stopped, &higher),
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
    assert_eq!(verdict_of("", &starved, &roomier), None);
    assert_eq!(
        verdict_of("", &starved, &higher),
        Some((Verdict::MemoryLimit, None))
    );
}

#[test]
fn an_output_that_was_not_kept_is_judged_only_by_the_same_comparison() {
    let sum = package(vec![test("secret/1", "3\n4\n")]);
    let mut long = facts("3   \n4\n");
    long.output.kept = Some(digest(b"3"));
    assert_eq!(judge_run(&sum, &limits(), &long, None), None);
    let known = judge_output(&sum, &limits(), &long, "3   \n4\n");
    assert_eq!(known.map(|result| result.verdict), Some(Verdict::Accepted));
    let question = |package: &Package| {
        let toolchain = toolchain();
        case(package, &toolchain, &rules()).question(&package.tests[0].name, &long.output.digest)
    };
    let corrected = package(vec![test("secret/1", "3\n5\n")]);
    assert_ne!(question(&corrected), question(&sum));
    let mut exact = sum.clone();
    exact.mode = Mode::Exact;
    assert_ne!(question(&exact), question(&sum));
    exact.mode = sum.mode;
    exact.wrong_layout = WrongLayout::Wrong;
    assert_ne!(question(&exact), question(&sum));
}

#[test]
fn the_first_failing_test_in_order_decides() {
    let tests = vec![
        test("secret/1", ""),
        test("secret/2", ""),
        test("secret/3", ""),
    ];
    let package = package(tests);
    let toolchain = toolchain();
    let case = case(&package, &toolchain, &rules());
    for (results, verdict, first) in [
        ("AC AC AC", Verdict::Accepted, None),
        ("AC TLE WA", Verdict::TimeLimit, Some(1)),
        ("AC WA ?", Verdict::WrongAnswer, Some(1)),
        ("RE ? ?", Verdict::RuntimeError, Some(0)),
    ] {
        let mut known = Facts::default();
        known.learn(&built(&case));
        for (test, code) in package.tests.iter().zip(results.split(' ')) {
            let mut run = facts(if code == "WA" { "5" } else { "" });
            match code {
                "RE" => run.end = End::Exited(1),
                "TLE" => run.cpu = Duration::from_secs(9),
                "?" => continue,
                _ => {}
            }
            known.learn(&ran(&case, test, &run));
            known.learn(&Fact::Compared {
                question: case.question(&test.name, &run.output.digest),
                compared: compare_bytes(&package.mode, package.wrong_layout, b"", b"5"),
                is_unique: false,
            });
        }
        let judgement = fold(&case, &known);
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
    let package = checked(vec![test("secret/1", "3\n")], "1");
    let standing = |facts: &RunFacts| {
        let toolchain = toolchain();
        let case = case(&package, &toolchain, &rules());
        settle(
            &case.spec,
            true,
            &package.tests[0].name.expected,
            Some(facts),
            None,
        )
    };
    // Not even the very bytes of the answer are right by themselves.
    let mut known = facts("3\n");
    assert_eq!(judge_run(&package, &limits(), &known, None), None);
    assert_eq!(standing(&known), Standing::NotCompared);
    let no = Compared {
        verdict: Verdict::WrongAnswer,
        cause: Some(Cause::Refused),
        words: Some("no".into()),
        ..Compared::accepted()
    };
    let result = judge_run(&package, &limits(), &known, Some(no)).unwrap();
    assert_eq!(
        (result.verdict, result.checker.as_deref()),
        (Verdict::WrongAnswer, Some("no"))
    );
    // A program that did not end well needs no checker.
    known.end = End::Exited(1);
    let result = judge_run(&package, &limits(), &known, None).unwrap();
    assert_eq!(result.verdict, Verdict::RuntimeError);
    // Measured under caps too low to tell, it has to be run again first.
    known.caps.processes = 1;
    assert_eq!(standing(&known), Standing::Missing);
}

#[test]
fn an_opinion_counts_for_its_checker_and_its_answer_alone() {
    let question = |package: &Package| {
        let toolchain = toolchain();
        let case = case(package, &toolchain, &rules());
        case.question(&package.tests[0].name, &digest(b"3\n"))
    };
    let old = checked(vec![test("secret/1", "3\n")], "1");
    let new = checked(vec![test("secret/1", "3\n")], "2");
    assert_ne!(old.judging_digest(), new.judging_digest());
    let other = checked(vec![test("secret/1", "4\n")], "1");
    assert_ne!(question(&old), question(&new));
    assert_ne!(question(&old), question(&other));
    let mut testlib = old.clone();
    testlib.checker.as_mut().unwrap().protocol = Protocol::Testlib;
    assert_ne!(question(&old), question(&testlib));
    assert_eq!(question(&old), question(&old.clone()));
}

//! The fold by tables: facts and limits in, verdicts out. Every limit is a closed bound, and a cap
//! below the limit tells nothing.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use super::samples::{
    built, case, checked, facts, judge_output, judge_run, limits, package, ran, rules, sum, test,
    told, toolchain,
};
use crate::compare::{Mode, WrongLayout};
use crate::domain::{Added, Cause, Compared, End, Limits, RunFacts, Stop, Verdict};
use crate::judge::case::{Case, Facts};
use crate::judge::fold::fold;
use crate::judge::order::Fact;
use crate::judge::settle::{Standing, compare_bytes, settle};
use crate::package::{Package, Protocol};
use crate::util::hash::digest;

/// The verdict on a right run after a change of its facts, and the cause.
fn says(change: impl FnOnce(&mut RunFacts)) -> String {
    let mut changed = facts("3\n");
    change(&mut changed);
    match judge_output(&sum(1), &changed, "3\n") {
        None => NEEDS_A_RUN.to_owned(),
        Some(result) => told(result.said.verdict, result.said.cause.as_ref()),
    }
}

const NEEDS_A_RUN: &str = "needs a run";

#[test]
fn the_graver_fact_wins() {
    assert_eq!(says(|facts| facts.end = End::Exited(3)), "RE ExitCode(3)");
    // Nobody but the program itself sent this signal.
    assert_eq!(says(|facts| facts.end = End::Signalled(9)), "RE Signal(9)");
    for (stop, memory_exceeded, cpu_s, said) in [
        (Stop::Wall, false, 1, "TLE Wall"),
        (Stop::Output, true, 9, "OLE"),
        (Stop::Cpu, true, 9, "MLE"),
        (Stop::Cpu, false, 9, "TLE Cpu"),
        // Whom the interactor had refused may have passed a limit before; how it was ended is nothing.
        (Stop::Decided, false, 0, "AC"),
        (Stop::Decided, false, 9, "TLE Cpu"),
    ] {
        for end in [End::Exited(0), End::Signalled(9)] {
            let found = says(|facts| {
                (facts.end, facts.stop) = (end, Some(stop));
                facts.cpu = Duration::from_secs(cpu_s);
                facts.memory_exceeded = memory_exceeded;
            });
            assert_eq!(found, said);
        }
    }
}

#[test]
fn what_is_at_the_limit_is_within_it() {
    let most = limits();
    for over in [0_u32, 1] {
        let said = |beyond| if over == 0 { "AC" } else { beyond };
        let (time, bytes) = (Duration::from_nanos(over.into()), u64::from(over));
        let found = says(|facts| facts.cpu = most.cpu + time);
        assert_eq!(found, said("TLE Cpu"));
        let found = says(|facts| facts.wall = most.wall + time);
        assert_eq!(found, said("TLE Idle"));
        let found = says(|facts| facts.memory_bytes = most.memory_bytes + bytes);
        assert_eq!(found, said("MLE"));
        let found = says(|facts| facts.output.len_bytes = most.output_bytes + bytes);
        assert_eq!(found, said("OLE"));
    }
    // Out of wall-clock time: a tenth of the CPU limit is computing, less is waiting.
    let nanosecond = Duration::from_nanos(1);
    for (less, said) in [(0, "TLE Wall"), (1, "TLE Idle")] {
        let found = says(|facts| {
            facts.cpu = (most.cpu / 10).saturating_sub(less * nanosecond);
            facts.wall = most.wall + nanosecond;
        });
        assert_eq!(found, said, "{less}");
    }
}

#[test]
fn a_run_that_was_stopped_below_the_limit_tells_nothing() {
    let nanosecond = Duration::from_nanos(1);
    let stops = [Stop::Output, Stop::Cpu, Stop::Wall];
    for (stop, said) in stops.into_iter().zip(["OLE", "TLE Cpu", "TLE Idle"]) {
        let lower = |caps: &mut Limits| match stop {
            Stop::Output => caps.output_bytes -= 1,
            Stop::Cpu => caps.cpu -= nanosecond,
            Stop::Wall => caps.wall -= nanosecond,
            Stop::Decided => {}
        };
        assert_eq!(says(|facts| facts.stop = Some(stop)), said);
        let below = says(|facts| {
            facts.stop = Some(stop);
            lower(&mut facts.caps);
        });
        assert_eq!(below, NEEDS_A_RUN, "{stop:?}");
        // A cap that was not touched may be as low as it likes.
        assert_eq!(says(|facts| lower(&mut facts.caps)), "AC");
    }
    // Memory that is used up stops nobody by itself.
    let most = limits().memory_bytes;
    for (caps_bytes, said) in [(most - 1, NEEDS_A_RUN), (most, "MLE"), (most + 1, "MLE")] {
        let starved = says(|facts| {
            facts.memory_exceeded = true;
            facts.caps.memory_bytes = caps_bytes;
        });
        assert_eq!(starved, said, "{caps_bytes}");
    }
    // Another number of processes or files is another run.
    for change in [
        |caps: &mut Limits| caps.processes -= 1,
        |caps: &mut Limits| caps.processes += 1,
        |caps: &mut Limits| caps.open_files -= 1,
        |caps: &mut Limits| caps.open_files += 1,
    ] {
        assert_eq!(says(|facts| change(&mut facts.caps)), NEEDS_A_RUN);
    }
}

#[test]
fn outputs_are_compared() {
    use Verdict::{Accepted, PresentationError, WrongAnswer};
    let mut package = package(vec![test("secret/1", "3\n4\n")]);
    for (output, verdict, cause) in [
        ("3  \n4", Accepted, None),
        ("3 4\n", PresentationError, None),
        ("3\n5\n", WrongAnswer, Some(Cause::Differs)),
        ("3\n", WrongAnswer, Some(Cause::Missing)),
        ("3\n4\n5\n", WrongAnswer, Some(Cause::Extra)),
        ("", WrongAnswer, Some(Cause::Empty)),
    ] {
        let result = judge_output(&package, &facts(output), output).unwrap();
        let said = (result.said.verdict, result.said.cause);
        assert_eq!(said, (verdict, cause), "{output:?}");
    }
    // The package says what a wrong layout is.
    package.wrong_layout = WrongLayout::Wrong;
    let result = judge_output(&package, &facts("3 4\n"), "3 4\n").unwrap();
    let said = (result.said.verdict, result.said.cause);
    assert_eq!(said, (WrongAnswer, Some(Cause::Differs)));
    let shown = result.said.difference.unwrap();
    assert_eq!((shown.line, shown.column), (1, 2));
}

#[test]
fn a_result_says_who_ended_the_program_and_what_it_used() {
    let package = sum(1);
    let mut known = facts("3\n");
    known.end = End::Signalled(9);
    for (stop, by_itself) in [(None, true), (Some(Stop::Wall), false)] {
        known.stop = stop;
        let result = judge_output(&package, &known, "3\n").unwrap();
        assert_eq!(result.ended_by_itself(), by_itself);
        assert_eq!(result.run.as_deref(), Some(&known));
    }
}

#[test]
fn what_was_said_of_an_output_counts_for_its_comparison_and_its_answer_alone() {
    let question = |package: &Package| {
        let name = &package.tests[0].name;
        case(package, &toolchain(), &rules()).question(name, &digest(b"3\n"))
    };
    let mut all = Vec::new();
    for answer in ["3\n", "4\n"] {
        let tests = vec![test("secret/1", answer)];
        all.push(package(tests.clone()));
        all.push(checked(tests.clone(), "1"));
        all.push(checked(tests, "2"));
    }
    let mut other = all[0].clone();
    other.mode = Mode::Exact;
    all.push(other.clone());
    other.mode = all[0].mode;
    other.wrong_layout = WrongLayout::Wrong;
    all.push(other);
    let mut testlib = all[1].clone();
    testlib.checker.as_mut().unwrap().protocol = Protocol::Testlib;
    all.push(testlib);
    let questions: BTreeSet<_> = all.iter().map(question).collect();
    assert_eq!(questions.len(), all.len());
    assert_ne!(all[1].judging_digest(), all[2].judging_digest());
    // Of an output that was not kept it has to be known.
    let mut long = facts("3   \n4\n");
    long.output.kept = Some(digest(b"3"));
    let sum = package(vec![test("secret/1", "3\n4\n")]);
    assert_eq!(judge_run(&sum, &long, None), None);
    let known = judge_output(&sum, &long, "3   \n4\n").unwrap();
    assert_eq!(known.said.verdict, Verdict::Accepted);
}

#[test]
fn the_first_failing_test_in_order_decides() {
    let tests = ["secret/1", "secret/2", "secret/3"].map(|name| test(name, ""));
    let package = package(tests.into());
    let (toolchain, rules) = (toolchain(), rules());
    let case = case(&package, &toolchain, &rules);
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
        let said = (judgement.verdict, judgement.first_failing);
        assert_eq!(said, (verdict, first));
        for (result, code) in judgement.tests.iter().zip(results.split(' ')) {
            assert_eq!(result.said.verdict == Verdict::Skipped, code == "?");
            assert_eq!(result.said.judge_message, None);
        }
    }
}

#[test]
fn only_the_checker_says_what_is_right_where_there_is_one() {
    let package = checked(vec![test("secret/1", "3\n")], "1");
    let standing = |facts: &RunFacts| {
        let spec = case(&package, &toolchain(), &rules()).spec;
        let expected = &package.tests[0].name.expected;
        settle(&spec, true, expected, Some(facts), None)
    };
    // Not even the very bytes of the answer are right by themselves.
    let mut known = facts("3\n");
    assert_eq!(judge_run(&package, &known, None), None);
    assert_eq!(standing(&known), Standing::NotCompared);
    let no = Compared {
        verdict: Verdict::WrongAnswer,
        cause: Some(Cause::Refused),
        words: Some("no".into()),
        ..Compared::accepted()
    };
    let result = judge_run(&package, &known, Some(no)).unwrap();
    let said = (result.said.verdict, result.said.words.as_deref());
    assert_eq!(said, (Verdict::WrongAnswer, Some("no")));
    // A program that did not end well needs no checker.
    known.end = End::Exited(1);
    let result = judge_run(&package, &known, None).unwrap();
    assert_eq!(result.said.verdict, Verdict::RuntimeError);
    // Measured under caps too low to tell, it has to be run again first.
    known.caps.processes = 1;
    assert_eq!(standing(&known), Standing::Missing);
}

/// Students are not to see what a package compiles with their programs.
#[test]
fn what_a_compiler_repeats_of_a_driver_is_left_out() {
    let package = package(vec![test("secret/1", "3\n")]);
    let (toolchain, rules) = (toolchain(), rules());
    let driver = "int main() {\n  int secret = read();\n  solve(secret);\n}\n";
    let file = |name: &str, text: &str| (name.to_owned(), Arc::from(text.as_bytes()));
    let header = file("solve.h", "int solve(int);\n");
    let files = [file("driver.c", driver), header];
    let case = Case {
        included: Added {
            files: &files,
            ..Added::default()
        },
        ..case(&package, &toolchain, &rules)
    };
    let mut known = Facts::default();
    let Fact::Built { key, mut build } = built(&case) else {
        panic!("a build");
    };
    build.result = Err(Cause::Compiler);
    let words = "driver.c:3:3: error: too few arguments\n    3 |   solve(secret);\n      |   ^~~~~\nsolve.h:1:5: note: declared here\n    1 | int solve(int);\n      |     ^~~~~\nD.java:2: error\n  int secret = read();\n      ^\nmine.c:1:1: error\n    1 | int mine() {\n      | ^\n";
    build.words = words.as_bytes().to_vec();
    known.learn(&Fact::Built { key, build });
    let shown = String::from_utf8(fold(&case, &known).compiler_words).unwrap();
    let left = "driver.c:3:3: error: too few arguments\nsolve.h:1:5: note: declared here\n    1 | int solve(int);\n      |     ^~~~~\nD.java:2: error\nmine.c:1:1: error\n    1 | int mine() {\n      | ^\n";
    assert_eq!(shown, left);
}

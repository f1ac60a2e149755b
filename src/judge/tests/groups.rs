//! Groups of tests that bring points: what is run, and what it brings.

use proptest::prelude::*;

use super::order::{Script, judged, with_case};
use super::samples::{built, rules, sum};
use crate::domain::{
    Cause, Given, Group, Groups, Judgement, Published, Scoring, TestKind, TestResult, Verdict,
};
use crate::judge::archive::Memory;
use crate::judge::case::Facts;
use crate::judge::fold::{check_points, fold};
use crate::judge::order::Fact;
use crate::package::Package;
use crate::util::samples;
use crate::util::tests::trials::trials;

fn group(place: usize, scoring: Scoring, needs: &[usize]) -> Group {
    let points = 10 * (u32::try_from(place).unwrap() + 1);
    samples::group(&format!("g{place}"), points, scoring, needs)
}

/// A program that passes the tests with a `+`.
fn script(passes: &str) -> Script {
    let prints = |test| if test == '+' { "3\n" } else { "4\n" };
    Script::of(passes.chars().map(prints).collect())
}

fn judge(package: &Package, passes: &str, stop: bool) -> Judgement {
    let mut rules = rules();
    rules.stop_at_first_failure = stop;
    with_case(package, &rules, |case| {
        let (script, memory) = (script(passes), Memory::default());
        let (judgement, _) = judged(case, package, &script, &memory, usize::MAX);
        judgement.unwrap()
    })
}

/// A package whose tests belong to these groups; a digit is a place.
fn package(of_tests: &str, groups: Vec<Group>) -> Package {
    let mut package = sum(of_tests.len());
    for (test, group) in package.tests.iter_mut().zip(of_tests.chars()) {
        test.name.group = group.to_digit(10).map(|place| place as usize);
    }
    package.groups = Groups::new(groups);
    package
}

fn ran(judgement: &Judgement) -> String {
    let sign = |result: &TestResult| match result.said.verdict {
        Verdict::Accepted => '+',
        Verdict::Skipped => '.',
        _ => '-',
    };
    judgement.tests.iter().map(sign).collect()
}

#[test]
fn a_failing_test_stops_its_own_group_alone() {
    // Two tests of no group, all or nothing, test by test, one that needs the first, a hack.
    let (all, sum) = (Scoring::All, Scoring::Sum);
    let groups = vec![group(0, all, &[]), group(1, sum, &[]), group(2, all, &[0])];
    let package = package("--001112-", groups);
    for (passes, stopped, points) in [
        ("+++++++++", "+++++++++", 60),
        ("-++++++++", "-.++++++.", 60),
        ("++-++++++", "++-.+++..", 20),
        ("++++-+-++", "++++-+-+.", 46),
        ("+++++++-+", "+++++++-.", 30),
        ("---------", "-.-.---..", 0),
        ("++++++++-", "++++++++-", 60),
    ] {
        let judgement = judge(&package, passes, true);
        assert_eq!(ran(&judgement), stopped);
        assert_eq!((judgement.score.got, judgement.score.of), (points, 60));
        let all = judge(&package, passes, false);
        assert_eq!(ran(&all), passes);
        assert_eq!(all.score, judgement.score);
    }
}

#[test]
#[rustfmt::skip]
fn points_that_no_group_has_are_a_fault() {
    // A sample of a group that brings nothing, two tests of one group, one that is passed or failed.
    let samples = Group { points: 0, ..group(0, Scoring::All, &[]) };
    let passed = Group { is_pass_fail: true, ..group(2, Scoring::All, &[]) };
    let mut package = package("0112", vec![samples, group(1, Scoring::Sum, &[]), passed]);
    package.tests[0].name.kind = TestKind::Sample;
    let right = judge(&package, "++++", true);
    for (given, said) in [
        ("9 5 15 -", ""),
        ("- 21 - -", "count the points of sum for secret/1: it gives 21 points, and the group g1 brings 20 at most"),
        ("- 10 11 -", "count the points of sum for the group g1: its tests bring 21 of 20 points, as the checker says"),
        ("- - - 1", "count the points of sum for secret/3: it gives points, and the group g2 is passed or failed"),
    ] {
        let mut judgement = right.clone();
        for (result, given) in judgement.tests.iter_mut().zip(given.split(' ')) {
            result.said.given = given.parse::<u64>().ok().map(|points| Given::Points(points * Given::ONE));
        }
        let each = judgement.tests.iter().map(|result| (result.test.group, result.said.verdict, result.said.given));
        judgement.groups = package.groups.results(each);
        let found = with_case(&package, &rules(), |case| check_points(case, &judgement));
        assert_eq!(found.map_or_else(|fault| fault.to_string(), |()| String::new()), said);
    }
}

#[test]
fn what_groups_bring_is_kept_where_it_adds_up() {
    let groups = || vec![group(0, Scoring::All, &[]), group(1, Scoring::All, &[])];
    let mut package = package("01", groups());
    let kept = |package: &Package| Published::of(&judge(package, "+-", true), 0).groups;
    let got = kept(&package).map(|groups| groups.got.to_vec());
    assert_eq!(got, Some(vec![10, 0]));
    package.groups = Groups::of_least(groups());
    assert_eq!(kept(&package), None);
}

#[test]
fn a_program_that_cannot_be_built_has_no_points_of_all() {
    let groups = vec![group(0, Scoring::All, &[]), group(1, Scoring::Sum, &[])];
    let package = package("01", groups);
    with_case(&package, &rules(), |case| {
        let mut known = Facts::default();
        let mut built = built(case);
        if let Fact::Built { build, .. } = &mut built {
            build.result = Err(Cause::Compiler);
        }
        known.learn(&built);
        let judgement = fold(case, &known);
        assert_eq!(judgement.verdict, Verdict::CompileError);
        assert_eq!(judgement.score.to_string(), "0/30");
        assert_eq!(judgement.groups.len(), 2);
    });
}

proptest! {
    #![proptest_config(trials(64))]

    #[test]
    fn stopping_costs_no_points_and_changes_no_verdict(
        tests in prop::collection::vec((prop::option::of(0_usize..3), any::<bool>()), 1..10),
        sums in prop::collection::vec(any::<bool>(), 3),
        needs in 0_usize..4,
        cut in 0_usize..20,
    ) {
        let mut package = sum(tests.len());
        for (test, (group, _)) in package.tests.iter_mut().zip(&tests) {
            test.name.group = *group;
        }
        let of_last: &[usize] = [&[][..], &[0], &[1], &[1, 0]][needs];
        let of_second: &[usize] = if needs == 3 { &[0] } else { &[] };
        let scoring = |place: usize| if sums[place] { Scoring::Sum } else { Scoring::All };
        package.groups = Groups::new(vec![
            group(0, scoring(0), &[]),
            group(1, scoring(1), of_second),
            group(2, scoring(2), of_last),
        ]);
        let passes: String = tests.iter().map(|(_, passes)| if *passes { '+' } else { '-' }).collect();
        let (stopped, all) = (judge(&package, &passes, true), judge(&package, &passes, false));
        assert_eq!(stopped.score, all.score);
        assert_eq!(stopped.verdict, all.verdict);
        assert_eq!(stopped.first_failing, all.first_failing);
        // What was run before a crash is not run again, and the rest says the same.
        let script = script(&passes);
        with_case(&package, &rules(), |case| {
            let memory = Memory::default();
            let _ = judged(case, &package, &script, &memory, cut);
            let (again, _) = judged(case, &package, &script, &memory, usize::MAX);
            assert_eq!(again.unwrap(), stopped);
        });
    }
}

//! Points by groups, and what a checker gives.

use super::{Given, Groups, Scoring, group};
use crate::domain::Verdict;

/// `easy` needs nothing, `sums` is counted test by test, `hard` needs `easy`, `last` needs both.
fn groups() -> Groups {
    Groups::new(vec![
        group("easy", 30, Scoring::All, &[]),
        group("sums", 10, Scoring::Sum, &[]),
        group("hard", 50, Scoring::All, &[0]),
        group("last", 10, Scoring::Sum, &[2, 0]),
    ])
}

#[test]
fn points_are_summed_by_group() {
    // Per group, what its tests came to: + passed, - failed, . not run.
    for (tests, points, lacks) in [
        ("++ +++ + +++", [30, 10, 50, 10], ["", ""]),
        ("++ ++- + -++", [30, 6, 50, 6], ["", ""]),
        ("+- +-- + +++", [0, 3, 0, 0], ["easy", "easy"]),
        ("++ --- . +++", [30, 0, 0, 0], ["", "hard"]),
        ("-. +++ . ...", [0, 10, 0, 0], ["easy", "hard"]),
    ] {
        let verdicts = tests.split(' ').enumerate().flat_map(|(place, group)| {
            group.chars().map(move |test| match test {
                '+' => (Some(place), Verdict::Accepted, None),
                '-' => (Some(place), Verdict::WrongAnswer, None),
                _ => (Some(place), Verdict::Skipped, None),
            })
        });
        // A test of no group changes nothing.
        let results = groups().results(verdicts.chain([(None, Verdict::WrongAnswer, None)]));
        let got: Vec<u32> = results.iter().map(|group| group.score.got).collect();
        assert_eq!(got, points, "{tests:?}");
        let lacking = results.iter().map(|group| group.lacks.as_deref());
        let lacking: Vec<&str> = lacking.map(Option::unwrap_or_default).collect();
        assert_eq!(lacking, [&["", ""], &lacks[..]].concat(), "{tests}");
        let score = groups().score(Verdict::WrongAnswer, &results);
        assert_eq!((score.got, score.of), (points.iter().sum(), 100));
        let least = Groups::of_least(groups().groups).score(Verdict::WrongAnswer, &results);
        assert_eq!((Some(&least.got), least.of), (points.iter().min(), 10));
    }
}

#[test]
fn only_who_passes_everything_has_every_point() {
    for (points, passed, tests, expected) in [
        (100, 2, 3, 66),
        (1, 9_999, 10_000, 0),
        (1_000_000, 9_999, 10_000, 999_900),
        (5, 11, 12, 4),
        (5, 12, 12, 5),
        (0, 1, 2, 0),
    ] {
        let groups = Groups::new(vec![group("g", points, Scoring::Sum, &[])]);
        let verdict = |at| [Verdict::Skipped, Verdict::Accepted][usize::from(at < passed)];
        let results = groups.results((0..tests).map(|at| (Some(0), verdict(at), None)));
        assert_eq!(results[0].score.got, expected, "{passed}/{tests}");
    }
}

#[test]
fn a_checker_may_give_a_part_of_the_points() {
    // Per test: points, a share in per cent, all of what it brings, or failed.
    for (points, tests, least, sum) in [
        (10, "2.5 7", 2, 9),
        (10, "2.5 + +", 2, 9),
        (10, "2.5 -", 0, 2),
        (10, "0 +", 0, 5),
        (30, "50% 25%", 7, 11),
        (30, "33.333333% + +", 10, 23),
        (1, "99.9999%", 0, 0),
        (100, "33.333333 33.333333 33.333333", 33, 100),
        (10, "12", 10, 12),
    ] {
        let given = |test: &str| {
            let number = |text: &str| Given::millionths(text.parse().unwrap()).unwrap();
            match (test, test.strip_suffix('%')) {
                ("+", _) => (Some(0), Verdict::Accepted, None),
                ("-", _) => (Some(0), Verdict::WrongAnswer, None),
                (_, Some(share)) => {
                    let given = Given::Share(number(share) / 100);
                    (Some(0), Verdict::Accepted, Some(given))
                }
                _ => (
                    Some(0),
                    Verdict::Accepted,
                    Some(Given::Points(number(test))),
                ),
            }
        };
        for (scoring, expected) in [(Scoring::All, least), (Scoring::Sum, sum)] {
            let groups = Groups::new(vec![group("g", points, scoring, &[])]);
            let results = groups.results(tests.split(' ').map(given));
            assert_eq!(results[0].score.got, expected, "{tests} {scoring:?}");
        }
    }
    let ten = group("g", 10, Scoring::All, &[]);
    assert_eq!(ten.refuses(Given::Points(10_000_000)), None);
    let why = "it gives 10.5 points, and the group g brings 10 at most";
    assert_eq!(ten.refuses(Given::Points(10_500_000)).as_deref(), Some(why));
    assert_eq!(Given::Share(400_000).words(), "40 % of its points");
}

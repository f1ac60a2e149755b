//! Time factors of languages: what they change, and what they leave as it was measured.

use std::path::Path;
use std::time::Duration;

use super::order::{Script, judged, runs};
use super::samples::{case, limits, python, rules, sum};
use crate::config;
use crate::domain::{TimeFactor, Verdict};
use crate::judge::archive::Memory;
use crate::judge::case::Case;
use crate::judge::fold_key;
use crate::toolchain::Toolchain;

fn toolchain(factor: &str) -> Toolchain {
    let text = format!("[languages.python3]\n{factor}\n");
    Toolchain::of(&config::parse(&text, Path::new("config.toml")).unwrap())
}

#[test]
fn a_factor_changes_what_is_folded_and_neither_builds_nor_runs() {
    let package = sum(1);
    let of = |factor: &str| {
        let (toolchain, rules) = (toolchain(factor), rules());
        let case = case(&package, &toolchain, &rules);
        let runs = (case.program.key, case.program.fingerprint, case.spec.policy);
        let judged_by = toolchain.judged_by(toolchain.language(&python()).unwrap(), "3");
        (runs, fold_key(&package, judged_by, &rules))
    };
    let (one, two) = (of(""), of("time_factor = 2"));
    assert_eq!(one, of("time_factor = 1"));
    assert_eq!(one.0, two.0);
    assert_ne!(one.1, two.1);
}

#[test]
fn a_problem_may_say_more_and_each_factor_counts_once() {
    let cpu = |course: &str, own: Option<f64>| {
        let mut package = sum(1);
        let own = own.map(|own| (python(), TimeFactor::new(own).unwrap()));
        package.time_factors.extend(own);
        let limits = case(&package, &toolchain(course), &rules()).spec.limits;
        (limits.cpu.as_millis(), limits.wall.as_millis())
    };
    for (course, own, expected) in [
        ("", None, (2_000, 5_000)),
        ("time_factor = 2", None, (4_000, 9_000)),
        ("time_factor = 0.5", None, (1_000, 5_000)),
        ("time_factor = 2", Some(1.25), (2_500, 6_000)),
        ("time_factor = 2", Some(1.0), (2_000, 5_000)),
    ] {
        assert_eq!(cpu(course, own), expected, "{course} {own:?}");
    }
}

/// A program that needs 3 s where 2 s are allowed: with a factor it passes by what is known.
#[test]
fn a_known_time_is_judged_anew_without_a_run() {
    let package = sum(1);
    let memory = Memory::default();
    let script = Script {
        prints: vec!["3\n"],
        is_slow: vec![true],
    };
    let with = |factor: &str, work: &dyn Fn(&Case<'_>)| {
        let toolchain = toolchain(factor);
        work(&case(&package, &toolchain, &rules()));
    };
    with("", &|case| {
        let (judgement, _) = judged(case, &package, &script, &memory, usize::MAX);
        assert_eq!(judgement.unwrap().verdict, Verdict::TimeLimit);
    });
    with("time_factor = 1.5", &|case| {
        let (judgement, new) = judged(case, &package, &script, &memory, usize::MAX);
        assert_eq!(judgement.unwrap().verdict, Verdict::Accepted);
        assert_eq!(runs(&new), 0, "{new:?}");
    });
}

#[test]
fn factors_are_hundredths_within_bounds() {
    let of = |number: f64| TimeFactor::new(number).map(|factor| factor.of(&limits()).cpu);
    for (number, cpu) in [
        (1.0, Some(Duration::from_secs(2))),
        (1.256, Some(Duration::from_millis(2_520))),
        (0.1, Some(Duration::from_millis(200))),
        (100.0, Some(Duration::from_secs(200))),
        (0.09, None),
        (100.01, None),
        (-1.0, None),
        (f64::NAN, None),
    ] {
        assert_eq!(of(number), cpu, "{number}");
    }
    let mut generous = limits();
    generous.wall = Duration::from_mins(1);
    let twice = TimeFactor::new(2.0).unwrap().of(&generous);
    assert_eq!(twice.wall, generous.wall);
}

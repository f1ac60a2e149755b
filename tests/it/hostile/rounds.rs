//! The whole suite repeatedly on one daemon: every verdict is right each time, and the daemon does
//! not grow.

use std::fs;

use super::course::{Course, PROBLEMS, Pages, whole_tests};
use super::program::Program;
use super::traces::Traces;
use crate::place::{Place, rounds, wait_until};

/// Each program is run on every test, and a changed test is noticed soon. No repeats near the time
/// limit, because they wait until nothing else runs: the suite's other tests have them.
const RULES: &str = "workers = 12\nstop_at_first_failure = false\nrepeat_near_limit = false";

/// How often every program is run. Counts of descriptors, threads, processes and groups are exact,
/// so a few rounds show a leak. Memory needs many.
const ROUNDS: (usize, usize) = (2, 60);
/// The round after which the daemon must not grow: with many rounds, once all its caches are full.
const SETTLED: (usize, usize) = (1, 15);
/// How much more memory the daemon may have at the end than after that round, in any case. After
/// one round the caches are still filling: SQLite keeps up to 2 MiB for each of 17 connections.
const GROWTH_KIB_MAX: (usize, usize) = (32 * 1024, 8 * 1024);
/// The same per run. One leaked page per run would be 4, which the many rounds of `make soak` show.
const GROWTH_KIB_PER_RUN: u64 = 2;

/// The resources that a daemon holds between two rounds.
#[derive(Debug)]
struct Holdings {
    descriptors: usize,
    threads: u64,
    resident_kib: u64,
    processes: usize,
    groups: usize,
}

impl Holdings {
    fn of(pid: u32, course: &Course) -> Self {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
        let number = |key: &str| -> u64 {
            let rest = status.lines().find_map(|line| line.strip_prefix(key));
            let word = rest.unwrap().split_whitespace().next();
            word.unwrap().parse().unwrap()
        };
        let cage = course.cage.as_ref();
        Self {
            descriptors: fs::read_dir(format!("/proc/{pid}/fd")).unwrap().count(),
            threads: number("Threads:"),
            resident_kib: number("VmRSS:"),
            processes: cage.map_or(0, |cage| cage.processes().len()),
            groups: cage.map_or(0, |cage| cage.groups().len()),
        }
    }

    /// One input per problem may be kept until the next new one arrives.
    fn is_within(&self, settled: &Self, runs: u64) -> bool {
        let growth_kib_max = rounds(GROWTH_KIB_MAX.0, GROWTH_KIB_MAX.1) as u64;
        self.descriptors <= settled.descriptors + PROBLEMS.len()
            && self.threads <= settled.threads
            && self.processes <= settled.processes
            && self.groups <= settled.groups
            && self.resident_kib
                <= settled.resident_kib + growth_kib_max + GROWTH_KIB_PER_RUN * runs
    }
}

fn test_name(round: usize) -> String {
    format!("secret/round-{round:02}")
}

/// Replaces the tests by one with new numbers, on which every known program has to be run.
fn change_test(course: &Course, round: usize) {
    let whole = whole_tests().into_iter().map(|(name, _)| name.to_owned());
    let old: Vec<String> = match round {
        1 => whole.collect(),
        later => vec![test_name(later - 1)],
    };
    for (slug, _) in PROBLEMS {
        let input = format!("{round} {}\n", round * round);
        course.write_test(slug, &test_name(round), &input);
        for name in &old {
            for extension in ["in", "ans"] {
                let file = format!("problems/{slug}/data/{name}.{extension}");
                fs::remove_file(course.place.path(&file)).unwrap();
            }
        }
    }
}

/// Waits until every report has this round's test and no other.
fn wait_for_round(course: &Course, programs: &[Program], round: usize) {
    let name = test_name(round);
    let mut missing: Vec<&Program> = programs.iter().collect();
    wait_until(&format!("round {round}"), || {
        // The last one first, so that only one report is read repeatedly.
        while let Some(program) = missing.last() {
            let is_there = course.report(program).is_some_and(|report| {
                let tests = report["tests"].as_array().unwrap();
                tests.len() == 1 && tests[0]["name"] == name.as_str()
            });
            if !is_there {
                return false;
            }
            missing.pop();
        }
        true
    });
}

/// Judges every program again in each round, on one daemon, after all were judged once.
pub fn are_right_and_leak_nothing(course: &Course, mut programs: Vec<Program>) {
    let (last_round, settled_round) = (rounds(ROUNDS.0, ROUNDS.1), rounds(SETTLED.0, SETTLED.1));
    // A program that was not built is not run again.
    programs.retain(|program| !program.is_expected_to_fail_to_build());
    course.judge_by(RULES);
    let (before, after) = ("[intake]\n", "[intake]\nrescan_s = 1.0\n");
    course.place.edit("config.toml", before, after);
    let before = Traces::now();
    change_test(course, 1);
    let daemon = Place::started(course.command(&["serve"]));
    let mut settled = None;
    for round in 1..=last_round {
        if round > 1 {
            change_test(course, round);
        }
        wait_for_round(course, &programs, round);
        course.assert_reports(&programs, Pages::MayFollow);
        if round == settled_round {
            settled = Some(Holdings::of(daemon.pid(), course));
        }
    }
    let settled = settled.unwrap();
    let mut last = Holdings::of(daemon.pid(), course);
    eprintln!(
        "{last_round} rounds of {} programs: {settled:?}, in the end {last:?}",
        programs.len()
    );
    let runs = ((last_round - settled_round) * programs.len()) as u64;
    wait_until(&format!("{last:?} to be within {settled:?}"), || {
        last = Holdings::of(daemon.pid(), course);
        last.is_within(&settled, runs)
    });
    let handed_in = course.inputs();
    let ended = daemon.stop();
    assert_eq!(ended.code, Some(0));
    let said = ended.said.join("\n");
    assert!(!said.contains("fault:"), "{said}");
    course.assert_clean(&handed_in);
    Traces::now().assert_none_since(&before);
}

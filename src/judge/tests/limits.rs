//! Every limit is a closed bound, and a cap below the limit tells nothing: facts at the edge in,
//! verdicts out.

use std::time::Duration;

use super::samples::{facts, judge_output, limits, package, test};
use crate::compare::WrongLayout;
use crate::domain::{Cause, End, Limits, RunFacts, Stop, Verdict};
use crate::judge::timing::is_idle;

type Said = Option<(Verdict, Option<Cause>)>;

/// What the facts of a right run say after a change.
fn says(limits: &Limits, change: impl FnOnce(&mut RunFacts)) -> Said {
    let mut changed = facts("3\n");
    change(&mut changed);
    let package = package(vec![test("secret/1", "3\n")]);
    let result = judge_output(&package, limits, &changed, "3\n")?;
    Some((result.verdict, result.cause))
}

const ACCEPTED: Said = Some((Verdict::Accepted, None));
const NEEDS_A_RUN: Said = None;

type Use = fn(&mut RunFacts, &Limits);
type Lower = fn(&mut Limits);

#[test]
fn what_is_at_the_limit_is_within_it() {
    let nanosecond = Duration::from_nanos(1);
    let most = limits();
    let table: [(Use, Use, Said); 4] = [
        (
            |facts, most| facts.cpu = most.cpu,
            |facts, most| facts.cpu = most.cpu + Duration::from_nanos(1),
            Some((Verdict::TimeLimit, Some(Cause::Cpu))),
        ),
        (
            |facts, most| facts.wall = most.wall,
            |facts, most| facts.wall = most.wall + Duration::from_nanos(1),
            Some((Verdict::TimeLimit, Some(Cause::Idle))),
        ),
        (
            |facts, most| facts.memory_bytes = most.memory_bytes,
            |facts, most| facts.memory_bytes = most.memory_bytes + 1,
            Some((Verdict::MemoryLimit, None)),
        ),
        (
            |facts, most| facts.output.len_bytes = most.output_bytes,
            |facts, most| facts.output.len_bytes = most.output_bytes + 1,
            Some((Verdict::OutputLimit, None)),
        ),
    ];
    for (number, (at, over, verdict)) in table.into_iter().enumerate() {
        assert_eq!(says(&most, |facts| at(facts, &most)), ACCEPTED, "{number}");
        assert_eq!(says(&most, |facts| over(facts, &most)), verdict, "{number}");
    }
    // Out of wall-clock time: a tenth of the CPU limit is computing, less is waiting.
    let tenth = most.cpu / 10;
    for (cpu, idle) in [(tenth, false), (tenth.saturating_sub(nanosecond), true)] {
        let late = RunFacts {
            cpu,
            wall: most.wall + nanosecond,
            ..facts("3\n")
        };
        assert_eq!(is_idle(&most, &late), idle, "{cpu:?}");
    }
}

#[test]
fn a_run_that_was_stopped_below_the_limit_tells_nothing() {
    let most = limits();
    let table: [(Stop, Lower, Verdict); 3] = [
        (
            Stop::Output,
            |caps| caps.output_bytes -= 1,
            Verdict::OutputLimit,
        ),
        (
            Stop::Cpu,
            |caps| caps.cpu -= Duration::from_nanos(1),
            Verdict::TimeLimit,
        ),
        (
            Stop::Wall,
            |caps| caps.wall -= Duration::from_nanos(1),
            Verdict::TimeLimit,
        ),
    ];
    for (stop, lower, verdict) in table {
        let stopped = |facts: &mut RunFacts| facts.stop = Some(stop);
        let said = says(&most, stopped);
        assert_eq!(said.map(|(verdict, _)| verdict), Some(verdict), "{stop:?}");
        let said = says(&most, |facts| {
            stopped(facts);
            lower(&mut facts.caps);
        });
        assert_eq!(said, NEEDS_A_RUN, "{stop:?}");
        // A cap that was not touched may be as low as it likes.
        assert_eq!(says(&most, |facts| lower(&mut facts.caps)), ACCEPTED);
    }
    // Memory that is used up stops nobody by itself.
    for (caps_bytes, said) in [
        (most.memory_bytes - 1, NEEDS_A_RUN),
        (most.memory_bytes, Some((Verdict::MemoryLimit, None))),
        (most.memory_bytes + 1, Some((Verdict::MemoryLimit, None))),
    ] {
        let starved = |facts: &mut RunFacts| {
            facts.memory_exceeded = true;
            facts.caps.memory_bytes = caps_bytes;
        };
        assert_eq!(says(&most, starved), said, "{caps_bytes}");
    }
}

#[test]
fn another_number_of_processes_or_files_needs_another_run() {
    for change in [
        |caps: &mut Limits| caps.processes -= 1,
        |caps: &mut Limits| caps.processes += 1,
        |caps: &mut Limits| caps.open_files -= 1,
        |caps: &mut Limits| caps.open_files += 1,
    ] {
        let said = says(&limits(), |facts| change(&mut facts.caps));
        assert_eq!(said, NEEDS_A_RUN);
    }
}

#[test]
fn the_package_says_what_a_wrong_layout_is() {
    let test = test("secret/1", "3\n4\n");
    for (wrong_layout, said) in [
        (
            WrongLayout::Presentation,
            (Verdict::PresentationError, None),
        ),
        (
            WrongLayout::Wrong,
            (Verdict::WrongAnswer, Some(Cause::Differs)),
        ),
    ] {
        let mut package = package(vec![test.clone()]);
        package.wrong_layout = wrong_layout;
        let result = judge_output(&package, &limits(), &facts("3 4\n"), "3 4\n").unwrap();
        assert_eq!((result.verdict, result.cause), said);
        let shown = result.difference.unwrap();
        assert_eq!((shown.line, shown.column), (1, 2));
    }
}

#[test]
fn a_result_says_who_ended_the_program_and_what_it_used() {
    let test = test("secret/1", "3\n");
    let package = package(vec![test.clone()]);
    let mut known = facts("3\n");
    known.end = End::Signalled(9);
    for (stop, by_itself) in [(None, true), (Some(Stop::Wall), false)] {
        known.stop = stop;
        let result = judge_output(&package, &limits(), &known, "3\n").unwrap();
        assert_eq!(result.ended_by_itself(), by_itself);
        assert_eq!(result.run.as_deref(), Some(&known));
    }
}

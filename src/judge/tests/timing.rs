//! The rule by tables: limits and facts in, whether to measure again out.

use std::time::Duration;

use super::samples::{facts, limits};
use crate::domain::{End, Limits, RunFacts, Stop};
use crate::judge::timing::{
    BUSY_REPEATS_MAX, MEASUREMENTS_MAX, again, busy_fault, is_doubtful, is_quiet,
    is_repeated_alone, merge, repeat_caps,
};

fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// A run that ended by itself; the limit is 2 s of CPU time and 5 s of wall-clock time.
fn ran(cpu_ms: u64, measurements: u32) -> RunFacts {
    RunFacts {
        cpu: ms(cpu_ms),
        wall: ms(cpu_ms + 5),
        measurements,
        ..facts("")
    }
}

/// A run with this wall-clock time.
fn with_wall(wall_ms: u64, mut facts: RunFacts) -> RunFacts {
    facts.wall = ms(wall_ms);
    facts
}

/// A run that was stopped at this cap.
fn stopped(cap_ms: u64, measurements: u32) -> RunFacts {
    let mut facts = ran(cap_ms, measurements);
    (facts.end, facts.stop) = (End::Signalled(9), Some(Stop::Cpu));
    facts.caps.cpu = ms(cap_ms);
    facts
}

#[test]
fn only_what_may_pass_is_measured_again() {
    let mut under = stopped(4_400, 1);
    under.cpu = ms(4_390);
    for (facts, expected) in [
        // What passed has passed, however near.
        (ran(10, 1), false),
        (ran(1_999, 1), false),
        (ran(2_000, 1), false),
        // Beside other work.
        (ran(2_001, 1), true),
        (ran(4_399, 1), true),
        (ran(4_400, 1), false),
        (ran(2_000_000, 1), false),
        // Stopped at the limit it may have needed little more, or for ever.
        (stopped(2_000, 1), true),
        // Stopped at an older, higher limit it is known to need much more.
        (stopped(4_400, 1), false),
        // Even where what was counted is a little less than that limit.
        (under, false),
        // Alone on a quiet core.
        (ran(1_900, 2), false),
        (ran(2_100, 2), true),
        (ran(2_499, 2), true),
        (ran(2_500, 2), false),
        (stopped(2_500, 2), false),
        // The bound.
        (ran(2_100, MEASUREMENTS_MAX), false),
        (stopped(2_000, MEASUREMENTS_MAX), false),
    ] {
        assert_eq!(again(&limits(), &facts), expected, "{facts:?}");
    }
}

/// A run that ran out of wall-clock time when it had computed for so long.
fn out_of_wall(cpu_ms: u64, measurements: u32) -> RunFacts {
    let mut facts = with_wall(5_000, ran(cpu_ms, measurements));
    (facts.end, facts.stop) = (End::Signalled(9), Some(Stop::Wall));
    facts
}

#[test]
fn whoever_ran_out_of_wall_clock_time_has_one_more_chance_and_a_sleeper_beside_others() {
    for (cpu_ms, waited_ms, is_alone) in [
        (0, 0, false),
        (199, 500, false),
        // It hardly computed, because the machine hardly let it.
        (0, 501, true),
        (200, 0, true),
        (1_900, 0, true),
    ] {
        let mut facts = waited(waited_ms, out_of_wall(cpu_ms, 1));
        assert!(again(&limits(), &facts), "{facts:?}");
        assert_eq!(is_repeated_alone(&limits(), &facts), is_alone, "{facts:?}");
        facts.measurements = 2;
        assert!(!again(&limits(), &facts), "{facts:?}");
    }
}

#[test]
fn other_verdicts_are_never_measured_again() {
    let beyond: [fn(&mut RunFacts); 5] = [
        |facts| facts.memory_exceeded = true,
        |facts| facts.memory_bytes = limits().memory_bytes + 1,
        |facts| (facts.stop, facts.cpu) = (Some(Stop::Output), ms(2_100)),
        |facts| facts.output.len_bytes = limits().output_bytes + 1,
        |facts| (facts.stop, facts.cpu) = (None, ms(1_900)),
    ];
    for change in beyond {
        let mut facts = stopped(2_000, 1);
        change(&mut facts);
        assert!(!again(&limits(), &facts), "{facts:?}");
    }
}

#[test]
fn what_is_at_another_limit_is_within_it() {
    let mut near = stopped(2_000, 1);
    near.memory_bytes = limits().memory_bytes;
    near.output.len_bytes = limits().output_bytes;
    assert!(again(&limits(), &near));
    for (wall_ms, expected) in [(5_000, false), (5_001, true)] {
        let slow = with_wall(wall_ms, ran(500, 1));
        assert_eq!(again(&limits(), &slow), expected, "{wall_ms}");
    }
}

#[test]
fn the_longest_wait_of_all_measurements_is_told() {
    for (first, second) in [(1_360, 0), (0, 1_360)] {
        let first = waited(first, ran(2_100, 1));
        let both = merge(&limits(), first, waited(second, ran(1_900, 1)));
        assert_eq!((both.cpu, both.waited), (ms(1_900), ms(1_360)));
    }
}

#[test]
fn the_least_time_counts_and_an_end_counts_more_than_a_stop() {
    let least = merge(&limits(), ran(2_100, 1), ran(1_900, 1));
    assert_eq!((least.cpu, least.measurements), (ms(1_900), 2));
    let least = merge(&limits(), least, ran(2_300, 1));
    assert_eq!((least.cpu, least.measurements), (ms(1_900), 3));
    let ended = merge(&limits(), stopped(2_000, 1), ran(2_100, 1));
    assert_eq!((ended.stop, ended.cpu), (None, ms(2_100)));
    let ended = merge(&limits(), ended, stopped(2_500, 1));
    assert_eq!((ended.stop, ended.cpu), (None, ms(2_100)));
    let both = merge(&limits(), stopped(2_000, 1), stopped(2_500, 1));
    assert_eq!((both.cpu, both.caps.cpu), (ms(2_500), ms(2_500)));
}

#[test]
fn a_repeat_has_no_less_of_anything() {
    let (limits, mut caps) = (limits(), repeat_caps(&limits(), &ran(2_100, 1)));
    assert!(caps.cpu > limits.cpu && caps.wall >= limits.wall);
    assert!(caps.wall >= Limits::wall_floor(caps.cpu));
    (caps.cpu, caps.wall) = (limits.cpu, limits.wall);
    assert_eq!(caps, limits);
}

#[test]
fn a_repeat_that_is_in_time_counts_whatever_the_first_run_computed() {
    let late = with_wall(5_050, ran(500, 1));
    assert!(again(&limits(), &late));
    let both = merge(&limits(), late.clone(), ran(503, 1));
    assert_eq!((both.cpu, both.measurements), (ms(503), 2));
    // And the other way round: less CPU time is worth nothing where the clock ran out.
    assert_eq!(merge(&limits(), ran(503, 1), late).cpu, ms(503));
}

#[test]
fn what_happens_after_the_limit_does_not_change_what_the_verdict_is_about() {
    let first = stopped(2_000, 1);
    for (memory_exceeded, stop) in [(true, None), (false, Some(Stop::Output))] {
        let mut later = ran(2_200, 1);
        (later.memory_exceeded, later.stop) = (memory_exceeded, stop);
        let both = merge(&limits(), first.clone(), later);
        assert_eq!((both.stop, both.memory_exceeded), (Some(Stop::Cpu), false));
        assert_eq!(both.measurements, 2);
    }
    // Within the time it is what the program does.
    for cpu_ms in [1_500, 2_000] {
        let mut within = with_wall(5_001, ran(cpu_ms, 1));
        within.memory_exceeded = true;
        assert!(merge(&limits(), first.clone(), within).memory_exceeded);
    }
}

/// A repeat that the machine kept waiting for so long.
fn waited(waited_ms: u64, mut facts: RunFacts) -> RunFacts {
    facts.waited = ms(waited_ms);
    facts
}

#[test]
fn a_repeat_that_was_kept_waiting_was_not_on_a_quiet_core() {
    for (waited_ms, cpu_ms, expected) in [
        (0, 0, true),
        (0, 2_100, true),
        (420, 2_100, true),
        (421, 2_100, false),
        (1_360, 2_076, false),
    ] {
        let facts = waited(waited_ms, ran(cpu_ms, 1));
        assert_eq!(is_quiet(&facts), expected, "{facts:?}");
    }
    // A program that sleeps has a long wall-clock time by its own doing: nobody kept it waiting.
    assert!(is_quiet(&with_wall(4_500, ran(2_100, 1))));
}

#[test]
fn a_repeat_on_a_busy_core_does_not_count_against_the_program() {
    let limits = limits();
    let mut facts = merge(&limits, stopped(2_000, 1), stopped(2_500, 1));
    assert!(!again(&limits, &facts), "so much for a quiet core");
    facts = merge(&limits, stopped(2_000, 1), waited(1_000, stopped(2_500, 1)));
    assert_eq!((facts.measurements, facts.busy), (2, 1));
    assert!(again(&limits, &facts));
    for n in 2..BUSY_REPEATS_MAX {
        facts = merge(&limits, facts, waited(1_360, ran(2_076, 1)));
        assert_eq!((facts.measurements, facts.busy), (n + 1, n));
        assert_eq!((facts.cpu, facts.waited), (ms(2_076), ms(1_360)));
        assert!(again(&limits, &facts), "{n}");
        assert!(!is_doubtful(&facts), "{n}");
    }
    let words = busy_fault(&facts).to_string();
    for part in ["busy", "4 of 5 times", "1.4 s", "in a few minutes"] {
        assert!(words.contains(part), "{words}");
    }
    // The first quiet one decides.
    let passed = merge(&limits, facts.clone(), ran(1_450, 1));
    assert_eq!((passed.cpu, passed.busy), (ms(1_450), 4));
    assert!(!again(&limits, &passed));
    let far = merge(&limits, facts.clone(), stopped(4_400, 1));
    assert_eq!(far.cpu, ms(2_076), "an end counts more than a stop");
    // Near the limit, one more quiet one is asked for, as ever.
    let near = merge(&limits, facts.clone(), ran(2_050, 1));
    assert!(again(&limits, &near));
    assert!(!again(&limits, &merge(&limits, near, ran(2_040, 1))));
    // One that is busy again is the last: it was too slow, and the staff hears how that was found.
    let enough = merge(&limits, facts.clone(), waited(1_360, ran(2_080, 1)));
    assert!(!again(&limits, &enough) && is_doubtful(&enough));
    // Within the limit it has passed, however busy the machine was.
    let in_time = merge(&limits, facts, waited(1_360, ran(1_999, 1)));
    assert!(!again(&limits, &in_time) && in_time.cpu < limits.cpu);
}

#[test]
fn an_endless_loop_ends_in_a_verdict_on_a_busy_machine_too() {
    let mut facts = stopped(2_000, 1);
    let mut repeats = 0;
    while again(&limits(), &facts) {
        let cap = repeat_caps(&limits(), &facts).cpu;
        let cap_ms = u64::try_from(cap.as_millis()).unwrap();
        facts = merge(&limits(), facts, waited(cap_ms, stopped(cap_ms, 1)));
        repeats += 1;
        assert!(repeats <= 2, "{facts:?}");
    }
    // Three tries, each stopped at its cap, the last at 2.2 times the limit.
    assert_eq!((facts.measurements, facts.busy), (3, 2));
    assert_eq!(facts.caps.cpu, ms(4_400));
    assert!(!is_doubtful(&facts), "no quiet core could make it right");
}

#[test]
fn a_run_that_is_only_ever_stopped_by_the_clock_on_a_busy_machine_has_an_end_too() {
    for cpu_ms in [1_900, 2_900] {
        let mut facts = out_of_wall(cpu_ms, 1);
        let mut repeats = 0;
        while again(&limits(), &facts) {
            facts = merge(&limits(), facts, waited(9_000, out_of_wall(cpu_ms, 1)));
            repeats += 1;
        }
        assert_eq!(repeats, BUSY_REPEATS_MAX, "{cpu_ms}");
    }
}

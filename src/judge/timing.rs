//! Whether a run near a time limit is measured again. Pure: limits and facts in, the answer out.
//!
//! Whatever else a machine does can only lengthen a measured time: shared caches, the other half of
//! a core, a changing clock.
//! So a run within its limits has passed, however busy the machine was, and one that was too slow is
//! measured again, alone on the quietest core, before anybody is told:
//! of all measurements the one with the least CPU time counts.
//!
//! A run that was stopped at the limit tells nothing of how much it needed.
//! Its first repeat may therefore take a little more than the limit: an endless loop reaches that
//! cap too, and costs one repeat;
//! what ends between the limit and that cap was close, and is measured again up to the bound.
//! Whoever ran out of wall-clock time is measured once more, beside others if it seems to have
//! slept.
//!
//! Alone is not always quiet: other users of the machine, and other daemons on it, may compute on
//! the same core.
//! The sandbox says for how long the machine kept a repeat waiting, and no program can make that
//! longer by itself.
//! After a repeat that was kept waiting for long the next one gets a cap far above the limit. What
//! was stopped in every try, and even there, is too slow on any machine, and that is said at once.
//! Only what lies between the limit and that cap may be the machine's fault. It is measured again a
//! bounded number of times; the daemon spreads them over some minutes, a command does not wait.

use std::time::Duration;

use crate::domain::{Fault, FaultKind, Limits, RunFacts, Stop};

/// Measurements of one run, the first included, without those on a busy core.
pub const MEASUREMENTS_MAX: u32 = 3;
/// Repeats of one run on a busy core. If none of them was within the limit, the run was too slow.
pub const BUSY_REPEATS_MAX: u32 = 5;
/// A repeat that the machine kept waiting for more than this share of its CPU time, in percent,
/// was not on a quiet core.
const WAITED_PERCENT: u32 = 20;
/// Up to this many percent of the limit, a time that was measured beside other work may be the
/// fault of that work:
/// two programs on the two halves of one core may take twice as long. A repeat on a busy core is
/// stopped there.
pub const SUSPECT_PERCENT: u32 = 220;
/// Up to this many percent of the limit, a time that was measured alone may still be noise. A
/// repeat is stopped there.
pub const CLOSE_PERCENT: u32 = 125;

/// Below this share of the CPU limit a program that ran out of wall-clock time was idle.
const IDLE_CPU_SHARE: u32 = 10;

/// Whether this run is to be measured again, alone, before a verdict is told.
pub fn again(limits: &Limits, facts: &RunFacts) -> bool {
    // Not a question of time, or one that more time does not change.
    let counted = facts.measurements.saturating_sub(facts.busy);
    let is_enough = counted >= MEASUREMENTS_MAX || facts.busy >= BUSY_REPEATS_MAX;
    if exceeds_other(limits, facts) || is_enough {
        return false;
    }
    let alone = counted > 1;
    let needed = least_needed(facts);
    if needed > limits.cpu || facts.stop == Some(Stop::Cpu) {
        let percent = if alone {
            CLOSE_PERCENT
        } else {
            SUSPECT_PERCENT
        };
        return needed < share(limits.cpu, percent);
    }
    if !is_out_of_wall(limits, facts) {
        return false;
    }
    // The sandbox leaves out the time for which the machine kept a program waiting, as far as it
    // sees it. What it did not see is given one more chance.
    if is_asleep(limits, facts) {
        return facts.measurements <= 1;
    }
    !alone
}

/// Whether a repeat is made alone on the quietest core. One that would sleep again keeps nobody else
/// from being measured.
pub fn is_repeated_alone(limits: &Limits, before: &RunFacts) -> bool {
    !is_asleep(limits, before)
}

/// Whether a program that ran out of wall-clock time seems to have slept.
fn is_asleep(limits: &Limits, facts: &RunFacts) -> bool {
    let is_idle = is_out_of_wall(limits, facts) && is_idle(limits, facts);
    is_idle && !limits.is_starved(facts.waited)
}

/// Whether a program ran out of wall-clock time.
pub fn is_out_of_wall(limits: &Limits, facts: &RunFacts) -> bool {
    facts.stop == Some(Stop::Wall) || facts.wall > limits.wall
}

/// The least CPU time that the program needs for all that is known.
fn least_needed(facts: &RunFacts) -> Duration {
    match facts.stop {
        Some(Stop::Cpu) => facts.cpu.max(facts.caps.cpu),
        _ => facts.cpu,
    }
}

fn share(limit: Duration, percent: u32) -> Duration {
    limit * percent / 100
}

/// Whether a measurement was made on a quiet core.
pub fn is_quiet(measured: &RunFacts) -> bool {
    measured.waited <= share(measured.cpu, WAITED_PERCENT)
}

/// Whether only a busy machine was ever seen to be too slow for this run: if it counts as too slow,
/// the staff is told so.
pub fn is_doubtful(facts: &RunFacts) -> bool {
    facts.busy >= BUSY_REPEATS_MAX
}

/// Whether a repeat on a busy core leaves the run for a quieter hour. What was stopped in every try
/// so far gets its last try at once.
pub fn is_put_off(facts: &RunFacts) -> bool {
    facts.stop != Some(Stop::Cpu)
}

/// Why nothing is said of a run for now.
pub fn busy_fault(facts: &RunFacts) -> Fault {
    let reason = format!(
        "the machine was busy with other work {} of {} times, and kept the program waiting for up to {:.1} s; it is measured again in a few minutes, at most {BUSY_REPEATS_MAX} times",
        facts.busy,
        facts.measurements,
        facts.waited.as_secs_f64()
    );
    Fault::new("measure the program on a quiet core", reason).of_kind(FaultKind::Busy)
}

/// The caps of a repeat: a little more than the limits, to see by how much they are exceeded;
/// where the machine was busy, so much more that whatever reaches them is too slow on any machine.
pub fn repeat_caps(limits: &Limits, before: &RunFacts) -> Limits {
    let percent = if before.busy > 0 {
        SUSPECT_PERCENT
    } else {
        CLOSE_PERCENT
    };
    let cpu = share(limits.cpu, percent);
    Limits {
        cpu,
        wall: limits.wall.max(Limits::wall_floor(cpu)),
        ..limits.clone()
    }
}

/// The facts of all measurements together: those of the one that counts.
pub fn merge(limits: &Limits, before: RunFacts, now: RunFacts) -> RunFacts {
    let measurements = before.measurements.saturating_add(now.measurements);
    let busy = before.busy.saturating_add(u32::from(!is_quiet(&now)));
    let waited = before.waited.max(now.waited);
    let kept = if counts(limits, &before, &now) {
        now
    } else {
        before
    };
    RunFacts {
        measurements,
        busy,
        waited,
        ..kept
    }
}

/// Whether a repeat counts, and not what was measured before.
fn counts(limits: &Limits, before: &RunFacts, now: &RunFacts) -> bool {
    let in_time =
        |facts: &RunFacts| !stopped(facts) && facts.cpu <= limits.cpu && facts.wall <= limits.wall;
    if in_time(before) != in_time(now) {
        return in_time(now);
    }
    // A repeat has a little more time. What it did with that, as to use up its memory, came after
    // the limit.
    if now.cpu > limits.cpu && exceeds_other(limits, now) {
        return false;
    }
    match (stopped(before), stopped(now)) {
        // A run that came to its end says more than one that was stopped; and of two that were
        // stopped the later one had no less time.
        (true, _) => true,
        (false, true) => false,
        (false, false) => now.cpu < before.cpu,
    }
}

fn stopped(facts: &RunFacts) -> bool {
    matches!(facts.stop, Some(Stop::Cpu | Stop::Wall))
}

/// Whether more was used of something that is not time.
fn exceeds_other(limits: &Limits, facts: &RunFacts) -> bool {
    facts.stop == Some(Stop::Output)
        || facts.output.len_bytes > limits.output_bytes
        || facts.memory_exceeded
        || facts.memory_bytes > limits.memory_bytes
}

/// Whether a program that ran out of wall-clock time hardly computed at all.
pub fn is_idle(limits: &Limits, facts: &RunFacts) -> bool {
    facts.cpu < limits.cpu / IDLE_CPU_SHARE
}

//! The spreadsheet: everybody's points, computed from the rules of the course as a person would,
//! with nothing of the daemon's.

use super::people::{Quality, Somebody};

/// Who has two more days for the first assignment.
pub const EXTENDED: [usize; 4] = [9, 12, 17, 18];
/// Who gets 7 points for `sum`, whatever the program does.
pub const OVERRIDDEN: usize = 10;
/// The only attempt that counted for `other` is taken out.
pub const EXCLUDED: usize = 22;

const HOUR: i64 = 60;

/// Points in hundredths: of the three assignments.
pub type Totals = [i64; 3];

/// The points of somebody; `is_hacked` once the hack is there.
pub fn totals(one: Somebody, is_hacked: bool) -> Totals {
    [first(one, is_hacked), second(one), third(one)]
}

fn brings(quality: Quality, is_hacked: bool) -> i64 {
    match quality {
        Quality::Fragile if is_hacked => 0,
        Quality::Right | Quality::Fragile => 100,
        Quality::Wrong => 0,
    }
}

/// Ten points. Five minutes of grace, 80 % for a day, 50 % for three, closed after a week. The night
/// after the due time has an hour less.
fn first(one: Somebody, is_hacked: bool) -> i64 {
    if one.0 == OVERRIDDEN {
        return 700;
    }
    let (quality, minutes) = one.first();
    let percent = if one.platform() == 2 {
        // Canvas says only whether it is late: if so it counts from when it is received, which is
        // long after the end.
        if minutes > 0 { 0 } else { 100 }
    } else if EXTENDED.contains(&one.0) {
        // Two days more on the clock are 47 hours, and no clock changes after that.
        late(minutes - 47 * HOUR, 24 * HOUR, 72 * HOUR)
    } else {
        late(minutes, 23 * HOUR, 71 * HOUR)
    };
    10 * brings(quality, is_hacked) * percent / 100
}

fn late(minutes: i64, day: i64, three_days: i64) -> i64 {
    match minutes {
        ..=5 => 100,
        _ if minutes <= day => 80,
        _ if minutes <= three_days => 50,
        _ => 0,
    }
}

/// Whether anything of somebody counts for the first assignment. It is closed a week after the due
/// time, on the clock.
pub fn first_counts(one: Somebody) -> bool {
    let minutes = one.first().1;
    let is_open = match one.platform() {
        2 => minutes <= 0,
        _ if EXTENDED.contains(&one.0) => minutes - 47 * HOUR <= 168 * HOUR,
        _ => minutes <= 167 * HOUR,
    };
    is_open || one.0 == OVERRIDDEN
}

/// Five points, for the last program on time, or the last one at 40 %.
fn second(one: Somebody) -> i64 {
    let mut attempts = one.second();
    if one.0 == EXCLUDED {
        attempts.pop();
    }
    let on_time = attempts.iter().rev().find(|(_, minutes)| *minutes <= 0);
    let (quality, percent) = match (on_time, attempts.last()) {
        (Some((quality, _)), _) => (*quality, 100),
        (None, Some((quality, _))) => (*quality, 40),
        (None, None) => return 0,
    };
    5 * brings(quality, false) * percent / 100
}

/// Twenty points: 40 % for what is easy, 20 % for each of three hard tests, of which one has a small
/// sum.
fn third(one: Somebody) -> i64 {
    match one.0 % 4 {
        0 => 2_000,
        1 => 1_200,
        _ => 0,
    }
}

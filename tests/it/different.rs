//! Thousands of programs, no two alike, judged by one daemon within bounded memory;
//! and a daemon that missed file events.

use std::collections::BTreeMap;
use std::fs;

use crate::place::{Daemon, Place, rounds, wait_until};

/// Different programs. A bound on memory says little with fewer.
const QUICK: usize = 160;
const SOAK: usize = 5_000;

/// The most memory that the daemon may use, in KiB: itself with SQLite's page cache and the
/// packages, for each worker one output as long as the limit, and for each submission its entries
/// in the state and the scoreboard.
fn memory_bound(workers: u64, submissions: u64) -> u64 {
    const ITSELF: u64 = 32 * 1024;
    const OUTPUT: u64 = 16 * 1024;
    ITSELF + workers * OUTPUT + submissions * SUBMISSION
}

/// Names, digests and the scoreboard's line.
const SUBMISSION: u64 = 4;
/// What the allocator keeps after frees, and SQLite's caches of up to 2 MiB for each
/// connection, which fill over many programs. In KiB.
const KEPT_BACK: u64 = 16 * 1024;

/// The daemon's peak memory, in KiB.
fn peak(daemon: &Daemon) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", daemon.pid())).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let number = line.and_then(|line| line.split_whitespace().nth(1));
    number.and_then(|number| number.parse().ok()).unwrap()
}

/// A unique program and its verdict.
fn program(number: usize) -> (String, &'static str) {
    let sum = format!("my ($a, $b) = split ' ', <STDIN>; my $n = {number};\n");
    match number % 8 {
        0 => (sum + "print $a + $b + $n, \"\\n\";\n", "WA"),
        1 => (sum + "exit 3 if $n;\n", "RE"),
        2 => (sum + "print $a + $b;\n print \"\\n$n\\n\";\n", "WA"),
        _ => (sum + "print $a + $b, \"\\n\";\n", "AC"),
    }
}

fn place() -> Place {
    let place = Place::new().only(&["perl"]);
    // One test: this is about many programs, not many runs.
    for name in ["secret/1", "secret/2"] {
        for ending in ["in", "ans"] {
            fs::remove_file(place.path(&format!("problems/sum/data/{name}.{ending}"))).unwrap();
        }
    }
    place
}

/// Submits these programs, each by a different student; returns the verdicts they must get.
fn hand_in(place: &Place, numbers: std::ops::Range<usize>) -> BTreeMap<String, String> {
    numbers
        .map(|number| {
            let (source, verdict) = program(number + 1);
            place.write(&format!("submissions/s{number}/sum.pl"), source);
            (format!("s{number}/sum/1"), verdict.to_owned())
        })
        .collect()
}

/// Waits for this many verdicts. The bound starts again as long as more of them come.
fn wait_for(place: &Place, count: usize) {
    let lines = || place.logged().len();
    let mut before = 0;
    while before < count {
        wait_until(&format!("more verdicts than {before}"), || lines() > before);
        before = lines();
    }
}

#[test]
fn thousands_of_different_programs_are_judged_within_bounded_memory() {
    let place = place();
    let (half, all) = (rounds(QUICK, SOAK) / 2, rounds(QUICK, SOAK));
    let daemon = place.daemon();
    let mut expected = hand_in(&place, 0..half);
    wait_for(&place, half);
    let at_half = peak(&daemon);
    expected.extend(hand_in(&place, half..all));
    wait_for(&place, all);
    let at_end = peak(&daemon);
    assert_eq!(place.verdicts(), expected);
    let status = place.status();
    for (key, number) in [("judged", all), ("waiting", 0), ("faults", 0)] {
        assert_eq!(status[key], number, "{key}");
    }
    let workers = std::thread::available_parallelism().unwrap().get() as u64;
    let bound = memory_bound(workers, all as u64);
    eprintln!(
        "memory of the daemon: {at_half} KiB after {half} programs, {at_end} KiB after {all}"
    );
    assert!(at_end <= bound, "{at_end} KiB, and {bound} are allowed");
    // Twice the programs need no more than the entries of the second half.
    let growth = at_end - at_half;
    let allowed = KEPT_BACK + SUBMISSION * (all - half) as u64;
    assert!(
        growth <= allowed,
        "{growth} KiB more, and {allowed} are allowed"
    );
    assert_eq!(daemon.stop().code, Some(0));
}

#[test]
fn files_whose_events_were_dropped_are_found() {
    let bound = "/proc/sys/fs/inotify/max_queued_events";
    let most: usize = fs::read_to_string(bound).unwrap().trim().parse().unwrap();
    let place = place();
    // Only events make it scan: the next periodic scan is far away.
    place.edit("config.toml", "settle_ms", "rescan_s = 3600\nsettle_ms");
    place.write("submissions/s0/sum.pl", "");
    let daemon = place.daemon();
    // While stopped it reads no events, and the kernel drops those beyond its bound.
    daemon.signal("STOP");
    let stat = format!("/proc/{}/stat", daemon.pid());
    wait_until("the daemon to be stopped", || {
        fs::read_to_string(&stat).unwrap().contains(") T ")
    });
    let noise = place.path("submissions/s0/.noise");
    for _ in 0..=most / 2 {
        // Each is several events: created, closed, removed.
        fs::write(&noise, "x").unwrap();
        fs::remove_file(&noise).unwrap();
    }
    let mut expected = hand_in(&place, 1..20);
    place.write("submissions/s0/sum.pl", program(3).0);
    expected.insert("s0/sum/1".to_owned(), program(3).1.to_owned());
    daemon.signal("CONT");
    wait_until("every verdict", || place.verdicts() == expected);
    assert_eq!(daemon.stop().code, Some(0));
}

//! What can go wrong around the daemon: a damaged store, packages that break, wrong clocks. Full
//! disks are in `faults/disk.rs`.

use std::fs;
use std::time::{Duration, SystemTime};

use crate::place::{Place, wait_until};
use crate::programs;
use crate::store::count;

#[test]
fn a_damaged_store_is_refused_and_left_as_it_is_and_moving_it_away_rebuilds_everything() {
    let place = Place::new().only(&["python3"]);
    place.write("submissions/alpha/sum.py", programs::PYTHON);
    place.write("submissions/beta/sum.py", "print(7)\n");
    place.serve_once();
    let file = place.path("state/verdictd.db");
    let whole = fs::read(&file).unwrap();
    // Bytes 60 to 63 of a SQLite file are its version, 68 to 71 the application's id.
    let changed = |at: usize| {
        let mut bytes = whole.clone();
        bytes[at..at + 4].copy_from_slice(&77_i32.to_be_bytes());
        bytes
    };
    let middle = |mut bytes: Vec<u8>| {
        let (begin, end) = (bytes.len() / 4, 3 * bytes.len() / 4);
        bytes[begin..end].fill(0xA5);
        bytes
    };
    let damaged = &["damaged", "move it away", ".recover"][..];
    let garbage = b"this is no database, whatever its name says".repeat(500);
    for (what, bytes, words) in [
        ("overwritten in the middle", middle(whole.clone()), damaged),
        ("cut off", whole[..whole.len() / 2].to_vec(), damaged),
        ("garbage", garbage, damaged),
        ("later", changed(60), &["or a later version"]),
        ("foreign", changed(68), &["not a store of this program"]),
    ] {
        fs::write(&file, &bytes).unwrap();
        place.write("submissions/gamma/sum.py", programs::PYTHON);
        place.says(3, "serve --once", words);
        assert_eq!(fs::read(&file).unwrap(), bytes, "{what}: left as it was");
    }
    // Do what the message says.
    fs::rename(place.path("state"), place.path("state.damaged")).unwrap();
    let verdicts = place.serve_once();
    let told: Vec<&String> = verdicts.values().collect();
    assert_eq!(told, ["AC", "WA", "AC"]);
    // A start that was killed at once leaves an empty file: there is nothing in it to lose.
    fs::write(&file, "").unwrap();
    assert_eq!(place.serve_once(), verdicts);
}

#[test]
fn a_package_that_breaks_during_grading_costs_no_verdict() {
    let place = Place::new().only(&["python3"]);
    let daemon = place.daemon();
    for number in 0..40 {
        place.write(
            &format!("submissions/s{number}/sum.py"),
            format!("{}# {number}\n", programs::PYTHON),
        );
    }
    wait_until("the first verdicts", || place.verdicts().len() >= 3);
    let sound = place.read("problems/sum/problem.toml");
    place.write("problems/sum/problem.toml", "title = \n");
    wait_until("the package to be broken", || {
        count(&place, "packages WHERE broken IS NOT NULL") == 1
    });
    place.write("submissions/late/sum.py", "print(7)\n");
    wait_until("the late one to be received", || {
        count(&place, "submissions") == 41
    });
    place.write("problems/sum/problem.toml", sound);
    wait_until("every verdict", || place.verdicts().len() == 41);
    assert_eq!(daemon.stop().code, Some(0));
    let verdicts = place.verdicts();
    assert_eq!(verdicts["late/sum/1"], "WA");
    let accepted = verdicts.values().filter(|verdict| *verdict == "AC");
    assert_eq!(accepted.count(), 40);
    let log = place.read("staff/verdicts.jsonl");
    let told = log.matches("\"kind\":\"verdict\"").count();
    assert_eq!(told, 41, "no verdict twice");
}

#[test]
fn files_from_the_future_and_from_1970_are_received_like_any_other() {
    let place = Place::new().only(&["python3"]);
    let far = Duration::from_hours(24 * 365 * 30);
    for (student, time) in [
        ("future", SystemTime::now() + far),
        ("beginning", SystemTime::UNIX_EPOCH),
        ("before", SystemTime::UNIX_EPOCH - far),
    ] {
        let name = format!("submissions/{student}/sum.py");
        place.write(&name, programs::PYTHON);
        let file = fs::File::options().append(true).open(place.path(&name));
        file.unwrap().set_modified(time).unwrap();
    }
    let verdicts = place.serve_once();
    assert_eq!(verdicts.len(), 3, "{verdicts:?}");
    // Older than what was judged, but a different program.
    place.write("submissions/future/sum.py", "print(7)\n");
    let verdicts = place.serve_once();
    assert_eq!(verdicts["future/sum/2"], "WA");
}

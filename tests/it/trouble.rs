//! What can go wrong around the daemon: a damaged store, packages that break, wrong clocks. Full
//! disks are in `faults/disk.rs`.

use std::fs;
use std::time::{Duration, SystemTime};

use crate::place::Place;
use crate::programs;

#[test]
fn a_damaged_store_is_refused_and_left_as_it_is_and_moving_it_away_rebuilds_everything() {
    let place = Place::new().only(&["lua"]);
    place.write("submissions/alpha/sum.lua", programs::LUA);
    place.write("submissions/beta/sum.lua", "print(7)\n");
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
        place.write("submissions/gamma/sum.lua", programs::LUA);
        place.says(3, "serve --once", words);
        assert_eq!(fs::read(&file).unwrap(), bytes, "{what}: left as it was");
    }
    // Do what the message says.
    fs::rename(place.path("state"), place.path("state.damaged")).unwrap();
    let verdicts = place.serve_once();
    assert_eq!(verdicts.values().collect::<Vec<_>>(), ["AC", "WA", "AC"]);
    // A start that was killed at once leaves an empty file: there is nothing in it to lose.
    fs::write(&file, "").unwrap();
    assert_eq!(place.serve_once(), verdicts);
}

#[test]
fn files_from_the_future_and_from_1970_are_received_like_any_other() {
    let place = Place::new().only(&["lua"]);
    let far = Duration::from_hours(24 * 365 * 30);
    for (student, time) in [
        ("future", SystemTime::now() + far),
        ("beginning", SystemTime::UNIX_EPOCH),
        ("before", SystemTime::UNIX_EPOCH - far),
    ] {
        let name = format!("submissions/{student}/sum.lua");
        place.write(&name, programs::LUA);
        let file = fs::File::options().append(true).open(place.path(&name));
        file.unwrap().set_modified(time).unwrap();
    }
    let verdicts = place.serve_once();
    assert_eq!(verdicts.len(), 3, "{verdicts:?}");
    // Older than what was judged, but a different program.
    place.write("submissions/future/sum.lua", "print(7)\n");
    assert_eq!(place.serve_once()["future/sum/2"], "WA");
}

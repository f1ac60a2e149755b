//! A store that is damaged while the daemon runs, its write-ahead log, and a store too large to be
//! read at every start.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::fs::FileExt as _;
use std::path::PathBuf;

use crate::place::{Place, assert_has, below};
use crate::programs;

/// Bytes per page of the store.
const PAGE: u64 = 16 * 1024;

/// A place in which two students have their verdicts, and no daemon runs.
fn judged() -> Place {
    let place = Place::new().only(&["lua"]);
    place.write("submissions/alpha/sum.lua", programs::LUA);
    place.write("submissions/beta/sum.lua", "print(7)\n");
    assert_eq!(place.serve_once(), expected(&["alpha", "beta"]));
    place
}

/// The right verdicts: beta's program is wrong, the others' are right.
fn expected(students: &[&str]) -> BTreeMap<String, String> {
    let verdict = |student: &&str| if *student == "beta" { "WA" } else { "AC" };
    let one = |student: &&str| (format!("{student}/sum/1"), verdict(student).to_owned());
    students.iter().map(one).collect()
}

/// Overwrites pages of the store with noise, in place, so that processes that have it open read it.
fn damage(place: &Place, pages: std::ops::Range<u64>) {
    let store = place.path("state/verdictd.db");
    let file = File::options().write(true).open(store).unwrap();
    let noise = vec![0xA5; usize::try_from((pages.end - pages.start) * PAGE).unwrap()];
    file.write_all_at(&noise, pages.start * PAGE).unwrap();
}

fn pages_of(place: &Place) -> u64 {
    fs::metadata(place.path("state/verdictd.db")).unwrap().len() / PAGE
}

/// The logs of this name that were put aside.
fn put_aside(place: &Place, name: &str) -> Vec<PathBuf> {
    let prefix = place.path(&format!("staff/{name}.")).display().to_string();
    let mut found = below(&place.path("staff"));
    found.retain(|path| path.to_str().unwrap().starts_with(&prefix));
    found
}

/// The numbers of the events in the log for programs: from 1 on, none twice.
fn assert_log_is_whole(place: &Place) {
    let lines = place.logged().into_iter();
    let events: Vec<i64> = lines.map(|line| line["event"].as_i64().unwrap()).collect();
    assert!(events.is_sorted_by(|a, b| a < b), "{events:?}");
    let text = place.read("staff/verdicts.log");
    assert_eq!(text.lines().count(), events.len(), "{text}");
}

/// Damages the store under a daemon that then has this to do: it ends, says what to do, and writes
/// nothing.
fn ends_at_damage(place: &Place, happens: impl Fn()) {
    let daemon = place.daemon();
    damage(place, 1..pages_of(place));
    let damaged = fs::read(place.path("state/verdictd.db")).unwrap();
    happens();
    let ended = daemon.ended();
    assert_eq!(ended.code, Some(3), "{:#?}", ended.said);
    assert_has(&ended.said.join("\n"), &["damaged", "move it away"]);
    let after = fs::read(place.path("state/verdictd.db")).unwrap();
    assert_eq!(after, damaged, "left as it was");
}

#[test]
fn a_daemon_that_finds_damage_ends_and_writes_nothing_into_the_store() {
    let place = judged();
    ends_at_damage(&place, || {
        place.write("submissions/gamma/sum.lua", programs::LUA);
    });
    // The next start refuses it too, with a helpful message.
    place.says(3, "serve --once", &[]);
    let logs = ["verdicts.log", "verdicts.jsonl"].map(|name| place.read(&format!("staff/{name}")));
    fs::rename(place.path("state"), place.path("state.damaged")).unwrap();
    assert_eq!(place.serve_once(), expected(&["alpha", "beta", "gamma"]));
    assert_log_is_whole(&place);
    for (name, old) in ["verdicts.log", "verdicts.jsonl"].iter().zip(logs) {
        let [aside] = put_aside(&place, name).try_into().unwrap();
        assert_eq!(fs::read_to_string(aside).unwrap(), old, "{name}");
    }
    // Reading a changed package finds the damage as well.
    ends_at_damage(&place, || {
        let package = place.read("problems/sum/problem.toml");
        place.write("problems/sum/problem.toml", package.replace("Sum", "Total"));
    });
}

/// What a sudden end leaves: a store with two verdicts, and one more in its write-ahead log alone.
fn killed() -> Place {
    let place = judged();
    let daemon = place.daemon();
    place.write("submissions/gamma/sum.lua", programs::LUA);
    assert_eq!(place.wait_for("gamma/sum/1"), "AC");
    daemon.signal("KILL");
    daemon.ended();
    place
}

#[test]
fn a_lost_or_damaged_write_ahead_log_costs_work_and_no_verdict() {
    let killed = killed();
    let name = "state/verdictd.db-wal";
    let whole = fs::read(killed.path(name)).unwrap();
    let old = killed.read("staff/verdicts.log");
    let noise = |part: std::ops::Range<usize>| {
        let mut bytes = whole.clone();
        bytes[part].fill(0xA5);
        Some(bytes)
    };
    let (half, end) = (whole.len() / 2, whole.len());
    for (what, bytes) in [
        ("missing", None),
        ("empty", Some(Vec::new())),
        ("cut off", Some(whole[..half].to_vec())),
        ("without its head", noise(0..64)),
        ("damaged in the middle", noise(half..half + 64)),
        ("damaged at its end", noise(end - 64..end)),
    ] {
        let place = killed.copy();
        match bytes {
            None => fs::remove_file(place.path(name)).unwrap(),
            Some(bytes) => fs::write(place.path(name), bytes).unwrap(),
        }
        let all = expected(&["alpha", "beta", "gamma"]);
        assert_eq!(place.serve_once(), all, "{what}");
        assert_log_is_whole(&place);
        // What the store has lost is in the log that was put aside, or the log has continued.
        match put_aside(&place, "verdicts.log").as_slice() {
            [] => assert!(place.read("staff/verdicts.log").starts_with(&old), "{what}"),
            [aside] => assert_eq!(fs::read_to_string(aside).unwrap(), old, "{what}"),
            more => panic!("{what}: {more:?}"),
        }
    }
}

#[test]
fn a_large_store_is_read_through_by_doctor_and_not_at_every_start() {
    let place = judged();
    let file = place.path("state/verdictd.db");
    let store = rusqlite::Connection::open(&file).unwrap();
    store
        .execute_batch("INSERT INTO blobs VALUES (zeroblob(32), zeroblob(40 * 1024 * 1024)); PRAGMA wal_checkpoint(TRUNCATE)")
        .unwrap();
    drop(store);
    place.says(0, "doctor", &["the store is sound"]);
    // In the middle of the large value, which nothing reads.
    damage(&place, 1_000..1_010);
    place.write("submissions/gamma/sum.lua", programs::LUA);
    assert_eq!(place.serve_once(), expected(&["alpha", "beta", "gamma"]));
    place.says(3, "doctor", &["the store is damaged"]);
    let json = &place.objects("doctor --json")[0];
    assert_eq!(json["store"]["sound"], false, "{json}");
}

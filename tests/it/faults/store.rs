//! A store that is damaged while the daemon runs, its write-ahead log, and a store too large to be
//! read at every start.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::fs::FileExt as _;
use std::path::PathBuf;

use serde_json::Value;

use crate::place::Place;
use crate::programs;

/// Bytes per page of the store.
const PAGE: u64 = 16 * 1024;

/// A place in which two students have their verdicts, and no daemon runs.
fn judged() -> Place {
    let place = Place::new().only(&["python3"]);
    place.write("submissions/alpha/sum.py", programs::PYTHON);
    place.write("submissions/beta/sum.py", "print(7)\n");
    assert_eq!(place.serve_once(), expected(&["alpha", "beta"]));
    place
}

/// The right verdicts: beta's program is wrong, the others' are right.
fn expected(students: &[&str]) -> BTreeMap<String, String> {
    let verdict = |student: &str| if student == "beta" { "WA" } else { "AC" };
    students
        .iter()
        .map(|student| (format!("{student}/sum/1"), verdict(student).to_owned()))
        .collect()
}

/// Overwrites pages of the store with noise, in place, so that processes that have it open read it.
fn damage(place: &Place, pages: std::ops::Range<u64>) {
    let file = File::options()
        .write(true)
        .open(place.path("state/verdictd.db"))
        .unwrap();
    let noise = vec![0xA5; usize::try_from((pages.end - pages.start) * PAGE).unwrap()];
    file.write_all_at(&noise, pages.start * PAGE).unwrap();
}

fn pages_of(place: &Place) -> u64 {
    fs::metadata(place.path("state/verdictd.db")).unwrap().len() / PAGE
}

/// The logs of this name that were put aside.
fn put_aside(place: &Place, name: &str) -> Vec<PathBuf> {
    let prefix = format!("{name}.");
    let mut found: Vec<PathBuf> = fs::read_dir(place.path("staff"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            let name = path.file_name().unwrap().to_str().unwrap();
            name.strip_prefix(&prefix).is_some_and(|number| {
                !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())
            })
        })
        .collect();
    found.sort();
    found
}

/// The numbers of the events in the log for programs: from 1 on, none twice.
fn assert_log_is_whole(place: &Place) {
    let events: Vec<i64> = place
        .read("staff/verdicts.jsonl")
        .lines()
        .map(|line| {
            serde_json::from_str::<Value>(line).unwrap()["event"]
                .as_i64()
                .unwrap()
        })
        .collect();
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
    let said = ended.said.join("\n");
    assert_eq!(ended.code, Some(3), "{said}");
    assert!(
        said.contains("damaged") && said.contains("move it away"),
        "{said}"
    );
    let after = fs::read(place.path("state/verdictd.db")).unwrap();
    assert_eq!(after, damaged, "left as it was");
}

#[test]
fn a_daemon_that_finds_damage_ends_and_writes_nothing_into_the_store() {
    let place = judged();
    ends_at_damage(&place, || {
        place.write("submissions/gamma/sum.py", programs::PYTHON);
    });
    // The next start refuses it too, with a helpful message.
    let again = place.run(&["serve", "--once"]);
    assert_eq!(again.status.code(), Some(3));
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
    place.write("submissions/gamma/sum.py", programs::PYTHON);
    assert_eq!(place.wait_for("gamma/sum/1"), "AC");
    daemon.signal("KILL");
    daemon.ended();
    place
}

fn copy_folder(from: &std::path::Path, to: &std::path::Path) {
    let _ = fs::remove_dir_all(to);
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        if entry.path().is_file() {
            fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
    }
}

#[test]
fn a_lost_or_damaged_write_ahead_log_costs_work_and_no_verdict() {
    let place = killed();
    let log = place.path("state/verdictd.db-wal");
    let whole = fs::read(&log).unwrap();
    let (state, staff) = (place.path("state"), place.path("staff"));
    copy_folder(&state, &place.path("saved-state"));
    copy_folder(&staff, &place.path("saved-staff"));
    let old = place.read("staff/verdicts.log");
    let noise = |mut bytes: Vec<u8>, part: std::ops::Range<usize>| {
        bytes[part].fill(0xA5);
        Some(bytes)
    };
    let (half, end) = (whole.len() / 2, whole.len());
    for (what, bytes) in [
        ("missing", None),
        ("empty", Some(Vec::new())),
        ("cut off", Some(whole[..half].to_vec())),
        ("without its head", noise(whole.clone(), 0..64)),
        (
            "damaged in the middle",
            noise(whole.clone(), half..half + 64),
        ),
        ("damaged at its end", noise(whole.clone(), end - 64..end)),
    ] {
        copy_folder(&place.path("saved-state"), &state);
        fs::remove_dir_all(&staff).unwrap();
        copy_folder(&place.path("saved-staff"), &staff);
        match bytes {
            None => fs::remove_file(&log).unwrap(),
            Some(bytes) => fs::write(&log, bytes).unwrap(),
        }
        assert_eq!(
            place.serve_once(),
            expected(&["alpha", "beta", "gamma"]),
            "{what}"
        );
        assert_log_is_whole(&place);
        // What the store has lost is in the log that was put aside, or the log has continued.
        let aside = put_aside(&place, "verdicts.log");
        match aside.as_slice() {
            [] => assert!(place.read("staff/verdicts.log").starts_with(&old), "{what}"),
            [aside] => assert_eq!(fs::read_to_string(aside).unwrap(), old, "{what}"),
            more => panic!("{what}: {more:?}"),
        }
    }
}

#[test]
fn a_write_ahead_log_that_is_removed_while_the_daemon_runs_costs_no_verdict() {
    let place = judged();
    let daemon = place.daemon();
    place.write("submissions/gamma/sum.py", programs::PYTHON);
    assert_eq!(place.wait_for("gamma/sum/1"), "AC");
    fs::remove_file(place.path("state/verdictd.db-wal")).unwrap();
    place.write("submissions/delta/sum.py", programs::PYTHON);
    let ended = daemon.ended();
    assert_eq!(ended.code, Some(3), "{:#?}", ended.said);
    assert_eq!(
        place.serve_once(),
        expected(&["alpha", "beta", "gamma", "delta"])
    );
    assert_log_is_whole(&place);
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
    let doctor = || {
        let output = place.run(&["doctor"]);
        (
            output.status.code(),
            String::from_utf8(output.stdout).unwrap(),
        )
    };
    let (code, said) = doctor();
    assert!(said.contains("the store is sound"), "{said}");
    assert_eq!(code, Some(0));
    // In the middle of the large value, which nothing reads.
    damage(&place, 1_000..1_010);
    place.write("submissions/gamma/sum.py", programs::PYTHON);
    assert_eq!(place.serve_once(), expected(&["alpha", "beta", "gamma"]));
    let (code, said) = doctor();
    assert!(said.contains("the store is damaged"), "{said}");
    assert_eq!(code, Some(3), "{said}");
    let json = place.run(&["doctor", "--json"]);
    let json: Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(json["store"]["sound"], false, "{json}");
}

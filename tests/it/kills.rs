//! `kill -9` in the middle of what changes a judged course: rebuilding reports, rejudging, removing
//! a hack, making a store. The outcome is the same as without a kill.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::process::Command;

use rusqlite::{Connection, OpenFlags};

use crate::crash::{Outcome, assert_nothing_lost, tree};
use crate::hacks::{FRAGILE, listed};
use crate::place::{Place, output, wait_until};
use crate::programs;
use crate::skips::skipped;

/// The steps at which a process is killed here; [`REBUILD`] and the others are ranges of them.
const POINTS: [&str; 22] = [
    "scratch written:3",
    "one of many replaced:5",
    "reports rebuilt",
    "overviews rebuilt",
    "feed removed",
    "notes rebuilt",
    "one log rebuilt",
    "one log rebuilt:2",
    "request left",
    "request marked",
    "request noted",
    "run measured:2",
    "published",
    "request removed",
    "hack's input removed",
    "hack's other files removed",
    "hack result removed",
    "hack withdrawn",
    "published",
    "marked",
    "store half made",
    "store made",
];
/// Steps of `report --rebuild`.
const REBUILD: std::ops::Range<usize> = 0..8;
/// Steps of `rejudge --force`: the first is the command's, the others are those of the process that
/// judges.
const REJUDGE: std::ops::Range<usize> = 8..14;
/// Steps of `hack remove`.
const REMOVE: std::ops::Range<usize> = 14..16;
/// Steps of a daemon that notices a removed hack.
const WITHDRAW: std::ops::Range<usize> = 16..20;
/// Steps of a start that makes a store.
const MAKE: std::ops::Range<usize> = 20..22;

fn place() -> Place {
    let place = Place::new().only(&["python3"]);
    for number in 0..WITHDRAW.len() {
        // Right, except on an input of its own that no test has.
        let fragile = FRAGILE.replace('7', &fragile_at(number).to_string());
        place.write(&format!("submissions/alpha{number}/sum.py"), fragile);
    }
    place.write("submissions/beta/sum.py", programs::PYTHON);
    place.write("submissions/gamma/sum.py", "print(7)\n");
    place
}

fn fragile_at(number: usize) -> usize {
    70 + number
}

/// Whether the steps are missing from this build.
fn is_release() -> bool {
    if !cfg!(debug_assertions) {
        skipped("a release build cannot be killed at a named step");
    }
    !cfg!(debug_assertions)
}

/// Two places prepared in the same way, one of which is never disturbed.
fn two(made: impl Fn(&Place) + Sync) -> (Place, Place) {
    std::thread::scope(|scope| {
        let make = || {
            let place = place();
            made(&place);
            place
        };
        let other = scope.spawn(make);
        (make(), other.join().unwrap())
    })
}

fn kill_at(mut command: Command, point: &str) {
    let killed = output(command.env("VERDICTD_CRASH_AT", point));
    let said = String::from_utf8_lossy(&killed.stderr);
    let signal = killed.status.signal();
    assert_eq!(signal, Some(9), "{point} was reached: {said}");
}

fn run_well(place: &Place, arguments: &[&str]) {
    let output = place.run(arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {output:?}");
}

fn store(place: &Place) -> Connection {
    let file = place.path("state/verdictd.db");
    Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap()
}

fn number(store: &Connection, sql: &str) -> i64 {
    store.query_row(sql, [], |row| row.get(0)).unwrap()
}

#[test]
fn killed_during_a_rebuild_every_file_is_whole() {
    if is_release() {
        return;
    }
    let (place, undisturbed) = two(|place| {
        place.write("submissions/delta/sum.docx", "no program\n");
        place.serve_once();
    });
    // Meanwhile, and after the kill, the old files are still there; the feed starts again.
    let files = || -> BTreeMap<String, String> {
        let both = ["reports", "staff"].map(|folder| tree(&place.path(folder)));
        let names = both.into_iter().zip(["reports", "staff"]);
        names
            .flat_map(|(files, folder)| {
                let named = move |(name, text)| (format!("{folder}/{name}"), text);
                files.into_iter().map(named)
            })
            .filter(|(name, _)| !name.contains("/.verdictd-") && !name.contains("event-feed"))
            .collect()
    };
    let before = files();
    assert!(
        before.contains_key("reports/alpha0/sum/1.html"),
        "{before:?}"
    );
    for point in &POINTS[REBUILD] {
        kill_at(place.command(&["report", "--rebuild"]), point);
        assert_eq!(files(), before, "{point}");
    }
    // The next try restores everything that was lost.
    fs::remove_dir_all(place.path("reports")).unwrap();
    kill_at(
        place.command(&["report", "--rebuild"]),
        POINTS[REBUILD.start],
    );
    run_well(&place, &["report", "--rebuild"]);
    assert_eq!(files(), before);
    assert_nothing_lost(&place, &undisturbed);
}

#[test]
fn killed_during_a_rejudge_every_run_is_measured_again() {
    if is_release() {
        return;
    }
    let (place, undisturbed) = two(|place| {
        place.serve_once();
    });
    let rejudge = ["rejudge", "--force"];
    let measured = |which: &str| {
        let of_latest = format!("SELECT {which}(measured_ms) FROM runs");
        number(&store(&place), &of_latest)
    };
    let is_left = || fs::read_dir(place.path("state/requests")).unwrap().count() > 0;
    let assert_measured = |since: i64, point: &str| {
        let first = measured("min");
        assert!(
            first > since,
            "{point}: all were measured after {since}: {first}"
        );
        assert!(!is_left(), "{point}: a request is left");
    };
    for point in &POINTS[REJUDGE] {
        let since = measured("max");
        kill_at(place.command(&rejudge), point);
        place.serve_once();
        assert_measured(since, point);
    }
    // The same with a daemon, which is killed; the command then fails.
    for point in POINTS[REJUDGE].iter().skip(1).step_by(2).take(2) {
        let since = measured("max");
        let mut command = place.command(&["serve"]);
        command.env("VERDICTD_CRASH_AT", point);
        let daemon = Place::started(command);
        let asked = place.run(&rejudge);
        assert_eq!(asked.status.code(), Some(3), "{point}: {asked:?}");
        assert_eq!(daemon.ended().code, None, "{point}");
        place.serve_once();
        assert_measured(since, point);
    }
    // If the command is killed, the daemon goes on.
    let since = measured("max");
    let daemon = place.daemon();
    kill_at(place.command(&rejudge), POINTS[REJUDGE.start]);
    wait_until("the request to be done", || !is_left());
    assert_eq!(daemon.stop().code, Some(0));
    assert_measured(since, POINTS[REJUDGE.start]);
    run_well(&undisturbed, &rejudge);
    assert_eq!(Outcome::of(&place), Outcome::of(&undisturbed));
}

#[test]
fn killed_while_a_hack_is_removed_the_old_verdicts_come_back() {
    if is_release() {
        return;
    }
    let hack = |number: usize, ending: &str| format!("problems/sum/hacks/evil{number}.{ending}");
    let verdict = |place: &Place, number: usize| {
        let verdicts = place.serve_once();
        verdicts[&format!("alpha{number}/sum/1")].clone()
    };
    let (place, undisturbed) = two(|place| {
        place.serve_once();
        for number in 0..WITHDRAW.len() {
            place.write(&hack(number, "ans"), format!("{}\n", fragile_at(number)));
            place.write(&hack(number, "note"), "it breaks one");
            place.write(&hack(number, "in"), format!("{} 0\n", fragile_at(number)));
        }
        assert_eq!(verdict(place, 0), "WA");
    });
    let remove = |number: usize| {
        [
            "hack",
            "remove",
            "sum",
            ["evil0", "evil1", "evil2", "evil3"][number],
        ]
    };
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for number in 0..WITHDRAW.len() {
                run_well(&undisturbed, &remove(number));
                undisturbed.serve_once();
            }
        });
        for (number, point) in POINTS[WITHDRAW].iter().enumerate() {
            assert!(place.path(&hack(number, "in.result")).exists());
            match POINTS[REMOVE].get(number) {
                Some(point) => kill_at(place.command(&remove(number)), point),
                None => run_well(&place, &remove(number)),
            }
            kill_at(place.command(&["serve", "--once"]), point);
            assert_eq!(verdict(&place, number), "AC", "{point}");
            let state = &listed(&place, &format!("hack/evil{number}"))["state"];
            assert_eq!(state, "withdrawn", "{point}");
            let result = place.path(&hack(number, "in.result"));
            assert!(!result.exists(), "{point}: its result is left");
        }
    });
    assert_eq!(Outcome::of(&place), Outcome::of(&undisturbed));
}

#[test]
fn killed_while_a_store_is_made_it_is_empty_or_whole() {
    if is_release() {
        return;
    }
    let (place, undisturbed) = two(|_| {});
    for (point, tables) in POINTS[MAKE].iter().zip([false, true]) {
        kill_at(place.command(&["serve", "--once"]), point);
        let store = Connection::open(place.path("state/verdictd.db")).unwrap();
        let found = number(&store, "SELECT count(*) FROM sqlite_schema");
        assert_eq!(found > 0, tables, "{point}");
    }
    assert_nothing_lost(&place, &undisturbed);
    let state = tree_names(&place);
    assert_eq!(state, tree_names(&undisturbed), "nothing half done is left");
}

/// The names in the state folder.
fn tree_names(place: &Place) -> Vec<String> {
    let entries = fs::read_dir(place.path("state")).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

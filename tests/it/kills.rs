//! `kill -9` in the middle of what changes a judged course: rebuilding reports, rejudging, removing
//! a hack, making a store. The outcome is the same as without a kill.

use std::collections::BTreeMap;
use std::fs;

use rusqlite::Connection;

use crate::crash::{Outcome, assert_nothing_lost, tree};
use crate::hacks::{FRAGILE, listed};
use crate::place::{Place, no_named_steps, wait_until};
use crate::power::disk::files_below;
use crate::programs;

/// Steps of `report --rebuild`.
const REBUILD: &str = "scratch written:3|one of many replaced:5|reports rebuilt|overviews rebuilt|\
    feed removed|notes rebuilt|one log rebuilt|one log rebuilt:2";
/// Steps of `rejudge --force`: the first is the command's, the others are those of the process that
/// judges.
const REJUDGE: &str = "request left|request marked|request noted|run measured:2|published|\
    request removed";
/// Steps of `hack remove`.
const REMOVE: [&str; 2] = ["hack's input removed", "hack's other files removed"];
/// Steps of a daemon that notices a removed hack.
#[rustfmt::skip]
const WITHDRAW: [&str; 4] = ["hack result removed", "hack withdrawn", "published", "marked"];
/// Steps of a start that makes a store.
const MAKE: [&str; 2] = ["store half made", "store made"];

fn place() -> Place {
    let place = Place::new().only(&["lua"]);
    for number in 0..WITHDRAW.len() {
        // Right, except on an input of its own that no test has.
        let fragile = FRAGILE.replace('7', &fragile_at(number).to_string());
        place.write(&format!("submissions/alpha{number}/sum.lua"), fragile);
    }
    place.write("submissions/beta/sum.lua", programs::LUA);
    place.write("submissions/gamma/sum.lua", "print(7)\n");
    place
}

fn fragile_at(number: usize) -> usize {
    70 + number
}

fn number(place: &Place, sql: &str) -> i64 {
    let store = Connection::open(place.path("state/verdictd.db")).unwrap();
    store.query_row(sql, [], |row| row.get(0)).unwrap()
}

#[test]
fn killed_in_the_middle_what_changes_a_judged_course_has_the_same_outcome() {
    if no_named_steps() {
        return;
    }
    // The second one is never disturbed.
    let (place, undisturbed) = (place(), self::place());
    for place in [&place, &undisturbed] {
        place.write("submissions/delta/sum.docx", "no program\n");
        place.serve_once();
    }
    killed_during_a_rebuild_every_file_is_whole(&place);
    assert_nothing_lost(&place, &undisturbed);
    killed_during_a_rejudge_every_run_is_measured_again(&place);
    undisturbed.says(0, "rejudge --force", &[]);
    assert_eq!(Outcome::of(&place), Outcome::of(&undisturbed));
    for place in [&place, &undisturbed] {
        for number in 0..WITHDRAW.len() {
            let at = fragile_at(number);
            place.write(&hack(number, "note"), "it breaks one");
            let (input, answer) = (format!("{at} 0\n"), format!("{at}\n"));
            place.add_hack(&format!("evil{number}"), &input, &answer);
        }
        assert_eq!(place.serve_once()["alpha0/sum/1"], "WA");
    }
    killed_while_a_hack_is_removed_the_old_verdicts_come_back(&place);
    for number in 0..WITHDRAW.len() {
        undisturbed.says(0, &remove(number), &[]);
        undisturbed.serve_once();
    }
    assert_eq!(Outcome::of(&place), Outcome::of(&undisturbed));
}

fn killed_during_a_rebuild_every_file_is_whole(place: &Place) {
    // Meanwhile, and after the kill, the old files are still there; the feed starts again.
    let files = || -> BTreeMap<String, String> {
        let both = ["reports", "staff"].map(|folder| {
            let named = move |(name, text)| (format!("{folder}/{name}"), text);
            tree(&place.path(folder)).into_iter().map(named)
        });
        let mut files: BTreeMap<String, String> = both.into_iter().flatten().collect();
        files.retain(|name, _| !name.contains("/.verdictd-") && !name.contains("event-feed"));
        files
    };
    let before = files();
    assert!(before.contains_key("reports/alpha0/sum/1.html"));
    for point in REBUILD.split('|') {
        place.kill_at(point, "report --rebuild");
        assert_eq!(files(), before, "{point}");
    }
    // The next try restores everything that was lost.
    fs::remove_dir_all(place.path("reports")).unwrap();
    place.kill_at("scratch written:3", "report --rebuild");
    place.says(0, "report --rebuild", &[]);
    assert_eq!(files(), before);
}

fn killed_during_a_rejudge_every_run_is_measured_again(place: &Place) {
    let rejudge = "rejudge --force";
    let measured = |which: &str| number(place, &format!("SELECT {which}(measured_ms) FROM runs"));
    let is_left = || fs::read_dir(place.path("state/requests")).unwrap().count() > 0;
    let assert_measured = |since: i64, point: &str| {
        let first = measured("min");
        let holds = first > since;
        assert!(holds, "{point}: all were measured after {since}: {first}");
        assert!(!is_left(), "{point}: a request is left");
    };
    for point in REJUDGE.split('|') {
        let since = measured("max");
        place.kill_at(point, rejudge);
        place.serve_once();
        assert_measured(since, point);
    }
    // The same with a daemon, which is killed; the command then fails.
    for point in REJUDGE.split('|').skip(1).step_by(2).take(2) {
        let since = measured("max");
        let daemon = place.daemon_to_kill_at(point);
        place.says(3, rejudge, &[]);
        assert_eq!(daemon.ended().code, None, "{point}");
        place.serve_once();
        assert_measured(since, point);
    }
    // If the command is killed, the daemon goes on.
    let since = measured("max");
    let daemon = place.daemon();
    place.kill_at("request left", rejudge);
    wait_until("the request to be done", || !is_left());
    assert_eq!(daemon.stop().code, Some(0));
    assert_measured(since, "request left");
}

fn hack(number: usize, ending: &str) -> String {
    format!("problems/sum/hacks/evil{number}.{ending}")
}

fn remove(number: usize) -> String {
    format!("hack remove sum evil{number}")
}

fn killed_while_a_hack_is_removed_the_old_verdicts_come_back(place: &Place) {
    for (number, point) in WITHDRAW.iter().enumerate() {
        let result = place.path(&hack(number, "in.result"));
        assert!(result.exists());
        match REMOVE.get(number) {
            Some(point) => place.kill_at(point, &remove(number)),
            None => {
                place.says(0, &remove(number), &[]);
            }
        }
        place.kill_at(point, "serve --once");
        let verdicts = place.serve_once();
        assert_eq!(verdicts[&format!("alpha{number}/sum/1")], "AC", "{point}");
        let state = &listed(place, &format!("hack/evil{number}"))["state"];
        assert_eq!(state, "withdrawn", "{point}");
        assert!(!result.exists(), "{point}: its result is left");
    }
}

#[test]
fn killed_while_a_store_is_made_it_is_empty_or_whole() {
    if no_named_steps() {
        return;
    }
    let (place, undisturbed) = (place(), self::place());
    for (point, tables) in MAKE.iter().zip([false, true]) {
        place.kill_at(point, "serve --once");
        let found = number(&place, "SELECT count(*) FROM sqlite_schema");
        assert_eq!(found > 0, tables, "{point}");
    }
    assert_nothing_lost(&place, &undisturbed);
    let names = |place: &Place| files_below(&place.path("state")).into_keys().collect();
    let [now, expected]: [Vec<String>; 2] = [names(&place), names(&undisturbed)];
    assert_eq!(now, expected, "nothing half done is left");
}

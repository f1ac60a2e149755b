//! Hacks through the real daemon: whose programs fail, that only the new test is run, that removing
//! a hack runs nothing.

use std::fs;

use serde_json::Value;

use crate::place::{Place, assert_has, no_named_steps, wait_until};
use crate::programs;
use crate::store::{Made, assert_only_new, hack_state};

/// Right, except on one input that no test of the problem has.
pub const FRAGILE: &str = "local a, b = io.read('n', 'n')\nprint(a == 7 and 'oops' or a + b)\n";

/// A hack's entry in `hack list --json`.
pub fn listed(place: &Place, name: &str) -> Value {
    let mut hacks = place.objects("hack list --all --json").into_iter();
    hacks.rfind(|hack| hack["name"] == name).unwrap_or_default()
}

/// Waits until a hack is in this state; returns its entry in `hack list`.
pub fn wait_state(place: &Place, name: &str, state: &str) -> Value {
    wait_until(&format!("{name} to be {state}"), || {
        hack_state(place, name).as_deref() == Some(state)
    });
    let hack = listed(place, name);
    assert_eq!(hack["state"], state, "{hack}");
    hack
}

#[test]
fn a_hack_counts_for_every_earlier_submission_and_is_removed_without_a_run() {
    let place = Place::new().only(&["lua"]);
    place.write("submissions/alpha/sum.lua", FRAGILE);
    place.write("submissions/beta/sum.lua", programs::LUA);
    place.write("submissions/gamma/sum.lua", "print(7)\n");
    assert_eq!(place.serve_once()["alpha/sum/1"], "AC");
    let before = Made::so_far(&place);

    let daemon = place.daemon();
    place.write("problems/sum/hacks/evil.note", "seven breaks it");
    place.add_hack("evil", "7 8\n", "15\n");
    let hack = wait_state(&place, "hack/evil", "judged");
    assert_eq!(hack["fell"][0]["student"], "alpha");
    assert_eq!(hack["fell"][0]["verdict"], "WA");
    assert_eq!(hack["stood"][0]["student"], "beta");
    let found = (&hack["fell_count"], &hack["stood_count"]);
    assert_eq!(found, (&1.into(), &1.into()));
    assert_eq!(hack["note"], "seven breaks it");
    let verdicts: Vec<String> = place.verdicts().into_values().collect();
    assert_eq!(verdicts, ["WA", "AC", "WA"]);
    // Gamma had failed before, so only two programs ran, and only on the new test.
    assert_only_new(&place, &before, 2, 0, "two runs on the new test");
    let judged = Made::so_far(&place);
    let words = ["1 failed, 1 passed|alpha #1|expected 15, got oops|beta #1|seven breaks it"];
    assert_has(&place.read("problems/sum/hacks/evil.in.result"), &words);
    let because = "was AC  because \"hack/evil joined\"";
    assert_has(&place.read("staff/verdicts.log"), &[because]);

    fs::remove_file(place.path("problems/sum/hacks/evil.in")).unwrap();
    place.becomes("alpha/sum/1", "AC");
    assert_only_new(&place, &judged, 0, 0, "nothing is run for that");
    assert_eq!(listed(&place, "hack/evil")["state"], "withdrawn");
    let result = place.path("problems/sum/hacks/evil.in.result");
    wait_until("the result is gone", || !result.exists());
    assert_eq!(daemon.stop().code, Some(0));
    let because = ["the test hack/evil was added|the test hack/evil was removed"];
    place.says(0, "report alpha sum", &because);
}

#[test]
fn an_invalid_hack_is_refused_with_its_position_and_breaks_nothing() {
    let place = Place::new().only(&["lua"]).with_problem("regions");
    let sample = place.read("problems/regions/data/sample/1.in");
    place.write("submissions/alpha/regions.lua", "print(0)\n");
    let before = place.serve_once();
    let folder = "problems/regions/hacks";
    place.write(&format!("{folder}/letters.txt"), "2 2\n12\n1x\n");
    place.write(&format!("{folder}/twin.in"), sample.replace('\n', "\r\n"));
    place.write(&format!("{folder}/huge.in"), vec![b'1'; 17 << 20]);
    place.write(&format!("{folder}/fine.in"), "1 2\r\n12");
    place.serve_once();
    for (file, words) in [
        ("letters.txt", "line 3, column 2"),
        ("twin.in", "the same input as sample/1"),
        ("huge.in", "larger than 16384 KiB"),
    ] {
        let result = place.read(&format!("{folder}/{file}.result"));
        assert_has(&result, &[words, "not one of the tests"]);
    }
    assert_eq!(listed(&place, "hack/fine")["state"], "judged");
    assert_eq!(place.verdicts(), before);
    let log = place.read("staff/verdicts.log");
    assert_eq!(log.matches("refused").count(), 3, "{log}");
    // Nothing is reported twice.
    place.serve_once();
    assert_eq!(place.read("staff/verdicts.log"), log);
}

#[test]
fn the_command_checks_adds_waits_and_removes() {
    let place = Place::new().only(&["lua"]).with_problem("regions");
    place.write("submissions/alpha/regions.lua", "print(1)\n");
    place.write("bad.in", "1 1\n1\n");
    place.write("good.in", "1 3\n121\n");
    place.says(1, "hack add regions bad.in", &["line "]);
    assert!(!place.path("problems/regions/hacks/bad.in").exists());

    let daemon = place.daemon();
    place.wait_for("alpha/regions/1");
    let same = "hack add regions problems/regions/data/sample/1.in";
    place.says(1, same, &["duplicate"]);
    // The corners have one colour.
    let add = "hack add regions good.in --note six";
    place.says(1, add, &[]);
    place.write("good.in", "2 3\n165\n432\n");
    place.says(0, add, &["hack/good of regions", "six"]);
    place.says(0, "hack remove regions good", &[]);
    wait_state(&place, "hack/good", "withdrawn");
    let left = fs::read_dir(place.path("problems/regions/hacks")).unwrap();
    assert_eq!(left.count(), 0);
    place.says(2, "hack remove regions good", &[]);
    daemon.stop();
}

/// Every step in processing a hack; the daemon is killed at each, with a different hack each time.
const POINTS: &str = "hack recorded|run measured|folded|published|report written|marked|\
    hack result written|hack judged";

#[test]
fn a_daemon_killed_at_every_step_of_a_hack_reports_the_same_once() {
    if no_named_steps() {
        return;
    }
    let place = Place::new().only(&["lua"]);
    let hacks = || (1..).zip(POINTS.split('|'));
    let count = hacks().count();
    for (number, _) in hacks() {
        let fragile = FRAGILE.replace("== 7", &format!("== {number}11"));
        place.write(&format!("submissions/s{number}/sum.lua"), fragile);
    }
    place.write("submissions/beta/sum.lua", programs::LUA);
    assert!(place.serve_once().values().all(|verdict| verdict == "AC"));
    let before = Made::so_far(&place);
    let mut kept = Made::so_far(&place);
    for (number, point) in hacks() {
        let (input, answer) = (format!("{number}11 1\n"), format!("{number}12\n"));
        place.add_hack(&format!("h{number}"), &input, &answer);
        place.kill_at(point, "serve --once");
        // What was stored before a kill is not done again after it.
        let now = Made::so_far(&place);
        assert_eq!(now.since(&kept)[1], (0, 0), "{point}");
        kept = now;
    }
    let verdicts = place.serve_once();
    assert_eq!(Made::so_far(&place).since(&kept)[1], (0, 0));
    assert_eq!(verdicts["beta/sum/1"], "AC");
    // A program that has failed on one hack is not run on later ones.
    // Those of beta's program, and those of the others.
    let runs = count + (1..=count).sum::<usize>();
    assert_only_new(&place, &before, runs, 0, "each program on each hack once");
    for (number, point) in hacks() {
        assert_eq!(verdicts[&format!("s{number}/sum/1")], "WA", "{point}");
        let hack = listed(&place, &format!("hack/h{number}"));
        assert_eq!(hack["state"], "judged", "{point}");
        assert_eq!(hack["fell"][0]["student"], format!("s{number}"), "{point}");
        let result = place.read(&format!("problems/sum/hacks/h{number}.in.result"));
        let others = count + 1 - number;
        assert_has(&result, &[&format!("1 failed, {others} passed")]);
    }
    let log = place.read("staff/verdicts.jsonl");
    for (words, times) in [
        ("\"state\":\"joined\"", count),
        ("\"state\":\"judged\"", count),
        ("\"kind\":\"verdict\"", 1 + 2 * count),
    ] {
        assert_eq!(log.matches(words).count(), times, "{words}: {log}");
    }
}

//! `verdictd forget`: nothing of the student is left in any byte of the course but in files that a
//! person has written or put aside, which are named; and everything of the others is, with a daemon,
//! without one, and after a kill at every step.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use crate::place::{Place, assert_has, below, no_named_steps, said};
use crate::programs;

const NAME: &str = "Grace-77";
const FORGET: &str = "forget Grace-77";
/// What the program prints, what it says to nobody, and the same in a checker's words.
const OWN: &str = "-- graces_own_words\nprint('graces_own_output')\n";

/// The steps at which the command is killed.
const POINTS: &str = "request left|submissions forgotten|student deleted|store rewritten|\
    files forgotten|overviews forgotten";

fn place() -> Place {
    let place = Place::new().only(&["lua"]);
    let place = place.with_roster(&format!("zoe,Z,Zoe\n{NAME},Hopper,Grace\nbo,B,Bo\n"));
    let week = "[[assignments]]\nname = \"week-1\"\npoints = { sum = 1 }\n";
    let course = format!("extensions = \"people/extensions.csv\"\n{week}");
    place.write("course.toml", course);
    let [due, of_bo] = [NAME, "bo"].map(|student| format!("{student},week-1,2026-10-02 10:00\n"));
    let extensions = format!("student,assignment,due\n{due}{of_bo}");
    place.write("people/extensions.csv", extensions);
    place.write(&format!("submissions/{NAME}/sum.lua"), OWN);
    place.write(&format!("submissions/{NAME}/notes.odt"), "x");
    // The same bytes as somebody else's, and a name without a folder.
    place.write(&format!("submissions/{NAME}_sum.lua"), programs::LUA);
    place.write("submissions/bo/sum.lua", programs::LUA);
    place.write("submissions/cy/sum.lua", "print(1)\n");
    let first = place.serve_once();
    assert_eq!(first.len(), 4, "{first:?}");
    place.add_hack("zero", "0 0\n", "0\n");
    place.serve_once();
    let line = |student| {
        let archive = "\"platform\":\"moodle\",\"archive\":\"a.zip\",\"entry\":\"e\"";
        let of = "\"problem\":\"sum\",\"source\":\"00\",\"keys\":{}";
        format!("{{{archive},\"student\":\"{student}\",{of}}}\n")
    };
    place.write("staff/imports.jsonl", line(NAME) + &line("bo"));
    for (log, rotated) in [
        ("verdicts.log", "verdicts.log.1"),
        ("verdicts.log", "verdicts.log-20260901"),
        ("verdicts.jsonl", "verdicts.jsonl.1"),
    ] {
        let staff = place.path("staff");
        fs::copy(staff.join(log), staff.join(rotated)).unwrap();
    }
    // A list behind a link, and what a backup that was killed has left.
    let teams = format!("student,team\n{NAME},1\nbo,1\n");
    place.write("elsewhere/teams.csv", teams);
    symlink("elsewhere/teams.csv", place.path("teams.csv")).unwrap();
    place.write("state/.verdictd-backup-x1y2z3", OWN);
    fs::write(place.path("staff/verdicts.log.2.gz"), "x").unwrap();
    // The roster is a person's to change.
    place.edit("roster.csv", &format!("{NAME},Hopper,Grace\n"), "");
    assert_has(&place.read("problems/sum/hacks/zero.in.result"), &[NAME]);
    place
}

/// What there is of a course with these words in its bytes or its name.
fn with(place: &Place, words: &str) -> Vec<PathBuf> {
    let mut found = below(&place.path(""));
    found.retain(|path| {
        let bytes = fs::read(path).unwrap_or_default();
        let mut parts = bytes.windows(words.len());
        let name = path.file_name().unwrap().to_string_lossy();
        name.contains(words) || parts.any(|part| part == words.as_bytes())
    });
    found
}

/// Files of persons, and logs that were put aside: they are named, and stay as they are.
const NAMED: &str = "people/extensions.csv|staff/verdicts.jsonl.1|staff/verdicts.log-20260901|\
    staff/verdicts.log.1|teams.csv";

fn assert_forgotten(place: &Place) {
    for words in [NAME, "Hopper", "graces_own_words", "graces_own_output"] {
        let mut left = with(place, words);
        left.retain(|file| {
            let is_behind_a_link = *file == place.path("elsewhere/teams.csv");
            !is_behind_a_link && !NAMED.split('|').any(|name| *file == place.path(name))
        });
        assert!(left.is_empty(), "{words} is left in {left:?}");
    }
    for file in NAMED.split('|').chain(["staff/imports.jsonl"]) {
        assert!(place.read(file).contains("bo"), "{file}");
    }
    assert!(place.read("submissions/bo/sum.lua") == programs::LUA);
    assert!(place.says(0, "report bo sum", &[]).starts_with("AC"));
    assert!(place.path("reports/bo/sum/1.html").exists());
    assert!(place.path("reports/cy/sum/1.txt").exists());
}

/// What is written again for everybody.
fn assert_told_again(place: &Place) {
    for file in "verdicts.log|verdicts.jsonl|gradebook.csv|event-feed.ndjson|index.html".split('|')
    {
        assert_has(&place.read(&format!("staff/{file}")), &["bo"]);
    }
}

#[test]
fn without_a_daemon_nothing_is_left() {
    let place = place();
    let before = with(&place, NAME);
    let dry = place.run(&["forget", NAME, "--dry-run"]);
    assert_eq!(with(&place, NAME), before, "a dry run removes nothing");
    let done = place.run(&["forget", NAME]);
    let words = "2 submissions|reports/Grace-77/|imports.jsonl: 1 line|\
        verdicts.log.2.gz is compressed|are written again";
    let told = said(&done, 0, &[words]);
    assert_eq!(done.stdout, dry.stdout, "it says what the dry run said");
    for file in NAMED.split('|') {
        let path = place.path(file);
        assert_has(&told, &[&format!("the name is also in {}", path.display())]);
    }
    assert_forgotten(&place);
    assert_told_again(&place);
    // A misspelt name removes nothing, whatever there is of everybody.
    place.write("staff/exports/moodle.csv", "student\nbo\n");
    place.says(2, FORGET, &[]);
    assert!(place.path("staff/exports/moodle.csv").exists());
    // Who has the same bytes keeps the verdict, and nothing is judged again.
    let lines = || place.read("staff/verdicts.log").lines().count();
    let before = lines();
    place.serve_once();
    assert_eq!(lines(), before);
}

#[test]
fn a_daemon_forgets_and_goes_on() {
    let place = place();
    let daemon = place.daemon();
    place.says(0, FORGET, &[]);
    assert_forgotten(&place);
    place.write("submissions/zoe/sum.lua", programs::LUA);
    assert_eq!(place.wait_for("zoe/sum/1"), "AC");
    place.shows("staff/gradebook.csv", "zoe");
    assert_eq!(daemon.stop().code, Some(0));
    assert_forgotten(&place);
    assert_told_again(&place);
}

#[test]
fn after_a_kill_the_next_start_forgets_the_rest() {
    if no_named_steps() {
        return;
    }
    let prepared = place();
    for (number, point) in POINTS.split('|').enumerate() {
        let place = prepared.copy();
        place.kill_at(point, FORGET);
        // The next start of the daemon does the rest, and so does the same command.
        if number % 2 == 1 {
            place.run(&["forget", NAME]);
        }
        place.serve_once();
        assert_forgotten(&place);
        assert_told_again(&place);
    }
    // The same with a daemon that is killed.
    let place = prepared;
    let daemon = place.daemon_to_kill_at("student deleted");
    place.says(3, FORGET, &["its next start continues"]);
    drop(daemon);
    place.daemon().stop();
    assert_forgotten(&place);
    assert_told_again(&place);
}

#[test]
fn what_fails_while_an_import_writes_is_done_later() {
    let busy = "another import writes to it";
    for runs in [true, false] {
        let place = place();
        let daemon = runs.then(|| place.daemon());
        // Somebody else's import, for as long as the file is open.
        let import = fs::File::open(place.path("staff/imports.jsonl")).unwrap();
        import.lock().unwrap();
        let says = if runs { "" } else { "does the rest" };
        place.says(3, FORGET, &[busy, says]);
        drop(import);
        if let Some(daemon) = daemon {
            // It grades meanwhile.
            place.write("submissions/zoe/sum.lua", programs::LUA);
            assert_eq!(place.wait_for("zoe/sum/1"), "AC");
            assert_eq!(daemon.stop().code, Some(0));
            place.daemon().stop();
        } else {
            place.says(0, FORGET, &[]);
        }
        assert_forgotten(&place);
        assert_told_again(&place);
    }
}

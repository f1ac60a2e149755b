//! Hacks on which an accepted example of the package fails, through the real daemon: held back,
//! reported, remembered, forced.

use std::fs;
use std::os::unix::process::ExitStatusExt as _;

use crate::hacks::{FRAGILE, listed, wait_state};
use crate::place::{Place, output, wait_until};
use crate::programs;
use crate::skips::skipped;
use crate::store::{Made, assert_only_new, count};

/// A package with an accepted example that is right, but exceeds the time limit if the sum
/// is large.
fn with_example() -> Place {
    let place = Place::new().only(&["python3"]);
    place.limit_cpu("sum", "0.4");
    place.write(
        "problems/sum/submissions/accepted/slow.py",
        "import time\na, b = map(int, input().split())\n\
         while a + b > 10**12 and time.process_time() < 60:\n    pass\nprint(a + b)\n",
    );
    place
}

#[test]
fn a_hack_on_which_an_accepted_example_fails_is_held_back_until_it_is_forced() {
    let place = with_example();
    place.write("submissions/alpha/sum.py", FRAGILE);
    place.write("submissions/beta/sum.py", programs::PYTHON);
    place.serve_once();
    let before = Made::so_far(&place);
    let daemon = place.daemon();
    place.write("heavy.in", "7 1000000000000\n");
    place.write("heavy.txt", "1000000000007\n");
    let added = place.run(&["hack", "add", "sum", "heavy.in", "--answer", "heavy.txt"]);
    let said = String::from_utf8_lossy(&added.stdout).into_owned();
    assert_eq!(added.status.code(), Some(1), "{added:?}");
    for words in [
        "heavy.in is held back",
        "submissions/accepted/slow.py, which has to be accepted, fails on it: TLE",
        "0.40 s are allowed",
        "verdictd hack add --force sum heavy.in",
    ] {
        let flat = said.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat.contains(words), "{words}: {said}");
    }
    let hack = listed(&place, "hack/heavy");
    assert_eq!(hack["state"], "held back");
    assert!(
        hack["reason"].as_str().unwrap().contains("slow.py"),
        "{hack}"
    );
    assert_eq!(
        place.read("problems/sum/hacks/heavy.in.result"),
        said[said.find('\n').unwrap() + 1..]
    );
    let log = place.read("staff/verdicts.log");
    assert!(
        log.contains("held back  \"submissions/accepted/slow.py"),
        "{log}"
    );
    assert_eq!(
        place.verdicts()["alpha/sum/1"],
        "AC",
        "nobody is judged on it"
    );
    daemon.stop();

    // The answer is remembered: another start runs no example and reports nothing twice.
    assert_only_new(&place, &before, 1, 1, "the example alone was run");
    let asked = Made::so_far(&place);
    place.serve_once();
    assert_eq!(Made::so_far(&place), asked);
    assert_eq!(place.read("staff/verdicts.log"), log);

    let daemon = place.daemon();
    let forced = place.run(&["hack", "add", "--force", "sum", "heavy"]);
    let said = String::from_utf8_lossy(&forced.stdout).into_owned();
    assert_eq!(forced.status.code(), Some(0), "{forced:?}");
    assert!(said.contains("1 failed, 1 passed"), "{said}");
    assert_eq!(place.verdicts()["alpha/sum/1"], "WA");
    let again = place.run(&["hack", "add", "--force", "sum", "heavy"]);
    let said = String::from_utf8_lossy(&again.stderr).into_owned();
    assert!(said.contains("one of the tests already"), "{said}");
    // Without the `.force` file it is held back again.
    fs::remove_file(place.path("problems/sum/hacks/heavy.force")).unwrap();
    wait_state(&place, "hack/heavy", "held back");
    wait_until("alpha's old verdict", || {
        place.verdicts()["alpha/sum/1"] == "AC"
    });
    let removed = place.run(&["hack", "remove", "sum", "heavy"]);
    assert_eq!(removed.status.code(), Some(0), "{removed:?}");
    daemon.stop();
}

#[test]
fn a_hack_that_the_examples_pass_joins_and_a_later_example_does_not_undo_that() {
    let place = with_example();
    place.write("submissions/alpha/sum.py", FRAGILE);
    place.serve_once();
    place.write("problems/sum/hacks/evil.ans", "15\n");
    place.write("problems/sum/hacks/evil.in", "7 8\n");
    place.write("problems/sum/hacks/own.ans", "1000000000001\n");
    place.write("problems/sum/hacks/own.force", "");
    place.write("problems/sum/hacks/own.in", "1 1000000000000\n");
    assert_eq!(place.serve_once()["alpha/sum/1"], "WA");
    for name in ["hack/evil", "hack/own"] {
        assert_eq!(listed(&place, name)["state"], "judged", "{name}");
    }
    place.write("problems/sum/submissions/accepted/wrong.py", FRAGILE);
    place.serve_once();
    assert_eq!(listed(&place, "hack/evil")["state"], "judged");
    // For a new hack the new example counts.
    place.write("problems/sum/hacks/new.ans", "16\n");
    place.write("problems/sum/hacks/new.in", "7 9\n");
    place.serve_once();
    let hack = listed(&place, "hack/new");
    assert_eq!(hack["state"], "held back");
    let reason = hack["reason"].as_str().unwrap();
    assert!(
        reason.contains("accepted/wrong.py")
            && reason.contains("WA, line 1, column 1: expected 16, got oops"),
        "{reason}"
    );
}

#[test]
fn a_daemon_killed_while_examples_run_holds_back_the_same_hacks() {
    if !cfg!(debug_assertions) {
        skipped("a release build cannot be killed while examples are asked");
        return;
    }
    let place = with_example();
    place.write("submissions/alpha/sum.py", FRAGILE);
    place.serve_once();
    // A different hack for each kill; the example is built once, for the first.
    let points = [
        "facts kept",
        "run measured",
        "example answered",
        "hack recorded",
    ];
    for (number, point) in points.iter().enumerate() {
        let name = format!("problems/sum/hacks/heavy{number}");
        let sum = 1_000_000_000_007_usize + number;
        place.write(&format!("{name}.ans"), format!("{sum}\n"));
        place.write(&format!("{name}.in"), format!("7 {}\n", sum - 7));
        let mut command = place.command(&["serve", "--once"]);
        let killed = output(command.env("VERDICTD_CRASH_AT", point));
        assert_eq!(
            killed.status.signal(),
            Some(9),
            "{point} was reached: {killed:?}"
        );
    }
    let verdicts = place.serve_once();
    assert_eq!(verdicts["alpha/sum/1"], "AC", "nobody is judged on them");
    for (number, point) in points.iter().enumerate() {
        let hack = listed(&place, &format!("hack/heavy{number}"));
        assert_eq!(hack["state"], "held back", "{point}: {hack}");
        let result = place.read(&format!("problems/sum/hacks/heavy{number}.in.result"));
        assert!(result.contains("is held back"), "{point}: {result}");
    }
    let log = place.read("staff/verdicts.jsonl");
    let told = log.matches("\"state\":\"held back\"").count();
    assert_eq!(told, points.len(), "{log}");
}

#[test]
fn submissions_are_judged_while_the_examples_run() {
    let place = with_example();
    let daemon = place.daemon();
    place.write("problems/sum/hacks/heavy.ans", "1000000000007\n");
    place.write("problems/sum/hacks/heavy.in", "7 1000000000000\n");
    place.write("submissions/alpha/sum.py", programs::PYTHON);
    // The verdict does not wait for the hack, and nobody is judged on it.
    assert_eq!(place.wait_for("alpha/sum/1"), "AC");
    wait_state(&place, "hack/heavy", "held back");
    assert_eq!(place.verdicts()["alpha/sum/1"], "AC");
    daemon.stop();
}

/// A problem whose accepted example is wrong on an input of one line, with a program that was
/// judged, and hacks that are proposed.
fn with_proposals(inputs: &[&str]) -> Place {
    let place = Place::new().only(&["python3"]);
    let count = "print(sum(1 for _ in open(0)))\n";
    let early = "lines = sum(1 for _ in open(0))\nprint(0 if lines == 1 else lines)\n";
    for (name, text) in [
        ("right.py", count),
        (
            "valid.py",
            "import sys\nsys.exit(42 if sys.stdin.read().strip() else 43)\n",
        ),
        ("submissions/accepted/early.py", early),
        ("data/sample/1.in", "a\nb\n"),
        (
            "problem.toml",
            "title = \"Quiz\"\nreference = \"right.py\"\nvalidator = \"valid.py\"\nprotocol = \"icpc\"\n",
        ),
    ] {
        place.write(&format!("problems/quiz/{name}"), text);
    }
    place.write("submissions/ada/quiz.py", early);
    assert_eq!(place.serve_once()["ada/quiz/1"], "AC");
    // As a daemon leaves them that has searched for long enough.
    let evidence = serde_json::json!({
        "input": "", "expected": "1\n", "printed": "0\n", "cells": null, "cases": 1,
        "is_carried_over": false, "found_by": "shrink", "witness": null,
    });
    let store = rusqlite::Connection::open(place.path("state/verdictd.db")).unwrap();
    let propose = "INSERT INTO proposals
         (problem, submission_id, input_digest, state, found_ms, verdict, evidence, input)
         SELECT 'quiz', id, randomblob(32), 'proposed', 0, 'WA', ?1, ?2 FROM submissions";
    for input in inputs {
        let row = (evidence.to_string(), input.as_bytes());
        store.execute(propose, row).unwrap();
    }
    place
}

/// The proposed hacks that wait, and the inputs in `hacks/`.
fn waiting_and_there(place: &Place) -> (usize, Vec<String>) {
    let entries = fs::read_dir(place.path("problems/quiz/hacks"));
    let entries = entries.into_iter().flatten();
    let paths = entries.map(|entry| entry.unwrap().path());
    let inputs = paths.filter(|path| path.extension().is_some_and(|ending| ending == "in"));
    let name = |path: std::path::PathBuf| path.file_name().unwrap().to_str().unwrap().to_owned();
    let mut inputs: Vec<String> = inputs.map(name).collect();
    inputs.sort();
    (count(place, "proposals WHERE state = 'proposed'"), inputs)
}

#[test]
fn a_proposed_hack_that_is_accepted_is_decided_even_if_it_is_then_held_back() {
    let place = with_proposals(&["x\n", "y\n"]);
    let listed = place.run(&["hack", "list", "--proposed"]);
    let listed = String::from_utf8(listed.stdout).unwrap();
    assert!(
        listed.contains("1 of quiz: WA, 2 bytes; breaks ")
            && listed.contains("verdictd hack accept 1, verdictd hack reject 1"),
        "{listed}"
    );
    // Without a daemon nobody can say yet what the examples make of it.
    let accepted = place.run(&["hack", "accept", "1"]);
    assert_eq!(accepted.status.code(), Some(0), "{accepted:?}");
    let said = String::from_utf8_lossy(&accepted.stderr);
    assert!(said.contains("no daemon is running"), "{said}");
    assert_eq!(waiting_and_there(&place), (1, vec!["found-1.in".into()]));

    let daemon = place.daemon();
    wait_state(&place, "hack/found-1", "held back");
    let accepted = place.run(&["hack", "accept", "2"]);
    let said = String::from_utf8_lossy(&accepted.stdout);
    assert_eq!(accepted.status.code(), Some(1), "{accepted:?}");
    assert!(said.contains("found-2.in is held back"), "{said}");
    let both = vec!["found-1.in".to_owned(), "found-2.in".to_owned()];
    assert_eq!(waiting_and_there(&place), (0, both.clone()));
    for number in ["1", "2"] {
        let again = place.run(&["hack", "accept", number]);
        let said = String::from_utf8_lossy(&again.stdout);
        assert_eq!(again.status.code(), Some(0), "{again:?}");
        assert!(said.contains("as it was before"), "{said}");
        let other = place.run(&["hack", "reject", number]);
        let said = String::from_utf8_lossy(&other.stderr);
        assert_eq!(other.status.code(), Some(2), "{other:?}");
        assert!(said.contains("was accepted before"), "{said}");
    }
    assert_eq!(waiting_and_there(&place), (0, both));
    daemon.stop();
}

#[test]
fn accepting_what_is_there_already_only_notes_it() {
    // The second has become a test by hand.
    let place = with_proposals(&["x\n", "y\nz\n"]);
    place.write("problems/quiz/data/secret/2.in", "y\nz\n");
    let mut there = Vec::new();
    if cfg!(debug_assertions) {
        let mut command = place.command(&["hack", "accept", "1"]);
        let killed = output(command.env("VERDICTD_CRASH_AT", "proposed hack added"));
        assert_eq!(killed.status.signal(), Some(9), "{killed:?}");
        there.push("found-1.in".to_owned());
        assert_eq!(waiting_and_there(&place), (2, there.clone()));
    } else {
        skipped("a release build cannot be killed while a proposed hack is accepted");
        place.run(&["hack", "reject", "1"]);
    }
    for number in ["1", "2"] {
        let accepted = place.run(&["hack", "accept", number, "--json"]);
        let is_other = number == "1" && !cfg!(debug_assertions);
        let code = if is_other { 2 } else { 0 };
        assert_eq!(accepted.status.code(), Some(code), "{accepted:?}");
    }
    assert_eq!(waiting_and_there(&place), (0, there));
}

#[test]
fn a_proposed_hack_that_is_refused_can_be_accepted_later() {
    let place = with_proposals(&["\n"]);
    let refused = place.run(&["hack", "accept", "1"]);
    let [said, advice] =
        [&refused.stdout, &refused.stderr].map(|text| String::from_utf8_lossy(text));
    assert_eq!(refused.status.code(), Some(1), "{refused:?}");
    assert!(said.starts_with("refused  hack 1: "), "{said}");
    assert!(advice.contains("verdictd hack accept 1;"), "{advice}");
    // The file that was checked is gone.
    assert!(
        !format!("{said}{advice}").contains("found-1"),
        "{said}{advice}"
    );
    assert_eq!(waiting_and_there(&place), (1, Vec::new()));
    place.write("problems/quiz/valid.py", "import sys\nsys.exit(42)\n");
    let accepted = place.run(&["hack", "accept", "1"]);
    assert_eq!(accepted.status.code(), Some(0), "{accepted:?}");
    assert_eq!(waiting_and_there(&place), (0, vec!["found-1.in".into()]));
}

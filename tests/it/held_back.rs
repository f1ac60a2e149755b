//! Hacks on which an accepted example of the package fails, through the real daemon: held back,
//! reported, remembered, forced.

use std::fs;

use crate::hacks::{FRAGILE, listed, wait_state};
use crate::idle::{ANYTHING, EARLY, quiz};
use crate::place::{Place, assert_has, flat, no_named_steps};
use crate::programs;
use crate::store::{Made, assert_only_new, count};

/// A package with an accepted example that is right, but exceeds the time limit if the sum
/// is large.
fn with_example() -> Place {
    let place = Place::new().only(&["lua", "python3"]);
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
    place.write("submissions/alpha/sum.lua", FRAGILE);
    place.write("submissions/beta/sum.py", programs::PYTHON);
    place.serve_once();
    let before = Made::so_far(&place);
    let daemon = place.daemon();
    place.write("heavy.in", "7 1000000000000\n");
    place.write("heavy.txt", "1000000000007\n");
    let told = place.says(1, "hack add sum heavy.in --answer heavy.txt", &[]);
    let words = "heavy.in is held back|\
        submissions/accepted/slow.py, which has to be accepted, fails on it: TLE|\
        0.40 s are allowed|verdictd hack add --force sum heavy.in";
    assert_has(&flat(&told), &[words]);
    let hack = listed(&place, "hack/heavy");
    assert_eq!(hack["state"], "held back");
    assert_has(hack["reason"].as_str().unwrap(), &["slow.py"]);
    assert_has(&told, &[&place.read("problems/sum/hacks/heavy.in.result")]);
    let log = "staff/verdicts.log";
    place.shows(log, "held back  \"submissions/accepted/slow.py");
    let log = place.read(log);
    let alpha = || place.verdicts()["alpha/sum/1"].clone();
    assert_eq!(alpha(), "AC", "nobody is judged on it");
    daemon.stop();

    // The answer is remembered: another start runs no example and reports nothing twice.
    assert_only_new(&place, &before, 1, 1, "the example alone was run");
    let asked = Made::so_far(&place);
    place.serve_once();
    assert_eq!(Made::so_far(&place), asked);
    assert_eq!(place.read("staff/verdicts.log"), log);

    let daemon = place.daemon();
    let force = "hack add --force sum heavy";
    place.says(0, force, &["1 failed, 1 passed"]);
    assert_eq!(alpha(), "WA");
    let again = place.run(&force.split(' ').collect::<Vec<_>>());
    let told = String::from_utf8_lossy(&again.stderr).into_owned();
    assert_has(&told, &["one of the tests already"]);
    // Without the `.force` file it is held back again.
    fs::remove_file(place.path("problems/sum/hacks/heavy.force")).unwrap();
    wait_state(&place, "hack/heavy", "held back");
    place.becomes("alpha/sum/1", "AC");
    place.says(0, "hack remove sum heavy", &[]);
    daemon.stop();
}

#[test]
fn a_daemon_killed_while_examples_run_holds_back_the_same_hacks() {
    if no_named_steps() {
        return;
    }
    let place = with_example();
    place.write("submissions/alpha/sum.lua", FRAGILE);
    place.serve_once();
    // A different hack for each kill; the example is built once, for the first.
    let points = "facts kept|run measured|example answered|hack recorded";
    let points: Vec<&str> = points.split('|').collect();
    for (number, point) in points.iter().enumerate() {
        let sum = 1_000_000_000_007_usize + number;
        let (input, answer) = (format!("7 {}\n", sum - 7), format!("{sum}\n"));
        place.add_hack(&format!("heavy{number}"), &input, &answer);
        place.kill_at(point, "serve --once");
    }
    let verdicts = place.serve_once();
    assert_eq!(verdicts["alpha/sum/1"], "AC", "nobody is judged on them");
    for (number, point) in points.iter().enumerate() {
        let hack = listed(&place, &format!("hack/heavy{number}"));
        assert_eq!(hack["state"], "held back", "{point}: {hack}");
        let result = place.read(&format!("problems/sum/hacks/heavy{number}.in.result"));
        assert_has(&result, &["is held back"]);
    }
    let log = place.read("staff/verdicts.jsonl");
    let told = log.matches("\"state\":\"held back\"").count();
    assert_eq!(told, points.len(), "{log}");
}

/// A problem whose accepted example is wrong on an input of one line, with a program that was
/// judged, and hacks that are proposed.
fn with_proposals(inputs: &[&str]) -> Place {
    let place = Place::new().only(&["python3"]);
    quiz(&place, ANYTHING, "");
    place.write("problems/quiz/data/sample/1.in", "a\nb\n");
    place.write("problems/quiz/submissions/accepted/early.py", EARLY);
    place.write("submissions/ada/quiz.py", EARLY);
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
    let shown = "1 of quiz: WA, 2 bytes; breaks |\
        verdictd hack accept 1, verdictd hack reject 1";
    place.says(0, "hack list --proposed", &[shown]);
    // Without a daemon nobody can say yet what the examples make of it.
    place.says(0, "hack accept 1", &["no daemon is running"]);
    assert_eq!(waiting_and_there(&place), (1, vec!["found-1.in".into()]));

    let daemon = place.daemon();
    wait_state(&place, "hack/found-1", "held back");
    place.says(1, "hack accept 2", &["found-2.in is held back"]);
    let both = vec!["found-1.in".to_owned(), "found-2.in".to_owned()];
    assert_eq!(waiting_and_there(&place), (0, both.clone()));
    for number in ["1", "2"] {
        place.says(0, &format!("hack accept {number}"), &["as it was before"]);
        let reject = format!("hack reject {number}");
        place.says(2, &reject, &["was accepted before"]);
    }
    assert_eq!(waiting_and_there(&place), (0, both));
    daemon.stop();
}

#[test]
fn what_is_there_already_is_noted_and_what_is_refused_can_be_accepted_later() {
    // The second has become a test by hand, and the validator refuses the third.
    let place = with_proposals(&["x\n", "y\nz\n", "\n"]);
    place.write("problems/quiz/data/secret/2.in", "y\nz\n");
    let refused = ["refused  hack 3: ", "verdictd hack accept 3;"];
    let told = place.says(1, "hack accept 3", &refused);
    // The file that was checked is gone.
    assert!(!told.contains("found-"), "{told}");
    assert_eq!(waiting_and_there(&place), (3, Vec::new()));
    if !no_named_steps() {
        place.kill_at("proposed hack added", "hack accept 1");
        assert_eq!(waiting_and_there(&place), (3, vec!["found-1.in".into()]));
    }
    place.says(0, "hack accept 1 --json", &[]);
    place.says(0, "hack accept 2 --json", &[]);
    let there = vec!["found-1.in".to_owned()];
    assert_eq!(waiting_and_there(&place), (1, there.clone()));
    place.write("problems/quiz/valid.py", "import sys\nsys.exit(42)\n");
    place.says(0, "hack accept 3", &[]);
    let there = [there, vec!["found-3.in".to_owned()]].concat();
    assert_eq!(waiting_and_there(&place), (0, there));
}

//! What the daemon finds out while nothing has to be judged.

use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;

use serde_json::Value;

use crate::place::{Place, output, wait_until};
use crate::skips::skipped;

/// One search at a time, each with little time.
const SHORT: &str = "cpu_s = 3.0\nhacks_cpu_s = 3.0";

/// A place whose only test of thegame lets wrong programs pass.
fn place(settings: &str) -> Place {
    let place = Place::new()
        .only(&["python3"])
        .with_problem("thegame")
        .with_searches(settings);
    let data = place.path("problems/thegame/data");
    std::fs::remove_dir_all(data.join("secret")).unwrap();
    for test in ["2", "3"] {
        for ending in ["in", "ans"] {
            std::fs::remove_file(data.join(format!("sample/{test}.{ending}"))).unwrap();
        }
    }
    place
}

/// One of thegame's example submissions.
fn example(name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let file = root.join("problems/thegame/submissions").join(name);
    std::fs::read_to_string(file).unwrap()
}

fn hand_in(place: &Place, student: &str, name: &str) {
    place.write(&format!("submissions/{student}/thegame.py"), example(name));
}

/// A student's report, once it has an explanation.
fn explained(place: &Place, student: &str) -> Value {
    let mut document = Value::Null;
    wait_until("an explanation", || {
        let file = place.path(&format!("reports/{student}/thegame/1.json"));
        let text = std::fs::read_to_string(file).unwrap_or_default();
        document = serde_json::from_str(&text).unwrap_or_default();
        document["explanation"].is_object()
    });
    document
}

/// What is proposed.
fn proposed(place: &Place) -> Vec<Value> {
    let output = place.run(&["hack", "list", "--proposed", "--json"]);
    let lines = String::from_utf8(output.stdout).unwrap();
    let lines = lines.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn a_report_tells_the_smallest_input_without_another_verdict() {
    let place = place(SHORT);
    hand_in(&place, "ada", "wrong_answer/trimmed_rows.py");
    let daemon = place.daemon();
    let document = explained(&place, "ada");
    let found = &document["explanation"]["counterexample"];
    assert_eq!(found["cells"], 4, "{found:#}");
    assert_ne!(found["expected"], found["printed"]);
    let html = place.path("reports/ada/thegame/1.html");
    wait_until("the page", || {
        let page = std::fs::read_to_string(&html).unwrap_or_default();
        page.contains("The smallest input found on which it fails: 4 cells")
    });
    let text = place.read("reports/ada/thegame/1.txt");
    assert!(text.contains("The smallest input found on which it fails: 4 cells"));
    assert!(text.contains("Why that is right"), "{text}");
    // Nothing has happened to the verdict.
    let log = place.read("staff/verdicts.jsonl");
    let lines = log
        .lines()
        .filter(|line| line.contains("\"verdict\":\"WA\""));
    assert_eq!(lines.count(), 1, "{log}");
    assert_eq!(document["history"].as_array().unwrap().len(), 0);
    daemon.stop();
}

#[test]
fn an_input_that_breaks_an_accepted_program_is_proposed_and_the_instructor_decides() {
    let place = place(SHORT);
    hand_in(&place, "ada", "wrong_answer/marked_in_queue.py");
    hand_in(&place, "bo", "wrong_answer/pe_two_blank_lines.py");
    let daemon = place.daemon();
    assert_eq!(place.wait_for("ada/thegame/1"), "AC");
    wait_until("both hacks", || proposed(&place).len() == 2);
    let status = place.run(&["status"]);
    let status = String::from_utf8(status.stdout).unwrap();
    assert!(status.contains("2 proposed hacks: "), "{status}");
    let all = proposed(&place);
    let of = |student: &str| {
        let mut all = all.iter();
        let one = all.find(|one| one["breaks"][0]["student"] == student);
        one.unwrap()["number"].to_string()
    };
    // None of it has changed a verdict.
    assert_eq!(place.verdicts()["ada/thegame/1"], "AC");
    assert_eq!(place.verdicts()["bo/thegame/1"], "AC");
    let accepted = place.run(&["hack", "accept", &of("ada")]);
    assert_eq!(accepted.status.code(), Some(0), "{accepted:?}");
    wait_until("the hack's effect", || {
        place.verdicts()["ada/thegame/1"] == "WA"
    });
    let rejected = place.run(&["hack", "reject", &of("bo")]);
    assert_eq!(rejected.status.code(), Some(0), "{rejected:?}");
    let again = place.run(&["hack", "accept", &of("bo")]);
    let words = String::from_utf8(again.stderr).unwrap();
    assert!(words.contains("was rejected before"), "{words}");
    assert!(proposed(&place).is_empty());
    daemon.stop();
    // Also where no daemon runs.
    assert!(proposed(&place).is_empty());
}

#[test]
fn what_breaks_a_later_program_is_tried_on_those_accepted_before() {
    let place = Place::new()
        .only(&["python3"])
        .with_searches("cpu_s = 3.0\nhacks_cpu_s = 1.0");
    std::fs::remove_dir_all(place.path("problems/sum")).unwrap();
    place.write(
        "problems/quiz/problem.toml",
        "title = \"Quiz\"\nreference = \"right.py\"\nvalidator = \"valid.py\"\nprotocol = \"icpc\"\n",
    );
    place.write("problems/quiz/right.py", "print(sum(1 for _ in open(0)))\n");
    let valid = "import sys\nsys.exit(42 if sys.stdin.read().strip() else 43)\n";
    place.write("problems/quiz/valid.py", valid);
    place.write("problems/quiz/data/sample/1.in", "a\nb\nc\nd\ne\nf\ng\nh\n");
    // Wrong on a single line: no test that is changed in one step has so few.
    let early = "lines = sum(1 for _ in open(0))\nprint(0 if lines == 1 else lines)\n";
    place.write("submissions/ada/quiz.py", early);
    let daemon = place.daemon();
    assert_eq!(place.wait_for("ada/quiz/1"), "AC");
    // What strength counts is what has ended.
    wait_until("the end of the search", || {
        let store = rusqlite::Connection::open(place.path("state/verdictd.db")).unwrap();
        let ended = "SELECT count(*) FROM searches WHERE tried_to = 0";
        let ended: i64 = store.query_row(ended, [], |row| row.get(0)).unwrap();
        ended == 1
    });
    assert!(proposed(&place).is_empty());
    place.write("submissions/bo/quiz.py", "print(-1)\n");
    assert_eq!(place.wait_for("bo/quiz/1"), "WA");
    wait_until("the hack", || !proposed(&place).is_empty());
    let all = proposed(&place);
    assert_eq!(all.len(), 1, "{all:#?}");
    assert_eq!(all[0]["breaks"][0]["student"], "ada", "{all:#?}");
    // On demand as well.
    let of_submission = place.run(&["explain", "ada/quiz", "--json"]);
    assert_eq!(of_submission.status.code(), Some(1));
    let object: Value = serde_json::from_slice(&of_submission.stdout).unwrap();
    assert_eq!(object["verdict"], "AC");
    assert_eq!(object["hack_search"]["verdict"], "WA");
    assert!(object["counterexample"].is_object(), "{object:#}");
    let rejected = place.run(&["hack", "reject", &all[0]["number"].to_string()]);
    assert_eq!(rejected.status.code(), Some(0), "{rejected:?}");
    let strength = place.run(&["strength", "quiz", "--json", "--hacks-cpu-s", "0"]);
    let object: Value = serde_json::from_slice(&strength.stdout).unwrap();
    let of_course = serde_json::json!({
        "attacked": 1, "found": 1, "accepted": 0, "rejected": 1, "waiting": 0,
    });
    assert_eq!(object["hack_search"]["course"], of_course);
    daemon.stop();
}

#[test]
fn what_found_no_room_among_the_proposals_is_proposed_after_a_decision() {
    let place = place("cpu_s = 3.0\nhacks_cpu_s = 1.0");
    hand_in(&place, "ada", "wrong_answer/marked_in_queue.py");
    assert_eq!(place.serve_once()["ada/thegame/1"], "AC");
    // As many of one student wait as may.
    let store = rusqlite::Connection::open(place.path("state/verdictd.db")).unwrap();
    let evidence = r#"{"input": "", "expected": "", "printed": "", "cells": null, "cases": 1,
        "is_carried_over": false, "found_by": "test", "witness": null}"#;
    for number in 0..3_u8 {
        store
            .execute(
                "INSERT INTO proposals (problem, submission_id, input_digest, state, found_ms,
                     verdict, evidence, input)
                 VALUES ('thegame', 1, ?1, 'proposed', 0, 'WA', ?2, x'00')",
                rusqlite::params![vec![number; 32], evidence],
            )
            .unwrap();
    }
    drop(store);
    let mut command = place.command(&["serve"]);
    command.env("RUST_LOG", "verdictd::daemon::search=info");
    let daemon = Place::started(command);
    wait_until("a hack that finds no room", || {
        let said = daemon.said();
        let words = "an input breaks an accepted program";
        said.iter().any(|line| line.contains(words))
    });
    assert_eq!(proposed(&place).len(), 3);
    let status = place.run(&["status"]);
    let status = String::from_utf8(status.stdout).unwrap();
    let words = "1 accepted program more can be broken, and no hack is proposed until you decide on others: 1 of students with 3 proposed hacks for the problem";
    assert!(status.contains(words), "{status}");
    let first = proposed(&place)[0]["number"].to_string();
    let rejected = place.run(&["hack", "reject", &first]);
    assert_eq!(rejected.status.code(), Some(0), "{rejected:?}");
    let mut all = Vec::new();
    wait_until("the hack that found no room", || {
        all = proposed(&place);
        all.len() == 3
    });
    assert_eq!(all[2]["breaks"][0]["student"], "ada", "{:#}", all[2]);
    daemon.stop();
}

#[test]
fn work_that_comes_and_the_end_do_not_wait_for_a_search() {
    let place = place("cpu_s = 3.0\nhacks_cpu_s = 3600");
    hand_in(&place, "ada", "accepted/slides.py");
    let mut command = place.command(&["serve"]);
    command.env("RUST_LOG", "verdictd::daemon::search=info");
    let daemon = Place::started(command);
    let begun = |times: usize| {
        wait_until("a search that has no end", || {
            let said = daemon.said();
            let begun = said.iter().filter(|line| line.contains("search begins"));
            begun.count() >= times
        });
    };
    assert_eq!(place.wait_for("ada/thegame/1"), "AC");
    begun(1);
    hand_in(&place, "bo", "accepted/zero_one.py");
    assert_eq!(place.wait_for("bo/thegame/1"), "AC");
    begun(2);
    assert_eq!(daemon.stop().code, Some(0));
}

#[test]
fn a_daemon_killed_while_it_searches_loses_only_the_search() {
    if !cfg!(debug_assertions) {
        skipped("a release build cannot be killed at a named step");
        return;
    }
    let place = place(SHORT);
    hand_in(&place, "ada", "wrong_answer/trimmed_rows.py");
    hand_in(&place, "bo", "wrong_answer/marked_in_queue.py");
    for point in [
        "explained",
        "explanation kept",
        "hack found",
        "hack proposed",
    ] {
        let mut command = place.command(&["serve"]);
        let killed = output(command.env("VERDICTD_CRASH_AT", point));
        assert_eq!(killed.status.signal(), Some(9), "{point} was reached");
    }
    let daemon = place.daemon();
    let document = explained(&place, "ada");
    assert_eq!(document["verdict"], "WA");
    wait_until("the hack", || proposed(&place).len() == 1);
    let verdicts = place.verdicts();
    assert_eq!(verdicts["ada/thegame/1"], "WA");
    assert_eq!(verdicts["bo/thegame/1"], "AC");
    daemon.stop();
}

#[test]
fn students_see_it_when_the_instructor_says_so() {
    let settings = [
        ("never", false),
        ("after 1 attempts", true),
        ("after 2 attempts", false),
        ("after the deadline", false),
    ];
    let place = place(SHORT);
    let game = "problems/thegame/data/sample/1";
    let [input, answer] = ["in", "ans"].map(|ending| place.read(&format!("{game}.{ending}")));
    for (number, (setting, _)) in settings.iter().enumerate() {
        let problem = format!("problems/game{number}");
        place.write(
            &format!("{problem}/problem.toml"),
            format!(
                "title = \"Game\"\nreference = \"thegame\"\n\
                 [disclosure]\nsample = \"verdict-only\"\ncounterexample = \"{setting}\"\n"
            ),
        );
        place.write(&format!("{problem}/data/sample/1.in"), &input);
        place.write(&format!("{problem}/data/sample/1.ans"), &answer);
        let program = example("wrong_answer/trimmed_rows.py");
        place.write(&format!("submissions/ada/game{number}.py"), program);
    }
    let daemon = place.daemon();
    for (number, (setting, is_seen)) in settings.into_iter().enumerate() {
        let file = |folder: &str| place.path(&format!("{folder}/ada/game{number}/1.json"));
        let found = "\"counterexample\": {";
        wait_until("the staff's report", || {
            let text = std::fs::read_to_string(file("staff")).unwrap_or_default();
            text.contains(found)
        });
        let report = std::fs::read_to_string(file("reports")).unwrap();
        assert_eq!(report.contains(found), is_seen, "{setting}");
        let told = format!("such inputs are shown {setting}");
        let is_told = !is_seen && setting != "never";
        assert_eq!(report.contains(&told), is_told, "{setting}");
    }
    daemon.stop();
}

#[test]
fn a_hidden_test_that_was_only_made_shorter_is_hidden_too() {
    let place = Place::new().only(&["python3"]).with_searches(SHORT);
    std::fs::remove_dir_all(place.path("problems/sum")).unwrap();
    place.write(
        "problems/quiz/problem.toml",
        "title = \"Quiz\"\nreference = \"right.py\"\nvalidator = \"valid.py\"\nprotocol = \"icpc\"\n\
         [disclosure]\nsecret = \"verdict-only\"\n",
    );
    place.write("problems/quiz/right.py", "print(sum(1 for _ in open(0)))\n");
    let valid = "import sys\nmarked = [line.startswith('mark-') for line in sys.stdin]\n\
                 sys.exit(42 if all(marked) else 43)\n";
    place.write("problems/quiz/valid.py", valid);
    place.write("problems/quiz/data/sample/1.in", "mark-0\n");
    place.write(
        "problems/quiz/data/secret/2.in",
        "mark-1\nmark-2\nmark-3\nmark-4\n",
    );
    // Wrong as soon as there are two lines.
    place.write("submissions/ada/quiz.py", "input()\nprint(1)\n");
    let daemon = place.daemon();
    let staff = place.path("staff/ada/quiz/1.json");
    let mut found = Value::Null;
    wait_until("the staff's report", || {
        let text = std::fs::read_to_string(&staff).unwrap_or_default();
        let document: Value = serde_json::from_str(&text).unwrap_or_default();
        found = document["explanation"]["counterexample"].clone();
        found.is_object()
    });
    assert_eq!(found["found_by"], "shrink", "{found:#}");
    let input = found["input"].as_str().unwrap();
    assert!(
        input.contains("mark-") && input.lines().count() == 2,
        "{input}"
    );
    daemon.stop();
    for (name, text) in crate::crash::tree(&place.path("reports")) {
        assert!(!text.contains("mark-"), "{name}: {text}");
    }
}

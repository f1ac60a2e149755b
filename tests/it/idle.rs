//! What the daemon finds out while nothing has to be judged.

use serde_json::Value;

use crate::place::{Place, assert_has, no_named_steps, shipped, wait_until};

fn hand_in(place: &Place, student: &str, example: &str) {
    let program = shipped(&format!("problems/thegame/submissions/{example}"));
    let ending = example.rsplit('.').next().unwrap();
    place.write(&format!("submissions/{student}/thegame.{ending}"), program);
}

/// A student's report, once it has an explanation.
fn explained(place: &Place, student: &str) -> Value {
    let mut document = Value::Null;
    wait_until("an explanation", || {
        document = place.json(&format!("reports/{student}/thegame/1.json"));
        document["explanation"].is_object()
    });
    document
}

/// What is proposed.
fn proposed(place: &Place) -> Vec<Value> {
    place.objects("hack list --proposed --json")
}

#[test]
fn a_report_tells_the_smallest_input_without_another_verdict() {
    let place = Place::new().only(&["c", "python3"]);
    let place = place.with_searches("cpu_s = 3.0\nhacks_cpu_s = 3.0");
    place.add_game("thegame", "");
    let manifest = "problems/thegame/problem.toml";
    place.write(manifest, shipped(manifest));
    hand_in(&place, "ada", "wrong_answer/swapped_coordinates.c");
    hand_in(&place, "bo", "wrong_answer/marked_in_queue.py");
    hand_in(&place, "cy", "wrong_answer/pe_two_blank_lines.py");
    // A daemon that is killed while it searches loses only the search.
    if !no_named_steps() {
        for point in "explained|explanation kept|hack found|hack proposed".split('|') {
            place.kill_at(point, "serve");
        }
    }
    let daemon = place.daemon();
    let document = explained(&place, "ada");
    let found = &document["explanation"]["counterexample"];
    assert_eq!(found["cells"], 3, "{found:#}");
    assert_ne!(found["expected"], found["printed"]);
    let words = "The smallest input found on which it fails: 3 cells";
    place.shows("reports/ada/thegame/1.html", words);
    let text = place.read("reports/ada/thegame/1.txt");
    assert_has(&text, &[words, "Why that is right"]);
    // Nothing has happened to the verdict.
    let log = place.read("staff/verdicts.jsonl");
    assert_eq!(log.matches("\"verdict\":\"WA\"").count(), 1, "{log}");
    assert_eq!(document["history"].as_array().unwrap().len(), 0);
    what_breaks_an_accepted_program_is_proposed(&place);
    daemon.stop();
    // Also where no daemon runs.
    assert!(proposed(&place).is_empty());
}

/// The instructor decides, and nothing else changes a verdict.
fn what_breaks_an_accepted_program_is_proposed(place: &Place) {
    wait_until("both hacks", || proposed(place).len() == 2);
    place.says(0, "status", &["2 proposed hacks: "]);
    let all = proposed(place);
    let of = |student: &str| {
        let mut all = all.iter();
        let one = all.find(|one| one["breaks"][0]["student"] == student);
        one.unwrap()["number"].to_string()
    };
    for student in ["bo", "cy"] {
        assert_eq!(place.verdicts()[&format!("{student}/thegame/1")], "AC");
    }
    place.says(0, &format!("hack accept {}", of("bo")), &[]);
    place.becomes("bo/thegame/1", "WA");
    place.says(0, &format!("hack reject {}", of("cy")), &[]);
    let again = format!("hack accept {}", of("cy"));
    place.says(2, &again, &["was rejected before"]);
    assert!(proposed(place).is_empty());
}

/// A problem of counting lines, with a validator.
pub fn quiz(place: &Place, valid: &str, more: &str) {
    place.write(
        "problems/quiz/problem.toml",
        format!(
            "title = \"Quiz\"\nreference = \"right.py\"\nvalidator = \"valid.py\"\n\
             protocol = \"icpc\"\n{more}"
        ),
    );
    place.write("problems/quiz/right.py", "print(sum(1 for _ in open(0)))\n");
    place.write("problems/quiz/valid.py", valid);
}

/// A validator that refuses nothing but an empty input.
pub const ANYTHING: &str = "import sys\nsys.exit(42 if sys.stdin.read().strip() else 43)\n";

/// A program for it that is wrong on a single line.
pub const EARLY: &str = "lines = sum(1 for _ in open(0))\nprint(0 if lines == 1 else lines)\n";

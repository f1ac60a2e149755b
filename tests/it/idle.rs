//! What the daemon finds out while nothing has to be judged.

use std::path::Path;

use serde_json::{Value, json};

use crate::place::{Daemon, Place, assert_has, no_named_steps, wait_until};
use crate::store::count;

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
    place.objects("hack list --proposed --json")
}

/// A daemon that says when it searches.
fn searching(place: &Place) -> Daemon {
    let mut command = place.command(&["serve"]);
    command.env("RUST_LOG", "verdictd::daemon::search=info");
    Daemon::start(command)
}

#[test]
fn a_report_tells_the_smallest_input_without_another_verdict() {
    let place = place(SHORT);
    hand_in(&place, "ada", "wrong_answer/trimmed_rows.py");
    hand_in(&place, "bo", "wrong_answer/marked_in_queue.py");
    hand_in(&place, "cy", "wrong_answer/pe_two_blank_lines.py");
    // A daemon that is killed while it searches loses only the search.
    if !no_named_steps() {
        for point in [
            "explained",
            "explanation kept",
            "hack found",
            "hack proposed",
        ] {
            place.kill_at(point, "serve");
        }
    }
    let daemon = place.daemon();
    let document = explained(&place, "ada");
    let found = &document["explanation"]["counterexample"];
    assert_eq!(found["cells"], 4, "{found:#}");
    assert_ne!(found["expected"], found["printed"]);
    let html = place.path("reports/ada/thegame/1.html");
    let words = "The smallest input found on which it fails: 4 cells";
    wait_until("the page", || {
        let page = std::fs::read_to_string(&html).unwrap_or_default();
        page.contains(words)
    });
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

#[test]
fn what_breaks_a_later_program_is_tried_on_those_accepted_before() {
    let place = Place::new()
        .only(&["python3"])
        .with_searches("cpu_s = 3.0\nhacks_cpu_s = 1.0");
    quiz(&place, ANYTHING, "");
    place.write("problems/quiz/data/sample/1.in", "a\nb\nc\nd\ne\nf\ng\nh\n");
    // No test that is changed in one step has so few lines.
    place.write("submissions/ada/quiz.py", EARLY);
    let daemon = place.daemon();
    assert_eq!(place.wait_for("ada/quiz/1"), "AC");
    // What strength counts is what has ended.
    wait_until("the end of the search", || {
        count(&place, "searches WHERE tried_to = 0") == 1
    });
    assert!(proposed(&place).is_empty());
    place.write("submissions/bo/quiz.py", "print(-1)\n");
    assert_eq!(place.wait_for("bo/quiz/1"), "WA");
    wait_until("the hack", || !proposed(&place).is_empty());
    let all = proposed(&place);
    assert_eq!(all.len(), 1, "{all:#?}");
    assert_eq!(all[0]["breaks"][0]["student"], "ada", "{all:#?}");
    // On demand as well.
    let object = &place.objects("explain ada/quiz --json")[0];
    assert_eq!(object["verdict"], "AC");
    assert_eq!(object["hack_search"]["verdict"], "WA");
    assert!(object["counterexample"].is_object(), "{object:#}");
    place.says(0, &format!("hack reject {}", all[0]["number"]), &[]);
    let object = &place.objects("strength quiz --json --hacks-cpu-s 0")[0];
    let of_course = json!({
        "attacked": 1, "found": 1, "accepted": 0, "rejected": 1, "waiting": 0,
    });
    assert_eq!(object["hack_search"]["course"], of_course);
    daemon.stop();
}

#[test]
fn work_that_comes_and_the_end_do_not_wait_for_a_search() {
    let place = place("cpu_s = 3.0\nhacks_cpu_s = 3600");
    hand_in(&place, "ada", "accepted/slides.py");
    let daemon = searching(&place);
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
fn a_hidden_test_that_was_only_made_shorter_is_hidden_too() {
    let place = Place::new().only(&["python3"]).with_searches(SHORT);
    let valid = "import sys\nmarked = [line.startswith('mark-') for line in sys.stdin]\n\
                 sys.exit(42 if all(marked) else 43)\n";
    quiz(&place, valid, "[disclosure]\nsecret = \"verdict-only\"\n");
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

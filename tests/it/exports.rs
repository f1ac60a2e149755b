//! The exports of a course, from the real binary: grade book, results.xml, event feed, Gradescope's
//! results.

use crate::book::book;
use crate::place::{Place, assert_has, rounds, wait_until};
use crate::programs;

/// A place with a roster.
fn course() -> Place {
    let place = Place::new().only(&["python3"]);
    place.configure("[overview]\nroster = \"roster.csv\"\nunknown_students = \"accept\"\n");
    place.write(
        "roster.csv",
        "student,last_name,section\nzoe,Z,1\nbeta,B,2\n",
    );
    place
}

fn students(place: &Place) -> Vec<String> {
    book(place)
        .iter()
        .map(|row| row["student"].clone())
        .collect()
}

#[test]
fn everything_is_there_after_one_run_and_the_same_after_the_next() {
    let place = course().with_fixture("anyorder");
    let checker = "problems/anyorder/output_validator/check.py";
    let good = place.read(checker);
    let failing = "import sys\nsys.exit(42 if sys.stdin.read().split() else 1)\n";
    place.write(checker, failing);
    place.write("submissions/alpha/anyorder.py", "input()\n");
    place.write("submissions/alpha/sum.py", programs::PYTHON);
    place.write("submissions/beta/sum.py", "print(3)\n");
    place.says(3, "serve --once", &[]);
    let results = || place.read("staff/results.xml");
    assert_has(&results(), &["type=\"JE\"", "checker of anyorder"]);
    // A verdict replaces what could not be judged.
    place.write(checker, good);
    assert_eq!(place.serve_once()["alpha/anyorder/1"], "WA");
    assert!(!results().contains("JE"));

    assert_eq!(students(&place), ["zoe", "beta", "alpha"]);
    let rows = book(&place);
    assert_eq!(rows[2]["sum verdict"], "AC");
    let cells = |row: usize, names: [&str; 2]| names.map(|name| rows[row][name].clone());
    assert_eq!(cells(2, ["score", "max_score"]), ["1", "2"]);
    assert_eq!(cells(1, ["sum verdict", "section"]), ["WA", "2"]);
    let feed = place.read("staff/event-feed.ndjson");
    assert!(feed.lines().count() > 20, "{feed}");
    for folder in ["staff", "reports"] {
        let value = place.json(&format!("{folder}/alpha/sum/1.gradescope.json"));
        assert_eq!(value["score"], 1);
        assert_eq!(value["tests"][0]["status"], "passed");
    }
    let hidden = place.read("reports/beta/sum/1.gradescope.json");
    assert!(hidden.contains("secret/"), "{hidden}");
    comes_back(&place);
}

/// The files that follow the store.
fn exported(place: &Place) -> [String; 3] {
    ["gradebook.csv", "results.xml", "event-feed.ndjson"]
        .map(|name| place.read(&format!("staff/{name}")))
}

/// A second run changes nothing, and restores what was removed or truncated.
fn comes_back(place: &Place) {
    let before = exported(place);
    place.serve_once();
    assert_eq!(exported(place), before);
    // Removed files come back, and a truncated feed continues after its last whole line.
    let remove = |name: &str| std::fs::remove_file(place.path(&format!("staff/{name}"))).unwrap();
    remove("gradebook.csv");
    remove("results.xml");
    let torn = &before[2][..before[2].len() - 20];
    place.write("staff/event-feed.ndjson", torn);
    place.serve_once();
    assert_eq!(exported(place), before);
    // And all of it is made again from the store.
    for name in ["gradebook.csv", "results.xml", "event-feed.ndjson"] {
        remove(name);
    }
    place.says(0, "report --rebuild", &[]);
    assert_eq!(exported(place), before);
}

#[test]
fn a_broken_roster_stops_no_grading_and_is_read_again_on_a_reload() {
    let place = course();
    place.write("roster.csv", "name\nzoe\n");
    let mistake = "roster.csv:1: no column is called `student`";
    // Also where there is nothing to judge.
    for _ in 0..rounds(2, 100) {
        place.says(0, "serve --once", &[mistake]);
    }
    place.write("submissions/alpha/sum.py", programs::PYTHON);
    place.says(0, "serve --once", &[mistake]);
    assert_eq!(place.verdicts()["alpha/sum/1"], "AC");
    assert_eq!(students(&place), ["alpha"]);
    place.says(0, "status", &["no column is called `student`"]);

    let daemon = place.daemon();
    place.write("roster.csv", "student\nzoe\nalpha\n");
    daemon.signal("HUP");
    wait_until("the grade book with the roster", || {
        students(&place) == ["zoe", "alpha"]
    });
    // Every thread has read it.
    daemon.wait_to_say("ready:");
    // If it has a mistake, the previous roster stays.
    place.write("roster.csv", "student\nzoe\nzoe\n");
    daemon.signal("HUP");
    place.write("submissions/beta/sum.py", programs::PYTHON);
    wait_until("beta's row", || {
        students(&place) == ["zoe", "alpha", "beta"]
    });
    let said = daemon.stop().said.join("\n");
    assert_has(&said, &["roster.csv:3: \"zoe\" is in line 2 already"]);
}

//! The exports of a course, from the real binary: grade book, results.xml, event feed, Gradescope's
//! results.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::place::{Place, rounds, wait_until};
use crate::programs;

/// A place with a roster.
fn course() -> Place {
    let place = Place::new().only(&["python3"]);
    let config = place.read("config.toml");
    place.write(
        "config.toml",
        format!("{config}\n[overview]\nroster = \"roster.csv\"\nunknown_students = \"accept\"\n"),
    );
    place.write(
        "roster.csv",
        "student,last_name,section\nzoe,Z,1\nbeta,B,2\n",
    );
    place
}

/// The grade book's rows, by column.
fn book(place: &Place) -> Vec<BTreeMap<String, String>> {
    let text = place.read("staff/gradebook.csv");
    let mut reader = csv::Reader::from_reader(text.trim_start_matches('\u{FEFF}').as_bytes());
    let names: Vec<String> = reader
        .headers()
        .unwrap()
        .iter()
        .map(str::to_owned)
        .collect();
    let row = |record: csv::StringRecord| {
        let cells = record.iter().map(str::to_owned);
        names.iter().cloned().zip(cells).collect()
    };
    reader
        .records()
        .map(|record| row(record.unwrap()))
        .collect()
}

fn students(place: &Place) -> Vec<String> {
    book(place)
        .iter()
        .map(|row| row["student"].clone())
        .collect()
}

/// The latest state of the feed's objects, and how many lines it has.
fn feed(place: &Place) -> (BTreeMap<(String, String), Value>, usize) {
    let text = place.read("staff/event-feed.ndjson");
    let mut objects = BTreeMap::new();
    for line in text.lines() {
        let mut value: Value = serde_json::from_str(line).unwrap();
        let word = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
        objects.insert((word("type"), word("id")), value["data"].take());
    }
    (objects, text.lines().count())
}

#[test]
fn everything_is_there_after_one_run_and_the_same_after_the_next() {
    let place = course();
    place.write("submissions/alpha/sum.py", programs::PYTHON);
    place.write("submissions/beta/sum.py", "print(3)\n");
    place.serve_once();
    assert_eq!(students(&place), ["zoe", "beta", "alpha"]);
    let rows = book(&place);
    assert_eq!(rows[2]["sum verdict"], "AC");
    assert_eq!(
        (&rows[2]["score"], &rows[2]["max_score"]),
        (&"1".into(), &"1".into())
    );
    assert_eq!(
        (&rows[1]["sum verdict"][..], &rows[1]["section"][..]),
        ("WA", "2")
    );

    let results = place.read("staff/results.xml");
    let xml = roxmltree::Document::parse(&results).unwrap();
    let cases = |name: &str| {
        let of = |node: &roxmltree::Node| node.attribute("classname") == Some(name);
        xml.descendants().filter(of).count()
    };
    assert_eq!((cases("alpha"), cases("beta")), (3, 3));
    assert_eq!(xml.root_element().attribute("failures"), Some("1"));

    let (objects, lines) = feed(&place);
    let object = |kind: &str, id: &str| &objects[&(kind.to_owned(), id.to_owned())];
    assert_eq!(object("problems", "sum")["name"], "Sum");
    assert_eq!(object("problems", "sum")["time_limit"], 1.0);
    assert_eq!(object("languages", "python3")["extensions"][0], "py");
    let verdicts: BTreeMap<&str, &str> = objects
        .iter()
        .filter(|((kind, _), _)| kind == "judgements")
        .map(|(_, data)| {
            let submission = data["submission_id"].as_str().unwrap();
            let team = object("submissions", submission)["team_id"]
                .as_str()
                .unwrap();
            (team, data["judgement_type_id"].as_str().unwrap())
        })
        .collect();
    assert_eq!(verdicts, BTreeMap::from([("alpha", "AC"), ("beta", "WA")]));

    let whole = "staff/alpha/sum/1.gradescope.json";
    for name in [whole, "reports/alpha/sum/1.gradescope.json"] {
        let value: Value = serde_json::from_str(&place.read(name)).unwrap();
        assert_eq!(
            (&value["score"], &value["tests"][0]["status"]),
            (&1.into(), &"passed".into())
        );
    }
    let hidden = place.read("reports/beta/sum/1.gradescope.json");
    assert!(hidden.contains("secret/"), "{hidden}");

    assert!(lines > 20);
    comes_back(&place);
}

#[test]
fn what_could_not_be_judged_is_an_error_in_the_results() {
    let place = Place::new().only(&["python3"]).with_fixture("anyorder");
    let checker = "problems/anyorder/output_validator/check.py";
    let good = place.read(checker);
    place.write(
        checker,
        "import sys\nsys.exit(42 if sys.stdin.read().split() else 1)\n",
    );
    place.write("submissions/alpha/anyorder.py", "input()\n");
    let output = place.run(&["serve", "--once"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(place.verdicts().is_empty(), "{said}");
    let results = || place.read("staff/results.xml");
    let told = results();
    assert!(told.contains("type=\"JE\""), "{told}");
    assert!(told.contains("checker of anyorder"), "{told}");
    // A verdict replaces the error.
    place.write(checker, good);
    assert_eq!(place.serve_once()["alpha/anyorder/1"], "WA");
    assert!(!results().contains("JE"), "{}", results());
}

#[test]
fn a_rebuild_handles_packages_with_programs_of_their_own() {
    let place = Place::new().only(&["python3"]).with_fixture("anyorder");
    place.write("submissions/alpha/sum.py", programs::PYTHON);
    place.serve_once();
    let read = ["gradebook.csv", "event-feed.ndjson"];
    let before = read.map(|name| place.read(&format!("staff/{name}")));
    assert!(before[0].contains("anyorder verdict"), "{}", before[0]);
    for name in read {
        std::fs::remove_file(place.path(&format!("staff/{name}"))).unwrap();
    }
    let output = place.run(&["report", "--rebuild"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(
        read.map(|name| place.read(&format!("staff/{name}"))),
        before
    );
}

/// A second run changes nothing, and restores what was removed or truncated.
fn comes_back(place: &Place) {
    let read = ["gradebook.csv", "results.xml", "event-feed.ndjson"];
    let before = read.map(|name| place.read(&format!("staff/{name}")));
    place.serve_once();
    assert_eq!(
        read.map(|name| place.read(&format!("staff/{name}"))),
        before
    );
    // Removed files come back, and a truncated feed continues after its last whole line.
    std::fs::remove_file(place.path("staff/gradebook.csv")).unwrap();
    std::fs::remove_file(place.path("staff/results.xml")).unwrap();
    let torn = &before[2][..before[2].len() - 20];
    place.write("staff/event-feed.ndjson", torn);
    place.serve_once();
    assert_eq!(
        read.map(|name| place.read(&format!("staff/{name}"))),
        before
    );
    // And all of it is made again from the store.
    for name in read {
        std::fs::remove_file(place.path(&format!("staff/{name}"))).unwrap();
    }
    assert!(place.run(&["report", "--rebuild"]).status.success());
    assert_eq!(
        read.map(|name| place.read(&format!("staff/{name}"))),
        before
    );
}

#[test]
fn a_broken_roster_stops_no_grading_and_is_read_again_on_a_reload() {
    let place = course();
    place.write("roster.csv", "name\nzoe\n");
    place.write("submissions/alpha/sum.py", programs::PYTHON);
    let output = place.run(&["serve", "--once"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        said.contains("roster.csv:1: no column is called `student`"),
        "{said}"
    );
    assert_eq!(place.verdicts()["alpha/sum/1"], "AC");
    assert_eq!(students(&place), ["alpha"]);
    let status = place.run(&["status"]);
    let shown = String::from_utf8_lossy(&status.stdout).into_owned();
    assert!(shown.contains("no column is called `student`"), "{shown}");

    let daemon = place.daemon();
    place.write("roster.csv", "student\nzoe\nalpha\n");
    daemon.signal("HUP");
    wait_until("the grade book with the roster", || {
        students(&place) == ["zoe", "alpha"]
    });
    // Every thread has read it.
    wait_until("the daemon to be ready again", || {
        daemon.said().iter().any(|line| line.starts_with("ready:"))
    });
    // If it has a mistake, the previous roster stays.
    place.write("roster.csv", "student\nzoe\nzoe\n");
    daemon.signal("HUP");
    place.write("submissions/beta/sum.py", programs::PYTHON);
    wait_until("beta's row", || {
        students(&place) == ["zoe", "alpha", "beta"]
    });
    let said = daemon.stop().said.join("\n");
    assert!(
        said.contains("roster.csv:3: \"zoe\" is in line 2 already"),
        "{said}"
    );
}

#[test]
fn a_daemon_with_nothing_to_judge_still_says_that_the_roster_is_broken() {
    let place = course();
    place.write("roster.csv", "name\nzoe\n");
    for _ in 0..rounds(5, 100) {
        let output = place.run(&["serve", "--once"]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            said.contains("roster.csv:1: no column is called `student`"),
            "{said}"
        );
    }
}

//! Who sees the smallest input on which a program fails, when, and how.

use std::path::Path;

use serde_json::Value;

use crate::place::{Place, assert_has, wait_until};
use crate::programs;
use crate::store::count;

/// No more than that is needed to fail.
const WRONG: &str = "print(7)\n";

/// A place with searches that break no accepted program.
fn place() -> Place {
    Place::new()
        .only(&["python3"])
        .with_searches("cpu_s = 2.0\nhacks_cpu_s = 0.0")
}

/// A problem with thegame's reference and one of its samples.
fn game(place: &Place, slug: &str, counterexample: &str) {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("problems/thegame/data/sample");
    for ending in ["in", "ans"] {
        let text = std::fs::read_to_string(samples.join(format!("1.{ending}"))).unwrap();
        place.write(&format!("problems/{slug}/data/sample/1.{ending}"), text);
    }
    place.write(
        &format!("problems/{slug}/problem.toml"),
        format!(
            "title = \"Game\"\nreference = \"thegame\"\n\
             [disclosure]\ncounterexample = \"{counterexample}\"\n"
        ),
    );
}

fn course(place: &Place, due: &str) {
    place.write(
        "course.toml",
        format!("[[assignments]]\nname = \"first\"\ndue = \"{due}\"\npoints = {{ later = 10 }}\n"),
    );
}

/// A report in one of the folders, as it is now.
fn report(place: &Place, file: &str) -> Value {
    let text = std::fs::read_to_string(place.path(file)).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

fn has_smallest(document: &Value) -> bool {
    document["explanation"]["counterexample"].is_object()
}

/// What of a report the search may not change: its verdict, when that was, and its runs.
fn judged(document: &Value) -> [&Value; 4] {
    ["verdict", "judged_at", "history", "tests"].map(|key| &document[key])
}

/// How many runs the store knows, and how many verdicts were announced about one student.
fn runs_and_verdicts(place: &Place, student: &str) -> (usize, usize) {
    let log = place.read("staff/verdicts.jsonl");
    let of_student = format!("\"student\":\"{student}\"");
    let lines = log.lines().filter(|line| line.contains(&of_student));
    (count(place, "runs"), lines.count())
}

#[test]
fn students_see_it_once_the_deadline_is_over_or_with_a_later_attempt() {
    let place = place();
    game(&place, "later", "after the deadline");
    game(&place, "twice", "after 2 attempts");
    game(&place, "hidden", "never");
    game(&place, "loud", "always");
    course(&place, "2999-01-01 00:00");
    for (name, program) in [
        ("ada/later", WRONG),
        ("bo/twice", WRONG),
        ("bo/hidden", WRONG),
        // What is beyond the output limit is no riddle: in idle time nothing is searched about it.
        ("cy/loud", "while True: print('7' * 100_000)\n"),
    ] {
        place.write(&format!("submissions/{name}.py"), program);
    }
    let daemon = place.daemon();
    let seen_by_staff = |name: &str| {
        wait_until(&format!("the staff's report of {name}"), || {
            has_smallest(&report(&place, &format!("staff/{name}.json")))
        });
    };
    for (name, when) in [
        ("ada/later/1", "after the deadline"),
        ("bo/twice/1", "after 2 attempts"),
    ] {
        seen_by_staff(name);
        let text = place.read(&format!("reports/{name}.json"));
        assert!(!has_smallest(&report(
            &place,
            &format!("reports/{name}.json")
        )));
        assert_has(&text, &[&format!("such inputs are shown {when}")]);
    }
    seen_by_staff("bo/hidden/1");
    let text = place.read("reports/bo/hidden/1.json");
    assert!(!has_smallest(&report(&place, "reports/bo/hidden/1.json")));
    assert!(!text.contains("such inputs are shown"), "{text}");
    // The second attempt shows its own, and leaves the first as it was.
    place.write("submissions/bo/twice.py", format!("{WRONG}\n"));
    seen_by_staff("bo/twice/2");
    wait_until("what the second attempt shows", || {
        has_smallest(&report(&place, "reports/bo/twice/2.json"))
    });
    assert!(!has_smallest(&report(&place, "reports/bo/twice/1.json")));

    // The instructor moves the deadline to a moment that is past.
    let before = report(&place, "reports/ada/later/1.json");
    assert!(!has_smallest(&before), "{before:#}");
    let known = runs_and_verdicts(&place, "ada");
    course(&place, "2001-02-03 04:05");
    wait_until("the deadline on the student's page", || {
        place.read("reports/ada/index.html").contains("2001-02-03")
    });
    // Deadlines are looked at when the daemon has nothing to do again, or after a minute.
    place.write("submissions/dan/sum.py", programs::PYTHON);
    let mut after = Value::Null;
    wait_until("what is shown after the deadline", || {
        after = report(&place, "reports/ada/later/1.json");
        has_smallest(&after)
    });
    assert_eq!(judged(&after), judged(&before));
    assert_eq!(runs_and_verdicts(&place, "ada"), known);
    assert_eq!(known.1, 1, "one verdict");
    let loud = report(&place, "staff/cy/loud/1.json");
    assert_eq!(loud["verdict"], "OLE");
    assert!(loud["explanation"].is_null(), "{loud:#}");
    daemon.stop();
}

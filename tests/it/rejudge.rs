//! Rejudging through the real binary: what a change would do, what it does, what measuring again
//! finds.

use serde_json::{Value, json};

use crate::place::Place;
use crate::programs;
use crate::store::{Made, News, assert_only_new};

fn json_lines(output: &std::process::Output) -> Vec<Value> {
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Two submissions: one right, one right only for numbers of up to 32 bits.
fn judged() -> Place {
    let place = Place::new().only(&["python3"]);
    place.write("submissions/alpha/sum.py", programs::PYTHON);
    place.write(
        "submissions/beta/sum.py",
        "a, b = map(int, input().split())\nprint((a + b) % 2**31)\n",
    );
    let verdicts = place.serve_once();
    assert_eq!(
        (&*verdicts["alpha/sum/1"], &*verdicts["beta/sum/1"]),
        ("AC", "WA")
    );
    place
}

/// Points after the late rule, of those whose points change.
fn grades() -> Value {
    json!({
        "grades": [{
            "student": "alpha",
            "problems": [{ "problem": "sum", "points_before": "8", "points_after": "0" }],
            "total_before": "8", "total_after": "0", "max_total": "10",
        }],
        "people": 2,
    })
}

/// Tries a change on a copy: the last test becomes another one.
fn change_a_copy(place: &Place) {
    for file in [
        "problem.toml",
        "data/sample/1.in",
        "data/sample/1.ans",
        "data/secret/1.in",
        "data/secret/1.ans",
    ] {
        place.write(
            &format!("copy/sum/{file}"),
            place.read(&format!("problems/sum/{file}")),
        );
    }
    place.write("copy/sum/data/secret/3.in", "5 5\n");
    place.write("copy/sum/data/secret/3.ans", "11\n");
}

#[test]
fn a_dry_run_shows_verdicts_and_grades_and_changes_nothing() {
    let place = judged();
    place.write(
        "course.toml",
        "[[assignments]]\nname = \"week\"\ndue = \"2020-01-01\"\npoints = { sum = 10 }\n\
         late = [{ until = \"2999-01-01\", percent = 80 }]\n",
    );
    let before = (Made::so_far(&place), place.read("staff/verdicts.jsonl"));
    change_a_copy(&place);
    let output = place.run(&["rejudge", "--dry-run", "--problems", "copy", "--json"]);
    let lines = json_lines(&output);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(lines.len(), 4, "{lines:?}");
    // Before anything is run: both programs would be run on the new test.
    let cost = &lines[0];
    assert_eq!(
        (
            &cost["submissions"],
            &cost["builds_at_most"],
            &cost["runs_at_most"]
        ),
        (&2.into(), &0.into(), &2.into()),
        "{cost}"
    );
    for (line, student, old, test) in [
        (&lines[1], "alpha", "AC", Value::Null),
        (&lines[2], "beta", "WA", "secret/2".into()),
    ] {
        assert_eq!(line["student"], student);
        assert_eq!(
            (&line["before"], &line["after"]),
            (&old.into(), &"WA".into()),
            "{line}"
        );
        assert_eq!(line["first_failing_test_before"], test);
        assert_eq!(line["first_failing_test_after"], "secret/3");
        assert_eq!(
            (&line["runs"], &line["builds"]),
            (&1.into(), &0.into()),
            "{line}"
        );
    }
    assert_eq!(lines[3], grades());
    let text = place.run(&["rejudge", "--dry-run", "--problems", "copy"]);
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    assert!(
        text.contains("AC  → WA   alpha/sum #1") && text.contains("nothing is published"),
        "{text}"
    );
    assert!(text.contains("sum 8 → 0  total 8 → 0 of 10"), "{text}");
    assert!(text.contains("1 grade of 2 would change"), "{text}");
    let after = (Made::so_far(&place), place.read("staff/verdicts.jsonl"));
    assert_eq!(after, before);

    place.write("copy/sum/problem.toml", "title = 7\n");
    let broken = place.run(&["rejudge", "--dry-run", "--problems", "copy"]);
    assert_eq!(broken.status.code(), Some(3), "{broken:?}");
    assert!(
        String::from_utf8_lossy(&broken.stderr).contains("problem.toml:1"),
        "{broken:?}"
    );
}

#[test]
fn rejudge_works_with_and_without_a_daemon_and_says_who_changed_and_why() {
    let place = judged();
    let before = Made::so_far(&place);
    place.write("problems/sum/data/secret/2.ans", "852516352\n");
    let output = place.run(&["rejudge", "--json"]);
    let lines = json_lines(&output);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let change = |line: &Value| {
        let text = |key: &str| line[key].as_str().unwrap_or_default().to_owned();
        (text("student"), text("before"), text("after"))
    };
    let mut changes: Vec<_> = lines.iter().map(change).collect();
    changes.sort();
    let expected = [("alpha", "AC", "WA"), ("beta", "WA", "AC")]
        .map(|(who, from, to)| (who.to_owned(), from.to_owned(), to.to_owned()));
    assert_eq!(changes, expected);
    assert_only_new(&place, &before, 0, 0, "a corrected answer needs no run");

    let daemon = place.daemon();
    let output = place.run(&["rejudge", "--force", "--student", "alpha"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("0 verdicts have changed"), "{output:?}");
    daemon.stop();
    let report: Value = serde_json::from_str(&place.read("staff/alpha/sum/1.json")).unwrap();
    assert_eq!(report["verdict"], "WA");
    let forced = News {
        new: (0, 0),
        again: (3, 0),
    };
    let after = Made::so_far(&place);
    assert_eq!(
        after.since(&before),
        forced,
        "alpha's runs, and nothing else"
    );
    let left = std::fs::read_dir(place.path("state/requests"))
        .unwrap()
        .count();
    assert_eq!(left, 0, "no request is left");
}

#[test]
fn a_replay_agrees_with_the_same_program_and_not_with_another() {
    let place = judged();
    let output = place.run(&["replay", "alpha/sum/1", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let object = &json_lines(&output)[0];
    assert_eq!(object["agree"], true);
    assert_eq!(
        object["changed_since"].as_array().unwrap().len(),
        0,
        "{object}"
    );
    assert_eq!(object["tests"].as_array().unwrap().len(), 3);
    let one = place.run(&["replay", "1", "secret/2"]);
    assert!(
        String::from_utf8_lossy(&one.stdout).contains("the facts agree"),
        "{one:?}"
    );
    let nobody = place.run(&["replay", "gamma/sum"]);
    assert_eq!(nobody.status.code(), Some(2), "{nobody:?}");

    // A program that never prints the same thing twice.
    place.write(
        "submissions/gamma/sum.py",
        "import time\nprint(time.time_ns())\n",
    );
    place.serve_once();
    let output = place.run(&["replay", "gamma/sum"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let report: Value = serde_json::from_str(&place.read("staff/alpha/sum/1.json")).unwrap();
    for key in [
        "artifact",
        "toolchain",
        "package",
        "limits",
        "policy",
        "fold",
    ] {
        assert_eq!(
            report["provenance"][key].as_str().map(str::len),
            Some(64),
            "{key}"
        );
    }
    assert_eq!(
        report["tests"][0]["input_digest"].as_str().map(str::len),
        Some(64)
    );
}

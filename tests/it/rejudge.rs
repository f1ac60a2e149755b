//! Rejudging through the real binary: what a change would do, what it does, what measuring again
//! finds.

use serde_json::{Value, json};

use crate::place::{Place, copy_tree};
use crate::programs;
use crate::store::{Made, assert_only_new};

/// Two submissions: one right, one right only for numbers of up to 32 bits.
fn judged() -> Place {
    let place = Place::new().only(&["lua"]);
    place.write("submissions/alpha/sum.lua", programs::LUA);
    let program = "local a, b = io.read('n', 'n')\nprint((a + b) % (1 << 31))\n";
    place.write("submissions/beta/sum.lua", program);
    let verdicts: Vec<String> = place.serve_once().into_values().collect();
    assert_eq!(verdicts, ["AC", "WA"]);
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
    copy_tree(&place.path("problems/sum"), &place.path("copy/sum"));
    for ending in ["in", "ans"] {
        std::fs::remove_file(place.path(&format!("copy/sum/data/secret/2.{ending}"))).unwrap();
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
    let dry = "rejudge --dry-run --problems copy";
    let lines = place.objects(&format!("{dry} --json"));
    assert_eq!(lines.len(), 4, "{lines:?}");
    // Before anything is run: both programs would be run on the new test.
    for (key, number) in [
        ("submissions", 2),
        ("builds_at_most", 0),
        ("runs_at_most", 2),
    ] {
        assert_eq!(lines[0][key], number, "{key}");
    }
    for (line, student, old, test) in [
        (&lines[1], "alpha", "AC", Value::Null),
        (&lines[2], "beta", "WA", "secret/2".into()),
    ] {
        for (key, value) in [
            ("student", student.into()),
            ("before", old.into()),
            ("after", "WA".into()),
            ("first_failing_test_before", test),
            ("first_failing_test_after", "secret/3".into()),
            ("runs", 1.into()),
            ("builds", 0.into()),
        ] {
            assert_eq!(line[key], value, "{line}");
        }
    }
    assert_eq!(lines[3], grades());
    let words = "AC  → WA   alpha/sum #1|nothing is published|sum 8 → 0  total 8 → 0 of 10|\
        1 grade of 2 would change";
    place.says(0, dry, &[words]);
    let after = (Made::so_far(&place), place.read("staff/verdicts.jsonl"));
    assert_eq!(after, before);

    place.write("copy/sum/problem.toml", "title = 7\n");
    place.says(3, dry, &["problem.toml:1"]);
}

#[test]
fn rejudge_works_with_and_without_a_daemon_and_says_who_changed_and_why() {
    let place = judged();
    let before = Made::so_far(&place);
    place.write("problems/sum/data/secret/2.ans", "852516352\n");
    let change = |line: &Value| {
        let text = |key: &str| line[key].as_str().unwrap_or_default().to_owned();
        ["student", "before", "after"].map(text)
    };
    let mut changes: Vec<_> = place.objects("rejudge --json").iter().map(change).collect();
    changes.sort();
    assert_eq!(changes, [["alpha", "AC", "WA"], ["beta", "WA", "AC"]]);
    assert_only_new(&place, &before, 0, 0, "a corrected answer needs no run");

    let daemon = place.daemon();
    let forced = "rejudge --force --student alpha";
    place.says(0, forced, &["0 verdicts have changed"]);
    daemon.stop();
    assert_eq!(place.json("staff/alpha/sum/1.json")["verdict"], "WA");
    let made = Made::so_far(&place).since(&before);
    assert_eq!(made, [(0, 0), (3, 0)], "alpha's runs, and nothing else");
    let left = std::fs::read_dir(place.path("state/requests")).unwrap();
    let left = left.count();
    assert_eq!(left, 0, "no request is left");
}

#[test]
fn a_replay_agrees_with_the_same_program_and_not_with_another() {
    let place = judged();
    let object = &place.objects("replay alpha/sum/1 --json")[0];
    assert_eq!(object["agree"], true);
    assert_eq!(object["changed_since"], json!([]), "{object}");
    assert_eq!(object["tests"].as_array().unwrap().len(), 3);
    place.says(0, "replay 1 secret/2", &["the facts agree"]);

    // A program that never prints the same thing twice.
    place.write("submissions/gamma/sum.lua", "print(math.random(0))\n");
    place.serve_once();
    place.says(1, "replay gamma/sum", &[]);
}

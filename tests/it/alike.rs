//! `verdictd alike`: the same programs of different students, for staff alone.

use std::fmt::Write as _;

use serde_json::Value;

use crate::place::Place;

/// A program that is long enough to count, with these names and comments in it.
fn program(name: &str, comment: &str) -> String {
    let mut text = format!("# {comment}\na, b = map(int, input().split())\n");
    for step in 0..12 {
        writeln!(text, "{name}{step} = a * {step} + b  # {comment}").unwrap();
    }
    text + "print(a + b)\n"
}

#[test]
fn copies_are_listed_and_nothing_of_it_reaches_students() {
    let place = Place::new().only(&["python3"]);
    for (student, text) in [
        ("ada", program("x", "mine")),
        ("bo", program("value", "all my own work")),
        ("cy", program("x", "mine")),
        // Everybody may write this.
        (
            "dan",
            "a, b = map(int, input().split())\nprint(a + b)\n".to_owned(),
        ),
        (
            "eve",
            "c, d = map(int, input().split())\nprint(c + d)\n".to_owned(),
        ),
        // What the problem's folder has is nobody's.
        ("fay", program("given", "x") + "print(1)\n"),
        ("gus", program("taken", "y") + "print(2)\n"),
    ] {
        place.write(&format!("submissions/{student}/sum.py"), text);
    }
    place.write(
        "problems/sum/attachments/start.py",
        program("start", "fill this in") + "print(0)\n",
    );
    place.serve_once();
    let listed = place.run(&["alike", "sum", "--json"]);
    assert_eq!(listed.status.code(), Some(0));
    let lines = String::from_utf8(listed.stdout).unwrap();
    let groups: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(groups.len(), 1, "{lines}");
    assert_eq!(
        (&groups[0]["problem"], &groups[0]["same"]),
        (&"sum".into(), &"tokens".into())
    );
    let mut students: Vec<&str> = groups[0]["programs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["student"].as_str().unwrap())
        .collect();
    students.sort_unstable();
    assert_eq!(students, ["ada", "bo", "cy"]);
    let shown = place.run(&["alike"]);
    let said = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(said.contains("ada #1") && said.contains("bo #1"), "{said}");
    for page in ["reports/ada/index.html", "reports/ada/sum/1.html"] {
        assert!(!place.read(page).contains("alike"), "{page}");
    }
}

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

#[test]
fn counting_attempts_are_laid_out_for_other_tools() {
    let place = Place::new()
        .only(&["python3"])
        .with_roster("ada,Lovelace,Ada\nbo,B,\n");
    place.write("problems/sum/attachments/start.py", "a = input()\n");
    for text in ["print(1)\n", crate::programs::PYTHON, "print(2)\n"] {
        place.write("submissions/ada/sum.py", text);
        place.serve_once();
    }
    place.write("submissions/bo/sum.py", "print(3)\n");
    place.serve_once();

    let done = place.run(&["export", "dolos", "--out", "dolos"]);
    assert_eq!(done.status.code(), Some(0));
    let command = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(
        command.starts_with("dolos run ") && command.contains("start.py"),
        "{command}"
    );
    let file = std::fs::File::open(place.path("dolos/sum-python3.zip")).unwrap();
    let mut archive = zip::ZipArchive::new(file).unwrap();
    let mut text = |name: &str| {
        let mut text = String::new();
        std::io::Read::read_to_string(&mut archive.by_name(name).unwrap(), &mut text).unwrap();
        text
    };
    let info = text("info.csv");
    let mut info = csv::Reader::from_reader(info.as_bytes());
    assert_eq!(
        info.headers().unwrap(),
        vec!["filename", "full_name", "label", "created_at"]
    );
    let rows: Vec<csv::StringRecord> = info.records().map(Result::unwrap).collect();
    assert_eq!((&rows[0][0], &rows[0][1]), ("ada/sum.py", "Ada Lovelace"));
    assert_eq!((&rows[1][0], &rows[1][1]), ("bo/sum.py", "B"));
    assert_eq!(rows.len(), 2);
    let at = jiff::fmt::strtime::parse("%Y-%m-%d %H:%M:%S %z", &rows[0][3]);
    assert!(at.is_ok(), "{}", &rows[0][3]);
    // The best attempt counts, not the last one.
    assert_eq!(text("ada/sum.py"), crate::programs::PYTHON);

    let done = place.run(&["export", "jplag", "--out", "jplag"]);
    assert_eq!(done.status.code(), Some(0));
    let command = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(
        command.contains("-l python3") && command.contains("-bc "),
        "{command}"
    );
    assert_eq!(
        place.read("jplag/sum-python3/ada/sum.py"),
        crate::programs::PYTHON
    );
    assert_eq!(place.read("jplag/sum-python3/bo/sum.py"), "print(3)\n");
    assert_eq!(
        place.read("jplag/sum-python3-basecode/start.py"),
        "a = input()\n"
    );
    let again = place.run(&["export", "jplag", "--out", "jplag"]);
    assert_eq!(again.status.code(), Some(2), "what is there stays as it is");
}

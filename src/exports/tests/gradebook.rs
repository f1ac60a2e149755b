//! The grade book as a spreadsheet program reads it.

use jiff::tz::TimeZone;

use std::collections::BTreeMap;

use super::{
    Fixture, HOSTILE_NAMES, START_MS, accepted, course, not_built, roster, student, wrong,
};
use crate::course::Roster;
use crate::exports::Course;
use crate::exports::gradebook::EXPORT;
use crate::util::clock::offset_text;

/// Rows by their columns' names, in order.
fn rows(text: &str) -> Vec<BTreeMap<String, String>> {
    let text = text.strip_prefix('\u{FEFF}').expect("a byte order mark");
    assert!(!text.replace("\r\n", "").contains(['\r', '\n']), "{text}");
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header = reader.headers().unwrap().clone();
    let names: Vec<String> = header.iter().map(str::to_owned).collect();
    reader
        .records()
        .map(|record| {
            let record = record.unwrap();
            names
                .iter()
                .cloned()
                .zip(record.iter().map(str::to_owned))
                .collect()
        })
        .collect()
}

fn book(fixture: &Fixture, course: &Course, roster: &Roster) -> Vec<BTreeMap<String, String>> {
    rows(&fixture.made(&EXPORT, course, roster))
}

#[test]
fn the_rosters_order_comes_first_and_everybody_has_a_row() {
    let mut fixture = Fixture::new();
    fixture.judged("beta", "curling", &wrong());
    fixture.judged("beta", "curling", &accepted());
    fixture.judged("beta", "curling", &wrong());
    fixture.judged("beta", "regions", &not_built());
    fixture.judged("gamma", "curling", &accepted());
    fixture.hand_in("alpha", "regions");
    let list = roster("student,last_name,section\nzoe,Z,1\ngamma,\"G, the great\",2\n");
    let rows = book(&fixture, &course(), &list);
    let students: Vec<&str> = rows.iter().map(|row| row["student"].as_str()).collect();
    assert_eq!(students, ["zoe", "gamma", "alpha", "beta"]);
    let [zoe, gamma, alpha, beta] = &rows[..] else {
        panic!("{rows:?}");
    };
    assert_eq!((&zoe["last_name"][..], &zoe["score"][..]), ("Z", "0"));
    assert_eq!(
        (&zoe["curling verdict"][..], &zoe["curling attempts"][..]),
        ("", "0")
    );
    assert_eq!(
        (&gamma["last_name"][..], &gamma["section"][..]),
        ("G, the great", "2")
    );
    assert_eq!((&gamma["score"][..], &gamma["max_score"][..]), ("1", "2"));
    assert_eq!(alpha["regions verdict"], "waiting");
    assert_eq!(
        (&beta["curling verdict"][..], &beta["curling attempts"][..]),
        ("AC", "3")
    );
    assert_eq!(
        beta["curling accepted_at"],
        offset_text(START_MS + 3_000, &TimeZone::UTC)
    );
    assert_eq!(
        (&beta["curling score"][..], &beta["regions score"][..]),
        ("1", "0")
    );
    assert_eq!(beta["regions verdict"], "CE");
    assert_eq!(beta["email"], "");
}

#[test]
fn no_cell_is_a_formula_and_names_come_back_when_it_is_read_as_a_roster() {
    let mut fixture = Fixture::new();
    for name in HOSTILE_NAMES {
        fixture.judged(name, "curling", &accepted());
    }
    let mut list = csv::Writer::from_writer(Vec::new());
    list.write_record(["student", "first_name", "email"])
        .unwrap();
    list.write_record(["=late", "=1+1", "\t@x"]).unwrap();
    let list = String::from_utf8(list.into_inner().unwrap()).unwrap();
    let text = fixture.made(&EXPORT, &course(), &roster(&list));
    for row in rows(&text) {
        for (column, cell) in &row {
            let formula = cell
                .trim_start()
                .starts_with(['=', '+', '-', '@', '＝', '\t', '\r']);
            assert!(!formula, "{column}: {cell}");
            assert!(!cell.chars().any(char::is_control), "{cell:?}");
        }
    }
    // A program that expects semicolons takes a quoted text for one cell too.
    assert!(text.contains("\"a;=1+1\""), "{text}");
    let read = roster(&text);
    let names: Vec<_> = read
        .people()
        .iter()
        .map(|person| person.student.clone())
        .collect();
    let mut expected: Vec<_> = HOSTILE_NAMES
        .iter()
        .filter(|name| !name.starts_with(' '))
        .map(|name| student(name))
        .collect();
    expected.push(student("=late"));
    for name in expected {
        assert!(names.contains(&name), "{name}");
    }
}

#[test]
fn as_a_file() {
    let mut fixture = Fixture::new();
    fixture.judged("-Иван", "curling", &accepted());
    fixture.judged("刘思", "regions", &wrong());
    let list =
        roster("student,last_name,first_name,email,id,section\n刘思,刘,思,l@example.org,7,2\n");
    let text = fixture.made(&EXPORT, &course(), &list);
    insta::assert_snapshot!(
        text.escape_debug()
            .to_string()
            .replace("\\r\\n", "\\r\\n\n")
    );
}

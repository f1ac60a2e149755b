//! The grade book as a spreadsheet program reads it.

use super::{Fixture, HOSTILE_NAMES, accepted, course, not_built, roster, student, wrong};
use crate::exports::gradebook::EXPORT;

/// Rows and their cells, the names of the columns first.
fn rows(text: &str) -> Vec<Vec<String>> {
    let text = text.strip_prefix('\u{FEFF}').expect("a byte order mark");
    assert!(!text.replace("\r\n", "").contains(['\r', '\n']), "{text}");
    let mut reader = csv::ReaderBuilder::new();
    let mut reader = reader.has_headers(false).from_reader(text.as_bytes());
    let cells = |row: csv::StringRecord| row.iter().map(str::to_owned).collect();
    reader.records().map(|row| cells(row.unwrap())).collect()
}

#[test]
fn no_cell_is_a_formula_and_names_come_back_when_it_is_read_as_a_roster() {
    let mut fixture = Fixture::new();
    for name in HOSTILE_NAMES {
        fixture.judged(name, "curling", &accepted());
    }
    let list = roster("student,first_name,email\n=late,=1+1,\"\t@x\"\n");
    let text = fixture.made(&EXPORT, &course(), &list);
    for cell in rows(&text).concat() {
        let begins = ['=', '+', '-', '@', '＝', '\t', '\r'];
        assert!(!cell.trim_start().starts_with(begins), "{cell}");
        assert!(!cell.chars().any(char::is_control), "{cell:?}");
    }
    // A program that expects semicolons takes a quoted text for one cell too.
    assert!(text.contains("\"a;=1+1\""), "{text}");
    let read = roster(&text);
    let expected = HOSTILE_NAMES.iter().filter(|name| !name.starts_with(' '));
    for name in expected.chain([&"=late"]) {
        assert!(read.has(&student(name)), "{name}");
    }
}

/// The roster's students come first, in its order, and everybody has a row.
#[test]
fn as_a_file() {
    let mut fixture = Fixture::new();
    for judgement in [wrong(), accepted(), wrong()] {
        fixture.judged("beta", "curling", &judgement);
    }
    fixture.judged("beta", "regions", &not_built());
    fixture.hand_in("alpha", "regions");
    fixture.judged("-Иван", "curling", &accepted());
    fixture.judged("刘思", "regions", &wrong());
    let list = roster(
        "student,last_name,first_name,email,id,section\nzoe,\"Z, the great\"\n\
         刘思,刘,思,l@example.org,7,2\n",
    );
    let text = fixture.made(&EXPORT, &course(), &list);
    let text = text.escape_debug().to_string();
    insta::assert_snapshot!(text.replace("\\r\\n", "\\r\\n\n"));
}

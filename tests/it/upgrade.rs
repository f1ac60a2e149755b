//! Stores of earlier versions: what cannot be made again is kept, the rest is measured again.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use rusqlite::Connection;

use crate::book;
use crate::hacks::wait_state;
use crate::place::{Place, assert_has, no_named_steps, output, root, said};
use crate::programs;

const STORE: &str = "state/verdictd.db";
const BOOK: &str = "staff/gradebook.csv";
/// What else of a course cannot be made again.
const FILES: &str = "decisions.csv|staff/imports.jsonl|state/links.json|state/secret";

const COURSE: &str = r#"
title = "Algorithms"
time_zone = "Europe/Oslo"
late = [{ until = "1d", percent = 80 }]

[[assignments]]
name = "first"
due = "2026-03-28 23:59"
points = { sum = 10 }
"#;

/// Right, except where the first number is 7.
const FRAGILE: &str = "a, b = map(int, input().split())\nprint('oops' if a == 7 else a + b)\n";
/// When a platform received which program.
const HANDED_IN: [(&str, &str, &str); 4] = [
    ("ada", "2026-03-27-10-00-00", "print(0)\n"),
    ("ada", "2026-03-28-10-00-00", programs::PYTHON),
    ("bo", "2026-03-29-10-00-00", FRAGILE),
    ("cy", "2026-03-28-11-00-00", "print(7)\n"),
];

/// The course whose store is kept in `tests/fixtures/stores`, but for its store and its links.
fn course() -> Place {
    let people = "ada,Adams,Ada\nbo,Beck,Bo\ncy,Chen,Cy\n";
    let place = Place::new().only(&["python3"]).with_roster(people);
    place.write("course.toml", COURSE);
    for (number, (login, at, program)) in HANDED_IN.iter().enumerate() {
        let name = format!("vpl/Some Body {} {login}/{at}/sum.py", 100 + number);
        place.write(&name, program);
    }
    place.says(0, "import vpl --platform vpl", &[]);
    place
}

fn put_hack(place: &Place) {
    place.add_hack("evil", "7 8\n", "15\n");
}

fn fixtures() -> PathBuf {
    root().join("tests/fixtures/stores")
}

/// The course as a version of this layout left it, without its reports.
fn kept(layout: &str) -> Place {
    let place = course();
    put_hack(&place);
    let folder = fixtures().join(layout);
    for file in FILES.split('|') {
        let name = Path::new(file).file_name().unwrap();
        place.write(file, fs::read(folder.join(name)).unwrap());
        // A checkout keeps no more of permissions.
        fs::set_permissions(place.path(file), fs::Permissions::from_mode(0o600)).unwrap();
    }
    let sql = fs::read_to_string(folder.join("store.sql")).unwrap();
    let store = Connection::open(place.path(STORE)).unwrap();
    store.execute_batch(&sql).unwrap();
    place
}

/// Every layout of which a store is kept.
fn layouts() -> Vec<String> {
    let folders = fs::read_dir(fixtures()).unwrap().map(Result::unwrap);
    let folders = folders.filter(|entry| entry.file_type().unwrap().is_dir());
    let names = folders.map(|entry| entry.file_name().into_string().unwrap());
    names.collect()
}

/// What no version may change: in each table of the record, the columns that have always been.
const RECORD: [&str; 7] = [
    "id, student, problem, language, attempt, path, file_name, source_digest, received_ms FROM submissions",
    "submission_id, verdict, cause, score_got, score_of, first_failing_test, judged_ms FROM judgements",
    "event, submission_id, verdict, score_got, judged_ms, because FROM judgement_history",
    "id, ms, kind, submission_id, json FROM events WHERE kind NOT IN ('rejected', 'rejections', 'report')",
    "name, input_digest, refused, history_mark, last_submission, finished_ms, withdrawn_ms FROM hacks",
    "problem, submission_id, state, found_ms, evidence FROM proposals",
    "path, student, problem, language, submission_id FROM paths_taken",
];

fn record(place: &Place) -> Vec<Vec<String>> {
    let store = Connection::open(place.path(STORE)).unwrap();
    let of_table = |columns: &&str| {
        let (columns, table) = columns.split_once(" FROM ").unwrap();
        let columns: Vec<String> = columns.split(", ").map(str::to_owned).collect();
        rows(&store, &columns, table)
    };
    RECORD.iter().map(of_table).collect()
}

/// What the grade book says of everybody, without what is only written in another way.
#[rustfmt::skip]
fn grades(text: &str) -> Vec<Vec<String>> {
    let columns = "student|sum verdict|sum attempts|sum points|sum late_minutes|sum time|\
        sum time_source|sum decision|score";
    let cells = |row: book::Row| columns.split('|').map(|column| row[column].clone()).collect();
    book::rows(text).into_iter().map(cells).collect()
}

#[test]
fn an_upgrade_keeps_every_grade_attempt_time_and_verdict_and_measures_again() {
    for layout in layouts() {
        let place = kept(&layout);
        let book = fs::read_to_string(fixtures().join(&layout).join("gradebook.csv")).unwrap();
        let (before, book) = (record(&place), grades(&book));
        // Nobody can measure yet: the verdicts stand.
        let config = place.read("config.toml");
        place.configure("[languages.python3]\noffer = false\n");
        place.says(0, "serve --once", &[]);
        assert_eq!(record(&place), before);
        assert_eq!(grades(&place.read(BOOK)), book);
        assert_eq!(links(&place), links_of(&layout));
        assert_eq!(place.status()["to_measure_again"], 4);
        place.says(0, "status", &["judging again after the upgrade: 0 of 4"]);
        let report = place.run(&["report", "bo", "sum"]);
        assert_has(&format!("{report:?}"), &["WA; its report is made again"]);
        // Now somebody can: the same verdicts are no news.
        place.write("config.toml", config);
        place.says(0, "serve --once", &[]);
        assert_eq!(place.status()["to_measure_again"], 0);
        assert_eq!(record(&place), before);
        assert_eq!(grades(&place.read(BOOK)), book);
        assert_has(&place.read("reports/bo/sum/1.txt"), &["hack/evil"]);
    }
}

fn links(place: &Place) -> String {
    String::from_utf8(place.run(&["links"]).stdout).unwrap()
}

fn links_of(layout: &str) -> String {
    fs::read_to_string(fixtures().join(layout).join("links.txt")).unwrap()
}

#[test]
fn an_upgrade_that_is_killed_loses_nothing() {
    if no_named_steps() {
        return;
    }
    let place = kept("13");
    let before = record(&place);
    for point in "store half copied|store copied|store half upgraded|store upgraded".split('|') {
        place.kill_at(point, "serve --once");
        assert_eq!(record(&place), before, "{point}");
    }
    place.says(0, "serve --once", &[]);
    assert_eq!(record(&place), before);
}

/// Tells the test below to write into the repository, once for each layout.
const MAKE: &str = "VERDICTD_MAKE_STORE";

/// Makes the fixture of the present layout; see the README beside the fixtures.
#[test]
fn make_the_store_of_this_layout() {
    if std::env::var_os(MAKE).is_none() {
        return;
    }
    let place = course();
    let daemon = place.daemon();
    for attempt in ["ada/sum/2", "bo/sum/1", "cy/sum/1"] {
        place.wait_for(attempt);
    }
    put_hack(&place);
    wait_state(&place, "hack/evil", "judged");
    daemon.stop();
    let store = Connection::open(place.path(STORE)).unwrap();
    // What a search finds in a night, so that it need not be waited for.
    store
        .execute_batch(
            r#"INSERT INTO proposals (problem, submission_id, input_digest, state, found_ms,
                   verdict, evidence, input)
               VALUES ('sum', 2, zeroblob(32), 'proposed', 0, 'WA', '{"input": "1 1", "expected": "2",
                   "printed": "", "cells": null, "cases": 1, "is_carried_over": false,
                   "found_by": "test", "witness": null}', x'312031');
               INSERT INTO proposal_breaks (proposal_id, submission_id) VALUES (1, 2);"#,
        )
        .unwrap();
    place.says(0, "hack reject 1", &[]);
    place.says(0, "decide override cy sum --points 4 --reason idea", &[]);
    let links = links(&place);
    place.says(0, "report --rebuild", &[]);
    let layout = ask(&store, "SELECT '' || user_version FROM pragma_user_version");
    let folder = fixtures().join(&layout[0]);
    fs::create_dir_all(&folder).unwrap();
    // Whose machine it was concerns nobody.
    let report = place.json("staff/bo/sum/1.json");
    let machine = report["provenance"]["machine"].as_str().unwrap();
    let text = dump(&place).replace(machine, "a machine");
    // Facts hold it with its length.
    let hex = |text: &str| -> Vec<_> { text.bytes().map(|byte| format!("{byte:02x}")).collect() };
    let nameless = format!("{:<1$}", "a machine", machine.len());
    let text = text.replace(&hex(machine).concat(), &hex(&nameless).concat());
    fs::write(folder.join("store.sql"), text).unwrap();
    fs::write(folder.join("links.txt"), links).unwrap();
    for file in FILES.split('|') {
        let name = Path::new(file).file_name().unwrap();
        fs::copy(place.path(file), folder.join(name)).unwrap();
    }
    fs::copy(place.path(BOOK), folder.join("gradebook.csv")).unwrap();
}

/// The store as statements that make it again.
fn dump(place: &Place) -> String {
    let pragma = |name| format!("SELECT 'PRAGMA {name} = ' || {name} || ';' FROM pragma_{name}");
    let mut sqlite = Command::new("sqlite3");
    sqlite.arg(place.path(STORE));
    sqlite.args(["application_id", "user_version"].map(pragma));
    said(&output(sqlite.arg(".dump")), 0, &[])
}

fn ask(store: &Connection, query: &str) -> Vec<String> {
    let mut statement = store.prepare(query).unwrap();
    let rows = statement.query_map([], |row| row.get(0)).unwrap();
    rows.map(Result::unwrap).collect()
}

/// Rows of a table, each as SQL writes its values.
fn rows(store: &Connection, columns: &[String], table: &str) -> Vec<String> {
    let columns = columns.iter().map(|name| format!("quote({name})"));
    let values = columns.collect::<Vec<_>>().join(" || ', ' || ");
    ask(store, &format!("SELECT {values} FROM {table} ORDER BY 1"))
}

//! Course files as instructors write them, and what counts when for whom.

use std::path::Path;

use super::Terms;

use crate::util::samples::{self, slug};

const COURSE: &str = r#"
title = "Algorithms"
time_zone = "Europe/Oslo"
grace = "5m"
late = [{ until = "1d", percent = 80 }, { until = "3d", percent = 50 }]
extensions = "extensions.csv"

[[assignments]]
name = "a1"
opens = "2026-03-20 08:00"
due = "2026-03-28 23:59"
closes = "7d"
points = { curling = 10, regions = 7.5 }

[[assignments]]
name = "a2"
due = "2026-04-10 12:00"
late = []
points = { thegame = 5 }
"#;

fn terms(course: &str, extensions: &str) -> Result<Terms, String> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("extensions.csv"), extensions).unwrap();
    let file = Path::new("course.toml");
    Terms::parse(course, file, folder.path()).map_err(|error| error.to_string())
}

/// Checks the share of the points that is given at these moments of a year, as `moment=percent`;
/// `-` where what is handed in does not count.
fn check(terms: &Terms, student: &str, problem: &str, moments: &str) {
    let slug = slug(problem);
    let assignment = terms.assignment_of(&slug).unwrap();
    let window = terms.window(assignment, &slug, &samples::student(student));
    for moment in moments.split_whitespace() {
        let (at, percent) = moment.split_once('=').unwrap();
        let standing = window.standing(format!("2026-{at}Z").parse().unwrap());
        let found = standing.counts().then(|| standing.percent().to_string());
        let found = found.as_deref().unwrap_or("-");
        assert_eq!(found, percent, "{student} {problem} {at}");
    }
}

#[test]
fn every_moment_of_a_term_for_everybody() {
    let extensions = "student,assignment,due\nada,a1,2d\nbo,regions,2026-03-27 12:00\ncy,a1,30d\n";
    let terms = terms(COURSE, extensions).unwrap();
    // Due at 22:59 UTC; the clocks go forward in the night after. What was held until the opening
    // counts as handed in then.
    let curling = "03-20T06:59:59=100 03-28T23:04:00=100 03-28T23:04:01=80 03-29T21:59:00=80 \
                   03-29T21:59:01=50 04-01T00:00:00=0 04-05T00:00:00=-";
    check(&terms, "zoe", "curling", curling);
    let extended = "03-30T22:04:00=100 03-31T12:00:00=80";
    check(&terms, "ada", "regions", extended);
    // An extension that ends before the due time takes nothing away.
    check(&terms, "bo", "regions", "03-28T22:59:00=100");
    // One that is longer than the assignment is open keeps it open.
    check(&terms, "cy", "curling", "04-27T12:00:00=100");
    let grace = "04-10T10:05:00=100 04-10T10:05:01=0";
    check(&terms, "zoe", "thegame", grace);
}

#[test]
fn what_closes_without_being_due_closes_and_an_extension_only_gives_time() {
    let course = r#"
extensions = "extensions.csv"
late = [{ until = "1d", percent = 50 }]

[[assignments]]
name = "a1"
opens = "2026-10-01 08:00"
closes = "7d"
points = { sum = 1 }

[[assignments]]
name = "a2"
opens = "2026-10-01 08:00"
points = { word = 1 }
"#;
    let extensions = "student,assignment,due\nada,a1,2d\nbo,a1,2026-10-05\nada,a2,2026-10-05\n";
    let terms = terms(course, extensions).unwrap();
    for (student, problem, moments) in [
        ("zoe", "sum", "10-08T08:00:00=100 10-08T08:00:01=-"),
        ("ada", "sum", "10-10T08:00:00=100 10-10T08:00:01=-"),
        ("bo", "sum", "10-08T08:00:00=100"),
        ("ada", "word", "10-20T08:00:00=100"),
    ] {
        check(&terms, student, problem, moments);
    }
}

#[test]
fn an_extension_moves_grace_steps_and_end_also_where_they_are_moments() {
    let course = r#"
time_zone = "Europe/Oslo"
extensions = "extensions.csv"
grace = "2026-10-24 12:30"
late = [
{ until = "2026-10-27 12:00", percent = 50 },
{ until = "2026-10-25 12:00", percent = 80 },
]

[[assignments]]
name = "a1"
due = "2026-10-24 12:00"
closes = "2026-10-28 12:00"
points = { sum = 1 }
"#;
    let terms = terms(course, "student,assignment,due\nada,a1,4d\n").unwrap();
    // The clocks go back on 25 October. Ada's time ends at 11:00 UTC four days later.
    let zoe = "10-24T10:30:00=100 10-24T10:30:01=80 10-25T11:00:00=80 10-25T11:00:01=50 \
               10-27T11:00:01=0 10-28T11:00:01=-";
    check(&terms, "zoe", "sum", zoe);
    let ada = "10-28T11:30:00=100 10-28T11:30:01=80 10-29T11:00:00=80 10-29T11:00:01=50 \
               10-31T11:00:00=50 10-31T11:00:01=0 11-01T11:00:00=0 11-01T11:00:01=-";
    check(&terms, "ada", "sum", ada);
}

#[test]
fn a_day_begins_at_midnight_and_attempts_are_limited_by_assignment() {
    let course = r#"
time_zone = "Europe/Oslo"
attempts = { max = 10, per = "1d" }

[[assignments]]
name = "a1"
opens = "2026-10-25"
early = "reject"
due = "2026-10-25"
attempts = { most = 1 }
points = { sum = 1 }

[[assignments]]
name = "a2"
points = { word = 1 }
"#;
    let terms = terms(course, "").unwrap();
    // The clocks go back on this day, which has 25 hours.
    let day = "10-24T21:59:59=- 10-24T22:00:00=100 10-25T22:59:59=100 10-25T23:00:00=0";
    check(&terms, "ada", "sum", day);
    for (problem, words, window_ms) in [
        ("sum", Some("1 attempt"), None),
        ("word", Some("10 attempts in 1d"), Some(86_400_000)),
        ("other", None, None),
    ] {
        let allowed = terms.attempts_of(&slug(problem));
        assert_eq!(allowed.map(ToString::to_string).as_deref(), words);
        let found = allowed.and_then(super::AttemptsAllowed::window_ms);
        assert_eq!(found, window_ms);
    }
}

#[test]
fn mistakes_are_named_with_the_way_out() {
    let soon = "late = [{ until = \"soon\", percent = 80 }]";
    let more = "late = [{ until = \"1d\", percent = 180 }]";
    let two = "+points = { x = 1 }\n[[assignments]]\nname = \"b\"\npoints = { x = 1 }";
    let due = "+points = {}\nopens = \"2026-02-01\"\ndue = \"2026-01-01\"";
    let closes = "+points = {}\ndue = \"2026-02-01\"\ncloses = \"2026-01-01\"";
    // What follows `+` is said of an assignment.
    for (course, part) in [
        ("time_zone = \"Oslo\"", "there is no time zone `Oslo`"),
        ("counts = \"bset\"", "did you mean \"best\"?"),
        ("early = \"hodl\"", "did you mean \"hold\"?"),
        ("attempts = { max = 0 }", "attempts"),
        ("attempts = { max = 3, per = \"2026-10-01\" }", "write how"),
        (soon, "cannot be `soon`"),
        (more, "from 0 to 100"),
        ("+points = { A = 1 }", "`A`"),
        ("+points = { a = -1 }", "`a` cannot be -1"),
        ("+point = { a = 1 }", "did you mean `points`?"),
        (two, "x is in two assignments"),
        (due, "due before it opens"),
        (closes, "closes before"),
        ("+points = {}\nopens = \"7d\"", "`opens` of `a` is so"),
        ("+points = {}\ndue = \"7d\"", "`due` of `a` is so"),
        ("+points = {}\ncloses = \"7d\"", "`closes` of `a` is so"),
    ] {
        let course = course.replace('+', "[[assignments]]\nname = \"a\"\n");
        let error = terms(&course, "student,assignment,due\n").unwrap_err();
        assert!(error.contains("course.toml:"), "{error}");
        assert!(error.contains(part), "{error}");
    }
    let error = terms(COURSE, "student,assignment,due\nada,a9,1d\n").unwrap_err();
    assert!(error.contains("ada has an extension for `a9`"), "{error}");
}

//! Grades on the real binary: terms, imported times, extensions, decisions, limits of attempts.

use std::collections::BTreeMap;
use std::fs;

use scraper::{Html, Selector};

use crate::book::{Row, rows};
use crate::place::{Place, assert_has, flat, wait_until};
use crate::programs;

const COURSE: &str = r#"
title = "Algorithms"
time_zone = "Europe/Oslo"
grace = "5m"
late = [{ until = "1d", percent = 80 }, { until = "3d", percent = 50 }]
extensions = "extensions.csv"

[[assignments]]
name = "first"
title = "The first"
due = "2026-03-28 23:59"
points = { sum = 10 }

[[assignments]]
name = "second"
opens = "2026-03-01"
early = "reject"
due = "2026-04-10 12:00"
closes = "1d"
points = { again = 7.5 }
"#;

/// What the platform knows: login, problem, the time on Oslo's clock, and whether it is right. The
/// clocks go forward in the night to 29 March.
const HANDED_IN: [(&str, &str, &str, bool); 9] = [
    ("ada", "sum", "2026-03-28-23-50-00", false),
    ("ada", "sum", "2026-03-29-10-00-00", true),
    ("ada", "again", "2026-04-01-08-00-00", false),
    ("bo", "sum", "2026-03-30-12-00-00", true),
    ("cy", "sum", "2026-03-29-23-59-30", true),
    ("cy", "again", "2026-04-10-12-05-00", true),
    ("cy", "again", "2026-02-28-23-59-59", false),
    ("zoe", "sum", "2026-03-20-08-00-00", true),
    ("zoe", "again", "2026-04-12-12-00-00", true),
];

fn course() -> Place {
    let people = "zoe,Zed,Zoe\nbo,Beck,Bo\ndan,Dorn,Dan\nada,Adams,Ada\ncy,Chen,Cy\n";
    let place = Place::new().only(&["lua"]).with_roster(people);
    place.write("course.toml", COURSE);
    let extensions = "student,assignment,due,why\nbo,first,2d,ill\n";
    place.write("extensions.csv", extensions);
    place.copy_sum("again");
    place
}

/// The grade book's rows, by student.
fn book(place: &Place) -> BTreeMap<String, Row> {
    let rows = crate::book::book(place).into_iter();
    rows.map(|row| (row["student"].clone(), row)).collect()
}

#[test]
fn a_term_with_late_work_an_extension_and_decisions_has_the_grades_that_a_person_computes() {
    let place = course();
    for (number, (login, problem, at, is_right)) in HANDED_IN.iter().enumerate() {
        let program = ["print(0)\n", programs::LUA][usize::from(*is_right)];
        let name = format!("vpl/Some Body {} {login}/{at}/{problem}.lua", 100 + number);
        place.write(&name, format!("{program}-- {number}\n"));
    }
    place.says(0, "import vpl --platform vpl", &[]);
    assert!(place.path("submissions/zoe/again.lua").exists());
    place.serve_once();
    let decisions = "override ada again --verdict AC --reason idea|\
        exclude zoe sum --attempt 1 --reason copied|\
        override zoe again --points 3.25 --reason ill|comment dan sum hello";
    for decision in decisions.split('|') {
        place.says(0, &format!("decide {decision}"), &[]);
    }
    place.says(0, "decide undo dan sum", &["hello"]);
    place.says(2, "decide undo dan sum", &["nothing is decided"]);
    place.says(0, "report --rebuild", &["written"]);

    let book = book(&place);
    the_book_is_computed(&book);
    let zoe = &book["zoe"];
    let decided = [&zoe["sum points"], &zoe["again points"], &zoe["score"]];
    assert_eq!(decided, ["0", "3.25", "3.25"]);
    let ada = &book["ada"];
    assert_eq!(ada["again verdict"], "WA", "the judge's verdict stays");
    assert_eq!(ada["again decision"], "Attempt 1 counts as AC: idea");
    let time = (&ada["sum time"][..], &ada["sum time_source"][..]);
    assert_eq!(time, ("2026-03-29T10:00:00+02:00", "platform"));
    pages_say_the_same(&place);
    grades_go_back(&place);
}

/// The grades of an assignment fill the files that platforms gave, and nothing else in them changes;
/// the feedback is the students' own reports.
fn grades_go_back(place: &Place) {
    let header = "Identifier,\"Full name\",\"Email address\",Status,Grade,\"Maximum Grade\",\"Grade can be changed\",\"Last modified (submission)\",\"Last modified (grade)\",\"Feedback comments\"\n";
    let dan = "Participant 72,Dan Dorn,,No submission,,10.00,Yes,-,-,\n";
    let ada = "Participant 71,Ada Adams,,Submitted,,10.00,Yes,-,-,\n";
    place.write("worksheet.csv", format!("{header}{dan}{ada}"));
    let moodle = "export moodle --worksheet worksheet.csv --assignment first";
    place.says(0, moodle, &[]);
    let filled = place.read("staff/exports/moodle/worksheet.csv");
    assert!(filled.starts_with(&format!("{header}{dan}")), "{filled}");
    assert_eq!(rows(&filled)[1]["Grade"], "8.00", "{filled}");
    let file = fs::File::open(place.path("staff/exports/moodle/feedback.zip")).unwrap();
    let mut zip = zip::ZipArchive::new(file).unwrap();
    let report = zip.by_name("Feedback_71_assignfeedback_file/sum.html");
    let report = std::io::read_to_string(report.unwrap()).unwrap();
    assert_eq!(report, place.read("reports/ada/sum/2.html"));
    assert_eq!(zip.len(), 1);
    let head =
        "Student,ID,SIS User ID,SIS Login ID,Section,Lab 1 (2501)\n    Points Possible,,,,,10.00\n";
    let gradebook = format!("{head}\"Dorn, Dan\",92,2,dan,CS1,7\n\"Adams, Ada\",91,1,ada,CS1,\n");
    place.write("gradebook.csv", gradebook);
    let canvas = "export canvas --gradebook gradebook.csv --column 2501 --assignment first";
    place.says(0, canvas, &[]);
    let filled = place.read("staff/exports/canvas/gradebook.csv");
    assert_eq!(filled, format!("{head}\"Adams, Ada\",91,1,ada,CS1,8\n"));
}

/// The points of everybody, late or not, as a person computes them.
#[rustfmt::skip]
fn the_book_is_computed(book: &BTreeMap<String, Row>) {
    for (student, cells) in [
        // Nine hours after midnight are eight, because the clocks go forward.
        ("ada", "sum points=8|sum late_minutes=541|again points=7.5|first total=8|score=15.5"),
        ("bo", "sum points=10|second total=0|score=10"),
        ("cy", "sum points=5|sum late_minutes=1381|again points=7.5|second total=7.5|score=12.5"),
        ("dan", "score=0|max_score=17.5"),
    ] {
        for (column, cell) in cells.split('|').filter_map(|cell| cell.split_once('=')) {
            assert_eq!(book[student][column], cell, "{student} {column}");
        }
    }
}

/// The text of a page's main part.
fn page(place: &Place, name: &str) -> String {
    let page = Html::parse_document(&place.read(name));
    let main = Selector::parse("main").unwrap();
    let words = page.select(&main).flat_map(|part| part.text());
    flat(&words.flat_map(|text| [text, " "]).collect::<String>())
}

fn pages_say_the_same(place: &Place) {
    let of_ada = "The first 2026-03-28 23:59 8 of 10|8 of 10 points . Due 2026-03-28 23:59.|\
        late by 9 h 1 min: 80 %|2026-03-29 10:00 by the platform|Attempt 1 counts as AC: idea|\
        Wrong answer";
    let of_zoe = "Attempt 1 does not count: copied|after it closed: does not count|\
        The problem brings 3.25 points: ill";
    for (folder, words) in [
        ("reports/ada", of_ada),
        ("reports/zoe", of_zoe),
        ("reports/cy", "before it opened: does not count"),
        ("reports/bo", "Due by an extension 2026-03-30 23:59"),
        ("reports/dan", "Attempts: 0.|0 of 10"),
        ("staff", "The first (of 10)"),
    ] {
        assert_has(&page(place, &format!("{folder}/index.html")), &[words]);
    }
    let report = place.read("reports/ada/sum/1.txt");
    let has_zone = report.contains(" CET\n") || report.contains(" CEST\n");
    assert!(has_zone, "{report}");
    let text = page(place, "staff/index.html");
    let people = "Zed, Zoe|Beck, Bo|Dorn, Dan|Adams, Ada|Chen, Cy".split('|');
    let places = people.map(|name| text.find(name).unwrap_or_else(|| panic!("{name}: {text}")));
    assert!(places.is_sorted(), "the roster's order: {text}");
    assert!(!page(place, "reports/bo/index.html").contains("copied"));
}

#[test]
fn a_running_daemon_takes_new_terms_and_keeps_the_old_ones_where_the_new_have_a_mistake() {
    let place = course();
    place.write("submissions/ada/sum.lua", programs::LUA);
    // A mistake in the roster stops no grading.
    let roster = place.read("roster.csv");
    place.write("roster.csv", "name\nzoe\n");
    let mistake = "roster.csv:1: no column is called `student`";
    place.says(0, "serve --once", &[mistake]);
    place.says(0, "status", &[mistake]);
    assert_eq!(place.verdicts()["ada/sum/1"], "AC");
    place.write("roster.csv", roster);
    let daemon = place.daemon();
    let points = |expected: &str| {
        let has = |row: &Row| row["sum points"] == expected;
        wait_until("the points", || book(&place).get("ada").is_some_and(has));
    };
    points("0");
    place.write("course.toml", COURSE.replace("2026-03-28", "2099-03-28"));
    points("10");
    place.write("course.toml", "time_zone = \"Oslo\"\n");
    daemon.wait_to_say("there is no time zone `Oslo`");
    daemon.wait_to_say("course.toml:1");
    place.says(0, "status", &["no time zone `Oslo`"]);
    // The old terms are still there when a decision comes.
    let decision = "decide override ada sum --points 9 --reason eyes";
    place.says(0, decision, &[]);
    points("9");
    place.write("course.toml", COURSE.replace("sum =", "sun ="));
    points("9");
    daemon.wait_to_say("has `sun`, but this course has no such problem; did you mean `sum`?");
    place.write("extensions.csv", "student,assignment,due\nbob,first,2d\n");
    let mistakes = ["did you mean `sum`?|`bob` has an extension or a decision"];
    place.says(0, "status", &mistakes);
    place.write("course.toml", COURSE);
    daemon.wait_to_say("course.toml is corrected");
    let ended = daemon.stop();
    let count = |what: &str| ended.said.iter().filter(|line| line.contains(what)).count();
    for line in ["no time zone", "course.toml is corrected"] {
        assert_eq!(count(line), 1, "{line}: {:#?}", ended.said);
    }
}

#[test]
fn a_file_too_many_is_accepted_later_by_itself_and_is_no_attempt_before() {
    let place = course();
    let course = COURSE.replace("closes = \"1d\"\n", "");
    let limited = |limit: &str| format!("attempts = {limit}\n{course}");
    place.write("course.toml", limited("{ max = 1 }"));
    place.write("submissions/ada/sum.lua", "print(0)\n");
    let daemon = place.daemon();
    place.wait_for("ada/sum/1");
    place.write("submissions/ada/sum.lua", programs::LUA);
    let notes = || place.says(0, "report ada", &[]);
    let told = |words: &str| wait_until(words, || notes().contains(words));
    told("allows 1 attempt, and all are used; no more are accepted");
    // It is looked at again whenever the course's files change, and told once.
    place.write("course.toml", limited("{ most = 1, in = \"1h\" }"));
    told("it is accepted by itself at ");
    let log = place.read("staff/verdicts.jsonl");
    assert_eq!(log.matches("all are used").count(), 1);
    let note = place.read("reports/ada/rejected/sum.lua.note.txt");
    assert!(!note.contains("Submit one source file"), "{note}");
    // The same bytes as before are nothing new.
    place.write("submissions/ada/again.lua", programs::LUA);
    place.wait_for("ada/again/1");
    place.write("submissions/ada/again.lua", programs::LUA);
    place.write("course.toml", limited("{ most = 1, in = \"3s\" }"));
    assert_eq!(place.wait_for("ada/sum/2"), "AC");
    wait_until("no rejection", || !notes().contains("all are used"));
    place.write("submissions/ada/sum.lua", "print(1)\n");
    assert_eq!(place.wait_for("ada/sum/3"), "WA");
    let log = place.read("staff/verdicts.jsonl");
    let told = log.matches("it is accepted by itself at ").count();
    assert!(told <= 2, "{log}");
    assert!(!place.verdicts().contains_key("ada/again/2"));
    daemon.stop();
}

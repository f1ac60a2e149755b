//! A term from the roster to the grades and back: eighty people, three assignments, every platform's
//! export, late rules, extensions, a hack, decisions. The grade book must say what a spreadsheet
//! says that knows only the rules.

mod archives;
mod people;
mod sheet;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Read as _;

use crate::place::{Place, wait_until};
use people::Somebody;
use sheet::{EXCLUDED, EXTENDED, OVERRIDDEN, Totals};

const COURSE: &str = r#"title = "Algorithms"
time_zone = "Europe/Oslo"
grace = "5m"
extensions = "extensions.csv"

[[assignments]]
name = "a1"
opens = "2026-03-02 08:00"
due = "2026-03-28 23:59"
late = [{ until = "1d", percent = 80 }, { until = "3d", percent = 50 }]
closes = "7d"
points = { sum = 10 }

[[assignments]]
name = "a2"
due = "2026-04-15 12:00"
late = [{ until = "2d", percent = 40 }]
counts = "last-on-time"
points = { other = 5 }

[[assignments]]
name = "a3"
points = { parts = 20 }
"#;

const GROUPS: &str = r#"
[[groups]]
name = "easy"
points = 40
score = "all"

[[groups]]
name = "hard"
points = 60
score = "sum"
"#;

/// The course as its instructor has set it up.
fn course() -> Place {
    let place = Place::new().only(&["python3"]);
    let config = place.read("config.toml");
    let roster = "\n[overview]\nroster = \"roster.csv\"\nunknown_students = \"reject\"\n";
    place.write("config.toml", config + roster);
    let rows: String = Somebody::all().map(Somebody::row).collect();
    let header = "student,last_name,first_name,email,login,id,canvas,github\n";
    place.write("roster.csv", format!("{header}{rows}"));
    place.write("course.toml", COURSE);
    let mut extensions = "student,assignment,due\n".to_owned();
    for person in EXTENDED {
        let _ = writeln!(extensions, "s{person:02},a1,2d");
    }
    place.write("extensions.csv", extensions);
    let manifest = place.read("problems/sum/problem.toml");
    place.write("problems/other/problem.toml", &manifest);
    place.write("problems/parts/problem.toml", manifest + GROUPS);
    for (name, a, b) in [
        ("other/data/sample/1", 1, 2),
        ("other/data/secret/1", 4, 5),
        ("parts/data/sample/1", 1, 2),
        ("parts/data/secret/easy/1", 5, 6),
        ("parts/data/secret/easy/2", 7, 8),
        ("parts/data/secret/hard/1", 900, 901),
        ("parts/data/secret/hard/2", 9, 10),
        ("parts/data/secret/hard/10", 5_000, 6_000),
    ] {
        place.write(&format!("problems/{name}.in"), format!("{a} {b}\n"));
        place.write(&format!("problems/{name}.ans"), format!("{}\n", a + b));
    }
    for (name, bytes) in archives::all() {
        place.write(&name, bytes);
    }
    place.write(archives::WORKSHEET, archives::worksheet());
    place
}

/// Runs a command that must succeed.
fn done(place: &Place, arguments: &[&str]) {
    let output = place.run(arguments);
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {words}");
}

/// The totals of everybody in the grade book; `None` while somebody waits for a verdict.
fn book(place: &Place) -> Option<BTreeMap<String, Totals>> {
    let text = std::fs::read_to_string(place.path("staff/gradebook.csv")).ok()?;
    let mut reader = csv::Reader::from_reader(text.trim_start_matches('\u{FEFF}').as_bytes());
    let names = reader.headers().unwrap().clone();
    let mut book = BTreeMap::new();
    for row in reader.records() {
        let row = row.unwrap();
        let cell = |name: &str| {
            let place = names.iter().position(|column| column == name);
            row.get(place.unwrap_or_else(|| panic!("{name}: {names:?}")))
                .unwrap()
        };
        if row.iter().any(|cell| cell == "waiting") {
            return None;
        }
        let total = |name: &str| hundredths(cell(name));
        let totals = ["a1 total", "a2 total", "a3 total"].map(total);
        book.insert(cell("student").to_owned(), totals);
    }
    Some(book)
}

/// Waits until the grade book says what the spreadsheet says.
fn wait_for_sheet(place: &Place, what: &str, expected: &BTreeMap<String, Totals>) {
    let is_reached = crate::place::comes_true(crate::place::PATIENCE, || {
        book(place).as_ref() == Some(expected)
    });
    let found = book(place).unwrap_or_default();
    let differ: Vec<String> = expected
        .iter()
        .filter(|(student, totals)| found.get(*student) != Some(totals))
        .map(|(student, totals)| format!("{student}: {totals:?}, found {:?}", found.get(student)))
        .collect();
    assert!(is_reached, "{what}: {}", differ.join("\n"));
}

/// What the spreadsheet says of everybody.
fn spreadsheet(totals: impl Fn(Somebody) -> Totals) -> BTreeMap<String, Totals> {
    Somebody::all()
        .map(|one| (one.student(), totals(one)))
        .collect()
}

fn import_everything(place: &Place) {
    let names: Vec<String> = archives::all().into_iter().map(|(name, _)| name).collect();
    let (moodle, others) = names.split_first().unwrap();
    done(
        place,
        &["import", "--worksheet", archives::WORKSHEET, moodle],
    );
    // What Canvas marks as late has no time: it counts as handed in long after the end.
    let mut arguments = vec!["import", "--received", "2026-06-01 12:00"];
    arguments.extend(others.iter().map(String::as_str));
    done(place, &arguments);
}

#[test]
fn the_grades_of_a_term_are_those_of_a_spreadsheet_and_go_back_to_the_platforms() {
    let place = course();
    let daemon = place.daemon();
    import_everything(&place);
    for one in Somebody::all() {
        if let Some(program) = one.third() {
            place.write(&format!("submissions/{}/parts.py", one.student()), program);
        }
    }
    let student = |number: usize| Somebody(number).student();
    let reason = ["--reason", "shown on paper"];
    let overridden = student(OVERRIDDEN);
    let decision = ["decide", "override", &overridden, "sum", "--points", "7"];
    done(&place, &[&decision[..], &reason].concat());
    let excluded = student(EXCLUDED);
    wait_until("the second attempt", || {
        place
            .verdicts()
            .contains_key(&format!("{excluded}/other/2"))
    });
    let decision = ["decide", "exclude", &excluded, "other", "--attempt", "2"];
    done(&place, &[&decision[..], &reason].concat());

    let before = spreadsheet(|one| sheet::totals(one, false));
    wait_for_sheet(&place, "before the hack", &before);

    place.write("equal.in", "5 5\n");
    place.write("equal.ans", "10\n");
    done(
        &place,
        &["hack", "add", "sum", "equal.in", "--answer", "equal.ans"],
    );
    let after = spreadsheet(|one| sheet::totals(one, true));
    assert_ne!(before, after);
    wait_for_sheet(&place, "after the hack", &after);
    assert_eq!(daemon.stop().code, Some(0));
    goes_back(&place);
}

/// The grades of the first assignment, in the files that the platforms gave.
fn goes_back(place: &Place) {
    let worksheet = ["--worksheet", archives::WORKSHEET, "--assignment", "a1"];
    done(place, &[&["export", "moodle"][..], &worksheet].concat());
    let filled = place.read("staff/exports/moodle/worksheet.csv");
    let moodle = grades(&filled, "Full name", "Grade");
    for one in Somebody::all().filter(|one| one.platform() == 0) {
        let name = format!("{} {}", one.given(), one.family());
        let expected = sheet::first_counts(one).then(|| sheet::totals(one, true)[0]);
        assert_eq!(moodle[&name], expected, "{name}: {filled}");
    }
    reports_go_back(place);

    place.write("in/gradebook.csv", archives::canvas_gradebook());
    let gradebook = ["--gradebook", "in/gradebook.csv", "--column", "Lab 1"];
    let assignment = ["--assignment", "a1"];
    done(
        place,
        &[&["export", "canvas"][..], &gradebook, &assignment].concat(),
    );
    let filled = place.read("staff/exports/canvas/gradebook.csv");
    let mut canvas = grades(&filled, "SIS Login ID", "Lab 1 (2501)");
    // The row of the points that are possible.
    canvas.remove("");
    let expected: BTreeMap<String, Option<i64>> = Somebody::all()
        .filter(|one| sheet::first_counts(*one))
        .map(|one| (one.login(), Some(sheet::totals(one, true)[0])))
        .collect();
    assert_eq!(canvas, expected, "{filled}");
}

/// Moodle's feedback files are the students' own reports, without what only staff may read.
fn reports_go_back(place: &Place) {
    let file = std::fs::File::open(place.path("staff/exports/moodle/feedback.zip")).unwrap();
    let mut zip = zip::ZipArchive::new(file).unwrap();
    assert!(zip.len() > 3, "{}", zip.len());
    let own = |one: Somebody| {
        let name = format!("Feedback_{}_assignfeedback_file/sum.html", one.number());
        (name, format!("reports/{}/sum/1.html", one.student()))
    };
    let own: BTreeMap<String, String> = Somebody::all().map(own).collect();
    for index in 0..zip.len() {
        let mut entry = zip.by_index(index).unwrap();
        let name = entry.name().unwrap().into_owned();
        let mut html = String::new();
        entry.read_to_string(&mut html).unwrap();
        assert_eq!(html, place.read(&own[&name]), "{name}");
    }
}

/// The grades in a column of a platform's file, in hundredths, by what names people in it; `None`
/// where the cell is empty.
fn grades(text: &str, who: &str, grade: &str) -> BTreeMap<String, Option<i64>> {
    let mut reader = csv::Reader::from_reader(text.trim_start_matches('\u{FEFF}').as_bytes());
    let names = reader.headers().unwrap().clone();
    let column = |name: &str| names.iter().position(|column| column == name).unwrap();
    let (who, grade) = (column(who), column(grade));
    let rows = reader.records().map(|row| {
        let row = row.unwrap();
        let points = Some(&row[grade]).filter(|points| !points.is_empty());
        (row[who].to_owned(), points.map(hundredths))
    });
    rows.collect()
}

fn hundredths(points: &str) -> i64 {
    let points: f64 = points.parse().unwrap();
    #[expect(clippy::cast_possible_truncation, reason = "a few points")]
    let hundredths = (points * 100.0).round() as i64;
    hundredths
}

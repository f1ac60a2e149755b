//! What the platforms export of the first two assignments.

use std::io::{Cursor, Write as _};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::people::{DUE_2, Quality, Somebody, after};

/// Files of an archive.
type Entries = Vec<(String, String)>;

/// The name of an archive and what it has of somebody.
type Platform = (&'static str, fn(Somebody) -> Entries);

/// One archive per platform, in the order of [`Somebody::platform`].
const PLATFORMS: [Platform; 9] = [
    ("CS1-A1-4711.zip", moodle),
    ("vpl.zip", vpl),
    ("submissions.zip", canvas),
    ("gradebook_CS1_A1.zip", blackboard),
    ("A1.zip", brightspace),
    ("bulk.zip", sakai),
    ("assignment_7_export.zip", gradescope),
    ("hw1-submissions.zip", classroom),
    ("inbound.zip", nbgrader),
];

/// Moodle's worksheet, which says when its people have handed in.
pub const WORKSHEET: &str = "in/worksheet.csv";

/// A moment on the clock of Oslo.
fn local(moment: Timestamp, format: &str) -> String {
    let zone = TimeZone::get("Europe/Oslo").unwrap();
    moment.to_zoned(zone).strftime(format).to_string()
}

fn utc(moment: Timestamp, format: &str) -> String {
    moment.strftime(format).to_string()
}

/// Everything that is imported, by file name; Moodle's archive first.
pub fn all() -> Vec<(String, Vec<u8>)> {
    let platforms = PLATFORMS
        .iter()
        .enumerate()
        .map(|(number, (name, entries))| {
            let people = Somebody::all().filter(|one| one.platform() == number);
            let entries = people.flat_map(entries).chain(course_wide(number));
            (format!("in/{name}"), zipped(entries))
        });
    let second = Somebody::all().flat_map(second);
    platforms
        .chain([("in/second/vpl.zip".to_owned(), zipped(second))])
        .collect()
}

fn zipped(entries: impl Iterator<Item = (String, String)>) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in entries {
        writer
            .start_file(name, SimpleFileOptions::default())
            .unwrap();
        writer.write_all(text.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// What a platform says about everybody in one file.
fn course_wide(number: usize) -> Entries {
    let people = || Somebody::all().filter(|one| one.platform() == number);
    match PLATFORMS[number].0 {
        "bulk.zip" => vec![(
            "A1/grades.csv".to_owned(),
            "\"A1\",\"SCORE_GRADE_TYPE\"\n".to_owned(),
        )],
        "assignment_7_export.zip" => {
            let submission = |one: Somebody| {
                format!(
                    "submission_{}:\n  :submitters:\n  - :name: {} {}\n    :sid: {}\n    :email: {}\n  :created_at: {} Z\n",
                    one.0,
                    one.given(),
                    one.family(),
                    one.number(),
                    one.email(),
                    utc(one.first_at(), "%Y-%m-%d %H:%M:%S.000000000"),
                )
            };
            let list: String = people().map(submission).collect();
            vec![(
                "assignment_7_export/submission_metadata.yml".to_owned(),
                format!("---\n{list}"),
            )]
        }
        "hw1-submissions.zip" => {
            let row = |one: Somebody| format!("hw1,{},{}\n", one.login(), one.first_at());
            let rows: String = people().map(row).collect();
            vec![(
                "hw1-submissions/grades.csv".to_owned(),
                format!("assignment_name,github_username,submission_timestamp\n{rows}"),
            )]
        }
        _ => Vec::new(),
    }
}

fn program(one: Somebody) -> String {
    one.first().0.program(0)
}

fn moodle(one: Somebody) -> Entries {
    let name = format!(
        "{} {}_{}_assignsubmission_file/sum.py",
        one.given(),
        one.family(),
        one.number()
    );
    vec![(name, program(one))]
}

/// Moodle's worksheet of its people, nothing graded yet.
pub fn worksheet() -> String {
    let row = |one: Somebody| {
        format!(
            "Participant {},{} {},{},Submitted for grading,,10.00,Yes,\"{}\",-,\n",
            one.number(),
            one.given(),
            one.family(),
            one.email(),
            local(one.first_at(), "%A, %-d %B %Y, %-I:%M %p"),
        )
    };
    let people = Somebody::all().filter(|one| one.platform() == 0);
    let rows: String = people.map(row).collect();
    format!(
        "Identifier,\"Full name\",\"Email address\",Status,Grade,\"Maximum Grade\",\"Grade can be changed\",\"Last modified (submission)\",\"Last modified (grade)\",\"Feedback comments\"\n{rows}"
    )
}

fn vpl(one: Somebody) -> Entries {
    vec![vpl_attempt(one, one.first_at(), "sum.py", program(one))]
}

fn vpl_attempt(one: Somebody, at: Timestamp, file: &str, program: String) -> (String, String) {
    let time = local(at, "%Y-%m-%d-%H-%M-%S");
    let name = format!(
        "{} {} {} {}/{time}/{file}",
        one.family(),
        one.given(),
        one.0,
        one.login()
    );
    (name, program)
}

fn canvas(one: Somebody) -> Entries {
    // Canvas has no times in its archives; it marks what is late.
    let late = if one.first().1 > 0 { "LATE_" } else { "" };
    let name = format!("{}{}", one.family(), one.given()).to_lowercase();
    let name = format!("{name}_{late}{}_16203579_sum.py", 90_000 + one.0);
    vec![(name, program(one))]
}

fn blackboard(one: Somebody) -> Entries {
    let at = one.first_at();
    let stem = format!(
        "Sum_{}_attempt_{}",
        one.login(),
        local(at, "%Y-%m-%d-%H-%M-%S")
    );
    let list = format!(
        "Name: {} {} ({})\nAssignment: Sum\nDate Submitted: {} o'clock {}\n\nFiles:\n\tOriginal filename: sum.py\n\tFilename: {stem}_sum.py\n",
        one.given(),
        one.family(),
        one.login(),
        local(at, "%A, %-d %B %Y %H:%M:%S"),
        local(at, "%Z"),
    );
    vec![
        (format!("{stem}.txt"), list),
        (format!("{stem}_sum.py"), program(one)),
    ]
}

fn brightspace(one: Somebody) -> Entries {
    let name = format!(
        "39786-{} - {} {} - {}/sum.py",
        one.number(),
        one.given(),
        one.family(),
        local(one.first_at(), "%b %-d, %Y %-I%M %p"),
    );
    vec![(name, program(one))]
}

fn sakai(one: Somebody) -> Entries {
    let folder = format!("A1/{}, {}({})", one.family(), one.given(), one.login());
    vec![
        (
            format!("{folder}/timestamp.txt"),
            utc(one.first_at(), "%Y%m%d%H%M%S000"),
        ),
        (
            format!("{folder}/Submission attachment(s)/sum.py"),
            program(one),
        ),
    ]
}

fn gradescope(one: Somebody) -> Entries {
    let name = format!("assignment_7_export/submission_{}/sum.py", one.0);
    vec![(name, program(one))]
}

fn classroom(one: Somebody) -> Entries {
    let name = format!("hw1-submissions/hw1-{}/sum.py", one.login());
    vec![(name, program(one))]
}

fn nbgrader(one: Somebody) -> Entries {
    let name = format!(
        "{}+ps1+{} UTC/sum.py",
        one.login(),
        utc(one.first_at(), "%Y-%m-%d %H:%M:%S.000000")
    );
    vec![(name, program(one))]
}

/// The second assignment: every attempt of everybody, through Moodle's VPL.
fn second(one: Somebody) -> Entries {
    let attempts = one.second().into_iter().enumerate();
    let entry = |(number, (quality, minutes)): (usize, (Quality, i64))| {
        vpl_attempt(
            one,
            after(DUE_2, minutes),
            "other.py",
            quality.program(number),
        )
    };
    attempts.map(entry).collect()
}

/// Canvas's gradebook of everybody, nothing graded yet.
pub fn canvas_gradebook() -> String {
    let row = |one: Somebody| {
        let (family, given) = (one.family(), one.given());
        let (number, login) = (90_000 + one.0, one.login());
        format!(
            "\"{family}, {given}\",{number},{},{login},CS1,\n",
            one.number()
        )
    };
    let rows: String = Somebody::all().map(row).collect();
    format!(
        "Student,ID,SIS User ID,SIS Login ID,Section,Lab 1 (2501)\n    Points Possible,,,,,10.00\n{rows}"
    )
}

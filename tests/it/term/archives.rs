//! What the platforms export of the first two assignments.

use std::io::{Cursor, Write as _};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::people::{DUE_2, Quality, Somebody, after};

/// A file of an archive.
type Entry = (String, String);

/// The name of an archive and what it has of somebody.
type Platform = (&'static str, fn(Somebody) -> Entry);

/// One archive per platform, in the order of [`Somebody::platform`]: one that has its times in another
/// file, one that has them in UTC, and one that has none.
const PLATFORMS: [Platform; 3] = [
    ("CS1-A1-4711.zip", moodle),
    ("inbound.zip", nbgrader),
    ("submissions.zip", canvas),
];

/// Moodle's worksheet, which says when its people have handed in.
pub const WORKSHEET: &str = "in/worksheet.csv";

/// A moment on the clock of Oslo.
fn local(moment: Timestamp, format: &str) -> String {
    let zone = TimeZone::get("Europe/Oslo").unwrap();
    moment.to_zoned(zone).strftime(format).to_string()
}

/// Everything that is imported, by file name; Moodle's archive first.
pub fn all() -> Vec<(String, Vec<u8>)> {
    let platforms = PLATFORMS
        .iter()
        .enumerate()
        .map(|(number, (name, entries))| {
            let people = Somebody::all().filter(|one| one.platform() == number);
            (format!("in/{name}"), zipped(people.map(entries)))
        });
    let second = Somebody::all().flat_map(second);
    platforms
        .chain([("in/second/vpl.zip".to_owned(), zipped(second))])
        .collect()
}

fn zipped(entries: impl Iterator<Item = Entry>) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in entries {
        writer
            .start_file(name, SimpleFileOptions::default())
            .unwrap();
        writer.write_all(text.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn program(one: Somebody) -> String {
    one.first().0.program(0)
}

fn moodle(one: Somebody) -> Entry {
    let name = format!(
        "{} {}_{}_assignsubmission_file/sum.py",
        one.given(),
        one.family(),
        one.number()
    );
    (name, program(one))
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

fn vpl_attempt(one: Somebody, at: Timestamp, program: String) -> Entry {
    let time = local(at, "%Y-%m-%d-%H-%M-%S");
    let name = format!(
        "{} {} {} {}/{time}/other.py",
        one.family(),
        one.given(),
        one.0,
        one.login()
    );
    (name, program)
}

fn canvas(one: Somebody) -> Entry {
    // Canvas has no times in its archives; it marks what is late.
    let late = if one.first().1 > 0 { "LATE_" } else { "" };
    let name = format!("{}{}", one.family(), one.given()).to_lowercase();
    let name = format!("{name}_{late}{}_16203579_sum.py", 90_000 + one.0);
    (name, program(one))
}

fn nbgrader(one: Somebody) -> Entry {
    let time = one.first_at().strftime("%Y-%m-%d %H:%M:%S.000000");
    let name = format!("{}+ps1+{time} UTC/sum.py", one.login());
    (name, program(one))
}

/// The second assignment: every attempt of everybody, through Moodle's VPL.
fn second(one: Somebody) -> Vec<Entry> {
    let attempts = one.second().into_iter().enumerate();
    let entry = |(number, (quality, minutes)): (usize, (Quality, i64))| {
        vpl_attempt(one, after(DUE_2, minutes), quality.program(number))
    };
    attempts.map(entry).collect()
}

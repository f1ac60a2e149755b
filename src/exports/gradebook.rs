//! `gradebook.csv`: one row a student, for spreadsheet programs and for the course's own scripts.
//!
//! The roster's students come first, in its order, each with a row; students who are not on it
//! follow in the order of their names.
//! It begins with a byte order mark, without which spreadsheet programs take names in other scripts
//! for something else, and its lines end as RFC 4180 says.

use std::collections::BTreeSet;
use std::io::Write;
use std::time::Duration;

use csv::{QuoteStyle, Terminator, WriterBuilder};

use super::{CourseFile, Export, Material};
use crate::config::Counts;
use crate::course::DETAILS;
use crate::domain::{ProblemSlug, Student, Verdict};
use crate::overview::{Cell, Scoreboard};
use crate::util::cell::{plain, shown};
use crate::util::clock::utc_text;

/// Before the first column's name.
pub(super) const BYTE_ORDER_MARK: &str = "\u{FEFF}";
/// In place of a verdict where there are attempts and none has one.
const WAITING: &str = "waiting";

pub(super) const EXPORT: Export = Export {
    file: CourseFile {
        name: "gradebook.csv",
        title: "grade book",
        content_type: "text/csv; charset=utf-8",
    },
    pace: Duration::from_secs(1),
    make: |material, out| Ok(write(material, out)?),
};

/// A problem is a column if the course has it, or something was handed in for it.
fn write(material: &Material<'_>, out: &mut dyn Write) -> Result<(), csv::Error> {
    out.write_all(BYTE_ORDER_MARK.as_bytes())?;
    let (board, counts) = (material.board, material.course.counts);
    let of_course = material.course.problems.iter();
    let of_course = of_course.map(|problem| problem.slug.clone());
    let problems: BTreeSet<ProblemSlug> = board.problems().cloned().chain(of_course).collect();
    let mut writer = WriterBuilder::new()
        // A quoted text stays one cell also where the program expects semicolons between cells.
        .quote_style(QuoteStyle::NonNumeric)
        .terminator(Terminator::CRLF)
        .from_writer(out);
    writer.write_record(header(&problems))?;
    for person in material.roster.people() {
        writer.write_record(row(
            board,
            &person.student,
            &person.details,
            &problems,
            counts,
        ))?;
    }
    let people = material.roster.people().iter();
    let known: BTreeSet<&Student> = people.map(|person| &person.student).collect();
    for (student, _) in board.students() {
        if !known.contains(student) {
            let nothing = <[String; DETAILS.len()]>::default();
            writer.write_record(row(board, student, &nothing, &problems, counts))?;
        }
    }
    writer.flush()?;
    Ok(())
}

fn header(problems: &BTreeSet<ProblemSlug>) -> Vec<String> {
    let mut names = vec!["student".to_owned()];
    names.extend(DETAILS.map(str::to_owned));
    for problem in problems {
        for column in ["verdict", "attempts", "accepted_at", "score"] {
            names.push(plain(&format!("{problem} {column}")));
        }
    }
    names.extend(["score", "max_score"].map(str::to_owned));
    names
}

fn row(
    board: &Scoreboard,
    student: &Student,
    details: &[String; DETAILS.len()],
    problems: &BTreeSet<ProblemSlug>,
    counts: Counts,
) -> Vec<String> {
    let mut cells = vec![plain(student.as_str())];
    cells.extend(details.iter().map(|detail| shown(detail)));
    let mut score = 0;
    for problem in problems {
        let cell = board.cell(student, problem);
        let solved = cell.is_some_and(|cell| verdict(cell, counts) == Some(Verdict::Accepted));
        score += usize::from(solved);
        cells.push(cell.map_or_else(String::new, |cell| {
            verdict(cell, counts)
                .map_or(WAITING, Verdict::code)
                .to_owned()
        }));
        cells.push(cell.map_or(0, Cell::attempts).to_string());
        let first = cell.and_then(Cell::first_accepted);
        cells.push(first.map_or_else(String::new, |entry| utc_text(entry.submission.received_ms)));
        cells.push(u8::from(solved).to_string());
    }
    cells.push(score.to_string());
    cells.push(problems.len().to_string());
    cells
}

fn verdict(cell: &Cell, counts: Counts) -> Option<Verdict> {
    cell.counting(counts)?.verdict()
}

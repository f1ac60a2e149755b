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
use crate::course::{DETAILS, Grade, GradedAssignment, Person, Points, Standing};
use crate::domain::{ProblemSlug, Student};
use crate::overview::{Cell, Grading, Scoreboard};
use crate::util::clock::offset_text;
use crate::util::table::{plain_cell, shown_cell};

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

/// The columns of each problem.
const COLUMNS: [&str; 4] = ["verdict", "attempts", "accepted_at", "score"];
/// The further columns of each problem where there is a course.toml.
const COURSE_COLUMNS: [&str; 7] = [
    "points",
    "max_points",
    "late_minutes",
    "percent",
    "time",
    "time_source",
    "decision",
];

/// A problem is a column if the course has it, or something was handed in for it.
fn write(material: &Material<'_>, out: &mut dyn Write) -> Result<(), csv::Error> {
    out.write_all(BYTE_ORDER_MARK.as_bytes())?;
    let (board, grading) = (material.board, material.board.grading());
    let of_course = material.course.problems.iter();
    let of_course = of_course.map(|problem| problem.slug.clone());
    let mut problems: BTreeSet<ProblemSlug> = board.problems().cloned().chain(of_course).collect();
    let assignments = grading.rules.assignments(&problems);
    let named = assignments
        .iter()
        .flat_map(|assignment| &assignment.problems);
    problems.extend(named.map(|(problem, _)| problem.clone()));
    let book = Book {
        board,
        grading,
        problems,
        assignments,
    };
    let mut writer = WriterBuilder::new()
        // A quoted text stays one cell also where the program expects semicolons between cells.
        .quote_style(QuoteStyle::NonNumeric)
        .terminator(Terminator::CRLF)
        .from_writer(out);
    writer.write_record(book.header())?;
    let others = board.students().map(|(student, _)| student);
    let others = others.filter(|student| !grading.is_stranger(student));
    for (student, person) in grading.roster.and_others(others) {
        writer.write_record(book.row(student, person))?;
    }
    writer.flush()?;
    Ok(())
}

struct Book<'a> {
    board: &'a Scoreboard,
    grading: &'a Grading,
    problems: BTreeSet<ProblemSlug>,
    assignments: Vec<GradedAssignment>,
}

impl Book<'_> {
    fn has_terms(&self) -> bool {
        self.grading.rules.terms.has_file()
    }

    fn header(&self) -> Vec<String> {
        let mut names = vec!["student".to_owned()];
        names.extend(DETAILS.map(str::to_owned));
        let further: &[&str] = if self.has_terms() {
            &COURSE_COLUMNS
        } else {
            &[]
        };
        for problem in &self.problems {
            for column in COLUMNS.iter().chain(further) {
                names.push(plain_cell(&format!("{problem} {column}")));
            }
        }
        if self.has_terms() {
            for assignment in &self.assignments {
                names.push(shown_cell(&format!("{} total", assignment.name)));
                names.push(shown_cell(&format!("{} max_total", assignment.name)));
            }
        }
        names.extend(["score", "max_score"].map(str::to_owned));
        names
    }

    fn row(&self, student: &Student, person: Option<&Person>) -> Vec<String> {
        let cells = self.board.student(student);
        let grades = self
            .grading
            .person(student, person, &self.assignments, cells);
        let mut row = vec![plain_cell(student.as_str())];
        let nothing = <[String; DETAILS.len()]>::default();
        let details = person.map_or(&nothing, |person| &person.details);
        row.extend(details.iter().map(|detail| shown_cell(detail)));
        for problem in &self.problems {
            let cell = cells.and_then(|cells| cells.get(problem));
            let grade = grades.cells.get(problem);
            row.extend(facts(self.grading, cell, grade));
            if self.has_terms() {
                row.extend(self.terms(problem, grade));
            }
        }
        if self.has_terms() {
            for (assignment, total) in self.assignments.iter().zip(&grades.totals) {
                row.extend([total.to_string(), assignment.of.to_string()]);
            }
        }
        let of: Points = self
            .assignments
            .iter()
            .map(|assignment| assignment.of)
            .sum();
        row.extend([grades.total.to_string(), of.to_string()]);
        row
    }

    /// What the terms of the course make of a problem: the columns of [`COURSE_COLUMNS`].
    fn terms(&self, problem: &ProblemSlug, grade: Option<&Grade>) -> Vec<String> {
        let of = self.grading.rules.terms.points_of(problem);
        let points = grade.map_or(Points::ZERO, |grade| grade.points);
        let mut row = vec![points.to_string(), of.to_string()];
        let counted = grade.and_then(|grade| grade.counted.as_ref());
        row.extend(counted.map_or_else(Default::default, |counted| {
            let late_minutes = match counted.standing {
                // A minute that has begun.
                Standing::Late { seconds, .. } => (seconds + 59) / 60,
                _ => 0,
            };
            let at = counted.handed_in.at.as_millisecond();
            [
                late_minutes.to_string(),
                counted.standing.percent().to_string(),
                offset_text(at, self.grading.zone()),
                counted.handed_in.source.words().to_owned(),
            ]
        }));
        let decision = grade.and_then(|grade| grade.decision.as_ref());
        row.push(decision.map_or_else(String::new, |decision| shown_cell(&decision.to_string())));
        row
    }
}

/// What the judge says about a problem: the columns of [`COLUMNS`].
fn facts(grading: &Grading, cell: Option<&Cell>, grade: Option<&Grade>) -> [String; COLUMNS.len()] {
    let counted = grade.and_then(|grade| grade.counted.as_ref());
    let verdict = counted.and_then(|counted| counted.handed_in.verdict);
    let score = counted.and_then(|counted| counted.score);
    let score = score.map_or(Points::ZERO, |score| {
        Points::ONE.share(score.got, score.of, 100)
    });
    let first = cell.and_then(Cell::first_accepted);
    [
        match (verdict, cell) {
            (Some(verdict), _) => verdict.code(),
            (None, Some(cell)) if grading.is_waiting(cell) => WAITING,
            (None, _) => "",
        }
        .to_owned(),
        cell.map_or(0, Cell::attempts).to_string(),
        first.map_or_else(String::new, |entry| {
            offset_text(entry.submission.received_ms, grading.zone())
        }),
        score.to_string(),
    ]
}

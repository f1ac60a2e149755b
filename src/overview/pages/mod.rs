//! The overviews as pages: one of the course, one a problem, one a student for the student and one for the staff.
//!
//! As in the reports, the templates escape whatever they are given, and nothing tells a verdict by its colour alone.

use std::path::PathBuf;

use askama::Template;

use rejected::Rejected;

use super::tally::verdicts;
use super::{Board, Cell, Changes, Counts, Entry, Judged};
use crate::domain::{ProblemSlug, Student};
use crate::report::html::{SIGNS, STYLE, Said};
use crate::report::{Audience, Reports};
use crate::store::{Reader, StoreError};
use crate::util::clock::utc_minute;
use crate::util::excerpt::visible_line;
use crate::util::words::amount;

mod course;
mod links;
mod plot;
mod problem;
mod rejected;
mod student;
#[cfg(test)]
mod tests;

/// What these pages have beside the style of the reports.
const OWN_STYLE: &str = include_str!("overview.css");
/// Rows of students on one page.
const STUDENTS_SHOWN_MAX: usize = 2_000;
/// Columns of problems in the matrix, and problems on a student's page.
const PROBLEMS_SHOWN_MAX: usize = 50;

/// One overview. It may be several files.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Overview {
    /// The matrix of students and problems.
    Course,
    /// All about one problem.
    Problem(ProblemSlug),
    /// All about one student.
    Student(Student),
    /// The grade book, which the daemon makes with what it knows beside the board.
    GradeBook,
    /// results.xml, likewise.
    Results,
}

/// What overviews are made from.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// Everybody's attempts.
    pub board: &'a Board,
    /// What the board does not hold.
    pub reader: &'a Reader,
    /// Where files lie.
    pub reports: &'a Reports,
    /// Which attempt counts.
    pub counts: Counts,
}

/// Every overview of a board.
pub fn all_of(board: &Board) -> impl Iterator<Item = Overview> {
    let problems = board.problems().cloned().map(Overview::Problem);
    let students = board
        .students()
        .map(|(student, _)| Overview::Student(student.clone()));
    // Who has handed in nothing but what was rejected has a page that says so.
    let others = board
        .rejected()
        .filter_map(|(student, _)| student)
        .filter(|student| board.student(student).is_none())
        .map(|student| Overview::Student(student.clone()));
    [Overview::Course, Overview::GradeBook, Overview::Results]
        .into_iter()
        .chain(problems)
        .chain(students)
        .chain(others)
}

/// The overviews in which something has changed.
pub fn touched_by(changes: &Changes) -> impl Iterator<Item = Overview> {
    let of_all = [Overview::Course, Overview::GradeBook, Overview::Results];
    let course = of_all.into_iter().filter(|_| !changes.cells.is_empty());
    let cells = changes.cells.iter().flat_map(|(student, problem)| {
        [
            Overview::Problem(problem.clone()),
            Overview::Student(student.clone()),
        ]
    });
    let hacked = changes.hacked.iter().cloned().map(Overview::Problem);
    let rejected = changes.rejected.iter().flat_map(|student| {
        let page = student.clone().map(Overview::Student);
        [Overview::Course].into_iter().chain(page)
    });
    let repaired = (!changes.packages.is_empty()).then_some(Overview::Course);
    course
        .chain(cells)
        .chain(hacked)
        .chain(rejected)
        .chain(repaired)
}

/// The files of an overview; none where it is an export.
pub fn paths_of(overview: &Overview, reports: &Reports) -> Vec<PathBuf> {
    match overview {
        Overview::GradeBook | Overview::Results => Vec::new(),
        Overview::Course => vec![reports.course_path("index.html")],
        Overview::Problem(slug) => vec![reports.problem_path(slug, "html")],
        Overview::Student(student) => [Audience::Student, Audience::Staff]
            .map(|audience| reports.student_path(audience, student, "index.html"))
            .into(),
    }
}

/// The files of an overview, with their bytes.
pub fn files_of(
    overview: &Overview,
    view: &View<'_>,
) -> Result<Vec<(PathBuf, String)>, StoreError> {
    let reports = view.reports;
    Ok(match overview {
        Overview::GradeBook | Overview::Results => Vec::new(),
        Overview::Course => vec![(reports.course_path("index.html"), course::render(view)?)],
        Overview::Problem(slug) => {
            vec![(
                reports.problem_path(slug, "html"),
                problem::render(view, slug)?,
            )]
        }
        Overview::Student(student) if is_gone(view.board, student) => Vec::new(),
        Overview::Student(student) => {
            let rejected = Rejected::of(view, Some(student))?;
            [Audience::Student, Audience::Staff]
                .map(|audience| {
                    (
                        reports.student_path(audience, student, "index.html"),
                        student::render(view, student, audience, &rejected),
                    )
                })
                .into()
        }
    })
}

/// Whether there is nothing of a student any more: the files that were rejected are gone, and there
/// were no others.
pub fn is_gone(board: &Board, student: &Student) -> bool {
    board.student(student).is_none() && board.rejected_of(Some(student)) == 0
}

/// What every page has around it.
struct Frame {
    style: &'static str,
    own_style: &'static str,
    signs: &'static str,
    /// When the last verdict on the page was found.
    last: Option<String>,
}

impl Frame {
    fn of<'a>(cells: impl Iterator<Item = &'a Cell>) -> Self {
        let entries = cells.flat_map(|cell| &cell.entries);
        let last = entries
            .filter_map(|entry| Some(entry.judged.as_ref()?.judged_ms))
            .max();
        Self {
            style: STYLE,
            own_style: OWN_STYLE,
            signs: SIGNS,
            last: last.map(utc_minute),
        }
    }
}

/// A verdict that leads to its report.
struct Link {
    said: Said,
    href: String,
}

impl Link {
    /// To the report of an attempt; none while it has no verdict.
    fn of(entry: &Entry, href: impl FnOnce(&Entry) -> String) -> Option<Self> {
        Some(Self {
            said: Said::of(entry.judged.as_ref()?.verdict),
            href: href(entry),
        })
    }
}

/// One student's attempts at one problem, in short.
struct CellView {
    /// The verdict's colours; none while nothing is judged.
    class: &'static str,
    link: Option<Link>,
    attempts: String,
    /// When the first accepted attempt was received.
    accepted: Option<String>,
    is_waiting: bool,
}

impl CellView {
    fn of(cell: &Cell, counts: Counts, href: impl FnOnce(&Entry) -> String) -> Self {
        let counting = cell.counting(counts);
        let link = counting.and_then(|entry| Link::of(entry, href));
        Self {
            class: link.as_ref().map_or("SK", |link| link.said.code),
            link,
            attempts: amount(cell.attempts(), "attempt"),
            accepted: cell
                .first_accepted()
                .map(|entry| utc_minute(entry.received_ms)),
            is_waiting: cell.is_waiting(),
        }
    }
}

/// How often one verdict was given.
struct TallyRow {
    said: Said,
    counting: usize,
    attempts: usize,
}

/// The verdicts that occur: of the attempts that count, and of all.
fn tally<'a>(cells: impl Iterator<Item = &'a Cell>, counts: Counts) -> Vec<TallyRow> {
    let rows = verdicts(cells, counts).into_iter();
    rows.map(|row| TallyRow {
        said: Said::of(row.verdict),
        counting: row.counting,
        attempts: row.attempts,
    })
    .collect()
}

/// The first failing test, as it is shown to the staff.
fn failing_test(judged: Option<&Judged>) -> String {
    let name = judged.and_then(|judged| judged.first_failing_test.as_deref());
    name.map(visible_line).unwrap_or_default()
}

/// The CPU time of the slowest test, as it is shown to the staff.
fn slowest(judged: Option<&Judged>) -> String {
    let ms = judged.and_then(|judged| judged.slowest_ms);
    ms.map(|ms| format!("{ms} ms")).unwrap_or_default()
}

/// Attempts that have no verdict.
fn waiting<'a>(cells: impl Iterator<Item = &'a Cell>) -> usize {
    let entries = cells.flat_map(|cell| &cell.entries);
    entries.filter(|entry| entry.judged.is_none()).count()
}

/// How the attempt that counts is chosen, for a table's caption.
fn counting_words(counts: Counts) -> &'static str {
    match counts {
        Counts::Best => "the first accepted attempt counts, otherwise the latest",
        Counts::Last => "the latest attempt counts",
    }
}

fn rendered(page: &impl Template) -> String {
    page.render()
        .expect("writing to a String fails only where a part of the template does, and none can")
}

//! The overviews as pages: one of the course, one a problem, one a student for the student and one for the staff.

use std::path::PathBuf;

use super::{Board, Changes, Counts};
use crate::domain::{ProblemSlug, Student};
use crate::report::Reports;
use crate::store::{Reader, StoreError};

/// One overview. It may be several files.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Overview {
    /// The matrix of students and problems.
    Course,
    /// All about one problem.
    Problem(ProblemSlug),
    /// All about one student.
    Student(Student),
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
    [Overview::Course]
        .into_iter()
        .chain(problems)
        .chain(students)
}

/// The overviews in which something has changed.
pub fn touched_by(changes: &Changes) -> impl Iterator<Item = Overview> {
    let course = (!changes.is_empty()).then_some(Overview::Course);
    let cells = changes.cells.iter().flat_map(|(student, problem)| {
        [
            Overview::Problem(problem.clone()),
            Overview::Student(student.clone()),
        ]
    });
    let hacked = changes.hacked.iter().cloned().map(Overview::Problem);
    course.into_iter().chain(cells).chain(hacked)
}

/// The files of an overview, with their bytes.
pub fn files_of(
    overview: &Overview,
    view: &View<'_>,
) -> Result<Vec<(PathBuf, String)>, StoreError> {
    let files = match overview {
        Overview::Course => vec![(view.reports.course_path("index.html"), String::new())],
        Overview::Problem(_) | Overview::Student(_) => Vec::new(),
    };
    Ok(files)
}

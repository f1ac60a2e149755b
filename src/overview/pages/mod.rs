//! The pages of a course: one of it, one per problem, one per student. The daemon writes them to
//! disk, for the staff and, of students, for the student too; the dashboard serves the same ones
//! live.
//!
//! As in the reports, the templates escape whatever they are given, and nothing tells a verdict by
//! its colour alone.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use askama::Template;

use crate::domain::{ProblemSlug, Student, Submission};
use crate::overview::{Broken, Changes, Scoreboard};
use crate::report::{Audience, Reports};
use crate::store::{Reader, StoreError};
use crate::util::excerpt::visible_line;

mod course;
mod graded;
mod pieces;
mod plot;
mod problem;
mod rejected;
mod student;
mod tally;
#[cfg(test)]
mod tests;
mod view;

pub use course::{Matrix, Row, course};
pub use pieces::{Moment, Name, Part, Selection};
pub use problem::problem;
pub use student::student;
#[cfg(test)]
pub use view::encoded;
pub use view::{CellView, Frame, Medium, OWN_STYLE, Own, View, rendered};

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

/// Every overview of a scoreboard.
pub fn all_of(board: &Scoreboard) -> impl Iterator<Item = Overview> {
    let problems = board.problems().cloned().map(Overview::Problem);
    let students = board
        .students()
        .map(|(student, _)| Overview::Student(student.clone()));
    // Who has handed in nothing, or nothing but what was rejected, has a page that says so.
    let people = board.grading().roster.people().iter();
    let rejected = board.rejected().filter_map(|(student, _)| student);
    let others: BTreeSet<&Student> = people
        .map(|person| &person.student)
        .chain(rejected)
        .filter(|student| board.student(student).is_none())
        .collect();
    let others = others.into_iter().cloned().map(Overview::Student);
    [Overview::Course]
        .into_iter()
        .chain(problems)
        .chain(students)
        .chain(others)
}

/// The overviews in which something has changed.
pub fn touched_by(changes: &Changes) -> impl Iterator<Item = Overview> {
    let cells = changes.cells.iter().flat_map(|(student, problem)| {
        [
            Overview::Problem(problem.clone()),
            Overview::Student(student.clone()),
        ]
    });
    let hacked = changes.hacked.iter().cloned().map(Overview::Problem);
    let rejected = changes.rejected.iter().flatten().cloned();
    let is_course =
        !(changes.cells.is_empty() && changes.rejected.is_empty() && changes.packages.is_empty());
    is_course
        .then_some(Overview::Course)
        .into_iter()
        .chain(cells)
        .chain(hacked)
        .chain(rejected.map(Overview::Student))
}

/// The files of an overview.
pub fn paths_of(overview: &Overview, reports: &Reports) -> Vec<PathBuf> {
    match overview {
        Overview::Course => vec![reports.course_path("index.html")],
        Overview::Problem(slug) => vec![reports.problem_path(slug, "html")],
        Overview::Student(student) => [Audience::Student, Audience::Staff]
            .map(|audience| reports.student_path(audience, student, "index.html"))
            .into(),
    }
}

/// The files of an overview, with their bytes; none of a student who is gone.
pub fn files_of(
    overview: &Overview,
    reports: &Reports,
    board: &Scoreboard,
    reader: &Reader,
) -> Result<Vec<(PathBuf, String)>, StoreError> {
    let view = |audience, up| View {
        board,
        reader,
        audience,
        pseudonyms: None,
        medium: Medium::File { up },
    };
    let texts = match overview {
        Overview::Course => vec![course(&view(Audience::Staff, ""), "")?],
        Overview::Problem(slug) => problem(&view(Audience::Staff, "../"), slug)?
            .into_iter()
            .collect(),
        Overview::Student(name) => {
            let mut texts = Vec::new();
            for audience in [Audience::Student, Audience::Staff] {
                texts.extend(student(&view(audience, "../"), name)?);
            }
            texts
        }
    };
    Ok(paths_of(overview, reports).into_iter().zip(texts).collect())
}

/// Whether there is nothing of a student any more: the files that were rejected are gone, and there
/// were no others, and no roster has the name.
pub fn is_gone(board: &Scoreboard, student: &Student) -> bool {
    board.student(student).is_none()
        && board.rejected_of(Some(student)) == 0
        && !board.grading().roster.has(student)
}

#[derive(Template)]
#[template(path = "overview/pages/statement_page.html")]
struct Page<'a> {
    frame: Frame<'a>,
    is_staff: bool,
    /// Where the reader's own attempts are.
    attempts: Option<String>,
    broken: Vec<Broken>,
    /// What it asks, as HTML.
    statement: Option<Arc<str>>,
    pdf: Option<String>,
}

/// The page; `None` if the course has no such problem, or it opens later.
pub fn statement(view: &View<'_>, slug: &ProblemSlug) -> Option<String> {
    let directory = view.board.directory();
    if !directory.has_problem(slug) || view.hides(slug) {
        return None;
    }
    let attempts = |own: &Own| format!("{}/#problem-{slug}", own.base);
    Some(rendered(&Page {
        frame: view.frame(directory.problem(slug), [].into_iter()),
        is_staff: false,
        attempts: view.own().map(attempts),
        broken: view.broken_of(slug),
        statement: directory.statement(slug).cloned(),
        pdf: view.pdf_href(slug),
    }))
}

/// The statement of a problem as a PDF, for whoever may read it.
pub fn pdf(view: &View<'_>, slug: &ProblemSlug) -> Option<PathBuf> {
    let pdf = view.board.directory().pdf(slug);
    pdf.filter(|_| !view.hides(slug)).map(Path::to_owned)
}

impl View<'_> {
    /// Where the statement of a problem as a PDF is, from the problem's page; pages on the disk have
    /// none beside them.
    fn pdf_href(&self, slug: &ProblemSlug) -> Option<String> {
        let pdf = pdf(self, slug).filter(|_| !self.is_file());
        pdf.map(|_| format!("{slug}/statement.pdf"))
    }

    /// Whether its readers may know of a student's programs: who is not on the roster is the staff's
    /// matter, and their own.
    pub fn lists(&self, student: &Student) -> bool {
        self.shows_points() || !self.grading().is_stranger(student)
    }

    /// Whether its readers are told nothing of a problem, because it opens later.
    pub fn hides(&self, problem: &ProblemSlug) -> bool {
        !self.is_staff() && self.grading().hides(problem)
    }

    /// Whether its readers may know that a student has handed in something for a problem.
    pub fn tells(&self, submission: &Submission) -> bool {
        self.lists(&submission.student) && !self.hides(&submission.problem)
    }

    /// The broken problems that its readers may know of.
    pub fn broken(&self) -> impl Iterator<Item = Broken> {
        let broken = self.board.broken().iter();
        let told = broken.filter(|(problem, _)| !self.hides(problem));
        told.map(|(problem, reason)| Broken {
            name: problem.to_string(),
            reason: visible_line(reason),
        })
    }

    /// A problem, where it is one of them.
    fn broken_of(&self, problem: &ProblemSlug) -> Vec<Broken> {
        let broken = self.broken();
        broken.filter(|one| one.name == problem.as_str()).collect()
    }
}

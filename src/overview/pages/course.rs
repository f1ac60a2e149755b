//! The page of the course: the matrix of students and problems, and for the staff what was no
//! submission.

use std::collections::BTreeMap;

use askama::Template;

use super::graded::Total;
use super::pieces::{Name, Part};
use super::rejected::AllRejected;
use super::tally::Tally;
use super::view::{CellView, Frame, PROBLEMS_SHOWN_MAX, View, rendered};
use crate::domain::{ProblemSlug, Student};
use crate::overview::{Broken, Cells};
use crate::store::StoreError;

/// Assignments with a column in the matrix.
const ASSIGNMENTS_SHOWN_MAX: usize = 20;

#[derive(Template)]
#[template(path = "overview/pages/course.html")]
struct Page<'a> {
    frame: Frame<'a>,
    is_staff: bool,
    /// What the dashboard has above the matrix, as HTML.
    top: &'a str,
    students_count: usize,
    broken: Vec<Broken>,
    tally: Tally,
    tally_counting: &'static str,
    counting: &'static str,
    matrix: Matrix,
    part: Part,
    /// What is not judged by itself now, for the staff.
    held: Vec<String>,
    all_rejected: Option<AllRejected>,
}

/// Students and problems with what counts.
pub struct Matrix {
    pub problems: Vec<Column>,
    /// How many problems have no column.
    pub problems_left_out: usize,
    /// The assignments that have a column with points, and what each brings at most.
    pub assignments: Vec<String>,
    /// The rows that are shown.
    pub rows: Vec<Row>,
}

pub struct Column {
    pub problem: Name,
    /// How many students have an accepted attempt.
    pub accepted: usize,
    /// How many have any.
    pub students: usize,
}

pub struct Row {
    pub student: Name,
    /// What there is of each problem that has a column.
    pub cells: Vec<CellView>,
    /// How many problems have an accepted attempt.
    pub accepted: usize,
    /// The points of each assignment, where the file of the course says them.
    pub totals: Vec<String>,
}

impl Matrix {
    /// The part of the students that the view asks for, those among them who are not on the roster
    /// where it is asked `with_strangers`.
    pub fn of(view: &View<'_>, with_strangers: bool) -> (Self, Part) {
        let board = view.board;
        let problems = || board.problems().filter(|problem| !view.hides(problem));
        let shown: Vec<&ProblemSlug> = problems().take(PROBLEMS_SHOWN_MAX).collect();
        let mut figures: BTreeMap<&ProblemSlug, (usize, usize)> = BTreeMap::new();
        // The dashboard does not show them: they take long to count.
        let counted = board.students().filter(|_| view.is_file());
        for (problem, cell) in counted.flat_map(|(_, cells)| cells.iter()) {
            let (accepted, students) = figures.entry(problem).or_default();
            *accepted += usize::from(view.grading().is_accepted(cell));
            *students += 1;
        }
        let nothing = Cells::default();
        let is_shown = |student| with_strangers || !view.grading().is_stranger(student);
        let everybody = board.everybody(&nothing);
        let everybody = view.in_order(everybody.filter(|(student, _)| is_shown(student)));
        let part = view.part(everybody.len());
        let row = |(student, cells): (_, &Cells)| {
            let cell = |problem: &&_| CellView::of(view, student, problem, cells.get(problem));
            Row {
                student: view.student(student),
                cells: shown.iter().map(cell).collect(),
                accepted: accepted(view, cells),
                totals: totals(view, student)
                    .map(|total| total.points.to_string())
                    .collect(),
            }
        };
        let column = |problem: &&ProblemSlug| {
            let (accepted, students) = figures.get(problem).copied().unwrap_or_default();
            Column {
                problem: view.problem(problem),
                accepted,
                students,
            }
        };
        let matrix = Self {
            problems_left_out: problems().count() - shown.len(),
            problems: shown.iter().map(column).collect(),
            assignments: everybody.first().map_or_else(Vec::new, |(student, _)| {
                totals(view, student)
                    .map(|total| format!("{} (of {})", total.title, total.of))
                    .collect()
            }),
            rows: part.take(everybody.into_iter()).map(row).collect(),
        };
        (matrix, part)
    }
}

/// The points of the assignments that have a column.
fn totals(view: &View<'_>, student: &Student) -> impl Iterator<Item = Total> {
    // As with other figures, an open page of the dashboard does not show them.
    let totals = if view.is_file() {
        view.totals(student)
    } else {
        Vec::new()
    };
    totals.into_iter().take(ASSIGNMENTS_SHOWN_MAX)
}

fn held(view: &View<'_>) -> Vec<String> {
    let cells = view.board.students().flat_map(|(_, cells)| cells.values());
    let entries = cells.flat_map(|cell| &cell.entries);
    let counts = view.grading().held_of(entries).into_iter();
    let words =
        counts.map(|((problem, held), count)| held.words(&problem, count, view.grading().zone()));
    words.collect()
}

/// Problems with an accepted attempt.
pub(super) fn accepted(view: &View<'_>, cells: &Cells) -> usize {
    let told = cells.iter().filter(|(problem, _)| !view.hides(problem));
    told.filter(|(_, cell)| view.grading().is_accepted(cell))
        .count()
}

/// The page of the course, below what the dashboard has on top of it.
pub fn course(view: &View<'_>, top: &str) -> Result<String, StoreError> {
    let board = view.board;
    // What is counted of all of them is shown in the file alone.
    let counted = || {
        let students = board.students().filter(|_| view.is_file());
        students.flat_map(|(_, cells)| cells.values())
    };
    let heading = if view.is_file() { "Overview" } else { "Board" };
    let frame = view.frame(heading.to_owned(), counted());
    let (matrix, part) = Matrix::of(view, view.is_staff());
    Ok(rendered(&Page {
        is_staff: view.is_staff(),
        top,
        students_count: part.of,
        broken: view.broken().collect(),
        tally: Tally::of(counted(), view.grading()),
        tally_counting: "Counted",
        counting: view.counting_words(),
        matrix,
        part,
        held: if view.is_staff() {
            held(view)
        } else {
            Vec::new()
        },
        // Students do not see others' files.
        all_rejected: view.is_staff().then(|| AllRejected::of(view)).transpose()?,
        frame,
    }))
}

//! The page of the course: the matrix of students and problems.

use askama::Template;

use super::links::Links;
use super::{
    CellView, Frame, PROBLEMS_SHOWN_MAX, STUDENTS_SHOWN_MAX, TallyRow, View, amount,
    counting_words, rendered, tally, waiting,
};
use crate::overview::{Board, Broken, Cell};
use crate::report::Audience;

#[derive(Template)]
#[template(path = "overview/pages/course.html")]
struct Page {
    frame: Frame,
    students_count: usize,
    problems_count: usize,
    submissions: usize,
    waiting: usize,
    broken: Vec<Broken>,
    tally: Vec<TallyRow>,
    tally_counting: &'static str,
    caption: String,
    problems: Vec<Column>,
    rows: Vec<Row>,
    notes: Vec<String>,
}

struct Column {
    name: String,
    href: String,
    accepted: usize,
    students: usize,
}

struct Row {
    name: String,
    href: String,
    cells: Vec<Option<CellView>>,
    accepted: usize,
}

fn cells(board: &Board) -> impl Iterator<Item = &Cell> {
    board.students().flat_map(|(_, cells)| cells.values())
}

pub(super) fn render(view: &View<'_>) -> String {
    let board = view.board;
    let links = Links {
        reports: view.reports,
        audience: Audience::Staff,
        up: "",
    };
    let shown: Vec<_> = board.problems().take(PROBLEMS_SHOWN_MAX).collect();
    let column = |slug| {
        let is_accepted = |(_, cell): &(_, &Cell)| cell.first_accepted().is_some();
        Column {
            name: format!("{slug}"),
            href: links.to(&view.reports.problem_path(slug, "html")),
            accepted: board.cells_of(slug).filter(is_accepted).count(),
            students: board.cells_of(slug).count(),
        }
    };
    let rows = board.students().take(STUDENTS_SHOWN_MAX);
    let rows = rows.map(|(student, cells)| {
        let path = view
            .reports
            .student_path(Audience::Staff, student, "index.html");
        let cell = |slug: &&_| {
            let cell = board.cell(student, slug)?;
            Some(CellView::of(cell, view.counts, |entry| links.report(entry)))
        };
        Row {
            name: student.to_string(),
            href: links.to(&path),
            cells: shown.iter().map(cell).collect(),
            accepted: accepted(cells.values()),
        }
    });
    let mut notes = Vec::new();
    let left_out = board.students_count().saturating_sub(STUDENTS_SHOWN_MAX);
    if left_out > 0 {
        notes.push(format!(
            "{} left out here; each has a page in a folder of that name.",
            amount(left_out, "more student")
        ));
    }
    let left_out = board.problems().count() - shown.len();
    if left_out > 0 {
        notes.push(format!(
            "{} left out here; each has a page in the folder problems.",
            amount(left_out, "more problem")
        ));
    }
    rendered(&Page {
        frame: Frame::of(cells(board)),
        students_count: board.students_count(),
        problems_count: board.problems().count(),
        submissions: board.submissions(),
        waiting: waiting(cells(board)),
        broken: Broken::all_of(board).collect(),
        tally: tally(cells(board), view.counts),
        tally_counting: "Counted",
        caption: format!(
            "In each field the verdict, the attempts, and when the first accepted one was received; {}.",
            counting_words(view.counts)
        ),
        problems: shown.iter().copied().map(column).collect(),
        rows: rows.collect(),
        notes,
    })
}

/// Problems with an accepted attempt.
pub(super) fn accepted<'a>(cells: impl Iterator<Item = &'a Cell>) -> usize {
    cells.filter(|cell| cell.first_accepted().is_some()).count()
}

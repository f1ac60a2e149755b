//! The page of the course: the matrix of students and problems.

use askama::Template;

use super::links::Links;
use super::rejected::AllRejected;
use super::{
    CellView, Frame, PROBLEMS_SHOWN_MAX, STUDENTS_SHOWN_MAX, TallyRow, View, amount,
    counting_words, rendered, tally, waiting,
};
use crate::domain::ProblemSlug;
use crate::overview::{Board, Broken, Cell};
use crate::report::Audience;
use crate::store::StoreError;
use crate::util::excerpt::visible_line;

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
    all_rejected: AllRejected,
}

struct Column {
    name: String,
    title: Option<String>,
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

pub(super) fn render(view: &View<'_>) -> Result<String, StoreError> {
    let board = view.board;
    let links = Links {
        reports: view.reports,
        audience: Audience::Staff,
        up: "",
    };
    let shown: Vec<_> = board.problems().take(PROBLEMS_SHOWN_MAX).collect();
    let column = |slug: &ProblemSlug| {
        let is_accepted = |(_, cell): &(_, &Cell)| cell.first_accepted().is_some();
        Column {
            name: slug.to_string(),
            title: board.directory().title(slug).map(visible_line),
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
            name: board.directory().student(student, true),
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
    Ok(rendered(&Page {
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
        all_rejected: AllRejected::of(view, &links)?,
    }))
}

/// Problems with an accepted attempt.
pub(super) fn accepted<'a>(cells: impl Iterator<Item = &'a Cell>) -> usize {
    cells.filter(|cell| cell.first_accepted().is_some()).count()
}

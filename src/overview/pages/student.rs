//! The page of a student: every attempt, with the way to its report. The student's own says nothing that a report withholds.

use askama::Template;

use super::course::accepted;
use super::links::Links;
use super::rejected::Rejected;
use super::{
    Frame, Link, PROBLEMS_SHOWN_MAX, View, amount, counting_words, failing_test, rendered, slowest,
};
use crate::domain::{ProblemSlug, Student};
use crate::overview::{Cell, Cells, Entry};
use crate::report::Audience;
use crate::report::html::Said;
use crate::util::clock::utc_minute;

/// Attempts that are listed of one problem, the latest ones.
const ATTEMPTS_SHOWN_MAX: usize = 500;

#[derive(Template)]
#[template(path = "overview/pages/student.html")]
struct Page<'a> {
    frame: Frame,
    rejected: &'a Rejected,
    is_staff: bool,
    student: String,
    accepted: usize,
    problems_count: usize,
    attempts: usize,
    counting: String,
    problems: Vec<ProblemView>,
    left_out: usize,
}

struct ProblemView {
    slug: String,
    name: String,
    said: Option<Said>,
    /// The problem's page, which is the staff's.
    href: Option<String>,
    caption: String,
    /// Whether an attempt waits because the package is broken.
    is_repaired: bool,
    rows: Vec<Row>,
    left_out: usize,
}

struct Row {
    attempt: u32,
    link: Option<Link>,
    is_counting: bool,
    /// The staff's: students may not be told which test it is.
    failing: String,
    slowest: String,
    language: String,
    received: String,
}

pub(super) fn render(
    view: &View<'_>,
    student: &Student,
    audience: Audience,
    rejected: &Rejected,
) -> String {
    let nothing = Cells::default();
    let cells = view.board.student(student).unwrap_or(&nothing);
    let directory = view.board.directory();
    let page = PageOf { view, audience };
    rendered(&Page {
        frame: Frame::of(cells.values()),
        rejected,
        is_staff: audience == Audience::Staff,
        student: directory.student(student, audience == Audience::Staff),
        accepted: accepted(cells.values()),
        problems_count: directory.problems_count(cells.iter().map(|(slug, _)| slug)),
        attempts: cells.values().map(Cell::attempts).sum(),
        counting: format!("Of each problem {}.", counting_words(view.counts)),
        problems: cells
            .iter()
            .take(PROBLEMS_SHOWN_MAX)
            .map(|(slug, cell)| page.problem(slug, cell))
            .collect(),
        left_out: cells.len().saturating_sub(PROBLEMS_SHOWN_MAX),
    })
}

struct PageOf<'a> {
    view: &'a View<'a>,
    audience: Audience,
}

impl PageOf<'_> {
    fn links(&self) -> Links<'_> {
        Links {
            reports: self.view.reports,
            audience: self.audience,
            up: "../",
        }
    }

    fn problem(&self, slug: &ProblemSlug, cell: &Cell) -> ProblemView {
        let counting = cell.counting(self.view.counts);
        let left_out = cell.attempts().saturating_sub(ATTEMPTS_SHOWN_MAX);
        let page = self.view.reports.problem_path(slug, "html");
        let said = counting.and_then(|entry| entry.judged.as_ref());
        ProblemView {
            slug: slug.to_string(),
            name: self.view.board.directory().problem(slug),
            said: said.map(|judged| Said::of(judged.verdict)),
            href: (self.audience == Audience::Staff).then(|| self.links().to(&page)),
            caption: amount(cell.attempts(), "attempt"),
            is_repaired: self.view.board.waits_for_repair(slug, cell),
            rows: cell.entries[left_out..]
                .iter()
                .map(|entry| self.row(entry, counting))
                .collect(),
            left_out,
        }
    }

    fn row(&self, entry: &Entry, counting: Option<&Entry>) -> Row {
        let judged = entry
            .judged
            .as_ref()
            .filter(|_| self.audience == Audience::Staff);
        Row {
            attempt: entry.attempt,
            link: Link::of(entry, |entry| self.links().report(entry)),
            is_counting: counting.is_some_and(|counting| counting.id == entry.id),
            failing: failing_test(judged),
            slowest: slowest(judged),
            language: entry.language.to_string(),
            received: utc_minute(entry.received_ms),
        }
    }
}

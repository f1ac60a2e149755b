//! The page of a problem, which is the staff's: what fails programs, how long they take, whom hacks have felled.

use askama::Template;

use super::links::Links;
use super::plot::Plot;
use super::{
    CellView, Frame, STUDENTS_SHOWN_MAX, TallyRow, View, counting_words, failing_test, rendered,
    slowest, tally, waiting,
};
use crate::domain::{ProblemSlug, Verdict};
use crate::overview::tally::failing_tests;
use crate::overview::{Cell, Entry};
use crate::report::html::Said;
use crate::report::{Audience, Document};
use crate::store::{HackRow, StoreError};
use crate::util::clock::utc_minute;
use crate::util::excerpt::visible_line;

/// Tests in the list of those that fail programs.
const TESTS_SHOWN_MAX: usize = 30;
/// Hacks that are shown, the latest ones.
const HACKS_SHOWN_MAX: u32 = 50;
/// Programs that are listed of those that a hack has felled.
const FELLED_SHOWN_MAX: usize = 100;
/// Programs that are looked at for one hack.
const FELLED_MAX: usize = 10_000;

#[derive(Template)]
#[template(path = "overview/pages/problem.html")]
struct Page {
    frame: Frame,
    problem: String,
    accepted: usize,
    students_count: usize,
    attempts: usize,
    waiting: usize,
    tally: Vec<TallyRow>,
    tally_counting: &'static str,
    failing: Vec<Failing>,
    failing_left_out: usize,
    plot: Option<Plot>,
    hacks: Vec<HackView>,
    hacks_left_out: bool,
    caption: String,
    rows: Vec<Row>,
    left_out: usize,
}

/// A test, and how many programs fail it first.
struct Failing {
    name: String,
    count: usize,
    percent: usize,
}

struct HackView {
    name: String,
    state: &'static str,
    seen: String,
    note: Option<String>,
    /// Why it is not one of the tests.
    refused: Option<String>,
    is_in_force: bool,
    felled: Vec<Felled>,
    felled_count: usize,
}

struct Felled {
    student: String,
    attempt: u32,
    said: Said,
    href: String,
}

struct Row {
    name: String,
    href: String,
    cell: CellView,
    failing: String,
    slowest: String,
}

pub(super) fn render(view: &View<'_>, slug: &ProblemSlug) -> Result<String, StoreError> {
    let board = view.board;
    let cells = || board.cells_of(slug).map(|(_, cell)| cell);
    let mut failing = failing(cells());
    let failing_left_out = failing.len().saturating_sub(TESTS_SHOWN_MAX);
    failing.truncate(TESTS_SHOWN_MAX);
    let hacks = view.reader.latest_hacks(Some(slug), HACKS_SHOWN_MAX + 1)?;
    let too_many = hacks.len() > HACKS_SHOWN_MAX as usize;
    let page = PageOf {
        view,
        slug,
        links: Links {
            reports: view.reports,
            audience: Audience::Staff,
            up: "../",
        },
    };
    let students_count = cells().count();
    Ok(rendered(&Page {
        frame: Frame::of(cells()),
        problem: board.directory().problem(slug),
        accepted: super::course::accepted(cells()),
        students_count,
        attempts: cells().map(Cell::attempts).sum(),
        waiting: waiting(cells()),
        tally: tally(cells(), view.counts),
        tally_counting: "Students",
        failing,
        failing_left_out,
        plot: page.plot()?,
        hacks: hacks
            .iter()
            .rev()
            .take(HACKS_SHOWN_MAX as usize)
            .map(|hack| page.hack(hack))
            .collect::<Result<_, _>>()?,
        hacks_left_out: too_many,
        caption: format!("Of each student {}.", counting_words(view.counts)),
        rows: page.rows(),
        left_out: students_count.saturating_sub(STUDENTS_SHOWN_MAX),
    }))
}

/// The first failing tests of all attempts, the most frequent one first.
fn failing<'a>(cells: impl Iterator<Item = &'a Cell>) -> Vec<Failing> {
    let tests = failing_tests(cells);
    let most = tests.first().map_or(1, |(_, count)| *count);
    let row = |(name, count): (&str, usize)| Failing {
        name: visible_line(name),
        count,
        percent: count * 100 / most,
    };
    tests.into_iter().map(row).collect()
}

struct PageOf<'a> {
    view: &'a View<'a>,
    slug: &'a ProblemSlug,
    links: Links<'a>,
}

impl PageOf<'_> {
    fn entries(&self) -> impl Iterator<Item = &Entry> {
        let cells = self.view.board.cells_of(self.slug);
        cells.flat_map(|(_, cell)| &cell.entries)
    }

    /// The plot of all programs that were run; its limit is the one of the latest report.
    fn plot(&self) -> Result<Option<Plot>, StoreError> {
        let of = |entry: &Entry| {
            let judged = entry.judged.as_ref()?;
            Some((judged.slowest_ms?, judged.verdict == Verdict::Accepted))
        };
        let times: Vec<(u64, bool)> = self.entries().filter_map(of).collect();
        if times.is_empty() {
            return Ok(None);
        }
        let text = self.view.reader.latest_document(self.slug)?;
        let document = text.and_then(|text| Document::from_json(&text).ok());
        let limit_ms = document.map_or_else(
            // A report of another version: the slowest program fills the plot.
            || times.iter().map(|(ms, _)| *ms).max().unwrap_or(1),
            |document| document.limits.cpu_ms,
        );
        Ok(Plot::of(&times, limit_ms))
    }

    fn hack(&self, hack: &HackRow) -> Result<HackView, StoreError> {
        let state = match (&hack.refused, hack.withdrawn_ms, hack.finished_ms) {
            (_, Some(_), _) => "removed",
            (Some(_), None, _) if hack.held_back => "held back",
            (Some(_), None, _) => "refused",
            (None, None, Some(_)) => "one of the tests",
            (None, None, None) => "one of the tests; not everybody is judged on it yet",
        };
        let is_in_force = hack.refused.is_none() && hack.withdrawn_ms.is_none();
        let mut felled = Vec::new();
        let mut felled_count = 0;
        let candidates = self
            .entries()
            .filter(|entry| {
                is_in_force && entry.id <= hack.last_submission && fails_on(entry, hack)
            })
            .take(FELLED_MAX);
        for entry in candidates {
            let before = self.view.reader.verdict_at(entry.id, hack.history_mark)?;
            let Some(judged) = entry.judged.as_ref() else {
                continue;
            };
            if before != Some(Verdict::Accepted) {
                continue;
            }
            felled_count += 1;
            if felled.len() < FELLED_SHOWN_MAX {
                felled.push(Felled {
                    student: self.view.board.directory().student(&entry.student, true),
                    attempt: entry.attempt,
                    said: Said::of(judged.verdict),
                    href: self.links.report(entry),
                });
            }
        }
        Ok(HackView {
            name: visible_line(&hack.name),
            state,
            seen: utc_minute(hack.seen_ms),
            note: hack
                .note
                .as_deref()
                .filter(|note| !note.trim().is_empty())
                .map(visible_line),
            refused: hack.refused.as_deref().map(visible_line),
            is_in_force,
            felled,
            felled_count,
        })
    }

    fn rows(&self) -> Vec<Row> {
        let cells = self.view.board.cells_of(self.slug);
        let row = |(student, cell): (&crate::domain::Student, &Cell)| {
            let reports = self.view.reports;
            let path = reports.student_path(Audience::Staff, student, "index.html");
            let counting = cell.counting(self.view.counts);
            let judged = counting.and_then(|entry| entry.judged.as_ref());
            Row {
                name: self.view.board.directory().student(student, true),
                href: self.links.to(&path),
                cell: CellView::of(cell, self.view.counts, |entry| self.links.report(entry)),
                failing: failing_test(judged),
                slowest: slowest(judged),
            }
        };
        cells.take(STUDENTS_SHOWN_MAX).map(row).collect()
    }
}

fn fails_on(entry: &Entry, hack: &HackRow) -> bool {
    let judged = entry.judged.as_ref();
    judged.is_some_and(|judged| judged.first_failing_test.as_deref() == Some(hack.name.as_str()))
}

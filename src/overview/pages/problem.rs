//! The page of a problem: who has solved it; for the staff also what fails programs, how long they
//! take, and what hacks changed.

use std::sync::Arc;

use askama::Template;

use super::pieces::{Moment, Name, Part};
use super::plot::Plot;
use super::tally::{Tally, failing_tests};
use super::view::{CellView, Details, Frame, View, encoded, rendered};
use crate::domain::{ProblemSlug, Student, Verdict};
use crate::overview::{Broken, Cell, Cells, Entry};
use crate::report::html::VerdictView;
use crate::report::{Document, folder_name};
use crate::store::{HackRow, StoreError};
use crate::util::excerpt::visible_line;

/// Tests in the list of those that fail programs.
const TESTS_SHOWN_MAX: usize = 50;
/// Hacks that are shown, the latest ones.
const HACKS_SHOWN_MAX: u32 = 50;
/// Programs that are listed of those that fail because of a hack.
const FALLEN_SHOWN_MAX: usize = 100;
/// Programs that are looked at for one hack.
const FALLEN_MAX: usize = 10_000;

#[derive(Template)]
#[template(path = "overview/pages/problem.html")]
struct Page<'a> {
    frame: Frame<'a>,
    is_staff: bool,
    /// Where the staff find on the dashboard what takes long to look up.
    file: Option<String>,
    broken: Vec<Broken>,
    /// What it asks, as HTML.
    statement: Option<Arc<str>>,
    pdf: Option<String>,
    students_count: usize,
    tally: Tally,
    tally_counting: &'static str,
    failing: Vec<Failing>,
    failing_left_out: usize,
    looked_up: Option<LookedUp>,
    counting: &'static str,
    rows: Vec<Row>,
    part: Part,
}

/// A test, and how many programs fail it first.
struct Failing {
    name: String,
    count: usize,
    percent: usize,
}

/// What is looked up in the store program by program: only for the staff's file, which is written
/// at a bounded pace.
struct LookedUp {
    plot: Option<Plot>,
    hacks: Vec<HackView>,
    hacks_left_out: bool,
}

struct HackView {
    name: String,
    state: &'static str,
    seen: Moment,
    note: Option<String>,
    /// Why it is not one of the tests.
    refused: Option<String>,
    is_in_force: bool,
    fallen: Vec<Fallen>,
    fallen_count: usize,
}

/// A program that was accepted before a hack.
struct Fallen {
    student: String,
    attempt: u32,
    said: VerdictView,
    href: Option<String>,
}

struct Row {
    student: Name,
    cell: CellView,
    details: Details,
}

/// The page of a problem; `None` on the dashboard if the course does not have it and nothing was
/// handed in for it, or if it opens later.
pub fn problem(view: &View<'_>, slug: &ProblemSlug) -> Result<Option<String>, StoreError> {
    if view.hides(slug) {
        return Ok(None);
    }
    let board = view.board;
    let cells = || {
        let cells = board.cells_of(slug);
        let listed = cells.filter(|(student, _)| view.lists(student));
        listed.map(|(_, cell)| cell)
    };
    let students_count = cells().count();
    // A hack may have come before any program.
    let is_known = view.is_file() || board.directory().has_problem(slug);
    if students_count == 0 && !is_known {
        return Ok(None);
    }
    let (failing, failing_left_out) = if view.is_staff() {
        failing(cells())
    } else {
        (Vec::new(), 0)
    };
    let heading = board.directory().problem(slug);
    let nothing = Cells::default();
    let on_roster = view.grading().roster.people().len();
    // The roster's people come first, also those who have handed in nothing.
    let listed = board.everybody(&nothing).enumerate();
    let listed = listed.filter_map(|(index, (student, cells))| {
        let cell = cells.get(slug).filter(|_| view.lists(student));
        (index < on_roster || cell.is_some()).then_some((student, cell))
    });
    let listed = view.in_order(listed);
    let part = view.part(listed.len());
    let row = |(student, cell): (&Student, Option<&Cell>)| {
        let counting = cell.and_then(|cell| view.grading().counting(cell));
        Row {
            student: view.student(student),
            cell: CellView::of(view, student, slug, cell),
            details: Details::of(view, counting),
        }
    };
    Ok(Some(rendered(&Page {
        frame: view.frame(heading, cells()),
        is_staff: view.is_staff(),
        file: (view.is_staff() && !view.is_file()).then(|| {
            let file = encoded(&folder_name(slug.as_str()));
            format!("/reports/problems/{file}.html")
        }),
        broken: view.broken_of(slug),
        statement: board.directory().statement(slug).cloned(),
        pdf: view.pdf_href(slug),
        students_count,
        tally: Tally::of(cells(), view.grading()),
        tally_counting: "Students",
        failing,
        failing_left_out,
        looked_up: (view.is_staff() && view.is_file())
            .then(|| LookedUp::of(view, slug))
            .transpose()?,
        counting: view.counting_words(),
        rows: part.take(listed.into_iter()).map(row).collect(),
        part,
    })))
}

/// The first failing tests of all attempts, the most frequent one first, and how many more there
/// are.
fn failing<'a>(cells: impl Iterator<Item = &'a Cell>) -> (Vec<Failing>, usize) {
    let tests = failing_tests(cells);
    let most = tests.first().map_or(1, |(_, count)| *count);
    let left_out = tests.len().saturating_sub(TESTS_SHOWN_MAX);
    let row = |(name, count): (&str, usize)| Failing {
        name: visible_line(name),
        count,
        percent: count * 100 / most,
    };
    let shown = tests.into_iter().take(TESTS_SHOWN_MAX);
    (shown.map(row).collect(), left_out)
}

impl LookedUp {
    fn of(view: &View<'_>, slug: &ProblemSlug) -> Result<Self, StoreError> {
        let hacks = view.reader.latest_hacks(Some(slug), HACKS_SHOWN_MAX + 1)?;
        let shown = hacks.iter().rev().take(HACKS_SHOWN_MAX as usize);
        Ok(Self {
            plot: plot(view, slug)?,
            hacks: shown
                .map(|row| hack(view, slug, row))
                .collect::<Result<_, _>>()?,
            hacks_left_out: hacks.len() > HACKS_SHOWN_MAX as usize,
        })
    }
}

fn entries<'a>(view: &View<'a>, slug: &'a ProblemSlug) -> impl Iterator<Item = &'a Entry> {
    let cells = view.board.cells_of(slug);
    cells.flat_map(|(_, cell)| &cell.entries)
}

/// The plot of all programs that were run; its limit is the one of the latest report,
/// without the time factor of that program's language.
fn plot(view: &View<'_>, slug: &ProblemSlug) -> Result<Option<Plot>, StoreError> {
    let of = |entry: &Entry| {
        let is_accepted = entry.verdict()? == Verdict::Accepted;
        Some((u64::from(entry.slowest_ms?), is_accepted))
    };
    let times: Vec<(u64, bool)> = entries(view, slug).filter_map(of).collect();
    if times.is_empty() {
        return Ok(None);
    }
    let text = view.reader.latest_document(slug)?;
    let document = text.and_then(|text| Document::from_json(&text).ok());
    let limit_ms = document.map_or_else(
        // A report of another version: the slowest program fills the plot.
        || times.iter().map(|(ms, _)| *ms).max().unwrap_or(1),
        |document| document.limits.cpu_ms_without_factor(),
    );
    Ok(Plot::of(&times, limit_ms))
}

fn hack(view: &View<'_>, slug: &ProblemSlug, hack: &HackRow) -> Result<HackView, StoreError> {
    let state = match (&hack.refused, hack.withdrawn_ms, hack.finished_ms) {
        (_, Some(_), _) => "removed",
        (Some(_), None, _) if hack.held_back => "held back",
        (Some(_), None, _) => "refused",
        (None, None, Some(_)) => "one of the tests",
        (None, None, None) => "one of the tests; not everybody is judged on it yet",
    };
    let is_in_force = hack.refused.is_none() && hack.withdrawn_ms.is_none();
    let fails_on_it = |entry: &&Entry| {
        is_in_force
            && entry.submission.id <= hack.last_submission
            && entry.first_failing_test() == Some(hack.name.as_str())
    };
    let mut fallen = Vec::new();
    let mut fallen_count = 0;
    for entry in entries(view, slug).filter(fails_on_it).take(FALLEN_MAX) {
        let submission = &entry.submission;
        let before = view.reader.verdict_at(submission.id, hack.history_mark)?;
        let Some(verdict) = entry.verdict() else {
            continue;
        };
        if before != Some(Verdict::Accepted) {
            continue;
        }
        fallen_count += 1;
        if fallen.len() < FALLEN_SHOWN_MAX {
            fallen.push(Fallen {
                student: view.board.directory().student(&submission.student, true),
                attempt: submission.attempt,
                said: VerdictView::of(verdict),
                href: view.report(submission),
            });
        }
    }
    let note = hack.note.as_deref();
    Ok(HackView {
        name: visible_line(&hack.name),
        state,
        seen: view.moment(hack.seen_ms),
        note: note
            .filter(|note| !note.trim().is_empty())
            .map(visible_line),
        refused: hack.refused.as_deref().map(visible_line),
        is_in_force,
        fallen,
        fallen_count,
    })
}

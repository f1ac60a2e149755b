//! The page of a student: every attempt, with the way to its report. What a student sees says
//! nothing that a report withholds.

use std::collections::BTreeSet;

use askama::Template;

use super::course::accepted;
use super::graded::{Total, source_words};
use super::pieces::{Moment, Name};
use super::rejected::Rejected;
use super::view::{Details, Frame, Own, PROBLEMS_SHOWN_MAX, View, rendered};
use crate::course::Graded;
use crate::domain::{Attempt, ProblemSlug, Student};
use crate::overview::{Cell, Cells, Entry, Held};
use crate::report::html::VerdictView;
use crate::store::StoreError;

/// Attempts that are listed of one problem, the latest ones.
const ATTEMPTS_SHOWN_MAX: usize = 500;

#[derive(Template)]
#[template(path = "overview/pages/student.html")]
struct Page<'a> {
    frame: Frame<'a>,
    own: Option<&'a Own>,
    shows_languages: bool,
    rejected: Rejected,
    accepted: usize,
    problems_count: usize,
    attempts: usize,
    counting: &'static str,
    /// The points of each assignment.
    totals: Vec<Total>,
    problems: Vec<ProblemPart>,
    left_out: usize,
    /// The problems of the course that the student has not tried, on a page of their own.
    untried: Vec<Name>,
}

/// What a student has handed in for one problem.
struct ProblemPart {
    slug: String,
    name: String,
    said: Option<VerdictView>,
    href: Option<String>,
    attempts: usize,
    /// Whether an attempt waits because the package is broken.
    is_repaired: bool,
    /// When it is open for the student.
    window: String,
    /// What it brings.
    points: Option<String>,
    /// What is decided about it.
    decisions: Vec<String>,
    rows: Vec<Row>,
    left_out: usize,
}

struct Row {
    attempt: Attempt,
    said: Option<VerdictView>,
    report: Option<String>,
    is_counting: bool,
    details: Details,
    language: String,
    received: Moment,
    /// Who says when it was handed in, where that is not its receipt.
    source: &'static str,
    /// What the terms of the course make of it.
    standing: String,
    /// In place of a verdict.
    unjudged: &'static str,
}

/// The page of a student; `None` if the student has handed in nothing.
pub fn student(view: &View<'_>, student: &Student) -> Result<Option<String>, StoreError> {
    if !view.lists(student) {
        return Ok(None);
    }
    // The paths of rejected files name their student.
    let rejected = if view.shows_names() {
        Rejected::of(view, Some(student))?
    } else {
        Rejected::default()
    };
    let nothing = Cells::default();
    let own = view.own();
    let cells = match view.board.student(student) {
        Some(cells) => cells,
        None if rejected.count > 0 || own.is_some() => &nothing,
        None if view.grading().roster.has(student) => &nothing,
        None => return Ok(None),
    };
    let directory = view.board.directory();
    let heading = view.name(student);
    let (decided, no_attempts) = (decided(view, student, cells), Cell::default());
    let all = || {
        let decided = decided.iter().map(|slug| (slug, &no_attempts));
        cells
            .iter()
            .chain(decided)
            .filter(|(slug, _)| !view.hides(slug))
    };
    Ok(Some(rendered(&Page {
        frame: view.frame(heading, all().map(|(_, cell)| cell)),
        own,
        shows_languages: view.shows_points(),
        rejected,
        accepted: accepted(view, cells),
        problems_count: directory
            .problems_count(|slug| !view.hides(slug), cells.iter().map(|(slug, _)| slug)),
        attempts: all().map(|(_, cell)| cell.attempts()).sum(),
        counting: view.counting_words(),
        totals: view.totals(student),
        problems: all()
            .take(PROBLEMS_SHOWN_MAX)
            .map(|(slug, cell)| part(view, student, slug, cell))
            .collect(),
        left_out: all().count().saturating_sub(PROBLEMS_SHOWN_MAX),
        untried: untried(view, cells),
    })))
}

/// Problems that a student has not tried and that something is decided about.
fn decided(view: &View<'_>, student: &Student, cells: &Cells) -> BTreeSet<ProblemSlug> {
    let decisions = view.grading().rules.decisions.keys();
    let told = decisions.filter(|_| view.shows_points());
    let untried = told.filter(|(whose, slug)| whose == student && cells.get(slug).is_none());
    untried.map(|(_, slug)| slug.clone()).collect()
}

fn untried(view: &View<'_>, cells: &Cells) -> Vec<Name> {
    let directory = view.board.directory();
    let all = directory.problems().filter(|_| view.own().is_some());
    let untried = all.filter(|slug| cells.get(slug).is_none() && !view.hides(slug));
    let named = |slug: &ProblemSlug| Name {
        shown: directory.problem(slug),
        title: None,
        ..view.problem(slug)
    };
    untried.take(PROBLEMS_SHOWN_MAX).map(named).collect()
}

fn part(view: &View<'_>, student: &Student, slug: &ProblemSlug, cell: &Cell) -> ProblemPart {
    let grading = view.grading();
    let counting = grading.counting(cell);
    let grade = grading.grade(student, slug, Some(cell));
    let graded = grading.graded(cell);
    let latest = cell.entries.iter().zip(&graded).rev();
    ProblemPart {
        slug: slug.to_string(),
        name: view.board.directory().problem(slug),
        said: grade
            .as_ref()
            .and_then(|grade| view.said_of_graded(grade.counted.as_ref()?)),
        href: view.problem(slug).href,
        attempts: cell.attempts(),
        is_repaired: view.board.waits_for_repair(slug, cell),
        window: view.window_words(student, slug),
        points: grade.and_then(|grade| Some(view.points_words(&grade)? + grade.how())),
        decisions: view.decisions(student, slug),
        rows: latest
            .take(ATTEMPTS_SHOWN_MAX)
            .map(|(entry, graded)| row(view, entry, graded, counting))
            .collect(),
        left_out: cell.attempts().saturating_sub(ATTEMPTS_SHOWN_MAX),
    }
}

fn row(view: &View<'_>, entry: &Entry, graded: &Graded, counting: Option<&Entry>) -> Row {
    let submission = &entry.submission;
    let published = entry.published.as_ref();
    let said = published.map(|published| view.said(published));
    Row {
        attempt: submission.attempt,
        report: said.as_ref().and_then(|_| view.report(submission)),
        said,
        is_counting: counting.is_some_and(|counting| counting.submission.id == submission.id),
        details: Details::of(view, Some(entry)),
        language: submission.language.to_string(),
        received: view.moment_at(graded.handed_in.at),
        source: source_words(graded),
        standing: view.standing_words(graded),
        unjudged: if view.grading().held_entry(entry) == Some(Held::Closed) {
            "kept, not judged"
        } else {
            "waiting"
        },
    }
}

//! The pages: the board that one leaves open, and one page for each student and each problem. All are complete without a script.

use std::sync::Arc;

use askama::Template;
use axum::http::StatusCode;
use axum::response::Response;

use super::address::encoded;
use super::answer::{self, not_found, unavailable};
use super::hall::Site;
use super::rejected::{AllRejected, Rejected};
use super::views::{AttemptRow, CellView, Name, RunView, VerdictRow};
use crate::daemon::Queued;
use crate::domain::{Attempt, ProblemSlug, Student};
use crate::overview::tally::{failing_tests, verdicts};
use crate::overview::{Board, Broken, Cell, Cells};
use crate::report::folder_name;
use crate::report::html::Said;
use crate::store::EventKind;
use crate::util::excerpt::visible_line;

/// The latest verdicts that the board shows.
const LATEST_MAX: u32 = 30;
/// Students on one page of the matrix, or of a problem.
const STUDENTS_MAX: usize = 200;
/// Rows of one of the tables that stand side by side on the page for a projector.
const TABLE_ROWS: usize = 20;
/// Problems that the matrix shows.
const PROBLEMS_MAX: usize = 60;
/// Attempts that a student's page shows for one problem, the latest ones.
const ATTEMPTS_MAX: usize = 100;
/// Tests that a problem's page lists.
const TESTS_MAX: usize = 50;

/// What goes on now: who waits, and what is being run.
#[derive(Template)]
#[template(path = "web/now.html")]
pub struct Now {
    waiting: usize,
    faulted: usize,
    first: Vec<WaitingRow>,
    more: usize,
    workers: usize,
    runs: Vec<RunView>,
    /// How often rejected files have changed: where it is another number, pages that show them ask
    /// for themselves.
    rejections: u64,
    broken: Vec<Broken>,
    is_staff: bool,
}

/// One that waits.
struct WaitingRow {
    student: String,
    problem: String,
    attempt: Option<Attempt>,
}

impl Now {
    pub fn of(site: &Site) -> Self {
        let hall = &site.hall;
        let activity = &hall.view.activity;
        let line = activity.line();
        let board = hall.board();
        let directory = Arc::clone(board.directory());
        let attempt_of = |waiting: &Queued| {
            let cell = board.cell(&waiting.student, &waiting.problem)?;
            let entry = cell.entries.iter().rev();
            let mut entry = entry.filter(|entry| entry.id == waiting.id);
            entry.next().map(|entry| entry.attempt)
        };
        let first: Vec<WaitingRow> = line
            .head
            .iter()
            .map(|waiting| WaitingRow {
                student: directory.student(&waiting.student, site.is_staff()),
                problem: waiting.problem.to_string(),
                attempt: attempt_of(waiting),
            })
            .collect();
        let runs = activity.runs();
        Self {
            broken: Broken::all_of(&board).collect(),
            is_staff: site.is_staff(),
            waiting: line.waiting,
            faulted: line.faulted,
            more: line.waiting.saturating_sub(first.len()),
            first,
            rejections: board.rejections_changed(),
            workers: runs.len(),
            runs: runs
                .iter()
                .enumerate()
                .filter_map(|(worker, run)| {
                    Some(RunView::of(
                        &directory,
                        worker,
                        run.as_ref()?,
                        site.is_staff(),
                    ))
                })
                .collect(),
        }
    }
}

/// What a page has beside its own matter.
struct Frame {
    is_staff: bool,
    signs: &'static str,
    /// The last event that the page tells of.
    reached: i64,
    /// Whose verdicts concern the page: `STUDENT/`, `/PROBLEM`, or all.
    concerns: String,
}

impl Frame {
    fn of(site: &Site, reached: i64, concerns: String) -> Self {
        Self {
            is_staff: site.is_staff(),
            signs: crate::report::SIGNS,
            reached,
            concerns,
        }
    }
}

/// A row of the matrix.
struct MatrixRow {
    student: Name,
    cells: Vec<CellView>,
}

impl MatrixRow {
    fn of(
        site: &Site,
        board: &Board,
        problems: &[&ProblemSlug],
        student: &Student,
        cells: &Cells,
    ) -> Self {
        let cell =
            |problem: &&ProblemSlug| CellView::of(site, student, problem, cells.get(problem));
        Self {
            student: Name::of_student(site, board.directory(), student),
            cells: problems.iter().map(cell).collect(),
        }
    }
}

/// One page of something long.
struct Part {
    first: usize,
    last: usize,
    of: usize,
    before: Option<usize>,
    after: Option<usize>,
}

impl Part {
    fn of(page: usize, of: usize) -> Self {
        let pages = of.div_ceil(STUDENTS_MAX).max(1);
        let page = page.clamp(1, pages);
        Self {
            first: ((page - 1) * STUDENTS_MAX + 1).min(of),
            last: (page * STUDENTS_MAX).min(of),
            of,
            before: (page > 1).then(|| page - 1),
            after: (page < pages).then_some(page + 1),
        }
    }

    fn take<T>(&self, all: impl Iterator<Item = T>) -> impl Iterator<Item = T> {
        all.skip(self.first.saturating_sub(1)).take(STUDENTS_MAX)
    }
}

#[derive(Template)]
#[template(path = "web/board.html")]
struct BoardPage {
    frame: Frame,
    now: Now,
    latest: Vec<VerdictRow>,
    problems: Vec<Name>,
    problems_left_out: usize,
    rows: Vec<MatrixRow>,
    part: Part,
    /// Of everybody, for staff.
    all_rejected: Option<AllRejected>,
}

/// The board.
pub fn board(site: &Site, page: usize) -> Response {
    let hall = &site.hall;
    // Before the rest: what comes meanwhile is told again by its event.
    let reached = hall.board().reached();
    let latest = match hall.read(|reader| reader.latest_events(EventKind::Verdict, LATEST_MAX)) {
        Ok(events) => events,
        Err(error) => return unavailable(&error),
    };
    let latest = latest
        .iter()
        .rev()
        .filter(|event| event.id <= reached)
        .filter_map(|event| Some(VerdictRow::of(site, event)?.0))
        .collect();
    let now = Now::of(site);
    let all_rejected = match AllRejected::of(site) {
        Ok(rejected) => rejected,
        Err(error) => return unavailable(&error),
    };
    let board = hall.board();
    let problems: Vec<&ProblemSlug> = board.problems().take(PROBLEMS_MAX).collect();
    let part = Part::of(page, board.students_count());
    let row = |(student, cells): (&Student, &Cells)| {
        MatrixRow::of(site, &board, &problems, student, cells)
    };
    let shown = BoardPage {
        frame: Frame::of(site, reached, "all".to_owned()),
        now,
        latest,
        rows: part.take(board.students()).map(row).collect(),
        problems_left_out: board.problems().count() - problems.len(),
        problems: problems
            .into_iter()
            .map(|problem| Name::of_problem(board.directory(), problem))
            .collect(),
        part,
        all_rejected,
    };
    drop(board);
    answer::page(StatusCode::OK, &shown)
}

#[derive(Template)]
#[template(path = "web/matrix.html")]
struct MatrixPage {
    frame: Frame,
    problems: Vec<Name>,
    problems_left_out: usize,
    tables: Vec<Vec<MatrixRow>>,
    part: Part,
}

/// The matrix alone, small enough for a projector.
pub fn matrix(site: &Site, page: usize) -> Response {
    let board = site.hall.board();
    let problems: Vec<&ProblemSlug> = board.problems().take(PROBLEMS_MAX).collect();
    let part = Part::of(page, board.students_count());
    let mut tables: Vec<Vec<MatrixRow>> = Vec::new();
    for (number, (student, cells)) in part.take(board.students()).enumerate() {
        if number % TABLE_ROWS == 0 {
            tables.push(Vec::with_capacity(TABLE_ROWS));
        }
        if let Some(table) = tables.last_mut() {
            table.push(MatrixRow::of(site, &board, &problems, student, cells));
        }
    }
    let shown = MatrixPage {
        frame: Frame::of(site, board.reached(), "all".to_owned()),
        problems_left_out: board.problems().count() - problems.len(),
        problems: problems
            .into_iter()
            .map(|problem| Name::of_problem(board.directory(), problem))
            .collect(),
        tables,
        part,
    };
    drop(board);
    answer::page(StatusCode::OK, &shown)
}

/// What a student has handed in for one problem.
struct ProblemPart {
    problem: Name,
    attempts: Vec<AttemptRow>,
    left_out: usize,
    /// Whether an attempt waits because the package is broken.
    is_repaired: bool,
}

#[derive(Template)]
#[template(path = "web/student.html")]
struct StudentPage {
    frame: Frame,
    rejected: Rejected,
    student: String,
    problems: Vec<ProblemPart>,
}

/// The page of a student.
pub fn student(site: &Site, student: &Student) -> Response {
    let rejected = match Rejected::of(site, Some(student)) {
        Ok(rejected) => rejected,
        Err(error) => return unavailable(&error),
    };
    let board = site.hall.board();
    let nothing = Cells::default();
    let cells = match board.student(student) {
        Some(cells) => cells,
        None if rejected.count > 0 => &nothing,
        None => {
            drop(board);
            return not_found();
        }
    };
    let part = |(problem, cell): (&ProblemSlug, &Cell)| {
        let counting = cell.counting(site.hall.view.counts());
        let latest = cell.entries.iter().rev().take(ATTEMPTS_MAX);
        ProblemPart {
            problem: Name {
                shown: board.directory().problem(problem),
                ..Name::of_problem(board.directory(), problem)
            },
            attempts: latest
                .map(|entry| AttemptRow::of(site, entry, counting))
                .collect(),
            left_out: cell.attempts().saturating_sub(ATTEMPTS_MAX),
            is_repaired: board.waits_for_repair(problem, cell),
        }
    };
    let shown = StudentPage {
        frame: Frame::of(site, board.reached(), format!("{student}/")),
        rejected,
        student: board.directory().student(student, site.is_staff()),
        problems: cells.iter().map(part).collect(),
    };
    drop(board);
    answer::page(StatusCode::OK, &shown)
}

/// A student's row on the page of a problem.
struct StudentRow {
    student: Name,
    cell: CellView,
}

#[derive(Template)]
#[template(path = "web/problem.html")]
struct ProblemPage {
    frame: Frame,
    problem: String,
    /// Where the staff find how long programs take and what hacks did.
    overview: Option<String>,
    /// The problem, where it is broken.
    broken: Vec<Broken>,
    counts: Vec<(Said, usize)>,
    /// Tests on which programs fail first, and how many; for staff.
    tests: Vec<(String, usize)>,
    rows: Vec<StudentRow>,
    part: Part,
}

/// The page of a problem.
pub fn problem(site: &Site, problem: &ProblemSlug, page: usize) -> Response {
    let board = site.hall.board();
    let cells = || board.cells_of(problem).map(|(_, cell)| cell);
    let students = cells().count();
    if students == 0 {
        drop(board);
        return not_found();
    }
    let part = Part::of(page, students);
    let counts = site.hall.view.counts();
    let shown = ProblemPage {
        frame: Frame::of(site, board.reached(), format!("/{problem}")),
        problem: board.directory().problem(problem),
        overview: site.is_staff().then(|| {
            format!(
                "/reports/problems/{}.html",
                encoded(&folder_name(problem.as_str()))
            )
        }),
        broken: Broken::all_of(&board)
            .filter(|broken| broken.name == problem.as_str())
            .collect(),
        counts: verdicts(cells(), counts)
            .into_iter()
            .filter(|row| row.counting > 0)
            .map(|row| (Said::of(row.verdict), row.counting))
            .collect(),
        tests: if site.is_staff() {
            failing_tests(cells())
                .into_iter()
                .take(TESTS_MAX)
                .map(|(test, count)| (visible_line(test), count))
                .collect()
        } else {
            Vec::new()
        },
        rows: part
            .take(board.cells_of(problem))
            .map(|(student, cell)| StudentRow {
                student: Name::of_student(site, board.directory(), student),
                cell: CellView::of(site, student, problem, Some(cell)),
            })
            .collect(),
        part,
    };
    drop(board);
    answer::page(StatusCode::OK, &shown)
}

/// What a verdict changes on a page that is open: its row, and its cell of the matrix.
#[derive(Template)]
#[template(path = "web/fragment.html")]
pub struct Fragment {
    pub row: VerdictRow,
    pub cell: CellView,
}

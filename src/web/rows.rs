//! What the dashboard shows beside the pages that are files too: the latest verdicts, and what goes
//! on now.

use askama::Template;

use super::machines::MachinesView;
use crate::daemon::{Activity, Run};
use crate::domain::{Attempt, Change, Verdict};
use crate::fleet::Shown;
use crate::judge::Progress;
use crate::overview::Broken;
use crate::overview::pages::{CellView, Moment, Name, View};
use crate::report::html::VerdictView;
use crate::store::{ChangeRow, Proposed};
use crate::util::clock::on_clock;
use crate::util::excerpt::visible_line;

/// A row of the latest verdicts.
#[derive(Debug, Clone, Template)]
#[template(path = "web/verdict.html")]
pub struct VerdictRow {
    event: i64,
    at: Moment,
    /// The time of the day alone, which is what one looks for there.
    clock: String,
    student: Name,
    problem: Name,
    attempt: Attempt,
    said: VerdictView,
    /// The verdict before, where it has changed.
    before: Option<&'static str>,
    report: Option<String>,
    /// The first failing test; none on the students' view.
    test: Option<String>,
    is_staff: bool,
}

impl VerdictRow {
    pub fn of(view: &View<'_>, row: &ChangeRow) -> Self {
        let ChangeRow {
            submission,
            change: Change { published, .. },
            ..
        } = row;
        let at = view.moment(published.judged_ms);
        let is_staff = view.is_staff();
        let test = published.first_failing_test.as_deref();
        Self {
            event: row.event,
            clock: on_clock(published.judged_ms, view.grading().zone(), "%H:%M:%S"),
            at,
            student: view.student(&submission.student),
            problem: view.problem(&submission.problem),
            attempt: submission.attempt,
            said: view.said(published),
            before: row.before.map(Verdict::words),
            report: view.report(submission),
            test: test.filter(|_| is_staff).map(visible_line),
            is_staff,
        }
    }
}

/// What a verdict changes on a page that is open: its row, and its cell of the matrix.
#[derive(Template)]
#[template(ext = "html", source = "{{ row|safe }}<tr>{{ cell|safe }}</tr>")]
pub struct Fragment {
    pub row: VerdictRow,
    pub cell: CellView,
}

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
    /// Runs on other machines.
    elsewhere: usize,
    /// The other machines, for the staff.
    machines: Option<MachinesView>,
    /// How often rejected files have changed: where it is another number, pages that show them ask
    /// for themselves.
    rejections: u64,
    broken: Vec<Broken>,
    is_staff: bool,
    /// Hacks that wait for a decision, for the staff.
    proposed: u64,
    /// How many found no place among them, and why.
    unproposed: Option<String>,
}

/// One that waits.
struct WaitingRow {
    student: String,
    problem: String,
    attempt: Attempt,
}

impl Now {
    pub fn of(view: &View<'_>, activity: &Activity) -> Self {
        let line = activity.line();
        let (board, is_staff) = (view.board, view.is_staff());
        let first = line.head.iter();
        let first = first.filter(|waiting| view.tells(waiting));
        let first = first.map(|waiting| WaitingRow {
            student: view.name(&waiting.student),
            problem: waiting.problem.to_string(),
            attempt: waiting.attempt,
        });
        let first: Vec<WaitingRow> = first.collect();
        let runs = activity.runs();
        let running = runs.iter().enumerate().filter_map(|(worker, run)| {
            let run = run.as_ref()?;
            let run = Some(run).filter(|run| view.tells(&run.submission))?;
            let student = view.name(&run.submission.student);
            Some(RunView::of(student, worker, run, is_staff))
        });
        let proposed = if is_staff {
            activity.proposed()
        } else {
            Proposed::default()
        };
        let machines = activity.machines();
        let places = machines.as_deref().map_or(0, |shown| shown.used().1);
        Self {
            elsewhere: machines.as_deref().map_or(0, Shown::out),
            machines: machines
                .filter(|_| is_staff)
                .map(|shown| MachinesView::of(view, &shown)),
            broken: view.broken().collect(),
            is_staff,
            proposed: proposed.waiting,
            unproposed: proposed.without_place(),
            waiting: line.waiting,
            faulted: line.faulted,
            more: line.waiting.saturating_sub(first.len()),
            first,
            rejections: board.rejections_changed(),
            workers: runs.len() + places,
            runs: running.collect(),
        }
    }
}

/// Parts of all tests in which students are told how far a run is.
const PARTS: usize = 4;
/// Tests that one such part has at least; of fewer students are told nothing, so that no single
/// test's time can be told from a part's.
const PART_TESTS_MIN: usize = 4;

/// A run in progress.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunView {
    pub worker: usize,
    pub student: String,
    pub problem: String,
    pub attempt: Attempt,
    pub is_built: bool,
    /// How much is done, of how much; `None` if that is not shown.
    pub bar: Option<(usize, usize)>,
    /// The step, in words.
    pub words: String,
}

impl RunView {
    /// Staff are told of every test; students only of the step and, of many tests, how many
    /// quarters are done.
    pub fn of(student: String, worker: usize, run: &Run, is_staff: bool) -> Self {
        let (bar, words) = match run.step {
            Progress::Building => (None, "being built".to_owned()),
            Progress::Running { done, of } if is_staff => {
                (Some((done, of)), format!("{done} of {of} tests"))
            }
            Progress::Running { done, of } => {
                let is_told = of >= PARTS * PART_TESTS_MIN;
                let bar = is_told.then(|| (done.saturating_mul(PARTS) / of, PARTS));
                (bar, "being run".to_owned())
            }
        };
        Self {
            worker: worker + 1,
            student,
            problem: run.submission.problem.to_string(),
            attempt: run.submission.attempt,
            is_built: run.step == Progress::Building,
            bar,
            words,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{PART_TESTS_MIN, PARTS, RunView};
    use crate::daemon::Run;
    use crate::judge::Progress;
    use crate::util::samples::submission;

    #[test]
    fn students_are_not_told_how_long_a_single_test_takes() {
        let view = |step, is_staff| {
            let run = Run {
                submission: submission(1, "alpha", "sum"),
                step,
            };
            RunView::of("alpha".to_owned(), 0, &run, is_staff)
        };
        for of in 1..100 {
            let steps = (0..=of).map(|done| Progress::Running { done, of });
            let told: Vec<RunView> = steps.map(|step| view(step, false)).collect();
            // What is told changes a few times in all, and never twice within a few tests.
            let changed: Vec<usize> = (1..=of)
                .filter(|&done| told[done] != told[done - 1])
                .collect();
            assert!(changed.len() <= PARTS, "{of}: {changed:?}");
            let ends = [&[0][..], &changed].concat();
            for pair in ends.windows(2) {
                assert!(pair[1] - pair[0] >= PART_TESTS_MIN, "{of}: {changed:?}");
            }
            assert!(told.iter().all(|run| run.words == "being run"));
        }
        let step = Progress::Running { done: 3, of: 20 };
        assert_eq!(view(step, false).bar, Some((0, PARTS)));
        assert_eq!(view(step, true).bar, Some((3, 20)));
        assert_eq!(view(step, true).words, "3 of 20 tests");
        assert_eq!(view(Progress::Building, false).words, "being built");
    }
}

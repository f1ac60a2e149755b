//! What the dashboard shows beside the pages that are files too: the latest verdicts, what goes on
//! now, and for the staff the other machines: who is there, what they do, and why one is not used.

use askama::Template;

use crate::daemon::{Activity, Run};
use crate::domain::{Attempt, Change, Submission, Verdict};
use crate::judge::Progress;
use crate::overview::Broken;
use crate::overview::pages::{Moment, Name, View, rendered};
use crate::places::{Machine, OtherMachines, Standing};
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

/// What goes on now: who waits, and what is being run.
#[derive(Template)]
#[template(path = "web/now.html")]
pub struct Now {
    waiting: usize,
    faulted: usize,
    /// The next ones, with what their students are called.
    first: Vec<(String, Submission)>,
    more: usize,
    workers: usize,
    runs: Vec<RunView>,
    /// Runs on other machines.
    elsewhere: usize,
    /// The other machines, for the staff.
    machines: Option<String>,
    broken: Vec<Broken>,
    is_staff: bool,
    /// Hacks that wait for a decision, for the staff.
    proposed: u64,
    /// How many found no place among them, and why.
    unproposed: Option<String>,
}

impl Now {
    pub fn of(view: &View<'_>, activity: &Activity) -> Self {
        let line = activity.line();
        let is_staff = view.is_staff();
        let first = line.head.into_iter();
        let first = first.filter(|waiting| view.tells(waiting));
        let first: Vec<_> = first
            .map(|waiting| (view.name(&waiting.student), waiting))
            .collect();
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
            elsewhere: machines.as_deref().map_or(0, OtherMachines::out),
            machines: machines.filter(|_| is_staff).map(|shown| {
                rendered(&MachinesView {
                    view,
                    shown: &shown,
                })
            }),
            broken: view.broken().collect(),
            is_staff,
            proposed: proposed.waiting,
            unproposed: proposed.without_place(),
            waiting: line.waiting,
            faulted: line.faulted,
            more: line.waiting.saturating_sub(first.len()),
            first,
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
    /// Staff see every test; students only of the step and, of many tests, how many
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

/// The table of the other machines.
#[derive(Template)]
#[template(path = "web/machines.html")]
struct MachinesView<'a> {
    view: &'a View<'a>,
    shown: &'a OtherMachines,
}

fn state(machine: &Machine) -> String {
    match machine.standing {
        Standing::Working => {
            let (busy, places) = (machine.busy(), machine.places);
            format!("{busy} of {places} places busy, there")
        }
        Standing::Idle => format!("0 of {} places busy, there", machine.places),
        Standing::Unused => "not used, there".to_owned(),
        Standing::Gone => "gone".to_owned(),
    }
}

fn since(view: &View<'_>, machine: &Machine) -> Moment {
    view.moment(machine.since_ms)
}

#[cfg(test)]
mod tests {
    use super::{MachinesView, Now, PART_TESTS_MIN, PARTS, RunView};
    use crate::daemon::Run;
    use crate::judge::Progress;
    use crate::overview::Scoreboard;
    use crate::overview::pages::{Selection, rendered};
    use crate::places::samples::shown;
    use crate::report::Audience;
    use crate::util::samples::submission;
    use crate::web::tests::sample::Sample;

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
            let changed = (1..=of).filter(|&done| told[done] != told[done - 1]);
            let changed: Vec<usize> = changed.collect();
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

    #[test]
    fn the_staff_see_each_machine_and_students_only_how_many_places_there_are() {
        let sample = Sample::new(Scoreboard::default());
        let activity = &sample.state.view.activity;
        let looks = |audience| {
            let dashboard = sample.dashboard(audience);
            let looked = dashboard.look(&Selection::default(), |view| {
                Ok(rendered(&Now::of(view, activity)))
            });
            looked.unwrap()
        };
        let (alone, alone_staff) = (looks(Audience::Student), looks(Audience::Staff));
        assert!(!alone.contains("machine") && !alone_staff.contains("machine"));
        activity.show(std::sync::Arc::new(shown()));
        let (students, staff) = (looks(Audience::Student), looks(Audience::Staff));
        let words = "Being judged: 2 of 7 at a time";
        assert!(students.contains(words), "{students}");
        let names_any = students.contains("lab-07") || students.contains("ada");
        assert!(!names_any, "{students}");
        let dashboard = sample.dashboard(Audience::Staff);
        let table = dashboard.look(&Selection::default(), |view| {
            let shown = &shown();
            Ok(rendered(&MachinesView { view, shown }))
        });
        let table = table.unwrap();
        assert!(staff.contains(&table), "{staff}");
        insta::assert_snapshot!(table);
    }
}

//! What the templates show, already in words: names made visible, verdicts in words beside their sign, links as paths.

use super::address::encoded;
use super::hall::Site;
use crate::daemon::Run;
use crate::domain::{Attempt, ProblemSlug, Student, Verdict};
use crate::judge::Progress;
use crate::overview::{Cell, Directory, Entry};
use crate::report::html::Said;
use crate::report::{Entry as EventEntry, folder_name};
use crate::store::EventRow;
use crate::util::clock::utc_text;
use crate::util::excerpt::visible_line;

/// A name as it is shown, and the page about it.
#[derive(Debug, Clone)]
pub struct Name {
    pub shown: String,
    /// What it means, where that is shown only on request.
    pub title: Option<String>,
    pub href: String,
}

impl Name {
    /// The staff see the roster's name too.
    pub fn of_student(site: &Site, directory: &Directory, student: &Student) -> Self {
        Self {
            shown: directory.student(student, site.is_staff()),
            title: None,
            href: format!("/students/{}", encoded(student.as_str())),
        }
    }

    pub fn of_problem(directory: &Directory, problem: &ProblemSlug) -> Self {
        Self {
            shown: problem.to_string(),
            title: directory.title(problem).map(visible_line),
            href: format!("/problems/{}", encoded(problem.as_str())),
        }
    }
}

/// A moment, for people and for programs.
#[derive(Debug, Clone)]
pub struct Moment {
    pub text: String,
    pub machine: String,
}

impl Moment {
    pub fn of(ms: i64) -> Self {
        let machine = utc_text(ms);
        // Without seconds and zone; the page says once that all times are UTC.
        let text = match machine.get(..16) {
            Some(minutes) if machine.ends_with('Z') => minutes.replace('T', " "),
            _ => machine.clone(),
        };
        Self { text, machine }
    }
}

/// Where the report of an attempt is, where this view shows reports.
pub fn report_href(
    site: &Site,
    student: &Student,
    problem: &ProblemSlug,
    attempt: Attempt,
) -> Option<String> {
    site.folder.as_ref()?;
    Some(format!(
        "/reports/{}/{}/{attempt}",
        encoded(&folder_name(student.as_str())),
        encoded(&folder_name(problem.as_str()))
    ))
}

/// A row of the latest verdicts.
#[derive(Debug, Clone)]
pub struct VerdictRow {
    pub event: i64,
    pub at: Moment,
    /// The time of the day alone, which is what one looks for there.
    pub clock: String,
    pub student: Name,
    pub problem: Name,
    pub attempt: Attempt,
    pub said: Said,
    /// The verdict before, where it has changed.
    pub before: Option<&'static str>,
    pub report: Option<String>,
    /// The first failing test; none on the students' view.
    pub test: Option<String>,
    pub is_staff: bool,
}

impl VerdictRow {
    /// The row of an event of the store, and whose it is; none where it is of another kind, or another version has written it.
    pub fn of(site: &Site, event: &EventRow) -> Option<(Self, Student, ProblemSlug)> {
        let EventEntry::Verdict(verdict) = EventEntry::from_json(&event.json).ok()? else {
            return None;
        };
        let student = Student::new(&verdict.student).ok()?;
        let problem = ProblemSlug::new(&verdict.problem).ok()?;
        let is_staff = site.is_staff();
        let at = Moment::of(event.ms);
        let directory = site.hall.directory();
        let row = Self {
            event: event.id,
            clock: at.machine.get(11..19).unwrap_or_default().to_owned(),
            at,
            student: Name::of_student(site, &directory, &student),
            problem: Name::of_problem(&directory, &problem),
            attempt: verdict.attempt,
            said: Said::of(verdict.verdict),
            before: verdict.before.map(Verdict::words),
            report: report_href(site, &student, &problem, verdict.attempt),
            test: verdict
                .first_failing_test
                .filter(|_| is_staff)
                .map(|test| visible_line(&test)),
            is_staff,
        };
        Some((row, student, problem))
    }
}

/// A cell of the matrix.
#[derive(Debug, Clone)]
pub struct CellView {
    /// Whose it is, for the script.
    pub key: String,
    /// What it is about, where the column's head is out of sight.
    pub problem: String,
    /// What counts; none where nothing is judged.
    pub said: Option<Said>,
    pub report: Option<String>,
    pub attempts: usize,
    /// When the first accepted attempt was received, as the overview and the grade book have it.
    pub accepted: Option<Moment>,
    pub is_waiting: bool,
}

impl CellView {
    pub fn of(site: &Site, student: &Student, problem: &ProblemSlug, cell: Option<&Cell>) -> Self {
        let counting = cell.and_then(|cell| cell.counting(site.hall.view.counts()));
        let judged = counting.and_then(|entry| entry.judged.as_ref());
        let accepted = cell.and_then(Cell::first_accepted);
        Self {
            key: format!("{student}/{problem}"),
            problem: problem.to_string(),
            said: judged.map(|judged| Said::of(judged.verdict)),
            report: counting.and_then(|entry| report_href(site, student, problem, entry.attempt)),
            attempts: cell.map_or(0, Cell::attempts),
            accepted: accepted.map(|entry| Moment::of(entry.received_ms)),
            is_waiting: cell.is_some_and(Cell::is_waiting),
        }
    }
}

/// One attempt, on the page of its student.
#[derive(Debug, Clone)]
pub struct AttemptRow {
    pub attempt: Attempt,
    pub received: Moment,
    pub said: Option<Said>,
    pub counts: bool,
    pub report: Option<String>,
    /// What only staff are told: the first failing test, the language, the time of the slowest test.
    pub test: Option<String>,
    pub language: String,
    pub slowest: Option<String>,
}

impl AttemptRow {
    pub fn of(site: &Site, entry: &Entry, counting: Option<&Entry>) -> Self {
        let judged = entry.judged.as_ref();
        let is_staff = site.is_staff();
        let staff = judged.filter(|_| is_staff);
        Self {
            attempt: entry.attempt,
            received: Moment::of(entry.received_ms),
            said: judged.map(|judged| Said::of(judged.verdict)),
            counts: counting.is_some_and(|counting| counting.id == entry.id),
            report: judged
                .and_then(|_| report_href(site, &entry.student, &entry.problem, entry.attempt)),
            test: staff.and_then(|judged| judged.first_failing_test.as_deref().map(visible_line)),
            language: if is_staff {
                entry.language.to_string()
            } else {
                String::new()
            },
            slowest: staff.and_then(|judged| Some(format!("{} ms", judged.slowest_ms?))),
        }
    }
}

/// Parts of all tests in which students are told how far a run is.
const PARTS: usize = 4;
/// Tests that one such part has at least; of fewer students are told nothing, so that no single test's time can be told from a part's.
const PART_TESTS_MIN: usize = 4;

/// A run in progress.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunView {
    pub worker: usize,
    pub student: String,
    pub problem: String,
    pub attempt: Attempt,
    pub is_built: bool,
    /// How much is done, of how much; none where that is not told.
    pub bar: Option<(usize, usize)>,
    /// The step, in words.
    pub words: String,
}

impl RunView {
    /// Staff are told of every test; students only of the step and, of many tests, how many quarters are done.
    pub fn of(directory: &Directory, worker: usize, run: &Run, is_staff: bool) -> Self {
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
            student: directory.student(&run.student, is_staff),
            problem: run.problem.to_string(),
            attempt: run.attempt,
            is_built: run.step == Progress::Building,
            bar,
            words,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{CellView, PART_TESTS_MIN, PARTS, RunView};
    use crate::daemon::Run;
    use crate::domain::{ProblemSlug, Student};
    use crate::judge::Progress;
    use crate::overview::{Board, Counts, Directory};
    use crate::report::Audience;
    use crate::web::sample::{Sample, entry};

    #[test]
    fn a_cell_says_when_the_first_accepted_attempt_was_received() {
        let judged = entry("alpha", 1, true);
        let received_ms = judged.received_ms;
        let mut board = Board::default();
        board.put(judged);
        let sample = Sample::new(board);
        let site = sample.site(Audience::Student);
        let accepted = sample.cell(&site).accepted.unwrap();
        assert_eq!(accepted.machine, crate::util::clock::utc_text(received_ms));
    }

    #[test]
    fn which_attempt_counts_is_what_the_course_says_now() {
        let mut board = Board::default();
        board.put(entry("alpha", 1, true));
        board.put(entry("alpha", 2, false));
        let sample = Sample::new(board);
        let site = sample.site(Audience::Student);
        let said = |cell: CellView| cell.said.unwrap().code;
        assert_eq!(said(sample.cell(&site)), "AC");
        sample.reload(Counts::Last);
        assert_eq!(said(sample.cell(&site)), "WA");
    }

    #[test]
    fn students_are_not_told_how_long_a_single_test_takes() {
        let view = |step, is_staff| {
            let run = Run {
                student: Student::new("alpha").unwrap(),
                problem: ProblemSlug::new("sum").unwrap(),
                attempt: 1,
                step,
            };
            RunView::of(&Directory::default(), 0, &run, is_staff)
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

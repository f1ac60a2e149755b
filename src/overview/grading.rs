//! From the scoreboard to grades: which attempt of a cell counts, by what the instructor says.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::cells::{Cell, Cells};
use crate::course::{
    Counts, Grade, Graded, GradedAssignment, Grades, HandedIn, Person, PersonGrades, Roster, Rules,
    TimeSource, Times, Timing,
};
use crate::domain::{ProblemSlug, Student, Verdict};
use crate::store::Entry;

/// What the instructor says about the course, and what is known of times. The default is that
/// nothing was read yet.
#[derive(Debug, Clone, Default)]
pub struct Grading {
    pub rules: Arc<Rules>,
    /// Empty where there is none that can be read.
    pub roster: Arc<Roster>,
    /// When things were handed in, as platforms say.
    pub times: Arc<Times>,
}

impl Grading {
    /// That of a course without any file about it.
    pub fn without_files(counts: Counts) -> Self {
        Self {
            rules: Arc::new(Rules::without_files(counts)),
            roster: Arc::default(),
            times: Arc::default(),
        }
    }

    /// On whose clock times are shown.
    pub fn zone(&self) -> &TimeZone {
        &self.rules.terms.zone
    }

    /// The name of that clock's zone, where it is not UTC.
    pub fn zone_name(&self) -> Option<String> {
        let name = self.zone().iana_name().filter(|name| *name != "UTC");
        name.map(str::to_owned)
    }

    /// What somebody has in one problem; `None` where there is neither an attempt nor a decision.
    pub fn grade(
        &self,
        student: &Student,
        problem: &ProblemSlug,
        cell: Option<&Cell>,
    ) -> Option<Grade> {
        self.rules.grade(student, problem, &self.handed_in(cell))
    }

    /// Every attempt of a cell with what the rules make of it, the first one first.
    pub fn graded(&self, cell: &Cell) -> Vec<Graded> {
        let Some(first) = cell.entries.first() else {
            return Vec::new();
        };
        let (student, problem) = (&first.submission.student, &first.submission.problem);
        self.rules
            .graded(student, problem, &self.handed_in(Some(cell)))
    }

    /// Whether an attempt of a cell is accepted, as an instructor may have decided.
    pub fn is_accepted(&self, cell: &Cell) -> bool {
        let graded = self.graded(cell);
        let mut graded = graded.iter().filter(|graded| !graded.is_excluded);
        graded.any(|graded| graded.verdict == Some(Verdict::Accepted))
    }

    /// The attempt that counts; `None` while no attempt does.
    pub fn counting<'a>(&self, cell: &'a Cell) -> Option<&'a Entry> {
        let first = &cell.entries.first()?.submission;
        let grade = self.grade(&first.student, &first.problem, Some(cell))?;
        let counted = grade.counted?.handed_in.submission;
        let mut entries = cell.entries.iter();
        entries.find(|entry| entry.submission.id == counted)
    }

    /// The grades of one person.
    pub fn person(
        &self,
        student: &Student,
        person: Option<&Person>,
        assignments: &[GradedAssignment],
        cells: Option<&Cells>,
    ) -> PersonGrades {
        let cells = cells.into_iter().flat_map(Cells::iter);
        let attempts = cells.map(|(problem, cell)| (problem.clone(), self.handed_in(Some(cell))));
        let name = person.map(Person::name).unwrap_or_default();
        self.rules
            .person(student, name, assignments, &attempts.collect())
    }

    /// Everybody's grades. `problems` are those of the course and those that somebody has tried.
    pub fn grades<'a>(
        &self,
        students: impl Iterator<Item = (&'a Student, &'a Cells)>,
        problems: &BTreeSet<ProblemSlug>,
    ) -> Grades {
        let of_cell =
            |(problem, cell): (&ProblemSlug, &Cell)| (problem.clone(), self.handed_in(Some(cell)));
        let handed_in: BTreeMap<Student, BTreeMap<ProblemSlug, Vec<HandedIn>>> = students
            .map(|(student, cells)| (student.clone(), cells.iter().map(of_cell).collect()))
            .collect();
        Grades::of(&self.rules, &self.roster, problems, &handed_in)
    }

    fn handed_in(&self, cell: Option<&Cell>) -> Vec<HandedIn> {
        let entries = cell.into_iter().flat_map(|cell| &cell.entries);
        entries.map(|entry| self.of_entry(entry)).collect()
    }

    fn of_entry(&self, entry: &Entry) -> HandedIn {
        let submission = &entry.submission;
        let receipt =
            || Timestamp::from_millisecond(submission.received_ms).unwrap_or(Timestamp::UNIX_EPOCH);
        let timing = self
            .times
            .of(&submission.student, &submission.problem, entry.source);
        let (at, source) = match timing {
            Some(Timing::At(at)) => (at, TimeSource::Platform),
            Some(Timing::OnTime) => (receipt(), TimeSource::OnTime),
            Some(Timing::Unknown) | None => (receipt(), TimeSource::Receipt),
        };
        HandedIn {
            submission: submission.id,
            attempt: submission.attempt,
            at,
            source,
            verdict: entry.verdict(),
            score: entry.published.as_ref().map(|published| published.score),
        }
    }
}

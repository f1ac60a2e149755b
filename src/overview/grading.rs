//! From the scoreboard to grades: which attempt of a cell counts, by what the instructor says; and
//! which submissions are not judged by themselves now.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::{Cell, Cells};
use crate::course::{
    Grade, Graded, GradedAssignment, Grades, HandedIn, Person, PersonGrades, Roster, Rules,
    Standing, TimeSource, Times, Timing,
};
use crate::domain::{Digest, ProblemSlug, Student, Submission, Verdict};
use crate::store::Entry;
use crate::util::words::amount;

/// What the instructor says about the course, and what is known of times. The default is that
/// nothing was read yet.
#[derive(Debug, Clone, Default)]
pub struct Grading {
    pub rules: Arc<Rules>,
    /// Empty where there is none that can be read.
    pub roster: Arc<Roster>,
    /// Whether those who are not on it are left out of what counts and of what everybody sees.
    pub only_roster: bool,
    /// When things were handed in, as platforms say.
    pub times: Arc<Times>,
    /// The moment that it is about: what opens later is not open.
    pub at: Timestamp,
}

impl Grading {
    /// That of a course without any file about it.
    #[cfg(test)]
    pub fn without_files(counts: crate::course::Counts) -> Self {
        Self {
            rules: Arc::new(Rules::without_files(counts)),
            ..Self::default()
        }
    }

    /// Whether somebody is not on the roster, and does not count until they are.
    pub fn is_stranger(&self, student: &Student) -> bool {
        self.only_roster && !self.roster.has(student)
    }

    /// Whether students are told nothing of a problem, because it opens later.
    pub fn hides(&self, problem: &ProblemSlug) -> bool {
        !self.rules.terms.is_open(problem, self.at)
    }

    /// Why a submission is not judged by itself now; `None` where it is. `source` is asked for the
    /// digest of its program where that matters.
    pub fn held(
        &self,
        submission: &Submission,
        is_judged: bool,
        source: impl FnOnce() -> Option<Digest>,
    ) -> Option<Held> {
        let (student, problem) = (&submission.student, &submission.problem);
        if self.hides(problem) {
            return Some(Held::Until(self.rules.terms.opens(problem)));
        }
        let is_closed =
            |handed_in| self.rules.standing(student, problem, handed_in) == Standing::Closed;
        let receipt = (receipt_of(submission), TimeSource::Receipt);
        // Whatever has a verdict keeps its verdict up to date.
        let is_late = !is_judged && is_closed(receipt);
        let is_held = is_late
            && source().is_none_or(|source| is_closed(self.handed_in_at(submission, source)));
        is_held.then_some(Held::Closed)
    }

    /// The same of what a scoreboard has.
    pub fn held_entry(&self, entry: &Entry) -> Option<Held> {
        let is_judged = entry.published.is_some();
        self.held(&entry.submission, is_judged, || Some(entry.source))
            .filter(|_| !is_judged)
    }

    /// Those of some submissions that are not judged by themselves now.
    pub fn held_of<'e>(&self, entries: impl Iterator<Item = &'e Entry>) -> HeldCounts {
        let mut counts = HeldCounts::new();
        for entry in entries {
            if let Some(held) = self.held_entry(entry) {
                let key = (entry.submission.problem.clone(), held);
                *counts.entry(key).or_default() += 1;
            }
        }
        counts
    }

    /// Whether an attempt of a cell has no verdict and gets one by itself.
    pub fn is_waiting(&self, cell: &Cell) -> bool {
        let mut entries = cell.entries.iter();
        entries
            .any(|entry| entry.published.is_none() && self.held_entry(entry) != Some(Held::Closed))
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
            .filter(|(student, _)| !self.is_stranger(student))
            .map(|(student, cells)| (student.clone(), cells.iter().map(of_cell).collect()))
            .collect();
        Grades::of(&self.rules, &self.roster, problems, &handed_in)
    }

    /// When a submission was handed in, and who says so.
    fn handed_in_at(&self, submission: &Submission, source: Digest) -> (Timestamp, TimeSource) {
        let timing = self
            .times
            .of(&submission.student, &submission.problem, source);
        match timing {
            Some(Timing::At(at)) => (at, TimeSource::Platform),
            Some(Timing::OnTime) => (receipt_of(submission), TimeSource::OnTime),
            Some(Timing::Unknown) | None => (receipt_of(submission), TimeSource::Receipt),
        }
    }

    fn handed_in(&self, cell: Option<&Cell>) -> Vec<HandedIn> {
        let entries = cell.into_iter().flat_map(|cell| &cell.entries);
        entries.map(|entry| self.of_entry(entry)).collect()
    }

    fn of_entry(&self, entry: &Entry) -> HandedIn {
        let submission = &entry.submission;
        let (at, source) = self.handed_in_at(submission, entry.source);
        let published = entry.published.as_ref();
        HandedIn {
            submission: submission.id,
            attempt: submission.attempt,
            at,
            source,
            verdict: entry.verdict(),
            score: published.map(|published| published.score),
            groups: published.and_then(|published| published.groups.clone()),
        }
    }
}

fn receipt_of(submission: &Submission) -> Timestamp {
    Timestamp::from_millisecond(submission.received_ms).unwrap_or(Timestamp::UNIX_EPOCH)
}

/// Why a submission without a verdict is not judged by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Held {
    /// Its problem opens later; `None` where course.toml, which would say when, was never read.
    Until(Option<Timestamp>),
    /// It came after its assignment had closed.
    Closed,
}

/// How many submissions for a problem are held for one reason.
pub type HeldCounts = BTreeMap<(ProblemSlug, Held), usize>;

impl Held {
    /// What is held so of a problem, in words.
    pub fn words(self, problem: &ProblemSlug, count: usize, zone: &TimeZone) -> String {
        let programs = amount(count, "program");
        let is_one = count == 1;
        match self {
            Self::Until(Some(opens)) => {
                let opens = opens.to_zoned(zone.clone());
                let opens = opens.strftime("%Y-%m-%d %H:%M %Z");
                let verb = if is_one { "waits" } else { "wait" };
                format!("{problem}: {programs} {verb} until it opens at {opens}")
            }
            Self::Until(None) => {
                let verb = if is_one { "waits" } else { "wait" };
                format!("{problem}: {programs} {verb} until course.toml can be read")
            }
            Self::Closed => {
                let verb = if is_one { "is" } else { "are" };
                format!(
                    "{problem}: {programs} came after it had closed and {verb} not judged: an extension or `verdictd rejudge --late --problem {problem}` has {} judged",
                    if is_one { "it" } else { "them" }
                )
            }
        }
    }
}

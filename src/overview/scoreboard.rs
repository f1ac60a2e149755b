//! Everybody's attempts, read from the store once and kept up by its events.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, RwLock};

use super::directory::Directory;
use super::grading::Grading;
use super::{Cell, Cells};
use crate::course::Grades;
use crate::domain::{LanguageId, ProblemSlug, Student, Submission, SubmissionId};
use crate::store::{Entry, EventKind, Reader, StoreError};
use crate::util::sync::{read, write};

/// A problem that nobody can be judged on, as pages show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    pub name: String,
    /// Why; for the staff alone.
    pub reason: String,
}

#[derive(Debug, Default)]
pub struct Scoreboard {
    students: BTreeMap<Student, Cells>,
    /// Every problem for which something was handed in, and how many students have.
    problems: BTreeMap<ProblemSlug, usize>,
    languages: BTreeSet<LanguageId>,
    /// Tests on which a program fails first.
    tests: BTreeSet<Arc<str>>,
    /// Groups of tests with their points.
    groups: BTreeSet<Arc<[(String, u32)]>>,
    /// How many rejected files each student has, and how many are nobody's; none is 0.
    rejected: BTreeMap<Option<Student>, usize>,
    /// The last event that it knows of.
    reached: i64,
    /// What its names mean.
    directory: Arc<Directory>,
    /// What the instructor says about it.
    grading: Arc<Grading>,
    /// The packages that nobody can be judged with, and why.
    broken: BTreeMap<ProblemSlug, String>,
}

impl Scoreboard {
    /// Reads the store from its beginning.
    pub fn load(reader: &Reader) -> Result<Self, StoreError> {
        let mut board = Self {
            // Before the rows: what happens meanwhile is read again with its event.
            reached: reader.last_event()?,
            rejected: reader.outstanding_counts()?.into_iter().collect(),
            broken: broken(reader)?,
            ..Self::default()
        };
        let mut after = SubmissionId(0);
        loop {
            let page = reader.entries_after(after, PAGE)?;
            let Some(last) = page.last() else {
                return Ok(board);
            };
            after = last.submission.id;
            for entry in page {
                board.put(entry);
            }
        }
    }

    /// What has changed after an event that it knows of.
    pub fn changes_after(&self, reader: &Reader, event: i64) -> Result<Changes, StoreError> {
        let mut changes = Changes::default();
        let mut reached = event;
        while let Some(next) = Next::read(reader, reached)? {
            reached = next.reached;
            let entries = next.entries.iter();
            let cells = entries.map(|entry| self.names_of(&entry.submission));
            changes.cells.extend(cells);
            changes.add(next.changes);
        }
        Ok(changes)
    }

    /// Brings a scoreboard that others may look at up to the store. What a page of events has changed
    /// is told before the next one is read: a failure loses nothing that the scoreboard shows.
    pub fn follow(
        board: &RwLock<Self>,
        reader: &Reader,
        mut tell: impl FnMut(Changes),
    ) -> Result<(), StoreError> {
        let reached = || read(board).reached;
        while let Some(next) = Next::read(reader, reached())? {
            let changes = write(board).apply(next);
            tell(changes);
        }
        Ok(())
    }

    /// Takes in a page of events; says what it has changed.
    fn apply(&mut self, next: Next) -> Changes {
        let mut changes = next.changes;
        self.reached = next.reached;
        for entry in next.entries {
            let submission = entry.submission.clone();
            self.put(entry);
            changes.cells.insert(self.names_of(&submission));
        }
        for (student, count) in next.rejected {
            match count {
                0 => self.rejected.remove(&student),
                count => self.rejected.insert(student, count),
            };
        }
        if let Some(broken) = next.broken {
            self.broken = broken;
        }
        changes
    }

    /// Student and problem of a submission, by the names that are held here.
    fn names_of(&self, submission: &Submission) -> (Student, ProblemSlug) {
        let student = self.students.get_key_value(&submission.student);
        let problem = self.problems.get_key_value(&submission.problem);
        let student = student.map_or(&submission.student, |(known, _)| known);
        let problem = problem.map_or(&submission.problem, |(known, _)| known);
        (student.clone(), problem.clone())
    }

    /// The packages that nobody can be judged with, and why.
    pub fn broken(&self) -> &BTreeMap<ProblemSlug, String> {
        &self.broken
    }

    /// Whether a problem is being repaired while an attempt waits for it.
    pub fn waits_for_repair(&self, problem: &ProblemSlug, cell: &Cell) -> bool {
        cell.is_waiting() && self.broken.contains_key(problem)
    }

    /// Puts a submission in its place, or in place of what was known of it.
    pub fn put(&mut self, mut entry: Entry) {
        self.share_names(&mut entry);
        let Submission {
            student,
            problem,
            attempt,
            ..
        } = &entry.submission;
        let cells = self.students.entry(student.clone()).or_default();
        let place = cells.place(problem).unwrap_or_else(|at| {
            *self.problems.entry(problem.clone()).or_default() += 1;
            cells.insert(at, problem.clone());
            at
        });
        let entries = cells.entries_mut(place);
        match entries.binary_search_by_key(attempt, |known| known.submission.attempt) {
            Ok(at) => entries[at] = entry,
            Err(at) => {
                if entries.is_empty() {
                    entries.reserve_exact(1);
                }
                entries.insert(at, entry);
            }
        }
    }

    /// Names are held once, however many attempts there are.
    fn share_names(&mut self, entry: &mut Entry) {
        let (student, problem) = self.names_of(&entry.submission);
        let submission = &mut entry.submission;
        submission.language = shared(&mut self.languages, &submission.language);
        (submission.student, submission.problem) = (student, problem);
        let Some(published) = &mut entry.published else {
            return;
        };
        if let Some(test) = &mut published.first_failing_test {
            *test = shared(&mut self.tests, test);
        }
        if let Some(groups) = &mut published.groups {
            groups.of = shared(&mut self.groups, &groups.of);
        }
    }

    /// Every student with something handed in, in the order of their names.
    pub fn students(&self) -> impl Iterator<Item = (&Student, &Cells)> {
        self.students.iter()
    }

    /// Everybody on the roster in its order, then everybody else who has handed in something.
    pub fn everybody<'a>(
        &'a self,
        nothing: &'a Cells,
    ) -> impl Iterator<Item = (&'a Student, &'a Cells)> {
        let people = self.grading.roster.and_others(self.students.keys());
        people.map(|(student, _)| (student, self.students.get(student).unwrap_or(nothing)))
    }

    /// How many students there are.
    pub fn students_count(&self) -> usize {
        self.students.len()
    }

    /// Everything of one student.
    pub fn student(&self, student: &Student) -> Option<&Cells> {
        self.students.get(student)
    }

    /// Every problem for which something was handed in, in the order of their names.
    pub fn problems(&self) -> impl Iterator<Item = &ProblemSlug> {
        self.problems.keys()
    }

    /// Everything of one problem, in the order of the students' names.
    pub fn cells_of<'a>(
        &'a self,
        problem: &'a ProblemSlug,
    ) -> impl Iterator<Item = (&'a Student, &'a Cell)> {
        let all = self.students.iter();
        all.filter_map(move |(student, cells)| Some((student, cells.get(problem)?)))
    }

    /// How many rejected files a student has, or how many are nobody's.
    pub fn rejected_of(&self, student: Option<&Student>) -> usize {
        let count = self.rejected.get(&student.cloned());
        count.copied().unwrap_or_default()
    }

    /// Everybody who has rejected files, and how many; those that are nobody's first.
    pub fn rejected(&self) -> impl Iterator<Item = (Option<&Student>, usize)> {
        self.rejected
            .iter()
            .map(|(student, count)| (student.as_ref(), *count))
    }

    /// What its names mean.
    pub fn directory(&self) -> &Arc<Directory> {
        &self.directory
    }

    /// Has its names mean something else.
    pub fn set_directory(&mut self, directory: Arc<Directory>) {
        self.directory = directory;
    }

    /// What the instructor says about it.
    pub fn grading(&self) -> &Arc<Grading> {
        &self.grading
    }

    /// Everybody's grades. `problems` are those of the course; those that somebody has tried are
    /// added.
    pub fn grades<'a>(&self, problems: impl Iterator<Item = &'a ProblemSlug>) -> Grades {
        let problems = problems.cloned().chain(self.problems().cloned());
        self.grading.grades(self.students(), &problems.collect())
    }

    /// Has it graded by something else.
    pub fn set_grading(&mut self, grading: Arc<Grading>) {
        self.grading = grading;
    }

    /// The last event that it knows of.
    pub fn reached(&self) -> i64 {
        self.reached
    }
}

/// The one of equal names that is held.
fn shared<T: Ord + Clone>(names: &mut BTreeSet<T>, name: &T) -> T {
    if let Some(known) = names.get(name) {
        return known.clone();
    }
    names.insert(name.clone());
    name.clone()
}

/// Rows and events read from the store at a time.
pub(super) const PAGE: u32 = 1_000;

/// What has changed on a scoreboard.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes {
    /// Whose attempts for which problem.
    pub cells: BTreeSet<(Student, ProblemSlug)>,
    /// Problems of which a hack has joined, was judged or was taken back.
    pub hacked: BTreeSet<ProblemSlug>,
    /// Whose rejected files are others; `None` for those that are nobody's.
    pub rejected: BTreeSet<Option<Student>>,
    /// Problems whose packages are broken, or are not any more.
    pub packages: BTreeSet<ProblemSlug>,
}

impl Changes {
    /// Adds others.
    pub fn add(&mut self, others: Self) {
        self.cells.extend(others.cells);
        self.hacked.extend(others.hacked);
        self.rejected.extend(others.rejected);
        self.packages.extend(others.packages);
    }
}

/// A page of the events of the store.
#[derive(Debug, Default)]
pub(super) struct Next {
    pub(super) entries: Vec<Entry>,
    /// All that has changed but for whose attempts, which the entries say.
    pub(super) changes: Changes,
    /// How many rejected files there are now, of those whose are others.
    pub(super) rejected: BTreeMap<Option<Student>, usize>,
    /// The broken packages, where an event tells of one.
    pub(super) broken: Option<BTreeMap<ProblemSlug, String>>,
    pub(super) reached: i64,
}

impl Next {
    /// What has happened after an event; `None` if nothing has.
    pub fn read(reader: &Reader, after: i64) -> Result<Option<Self>, StoreError> {
        let events = reader.events_after(after, EventKind::OF_OVERVIEWS, PAGE)?;
        let Some(last) = events.last() else {
            return Ok(None);
        };
        let mut next = Self {
            reached: last.id,
            ..Self::default()
        };
        let changes = &mut next.changes;
        let mut ids = BTreeSet::new();
        for event in events {
            match event.kind {
                EventKind::Hack => changes.hacked.extend(event.problem()),
                EventKind::Package => changes.packages.extend(event.problem()),
                EventKind::Rejections => drop(changes.rejected.insert(event.student())),
                _ => ids.extend(event.submission),
            }
        }
        if !changes.packages.is_empty() {
            next.broken = Some(broken(reader)?);
        }
        for id in ids {
            next.entries.extend(reader.entry(id)?);
        }
        for student in &changes.rejected {
            let count = reader.outstanding_count(student.as_ref())?;
            next.rejected.insert(student.clone(), count);
        }
        Ok(Some(next))
    }
}

/// The packages that nobody can be judged with, and why.
pub(super) fn broken(reader: &Reader) -> Result<BTreeMap<ProblemSlug, String>, StoreError> {
    let rows = reader.broken_packages()?.into_iter();
    Ok(rows
        .filter_map(|row| Some((row.problem, row.broken?)))
        .collect())
}

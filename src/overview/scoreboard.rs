//! Everybody's attempts, read from the store once and kept up by its events.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::directory::Directory;
use super::events::{Changes, Next, PAGE, broken};
use crate::config::Counts;
use crate::domain::{LanguageId, ProblemSlug, Student, Submission, SubmissionId, Verdict};
use crate::store::{Entry, Reader, StoreError};
use crate::util::excerpt::visible_line;

/// Everything of one student for one problem, the first attempt first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cell {
    /// One entry an attempt, in their order.
    pub entries: Vec<Entry>,
}

impl Cell {
    /// How many attempts there are.
    pub fn attempts(&self) -> usize {
        self.entries.len()
    }

    /// The attempt that counts; none while no attempt is judged. With points the best is the one with
    /// the most, of equal ones the latest.
    pub fn counting(&self, counts: Counts) -> Option<&Entry> {
        let points = |entry: &&Entry| entry.published.as_ref().map(|now| now.score.got);
        let most = || {
            let judged = self
                .entries
                .iter()
                .filter(|entry| entry.published.is_some());
            judged.max_by_key(points)
        };
        let latest = || {
            self.entries
                .iter()
                .rev()
                .find(|entry| entry.published.is_some())
        };
        match counts {
            Counts::Best => self.first_accepted().or_else(most),
            Counts::Last | Counts::LastOnTime => latest(),
        }
    }

    /// The first attempt that is accepted now; one that fails because of a hack is not.
    pub fn first_accepted(&self) -> Option<&Entry> {
        let mut entries = self.entries.iter();
        entries.find(|entry| entry.verdict() == Some(Verdict::Accepted))
    }

    /// Whether an attempt has no verdict yet.
    pub fn is_waiting(&self) -> bool {
        self.entries.iter().any(|entry| entry.published.is_none())
    }
}

/// Everything of one student, in the order of the problems' names. A list, because most students
/// have few problems and there may be many students.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cells(Vec<(ProblemSlug, Cell)>);

impl Cells {
    /// What there is of a problem.
    pub fn get(&self, problem: &ProblemSlug) -> Option<&Cell> {
        let at = self.place(problem).ok()?;
        self.0.get(at).map(|(_, cell)| cell)
    }

    /// Every problem with what there is of it.
    pub fn iter(&self) -> impl Iterator<Item = (&ProblemSlug, &Cell)> {
        self.0.iter().map(|(problem, cell)| (problem, cell))
    }

    /// What there is, problem by problem.
    pub fn values(&self) -> impl Iterator<Item = &Cell> {
        self.0.iter().map(|(_, cell)| cell)
    }

    /// How many problems there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    fn place(&self, problem: &ProblemSlug) -> Result<usize, usize> {
        self.0.binary_search_by(|(known, _)| known.cmp(problem))
    }
}

/// A problem that nobody can be judged on, as pages show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    pub name: String,
    /// Why; for the staff alone.
    pub reason: String,
}

impl Broken {
    /// The broken problems of a scoreboard, by name.
    pub fn all_of(board: &Scoreboard) -> impl Iterator<Item = Self> {
        board.broken.iter().map(|(problem, reason)| Self {
            name: problem.to_string(),
            reason: visible_line(reason),
        })
    }

    /// The same of one problem.
    pub fn of(board: &Scoreboard, problem: &ProblemSlug) -> impl Iterator<Item = Self> {
        Self::all_of(board).filter(|broken| broken.name == problem.as_str())
    }
}

#[derive(Debug, Default)]
pub struct Scoreboard {
    students: BTreeMap<Student, Cells>,
    /// Every problem for which something was handed in, and how many students have.
    problems: BTreeMap<ProblemSlug, usize>,
    languages: BTreeSet<LanguageId>,
    /// Tests on which a program fails first.
    tests: BTreeSet<Arc<str>>,
    /// How many rejected files each student has, and how many are nobody's; none is 0.
    rejected: BTreeMap<Option<Student>, usize>,
    rejections_changed: u64,
    /// The last event that it knows of.
    reached: i64,
    /// What its names mean.
    directory: Arc<Directory>,
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
            next.add_to(&mut changes);
            let entries = next.entries.iter();
            let cells = entries.map(|entry| self.names_of(&entry.submission));
            changes.cells.extend(cells);
        }
        Ok(changes)
    }

    /// Takes in a page of events, which was read while others could look at the scoreboard; adds
    /// what it has changed.
    pub fn apply(&mut self, next: Next, changes: &mut Changes) {
        self.reached = next.reached;
        next.add_to(changes);
        for entry in next.entries {
            let submission = entry.submission.clone();
            self.put(entry);
            changes.cells.insert(self.names_of(&submission));
        }
        for (student, count) in next.rejected {
            self.rejections_changed += 1;
            match count {
                0 => self.rejected.remove(&student),
                count => self.rejected.insert(student, count),
            };
        }
        if let Some(broken) = next.broken {
            self.broken = broken;
        }
    }

    /// Student and problem of a submission, by the names that are held here.
    fn names_of(&self, submission: &Submission) -> (Student, ProblemSlug) {
        let student = self.students.get_key_value(&submission.student);
        let problem = self.problems.get_key_value(&submission.problem);
        (
            student
                .map_or(&submission.student, |(known, _)| known)
                .clone(),
            problem
                .map_or(&submission.problem, |(known, _)| known)
                .clone(),
        )
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
            cells.0.reserve_exact(1);
            cells.0.insert(at, (problem.clone(), Cell::default()));
            at
        });
        let entries = &mut cells.0[place].1.entries;
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
        let language = shared(&mut self.languages, &entry.submission.language);
        entry.submission = Submission {
            student,
            problem,
            language,
            ..entry.submission.clone()
        };
        if let Some(test) = entry
            .published
            .as_mut()
            .and_then(|now| now.first_failing_test.as_mut())
        {
            *test = shared(&mut self.tests, test);
        }
    }

    /// Every student with something handed in, in the order of their names.
    pub fn students(&self) -> impl Iterator<Item = (&Student, &Cells)> {
        self.students.iter()
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

    /// Everything of one student for one problem.
    pub fn cell(&self, student: &Student, problem: &ProblemSlug) -> Option<&Cell> {
        self.students.get(student)?.get(problem)
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

    /// How often rejected files have changed since the scoreboard was read.
    pub fn rejections_changed(&self) -> u64 {
        self.rejections_changed
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

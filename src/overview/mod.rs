//! The scoreboard: every submission with its verdict. Every overview is made from it: the pages,
//! the grade book, the dashboard. It holds no documents, so that a large course fits in memory.

mod directory;
mod grading;
pub mod pages;
mod schedule;
mod scoreboard;
#[cfg(test)]
pub mod tests;

use crate::domain::{ProblemSlug, Verdict};

pub use crate::store::Entry;
pub use directory::{Directory, Problem};
pub use grading::{Grading, Held};
pub use schedule::{PAUSE, Schedule};
pub use scoreboard::{Broken, Changes, Scoreboard};

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

    fn place(&self, problem: &ProblemSlug) -> Result<usize, usize> {
        self.0.binary_search_by(|(known, _)| known.cmp(problem))
    }

    fn insert(&mut self, at: usize, problem: ProblemSlug) {
        self.0.reserve_exact(1);
        self.0.insert(at, (problem, Cell::default()));
    }

    fn entries_mut(&mut self, at: usize) -> &mut Vec<Entry> {
        &mut self.0[at].1.entries
    }
}

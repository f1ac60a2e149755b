//! What the readers of a page may know: of whom, and of which problems.

use super::view::View;
use crate::domain::{ProblemSlug, Student, Submission};
use crate::overview::Broken;

impl View<'_> {
    /// Whether its readers may know of a student's programs: who is not on the roster is the staff's
    /// matter, and their own.
    pub fn lists(&self, student: &Student) -> bool {
        let is_for_all = !self.is_staff() && !self.is_file() && self.own().is_none();
        !is_for_all || !self.grading().is_stranger(student)
    }

    /// Whether its readers are told nothing of a problem, because it opens later.
    pub fn hides(&self, problem: &ProblemSlug) -> bool {
        !self.is_staff() && self.grading().hides(problem)
    }

    /// Whether its readers may know that a student has handed in something for a problem.
    pub fn tells(&self, submission: &Submission) -> bool {
        self.lists(&submission.student) && !self.hides(&submission.problem)
    }

    /// The broken problems that its readers may know of.
    pub fn broken(&self) -> impl Iterator<Item = Broken> {
        let broken = self.board.broken().keys();
        let told = broken.filter(|problem| !self.hides(problem));
        told.flat_map(|problem| Broken::of(self.board, problem))
    }
}

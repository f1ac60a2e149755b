//! What the readers of a page may know: of whom, and of which problems.

use super::view::View;
use crate::domain::{ProblemSlug, Student, Submission};
use crate::overview::Broken;
use crate::util::excerpt::visible_line;

impl View<'_> {
    /// Whether its readers may know of a student's programs: who is not on the roster is the staff's
    /// matter, and their own.
    pub fn lists(&self, student: &Student) -> bool {
        self.shows_points() || !self.grading().is_stranger(student)
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
        let broken = self.board.broken().iter();
        let told = broken.filter(|(problem, _)| !self.hides(problem));
        told.map(|(problem, reason)| Broken {
            name: problem.to_string(),
            reason: visible_line(reason),
        })
    }

    /// A problem, where it is one of them.
    pub(super) fn broken_of(&self, problem: &ProblemSlug) -> Vec<Broken> {
        let broken = self.broken();
        broken.filter(|one| one.name == problem.as_str()).collect()
    }
}

//! What an instructor has decided about single attempts and problems of somebody: another verdict,
//! other points, a comment, an attempt that does not count. The facts stay beside it.

use std::collections::HashMap;
use std::fmt;

use super::points::Points;
use crate::domain::{Attempt, ProblemSlug, Student, Verdict};

/// What is decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// The attempt counts as if it had this verdict.
    Verdict(Verdict),
    /// The attempt brings these points, or, where it names no attempt, the problem does. No late
    /// rule changes them.
    Points(Points),
    /// Words for the student.
    Comment,
    /// The attempt does not count.
    Exclude,
}

/// One decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    pub student: Student,
    pub problem: ProblemSlug,
    /// `None` where it is about the problem as a whole.
    pub attempt: Option<Attempt>,
    pub action: Action,
    /// Why, for the student too.
    pub reason: String,
    /// When it was written, as its author or the command wrote it.
    pub when: String,
}

impl Decision {
    /// The points that it gives.
    pub fn points(&self) -> Option<Points> {
        match self.action {
            Action::Points(points) => Some(points),
            _ => None,
        }
    }
}

/// As the student reads it.
impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let attempt = self.attempt.map(|attempt| format!("Attempt {attempt}"));
        let subject = attempt.as_deref().unwrap_or("The problem");
        match self.action {
            Action::Verdict(verdict) => write!(f, "{subject} counts as {}: ", verdict.code())?,
            Action::Points(points) => write!(f, "{subject} brings {points} points: ")?,
            Action::Exclude => write!(f, "{subject} does not count: ")?,
            Action::Comment => write!(f, "{subject}: ")?,
        }
        f.write_str(&self.reason)
    }
}

/// All decisions, by student and problem; a later one of the same kind replaces an earlier one.
#[derive(Debug, Default)]
pub struct Decisions(HashMap<(Student, ProblemSlug), Vec<Decision>>);

impl Decisions {
    /// Of decisions in the order in which they were made.
    pub fn new(decisions: impl IntoIterator<Item = Decision>) -> Self {
        let mut all = HashMap::<_, Vec<_>>::new();
        for decision in decisions {
            let key = (decision.student.clone(), decision.problem.clone());
            all.entry(key).or_default().push(decision);
        }
        Self(all)
    }

    /// What is decided about somebody's problem, the earliest first.
    pub fn of(&self, student: &Student, problem: &ProblemSlug) -> &[Decision] {
        if self.0.is_empty() {
            return &[];
        }
        let all = self.0.get(&(student.clone(), problem.clone()));
        all.map_or(&[], Vec::as_slice)
    }

    /// Everybody and every problem that something is decided about.
    pub fn keys(&self) -> impl Iterator<Item = &(Student, ProblemSlug)> {
        self.0.keys()
    }
}

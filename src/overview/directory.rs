//! Who is in the course and which problems it has, as people call them: what the scoreboard's keys
//! mean.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::domain::{ProblemSlug, Student};
use crate::util::excerpt::visible_line;

/// Names of people and titles of problems.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Directory {
    people: BTreeMap<Student, String>,
    /// Everybody on the roster, in its order; none where there is no roster.
    roster: Option<Vec<Student>>,
    problems: BTreeMap<ProblemSlug, Problem>,
}

/// What a problem is called and asks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Problem {
    pub title: String,
    /// The statement as HTML; `None` if the package has none.
    pub statement: Option<Arc<str>>,
}

impl Directory {
    /// Of the roster's names and the course's problems with their titles; an empty name is none.
    pub fn new(
        people: impl Iterator<Item = (Student, String)>,
        problems: impl Iterator<Item = (ProblemSlug, Problem)>,
    ) -> Self {
        let people = people.filter(|(student, name)| !name.is_empty() && name != student.as_str());
        Self {
            people: people.collect(),
            roster: None,
            problems: problems.collect(),
        }
    }

    /// The same for a course that has a roster.
    #[must_use]
    pub fn with_roster(self, roster: impl Iterator<Item = Student>) -> Self {
        Self {
            roster: Some(roster.collect()),
            ..self
        }
    }

    /// Everybody on the roster, where there is one.
    pub fn roster(&self) -> Option<&[Student]> {
        self.roster.as_deref()
    }

    /// The course's problems, in the order of their names.
    pub fn problems(&self) -> impl Iterator<Item = &ProblemSlug> {
        self.problems.keys()
    }

    /// What a problem asks, as HTML.
    pub fn statement(&self, problem: &ProblemSlug) -> Option<&Arc<str>> {
        self.problems.get(problem)?.statement.as_ref()
    }

    /// Whether the course has a problem.
    pub fn has_problem(&self, problem: &ProblemSlug) -> bool {
        self.problems.contains_key(problem)
    }

    /// A student as the staff know them: `Surname, First (s1001)`. Students see only the name in
    /// the submissions folder.
    pub fn student(&self, student: &Student, is_staff: bool) -> String {
        let key = visible_line(student.as_str());
        match self.people.get(student).filter(|_| is_staff) {
            Some(name) => format!("{} ({key})", visible_line(name)),
            None => key,
        }
    }

    /// A problem's title with the name of its folder: `Sum of two numbers (sum)`.
    pub fn problem(&self, problem: &ProblemSlug) -> String {
        match self.title(problem) {
            Some(title) => format!("{} ({problem})", visible_line(title)),
            None => problem.to_string(),
        }
    }

    /// A problem's title, where it says more than the name of its folder.
    pub fn title(&self, problem: &ProblemSlug) -> Option<&str> {
        let title = self.problems.get(problem)?.title.as_str();
        let says_more = !title.is_empty() && !title.eq_ignore_ascii_case(problem.as_str());
        says_more.then_some(title)
    }

    /// How many problems there are: those of the course that are told of, and those that somebody has
    /// tried and that are gone.
    pub fn problems_count<'a>(
        &self,
        is_told: impl Fn(&ProblemSlug) -> bool,
        tried: impl Iterator<Item = &'a ProblemSlug>,
    ) -> usize {
        let gone = tried.filter(|problem| !self.problems.contains_key(*problem));
        self.problems().filter(|problem| is_told(problem)).count() + gone.count()
    }
}

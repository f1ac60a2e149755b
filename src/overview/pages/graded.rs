//! What the terms of the course make of attempts, in words: points, lateness, decisions.

use jiff::Timestamp;

use super::pieces::Moment;
use super::view::View;
use crate::course::{Action, Decision, Grade, Graded, Points, Standing, TimeSource};
use crate::domain::{ProblemSlug, Student};
use crate::util::excerpt::visible_line;
use crate::util::words::span;

/// What somebody has in an assignment.
pub(super) struct Total {
    pub title: String,
    pub due: Option<Moment>,
    pub points: Points,
    pub of: Points,
}

impl View<'_> {
    /// Whether it is for the staff or for the student whose it is: they are told what counts how
    /// much, and the languages of programs.
    pub(super) fn shows_points(&self) -> bool {
        self.is_staff() || self.is_file() || self.own().is_some()
    }

    /// Whether points say more than verdicts do.
    fn has_points(&self) -> bool {
        self.shows_points() && self.grading().rules.terms.has_file()
    }

    /// A moment on the course's clock.
    pub fn moment(&self, ms: i64) -> Moment {
        Moment::of(ms, self.grading().zone())
    }

    pub(super) fn moment_at(&self, at: Timestamp) -> Moment {
        self.moment(at.as_millisecond())
    }

    /// The points of somebody in each assignment, and when each is due for them.
    pub(super) fn totals(&self, student: &Student) -> Vec<Total> {
        if !self.has_points() {
            return Vec::new();
        }
        let (board, rules) = (self.board, &self.grading().rules);
        let problems = board.problems().cloned().collect();
        let assignments = rules.assignments(&problems);
        let cells = board.student(student);
        let grades = self.grading().person(student, None, &assignments, cells);
        let named = rules.terms.assignments.iter().zip(assignments);
        named
            .zip(grades.totals)
            .filter(|((terms, _), _)| self.is_staff() || terms.is_open(self.grading().at))
            .map(|((terms, assignment), points)| Total {
                title: visible_line(&assignment.title),
                due: terms.due.map(|due| self.moment_at(due)),
                points,
                of: assignment.of,
            })
            .collect()
    }

    /// When a problem is open for somebody, in words; empty where it always is.
    pub(super) fn window_words(&self, student: &Student, problem: &ProblemSlug) -> String {
        let rules = &self.grading().rules;
        if !self.has_points() {
            return String::new();
        }
        let window = rules.window(student, problem);
        let usual = rules.terms.assignment_of(problem);
        let is_extended = usual.is_some_and(|usual| usual.due != window.due);
        let due = if is_extended {
            "due by an extension"
        } else {
            "due"
        };
        let parts = [
            ("opens", window.opens),
            (due, window.due),
            ("closes", window.closes),
        ];
        let parts = parts.into_iter().filter_map(|(word, at)| {
            let at = self.moment_at(at?);
            Some(format!("{word} {}", at.text))
        });
        sentence(&parts.collect::<Vec<_>>().join(", "))
    }

    /// What is decided about somebody's problem, for whoever is told.
    pub(super) fn decisions(&self, student: &Student, problem: &ProblemSlug) -> Vec<String> {
        let decisions = self.grading().rules.decisions.of(student, problem);
        let told = decisions.iter().filter(|_| self.shows_points());
        told.map(Decision::to_string).collect()
    }

    /// What a grade brings, in words: `8 of 10 points`; `None` where nothing says so.
    pub(super) fn points_words(&self, grade: &Grade) -> Option<String> {
        let counts = self.has_points() && grade.of > Points::ZERO;
        let is_decided = grade.decision.is_some() && self.shows_points();
        (counts || is_decided).then(|| format!("{} of {} points", grade.points, grade.of))
    }

    /// How an attempt stands, in words; empty where nothing is to be said.
    pub(super) fn standing_words(&self, graded: &Graded) -> String {
        if !self.shows_points() {
            return String::new();
        }
        let window = if self.has_points() {
            standing(graded.standing)
        } else {
            String::new()
        };
        match &graded.decision {
            _ if graded.is_excluded => "excluded: does not count".to_owned(),
            Some(Decision {
                action: Action::Points(points),
                ..
            }) => format!("counts {points} points by decision"),
            Some(_) => {
                let code = graded.verdict.map_or("", |verdict| verdict.code());
                let window = if window.is_empty() {
                    window
                } else {
                    format!(", {window}")
                };
                format!("counts as {code} by decision{window}")
            }
            None => window,
        }
    }
}

/// When an attempt was handed in, and who says so where it is not its receipt.
pub(super) fn source_words(graded: &Graded) -> &'static str {
    match graded.handed_in.source {
        TimeSource::Receipt => "",
        TimeSource::Platform => "by the platform",
        TimeSource::OnTime => "received; on time by the platform",
    }
}

fn standing(standing: Standing) -> String {
    match standing {
        Standing::OnTime => String::new(),
        Standing::Late { seconds, percent } => {
            format!("late by {}: {percent} %", span(seconds))
        }
        Standing::TooEarly => "before it opened: does not count".to_owned(),
        Standing::Closed => "after it closed: does not count".to_owned(),
    }
}

fn sentence(words: &str) -> String {
    let mut characters = words.chars();
    match characters.next() {
        None => String::new(),
        Some(first) => format!("{}{}.", first.to_uppercase(), characters.as_str()),
    }
}

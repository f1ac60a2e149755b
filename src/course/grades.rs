//! The grades of a course: which attempt counts for everybody, how it stands to the time, how many
//! points it brings. A pure function of what was handed in and of what the instructor says; it is
//! computed anew wherever it is shown, and kept nowhere.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;

use super::counting::{Graded, HandedIn, TimeSource, best_of_groups, counting};
use super::decisions::{Action, Decision, Decisions};
use super::late::{Standing, Window};
use super::points::Points;
use super::roster::{Person, Roster};
use super::terms::Terms;
use crate::config::Counts;
use crate::domain::{ProblemSlug, Score, Student, Verdict};

/// What somebody has in one problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grade {
    /// None where no attempt counts (yet). Where the best of each group counts, its score is theirs.
    pub counted: Option<Graded>,
    pub points: Points,
    /// Whether they are the best of each group of tests, from all attempts.
    pub is_of_groups: bool,
    /// The points that the problem brings at most; none where it is there for practice only.
    pub of: Points,
    /// What an instructor has decided about the points: of the attempt that counts, or of the
    /// problem as a whole.
    pub decision: Option<Decision>,
    /// Whether any attempt that came in time to count has a verdict, or something is decided about
    /// the points.
    pub is_judged: bool,
}

impl Grade {
    /// How the points came about, to be read after them; empty where one attempt has brought them.
    pub fn how(&self) -> &'static str {
        if self.is_of_groups {
            ", the best of each group of tests from all attempts"
        } else {
            ""
        }
    }
}

/// The grades of one person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PersonGrades {
    pub student: Student,
    /// `Surname, First`, as the roster has it; "" where it does not say.
    pub name: String,
    /// By problem; nothing where nothing was handed in and nothing is decided.
    pub cells: BTreeMap<ProblemSlug, Grade>,
    /// The sum of each assignment, in their order.
    pub totals: Vec<Points>,
    /// The sum of all of them.
    pub total: Points,
}

/// An assignment of the grade book.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GradedAssignment {
    pub name: String,
    pub title: String,
    /// What each of its problems brings at most, in the order of their names.
    pub problems: Vec<(ProblemSlug, Points)>,
    /// What all of them bring at most.
    pub of: Points,
}

/// Everybody's grades.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grades {
    /// In the order of course.toml; without it, one with every problem.
    pub assignments: Vec<GradedAssignment>,
    /// The roster's people in its order, then everybody else in the order of their names.
    pub people: Vec<PersonGrades>,
    /// What all assignments bring at most.
    pub of: Points,
}

/// Grading rules: the terms of course.toml, and what an instructor has decided.
#[derive(Debug, Clone)]
pub struct Rules {
    pub terms: Arc<Terms>,
    pub decisions: Arc<Decisions>,
}

/// Nothing was read yet.
impl Default for Rules {
    fn default() -> Self {
        let mut terms = Terms::without_file(Counts::default());
        terms.is_unread = true;
        Self {
            terms: Arc::new(terms),
            decisions: Arc::default(),
        }
    }
}

impl Rules {
    /// Those of a course without any file about it.
    #[cfg(test)]
    pub fn without_files(counts: Counts) -> Self {
        Self {
            terms: Arc::new(Terms::without_file(counts)),
            decisions: Arc::default(),
        }
    }

    /// When a problem is open for somebody; for ever where it belongs to no assignment.
    pub fn window(&self, student: &Student, problem: &ProblemSlug) -> Window {
        let assignment = self.terms.assignment_of(problem);
        assignment
            .map(|assignment| self.terms.window(assignment, problem, student))
            .unwrap_or_default()
    }

    /// How an attempt that was handed in so stands to the time.
    pub fn standing(
        &self,
        student: &Student,
        problem: &ProblemSlug,
        (at, source): (Timestamp, TimeSource),
    ) -> Standing {
        standing(&self.window(student, problem), at, source)
    }

    /// Every attempt of somebody at one problem, with what the rules make of it.
    pub fn graded(
        &self,
        student: &Student,
        problem: &ProblemSlug,
        attempts: &[HandedIn],
    ) -> Vec<Graded> {
        let window = self.window(student, problem);
        let decisions = self.decisions.of(student, problem);
        let graded = attempts.iter().map(|handed_in| {
            let own = decisions.iter();
            let own = own.filter(|decision| decision.attempt == Some(handed_in.attempt));
            graded(handed_in.clone(), &window, own)
        });
        graded.collect()
    }

    /// What somebody has in one problem; `None` where there is neither an attempt nor a decision.
    pub fn grade(
        &self,
        student: &Student,
        problem: &ProblemSlug,
        attempts: &[HandedIn],
    ) -> Option<Grade> {
        let decisions = self.decisions.of(student, problem);
        let whole = || decisions.iter().filter(|one| one.attempt.is_none());
        if attempts.is_empty() && whole().next().is_none() {
            return None;
        }
        let graded = self.graded(student, problem, attempts);
        let of = self.terms.points_of(problem);
        let counts = self.terms.counts_of(problem);
        let found = counting(counts, of, &graded);
        let mut counted = found.map(|(index, _)| graded[index].clone());
        let mut earned = found.map(|(_, points)| points);
        let together = (counts == Counts::BestOfGroups).then(|| best_of_groups(of, &graded));
        // Points that were given for an attempt may be more.
        let together = together
            .flatten()
            .filter(|(points, _)| Some(*points) >= earned);
        if let (Some((points, score)), Some(counted)) = (together, &mut counted) {
            (earned, counted.score) = (Some(points), Some(score));
        }
        let given = whole().rfind(|decision| decision.points().is_some());
        let points = given.and_then(Decision::points).or(earned);
        // What was taken out was judged too: the points that it brought may have gone elsewhere.
        let is_judged = |attempt: &Graded| {
            attempt.decision.is_some() || attempt.verdict.is_some() && attempt.standing.counts()
        };
        let own = counted
            .as_ref()
            .and_then(|counted| counted.decision.as_ref());
        Some(Grade {
            points: points.unwrap_or_default(),
            is_of_groups: given.is_none() && together.is_some(),
            of,
            is_judged: given.is_some() || graded.iter().any(is_judged),
            decision: given.or(own).cloned(),
            counted,
        })
    }

    /// The assignments with what they bring; without course.toml, one with all of these problems.
    pub fn assignments(&self, problems: &BTreeSet<ProblemSlug>) -> Vec<GradedAssignment> {
        let assignment = |name: &str, title: &str, problems: Vec<(ProblemSlug, Points)>| {
            let of = problems.iter().map(|(_, points)| *points).sum();
            GradedAssignment {
                name: name.to_owned(),
                title: title.to_owned(),
                problems,
                of,
            }
        };
        if !self.terms.has_file() {
            let problems = problems.iter();
            let problems = problems.map(|problem| (problem.clone(), Points::ONE));
            return vec![assignment("", "", problems.collect())];
        }
        let assignments = self.terms.assignments.iter();
        let assignments = assignments.map(|one| {
            let problems = one.points.iter();
            let problems = problems.map(|(problem, points)| (problem.clone(), *points));
            assignment(&one.name, &one.title, problems.collect())
        });
        assignments.collect()
    }

    /// The grades of one person, of what they have handed in by problem.
    pub fn person(
        &self,
        student: &Student,
        name: String,
        assignments: &[GradedAssignment],
        attempts: &BTreeMap<ProblemSlug, Vec<HandedIn>>,
    ) -> PersonGrades {
        let of_terms = assignments.iter().flat_map(|one| &one.problems);
        let problems: BTreeSet<&ProblemSlug> = of_terms
            .map(|(problem, _)| problem)
            .chain(attempts.keys())
            .collect();
        let cells: BTreeMap<ProblemSlug, Grade> = problems
            .into_iter()
            .filter_map(|problem| {
                let attempts = attempts.get(problem).map_or(&[][..], Vec::as_slice);
                let grade = self.grade(student, problem, attempts)?;
                Some((problem.clone(), grade))
            })
            .collect();
        let points = |(problem, _): &(ProblemSlug, Points)| {
            cells
                .get(problem)
                .map_or(Points::ZERO, |grade| grade.points)
        };
        let totals: Vec<Points> = assignments
            .iter()
            .map(|assignment| assignment.problems.iter().map(points).sum())
            .collect();
        PersonGrades {
            student: student.clone(),
            name,
            total: totals.iter().copied().sum(),
            totals,
            cells,
        }
    }
}

impl Grades {
    /// Everybody's, of what they have handed in. `problems` are those of the course and those that
    /// somebody has tried.
    pub fn of(
        rules: &Rules,
        roster: &Roster,
        problems: &BTreeSet<ProblemSlug>,
        handed_in: &BTreeMap<Student, BTreeMap<ProblemSlug, Vec<HandedIn>>>,
    ) -> Self {
        let assignments = rules.assignments(problems);
        let nothing = BTreeMap::new();
        let people = roster.and_others(handed_in.keys());
        let people = people.map(|(student, person)| {
            let attempts = handed_in.get(student).unwrap_or(&nothing);
            let name = person.map(Person::name).unwrap_or_default();
            rules.person(student, name, &assignments, attempts)
        });
        Self {
            people: people.collect(),
            of: assignments.iter().map(|assignment| assignment.of).sum(),
            assignments,
        }
    }
}

fn standing(window: &Window, at: Timestamp, source: TimeSource) -> Standing {
    match (source, window.due) {
        // It may have been received after that, by an import.
        (TimeSource::OnTime, Some(due)) => window.standing(at.min(due)),
        _ => window.standing(at),
    }
}

/// One attempt with what its own decisions make of it; of two of a kind the later one holds.
fn graded<'a>(
    handed_in: HandedIn,
    window: &Window,
    decisions: impl Iterator<Item = &'a Decision>,
) -> Graded {
    let score = handed_in.score;
    let mut graded = Graded {
        standing: standing(window, handed_in.at, handed_in.source),
        is_excluded: false,
        verdict: handed_in.verdict,
        score,
        decision: None,
        handed_in,
    };
    for decision in decisions {
        match decision.action {
            Action::Comment => continue,
            Action::Exclude => {
                graded.is_excluded = true;
                continue;
            }
            Action::Verdict(verdict) => {
                let of = score.map_or(1, |score| score.of);
                let got = if verdict == Verdict::Accepted { of } else { 0 };
                graded.verdict = Some(verdict);
                graded.score = Some(Score { got, of });
            }
            Action::Points(_) => {}
        }
        graded.decision = Some(decision.clone());
    }
    graded
}

//! Whose grades other verdicts would change, and by how much: as in the grade book.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;

use crate::cli::prelude::{Session, grading};
use crate::course::{Grade, Points};
use crate::domain::{ProblemSlug, Published, SubmissionId};
use crate::overview::Scoreboard;
use crate::store::{Reader, StoreError};
use crate::util::words::amount;
use crate::view::{Page, Show};

/// Whose points would change, and how many people have points.
#[derive(Serialize)]
pub struct Grades {
    grades: Vec<GradeChange>,
    people: usize,
}

/// The points of somebody before and after.
#[derive(Serialize)]
struct GradeChange {
    student: String,
    /// The problems that bring other points.
    problems: Vec<PointsChange>,
    total_before: String,
    total_after: String,
    max_total: String,
}

/// The points for a problem before and after.
#[derive(Serialize)]
struct PointsChange {
    problem: ProblemSlug,
    points_before: String,
    points_after: String,
}

impl Grades {
    /// What these verdicts would change.
    pub fn changed_by(
        verdicts: &[(SubmissionId, Published)],
        session: &Session,
        reader: &Reader,
    ) -> Result<Self, StoreError> {
        let mut board = Scoreboard::load(reader)?;
        board.set_grading(Arc::new(grading(&session.config)));
        let before = board.grades(session.slugs.iter());
        for (submission, published) in verdicts {
            if let Some(mut entry) = reader.entry(*submission)? {
                entry.published = Some(published.clone());
                board.put(entry);
            }
        }
        let after = board.grades(session.slugs.iter());
        // The same people, in the same order: nobody has handed in anything meanwhile.
        let people = before.people.iter().zip(&after.people);
        let changed = people.filter_map(|(was, now)| {
            let of = |cells: &BTreeMap<_, Grade>, slug| {
                cells.get(slug).map_or(Points::ZERO, |grade| grade.points)
            };
            let problems = now.cells.keys().filter_map(|slug| {
                let (before, after) = (of(&was.cells, slug), of(&now.cells, slug));
                (before != after).then(|| PointsChange {
                    problem: slug.clone(),
                    points_before: before.to_string(),
                    points_after: after.to_string(),
                })
            });
            let problems: Vec<_> = problems.collect();
            (!problems.is_empty()).then(|| GradeChange {
                student: now.student.to_string(),
                problems,
                total_before: was.total.to_string(),
                total_after: now.total.to_string(),
                max_total: after.of.to_string(),
            })
        });
        Ok(Self {
            grades: changed.collect(),
            people: after.people.len(),
        })
    }
}

impl GradeChange {
    /// `ada  sum 10 → 6.5  total 17.5 → 14 of 22.5`
    fn line(&self) -> String {
        let problems = self.problems.iter();
        let problems: Vec<String> = problems
            .map(|one| {
                format!(
                    "{} {} → {}",
                    one.problem, one.points_before, one.points_after
                )
            })
            .collect();
        let total = if self.total_before == self.total_after {
            self.total_after.clone()
        } else {
            format!("{} → {}", self.total_before, self.total_after)
        };
        format!(
            "{:<16}  {}  total {total} of {}",
            self.student,
            problems.join("  "),
            self.max_total
        )
    }
}

impl Show for Grades {
    fn show(&self, page: &mut Page) {
        for change in &self.grades {
            page.line(format!("grade  {}", change.line()));
        }
        let grades = amount(self.grades.len(), "grade");
        page.line(format!("{grades} of {} would change", self.people));
    }
}

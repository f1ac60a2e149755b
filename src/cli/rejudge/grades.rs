//! Whose grades other verdicts would change, and by how much: as in the grade book.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::config::Config;
use crate::course::Points;
use crate::daemon;
use crate::domain::{ProblemSlug, Published, SubmissionId};
use crate::exports::CourseSource;
use crate::overview::{Grading, Scoreboard};
use crate::store::{Reader, StoreError};

/// The points of somebody before and after.
#[derive(Debug, PartialEq, Eq)]
pub struct GradeChange {
    student: String,
    /// The problems that bring other points.
    problems: Vec<(ProblemSlug, Points, Points)>,
    total: (Points, Points),
    of: Points,
}

/// What the course's rules are, and which problems it has.
pub struct Book {
    grading: Arc<Grading>,
    slugs: Vec<ProblemSlug>,
}

impl Book {
    /// As the files beside config.toml say.
    pub fn of(config: &Config, slugs: &[ProblemSlug]) -> Self {
        // The daemon and `status` name the mistakes in them.
        let source = CourseSource::of(config);
        let (grading, _) = daemon::load_grading(&source, &Grading::default());
        Self {
            grading: Arc::new(grading),
            slugs: slugs.to_vec(),
        }
    }

    /// What these verdicts would change; also how many people have a grade.
    pub fn changes(
        &self,
        reader: &Reader,
        verdicts: Vec<(SubmissionId, Published)>,
    ) -> Result<(Vec<GradeChange>, usize), StoreError> {
        let mut board = Scoreboard::load(reader)?;
        board.set_grading(Arc::clone(&self.grading));
        let before = board.grades(self.slugs.iter());
        for (submission, published) in verdicts {
            if let Some(mut entry) = reader.entry(submission)? {
                entry.published = Some(published);
                board.put(entry);
            }
        }
        let after = board.grades(self.slugs.iter());
        // The same people, in the same order: nobody has handed in anything meanwhile.
        let people = before.people.iter().zip(&after.people);
        let changed = people.filter_map(|(was, now)| {
            let of = |cells: &std::collections::BTreeMap<_, crate::course::Grade>, slug| {
                cells.get(slug).map_or(Points::ZERO, |grade| grade.points)
            };
            let problems = now.cells.keys().map(|slug| {
                let points = (of(&was.cells, slug), of(&now.cells, slug));
                (slug.clone(), points.0, points.1)
            });
            let problems: Vec<_> = problems.filter(|(_, was, now)| was != now).collect();
            (!problems.is_empty()).then(|| GradeChange {
                student: now.student.to_string(),
                problems,
                total: (was.total, now.total),
                of: after.of,
            })
        });
        Ok((changed.collect(), after.people.len()))
    }
}

impl GradeChange {
    /// `ada  sum 10 → 6.5  total 17.5 → 14 of 22.5`
    pub fn line(&self) -> String {
        let problems = self.problems.iter();
        let problems: Vec<String> = problems
            .map(|(slug, was, now)| format!("{slug} {was} → {now}"))
            .collect();
        let (was, now) = self.total;
        let total = if was == now {
            was.to_string()
        } else {
            format!("{was} → {now}")
        };
        format!(
            "{:<16}  {}  total {total} of {}",
            self.student,
            problems.join("  "),
            self.of
        )
    }

    /// The same for programs.
    pub fn object(&self) -> Value {
        let problems = self.problems.iter();
        let problems = problems.map(|(slug, was, now)| {
            json!({ "problem": slug.as_str(), "points_before": was.to_string(), "points_after": now.to_string() })
        });
        json!({
            "student": self.student,
            "problems": problems.collect::<Vec<_>>(),
            "total_before": self.total.0.to_string(),
            "total_after": self.total.1.to_string(),
            "max_total": self.of.to_string(),
        })
    }
}

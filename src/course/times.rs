//! When something was handed in, where a platform knows it better than the receipt of its file.

use std::collections::HashMap;

use jiff::Timestamp;

use crate::domain::{Digest, ProblemSlug, Student};
use crate::util::hash::digest;

/// What a platform says of the time of a submission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Timing {
    /// It says when.
    At(Timestamp),
    /// It marks what is late, and has not marked this; or whoever imported it has said so.
    OnTime,
    /// It says nothing.
    Unknown,
}

/// What platforms say of everything that was imported, by student, problem and source.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Times(HashMap<Digest, Timing>);

impl Times {
    /// Takes in one; of several for the same bytes the better one for the student holds.
    pub fn add(&mut self, student: &str, problem: &str, source: &str, timing: Timing) {
        let known = self
            .0
            .entry(key(student, problem, source))
            .or_insert(timing);
        *known = match (*known, timing) {
            (Timing::At(one), Timing::At(other)) => Timing::At(one.min(other)),
            (at @ Timing::At(_), _) | (_, at @ Timing::At(_)) => at,
            (Timing::OnTime, _) | (_, Timing::OnTime) => Timing::OnTime,
            (Timing::Unknown, Timing::Unknown) => Timing::Unknown,
        };
    }

    /// Whether an import has brought a submission.
    pub fn has(&self, student: &Student, problem: &ProblemSlug, source: Digest) -> bool {
        self.of(student, problem, source).is_some()
    }

    /// What is known of a submission.
    pub fn of(&self, student: &Student, problem: &ProblemSlug, source: Digest) -> Option<Timing> {
        if self.0.is_empty() {
            return None;
        }
        let key = key(student.as_str(), problem.as_str(), &source.to_string());
        self.0.get(&key).copied()
    }
}

/// Names have no `/`.
fn key(student: &str, problem: &str, source: &str) -> Digest {
    digest(format!("{student}/{problem}/{source}").as_bytes())
}

#[cfg(test)]
mod tests {
    use super::{Times, Timing};
    use crate::domain::Digest;
    use crate::util::samples::{slug, student};

    #[test]
    fn the_first_time_of_the_same_bytes_holds() {
        let at = |second| Timing::At(jiff::Timestamp::from_second(second).unwrap());
        let source = Digest([7; 32]);
        let (ada, sum) = (student("ada"), slug("sum"));
        let mut times = Times::default();
        assert_eq!(times.of(&ada, &sum, source), None);
        for (timing, expected) in [
            (Timing::Unknown, Timing::Unknown),
            (Timing::OnTime, Timing::OnTime),
            (at(50), at(50)),
            (Timing::OnTime, at(50)),
            (at(60), at(50)),
            (at(40), at(40)),
        ] {
            times.add("ada", "sum", &source.to_string(), timing);
            assert_eq!(times.of(&ada, &sum, source), Some(expected));
        }
        assert_eq!(times.of(&student("bo"), &sum, source), None);
        assert_eq!(times.of(&ada, &sum, Digest([8; 32])), None);
    }
}

//! Who is next: students take turns, each with the oldest submission first. Pure.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use crate::domain::{ProblemSlug, Student, SubmissionId};

/// A submission that waits for a judgement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    /// Which one.
    pub id: SubmissionId,
    /// Whose.
    pub student: Student,
    /// For which problem.
    pub problem: ProblemSlug,
    /// Why it is to be judged, for the history of its verdicts.
    pub because: Arc<str>,
}

/// Submissions that wait, each at most once.
#[derive(Debug, Default)]
pub struct Queue {
    lines: BTreeMap<Student, VecDeque<Waiting>>,
    ids: BTreeSet<SubmissionId>,
    last_served: Option<Student>,
}

impl Queue {
    /// Adds a submission; one that waits already stays where it is.
    pub fn push(&mut self, waiting: Waiting) {
        if self.ids.insert(waiting.id) {
            self.lines
                .entry(waiting.student.clone())
                .or_default()
                .push_back(waiting);
        }
    }

    /// Takes the next one that may be judged, the students in turn.
    pub fn pop(&mut self, may: impl Fn(&Waiting) -> bool) -> Option<Waiting> {
        let after = self.last_served.clone();
        let later = self
            .lines
            .iter()
            .filter(|(student, _)| Some(*student) > after.as_ref());
        let earlier = self
            .lines
            .iter()
            .filter(|(student, _)| Some(*student) <= after.as_ref());
        let (student, index) = later.chain(earlier).find_map(|(student, line)| {
            let index = line.iter().position(&may)?;
            Some((student.clone(), index))
        })?;
        let line = self.lines.get_mut(&student)?;
        let waiting = line.remove(index)?;
        if line.is_empty() {
            self.lines.remove(&student);
        }
        self.ids.remove(&waiting.id);
        self.last_served = Some(student);
        Some(waiting)
    }

    /// How many wait.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether one that may be judged waits.
    pub fn any(&self, may: impl Fn(&Waiting) -> bool) -> bool {
        self.lines.values().flatten().any(may)
    }
}

#[cfg(test)]
mod tests {
    use super::{Queue, Waiting};
    use crate::domain::{ProblemSlug, Student, SubmissionId};

    fn waiting(id: i64, student: &str) -> Waiting {
        Waiting {
            id: SubmissionId(id),
            student: Student::new(student).unwrap(),
            problem: ProblemSlug::new("curling").unwrap(),
            because: "received".into(),
        }
    }

    #[test]
    fn students_take_turns_and_nothing_waits_twice() {
        let mut queue = Queue::default();
        for (id, student) in [
            (1, "alpha"),
            (2, "alpha"),
            (3, "alpha"),
            (4, "beta"),
            (5, "gamma"),
        ] {
            queue.push(waiting(id, student));
            queue.push(waiting(id, student));
        }
        assert_eq!(queue.len(), 5);
        let order: Vec<i64> = std::iter::from_fn(|| queue.pop(|_| true))
            .map(|waiting| waiting.id.0)
            .collect();
        assert_eq!(order, [1, 4, 5, 2, 3]);
    }

    #[test]
    fn what_may_not_be_judged_waits_and_lets_others_pass() {
        let mut queue = Queue::default();
        queue.push(waiting(1, "alpha"));
        queue.push(waiting(2, "alpha"));
        let may = |waiting: &Waiting| waiting.id.0 != 1;
        assert_eq!(queue.pop(may).map(|waiting| waiting.id.0), Some(2));
        assert_eq!(queue.pop(may), None);
        assert!(!queue.any(may));
        assert_eq!(queue.len(), 1);
    }
}

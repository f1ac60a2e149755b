//! Who is next: students take turns, each with the newest submission first. Pure.

use std::collections::BTreeMap;
use std::ops::Bound::{Excluded, Unbounded};
use std::sync::Arc;

use crate::domain::{Student, Submission, SubmissionId};
use crate::store::Had;

/// A submission that waits for a judgement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    pub submission: Submission,
    /// What it has of an earlier judgement: its verdict may change.
    pub had: Had,
    /// Why it is to be judged, for the history of its verdicts.
    pub because: Arc<str>,
}

impl Waiting {
    /// Whether it has a verdict that is only confirmed after an upgrade, so that it can wait for
    /// whoever has none.
    pub fn is_confirmed_later(&self) -> bool {
        self.had == Had::Dropped
    }

    /// Whether a newer attempt takes the place of this one, which nobody has heard a verdict of.
    pub fn is_superseded_by(&self, newer: &Self) -> bool {
        let (this, newer) = (&self.submission, &newer.submission);
        self.had == Had::Nothing
            && this.id < newer.id
            && this.student == newer.student
            && this.problem == newer.problem
            && this.language == newer.language
    }
}

/// What waits of one student, the oldest submission first. Most have one, so that a tree for each
/// would be mostly room for more.
#[derive(Debug)]
struct Line(Vec<Waiting>);

impl Line {
    fn find(&self, id: SubmissionId) -> Result<usize, usize> {
        self.0
            .binary_search_by_key(&id, |waiting| waiting.submission.id)
    }
}

/// Some students' lines.
type Lines<'a> = std::collections::btree_map::Range<'a, Student, Line>;

/// Submissions that wait, each at most once.
#[derive(Debug, Default)]
pub struct Queue {
    lines: BTreeMap<Student, Line>,
    len: usize,
    last_served: Option<Student>,
    /// Whether a newer attempt takes the place of one that nobody has heard a verdict of.
    pub skip_superseded: bool,
}

impl Queue {
    /// Nobody waits yet.
    pub fn new(skip_superseded: bool) -> Self {
        Self {
            skip_superseded,
            ..Self::default()
        }
    }

    /// Adds a submission; one that waits already stays as it is.
    pub fn push(&mut self, waiting: Waiting) {
        let line = self
            .lines
            .entry(waiting.submission.student.clone())
            .or_insert_with(|| Line(Vec::with_capacity(1)));
        if let Err(at) = line.find(waiting.submission.id) {
            line.0.insert(at, waiting);
            self.len += 1;
        }
    }

    /// Takes the next one that may be judged, the students in turn.
    pub fn pop(&mut self, may: impl Fn(&Waiting) -> bool) -> Option<Waiting> {
        let (later, earlier) = self.in_turn();
        let (student, id) = later.chain(earlier).find_map(|(student, line)| {
            let newest = line.0.iter().rev().find(|waiting| may(waiting))?;
            Some((student.clone(), newest.submission.id))
        })?;
        let waiting = self.remove(&student, id)?;
        self.last_served = Some(student);
        Some(waiting)
    }

    /// The next ones in the order in which they would be taken, at most so many.
    pub fn next(&self, most: usize) -> impl Iterator<Item = &Waiting> {
        let (later, earlier) = self.in_turn();
        let lines = later.chain(earlier).map(|(_, line)| &line.0);
        let turns: Vec<&Vec<Waiting>> = lines.take(most).collect();
        // Everybody's newest, then everybody's second newest, and so on.
        (0..most)
            .flat_map(move |round| {
                let turn = turns.iter().map(move |line| line.iter().rev().nth(round));
                turn.flatten().collect::<Vec<_>>()
            })
            .take(most)
    }

    /// The students' lines, those after the last served one first.
    fn in_turn(&self) -> (Lines<'_>, Lines<'_>) {
        match &self.last_served {
            None => (self.lines.range::<Student, _>(..), Lines::default()),
            Some(last) => (
                self.lines.range::<Student, _>((Excluded(last), Unbounded)),
                self.lines.range::<Student, _>(..=last),
            ),
        }
    }

    /// Takes out what this newer attempt takes the place of.
    pub fn supersede(&mut self, newer: &Waiting) -> Vec<Waiting> {
        let Some(line) = self.lines.get(&newer.submission.student) else {
            return Vec::new();
        };
        let end = line.find(newer.submission.id).unwrap_or_else(|at| at);
        let old: Vec<SubmissionId> = line.0[..end]
            .iter()
            .filter(|waiting| waiting.is_superseded_by(newer))
            .map(|waiting| waiting.submission.id)
            .collect();
        old.into_iter()
            .filter_map(|id| self.remove(&newer.submission.student, id))
            .collect()
    }

    fn remove(&mut self, student: &Student, id: SubmissionId) -> Option<Waiting> {
        let line = self.lines.get_mut(student)?;
        let at = line.find(id).ok()?;
        let waiting = line.0.remove(at);
        if line.0.is_empty() {
            self.lines.remove(student);
        }
        self.len -= 1;
        Some(waiting)
    }

    /// How many wait.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether one that may be judged waits.
    pub fn any(&self, may: impl Fn(&Waiting) -> bool) -> bool {
        self.lines.values().flat_map(|line| &line.0).any(may)
    }
}

#[cfg(test)]
pub mod tests {
    use super::{Queue, Waiting};
    use crate::domain::LanguageId;
    use crate::store::Had;
    use crate::util::samples::submission;

    pub fn waiting(number: u32, student: &str) -> Waiting {
        Waiting {
            submission: submission(number, student, "curling"),
            had: Had::Nothing,
            because: "received".into(),
        }
    }

    fn order(queue: &mut Queue) -> Vec<i64> {
        let popped = std::iter::from_fn(|| queue.pop(|_| true));
        popped.map(|waiting| waiting.submission.id.0).collect()
    }

    #[test]
    fn students_take_turns_with_the_newest_first_and_nothing_waits_twice() {
        let mut queue = Queue::default();
        for (id, student) in (1..).zip(["alpha", "alpha", "alpha", "beta", "gamma"]) {
            queue.push(waiting(id, student));
            queue.push(waiting(id, student));
        }
        assert_eq!(queue.len(), 5);
        assert_eq!(order(&mut queue), [3, 4, 5, 2, 1]);
        assert_eq!(queue.len(), 0);
    }

    #[test]
    fn who_resubmits_every_moment_keeps_nobody_waiting_for_longer_than_a_turn() {
        let (flooders, calm) = (["alpha", "beta", "omega"], "gamma");
        let mut queue = Queue::default();
        let mut id = 0;
        let mut flood = |queue: &mut Queue| {
            for student in flooders {
                id += 1;
                queue.push(waiting(id, student));
            }
        };
        for _ in 0..1_000 {
            flood(&mut queue);
        }
        let mut served = 0;
        for round in 0..100 {
            queue.push(waiting(1_000_000 + round, calm));
            let before = served;
            loop {
                flood(&mut queue);
                served += 1;
                if queue.pop(|_| true).unwrap().submission.student.as_str() == calm {
                    break;
                }
            }
            let waited = served - before;
            assert!(waited <= flooders.len() + 1, "round {round}: {waited}");
        }
    }

    #[test]
    fn a_newer_attempt_takes_the_place_of_those_nobody_has_a_verdict_of() {
        let mut other_language = waiting(3, "alpha");
        other_language.submission.language = LanguageId::new("c").unwrap();
        let mut judged = waiting(4, "alpha");
        judged.had = Had::Outdated;
        let mut queue = Queue::default();
        let (first, beta) = (waiting(1, "alpha"), waiting(2, "beta"));
        let [fifth, last] = [5, 6].map(|number| waiting(number, "alpha"));
        for waiting in [first, beta, other_language, judged, fifth, last] {
            queue.push(waiting);
        }
        assert_eq!(queue.supersede(&waiting(5, "alpha")), [waiting(1, "alpha")]);
        assert_eq!(queue.supersede(&waiting(5, "alpha")), []);
        assert_eq!(queue.len(), 5);
        assert_eq!(order(&mut queue), [6, 2, 5, 4, 3]);
    }
}

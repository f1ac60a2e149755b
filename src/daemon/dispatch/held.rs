//! What is not judged by itself now, because its problem opens later or its assignment has closed.
//! Which submissions these are follows from the course's files and the clock, and is kept nowhere.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::super::queue::Waiting;
use super::super::state::Event;
use super::Dispatcher;
use crate::domain::{Digest, ProblemSlug, SubmissionId};
use crate::overview::{Grading, Held};
use crate::store::Had;

impl Dispatcher<'_> {
    /// The problems that nothing is judged for now: their packages are broken, or they open later.
    pub(super) fn blocked(&self) -> BTreeSet<ProblemSlug> {
        let mut blocked = self.in_force.broken();
        blocked.extend(self.hidden(&self.files.grading));
        blocked
    }

    fn hidden(&self, grading: &Grading) -> BTreeSet<ProblemSlug> {
        let slugs = self.in_force.setup.library.keys();
        slugs.filter(|slug| grading.hides(slug)).cloned().collect()
    }

    /// Those that are judged now; what came after its assignment had closed is among them if
    /// somebody has `asked` for it.
    pub(super) fn without_held(
        &mut self,
        list: Vec<Waiting>,
        asked: &BTreeSet<SubmissionId>,
    ) -> Vec<Waiting> {
        let (held, free) = list.into_iter().partition(|waiting: &Waiting| {
            let id = waiting.submission.id;
            match self.held_by(waiting) {
                None => false,
                Some(Held::Until(_)) => true,
                Some(Held::Closed) => !asked.contains(&id),
            }
        });
        let held: Vec<Waiting> = held;
        let held = held
            .into_iter()
            .map(|waiting| (waiting.submission.id, waiting));
        self.held.extend(held);
        free
    }

    fn held_by(&self, waiting: &Waiting) -> Option<Held> {
        let submission = &waiting.submission;
        let source = || -> Option<Digest> {
            let entry = self.shared.store.reader().ok()?.entry(submission.id);
            Some(entry.ok()??.source)
        };
        let is_judged = waiting.had != Had::Nothing;
        self.files.grading.held(submission, is_judged, source)
    }

    /// Follows the course's files and the clock; true when it is time to leave.
    pub(super) fn look_at_course(&mut self) -> bool {
        let before = Arc::clone(&self.files.grading);
        if !self.files.follow() {
            return false;
        }
        let mut over = false;
        if self.hidden(&before) != self.hidden(&self.files.grading) {
            over |= self.feed(Event::Packages(self.blocked()));
        }
        for waiting in std::mem::take(&mut self.held).into_values() {
            over |= self.want(waiting);
        }
        over
    }
}

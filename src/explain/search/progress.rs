//! What a search has come to: the best input and the ones before it, in case the best does not fail
//! again; and what the next search begins with where other work came in between.

use super::{Found, Progress, Search};

/// Inputs that were the best before, at most: of more, every other one is forgotten.
pub(super) const EARLIER_MAX: usize = 64;

impl Search<'_, '_> {
    /// Goes on from here.
    pub(super) fn resume(&mut self, from: Progress) {
        let Progress {
            best,
            all_below,
            unsure,
            fails_alone,
        } = from;
        self.keep(&best);
        self.all_below = all_below;
        self.resumed = unsure;
        self.fails_alone = fails_alone;
    }

    /// Keeps what was found if it is smaller.
    pub(super) fn keep(&mut self, found: &Found) {
        if let Some(unsure) = &mut self.unsure {
            unsure.push(found.clone());
        } else if self.size(&found.input) < self.size(&self.best.input) {
            if self.earlier.len() >= EARLIER_MAX {
                let mut stays = false;
                self.earlier.retain(|_| {
                    stays = !stays;
                    stays
                });
            }
            let before = std::mem::replace(&mut self.best, found.clone());
            self.earlier.push(before);
        }
    }
}

//! What a search has come to: the best input and the ones before it, in case the best does not fail
//! again; and what the next search begins with where other work came in between.

use super::{Found, Search};

/// Inputs that were the best before, at most: of more, every other one is forgotten.
const EARLIER_MAX: usize = 64;

/// What a search that was stopped has come to.
#[derive(Debug, Clone)]
pub struct Progress {
    pub(super) best: Found,
    /// Every listed input with fewer cells than this passes.
    pub(super) all_below: usize,
    /// The smallest input that failed with a part of the limit, if that is as far as it came.
    pub(super) unsure: Option<Found>,
    /// Whether the case of the test in which the difference is fails alone; `None` where that was
    /// not seen.
    pub fails_alone: Option<bool>,
}

impl Progress {
    /// Bytes of its inputs and outputs.
    pub fn bytes(&self) -> usize {
        let found = [Some(&self.best), self.unsure.as_ref()]
            .into_iter()
            .flatten();
        let bytes =
            found.map(|found| found.input.len() + found.expected.len() + found.printed.len());
        bytes.sum()
    }
}

impl Search<'_> {
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

//! What `explain` finds out about a program.

use std::time::Duration;

use crate::domain::{Counterexample, Explanation, Judgement, Verdict};
use crate::explain::Attacked;

/// What is known of a program in the end.
pub struct Explained {
    pub judgement: Judgement,
    pub explanation: Option<Explanation>,
    /// Where it is accepted: what came of trying to break it.
    pub attacked: Option<Attacked>,
    /// Whether other inputs than the tests can be tried.
    pub can_search: bool,
    pub runs: u64,
    pub cpu: Duration,
}

impl Explained {
    /// The input on which it fails, and with which verdict.
    pub fn counterexample(&self) -> Option<(&Counterexample, Verdict)> {
        let of_failure = self.explanation.as_ref();
        let of_failure = of_failure.and_then(|known| known.counterexample.as_ref());
        let broken = self.attacked.as_ref().and_then(|it| it.broken.as_ref());
        of_failure
            .map(|found| (found, self.judgement.verdict))
            .or_else(|| broken.map(|broken| (&broken.evidence, broken.verdict)))
    }
}

/// A file that was not judged, and whether that is its own fault.
pub enum Unexplained {
    Rejected(String),
    Fault(String),
}

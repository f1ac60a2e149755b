//! What the search for inputs that break accepted programs has brought: beside how many bent rules
//! the tests kill, because tests that kill all of those may still miss real mistakes.

use crate::domain::Verdict;
use crate::store::HackYield;

/// The search against the package's accepted examples, and what the course's searches have found.
#[derive(Debug, Clone, Default)]
pub struct HackSearch {
    /// Accepted examples that were attacked.
    pub examples: usize,
    /// Inputs that they were tried on, all together.
    pub inputs: usize,
    pub hits: Vec<Hit>,
    /// `None` without a store.
    pub course: Option<HackYield>,
}

/// An input on which an accepted example fails.
#[derive(Debug, Clone)]
pub struct Hit {
    pub name: String,
    pub verdict: Verdict,
    pub input: Vec<u8>,
}

impl Hit {
    /// What follows from it.
    pub fn words(&self) -> String {
        let follows = match self.verdict {
            Verdict::TimeLimit | Verdict::MemoryLimit | Verdict::OutputLimit => {
                "the limit is too low for it, or the bounds of the input are too high"
            }
            _ => "the example or the reference is wrong",
        };
        format!("{} on this input: {follows}", self.verdict.words())
    }
}

//! How much of what a problem asks for a program does.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Verdict;

/// Points of a program and the most that it could get, in whole points of the problem's own.
/// A problem without groups of tests has one point, for all tests together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Score {
    pub got: u32,
    pub of: u32,
}

impl Score {
    /// The score where only the verdict counts.
    pub fn of_verdict(verdict: Verdict) -> Self {
        Self {
            got: u32::from(verdict == Verdict::Accepted),
            of: 1,
        }
    }

    /// Whether nothing is missing.
    pub fn is_full(self) -> bool {
        self.got == self.of
    }

    /// The score where it says more than the verdict: that of a problem with groups of tests.
    pub fn shown(self) -> Option<Self> {
        (self.of > 1).then_some(self)
    }
}

/// `30/100`.
impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.got, self.of)
    }
}

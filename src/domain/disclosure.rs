//! What students are told of the tests.

/// How much of a group of tests students are shown. Instructors are always shown everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Disclosure {
    /// Of every test: only its verdict.
    VerdictOnly,
    /// Everything of the first failing test, of the others only the verdict.
    FirstFailure,
    /// Everything.
    Full,
}

/// The choice for each group of tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Disclosures {
    /// Tests of the statement.
    pub sample: Disclosure,
    /// The instructor's tests.
    pub secret: Disclosure,
    /// Tests that were dropped in later.
    pub hack: Disclosure,
}

impl Default for Disclosures {
    /// A student sees what went wrong, one failing test at a time.
    fn default() -> Self {
        Self {
            sample: Disclosure::Full,
            secret: Disclosure::FirstFailure,
            hack: Disclosure::FirstFailure,
        }
    }
}

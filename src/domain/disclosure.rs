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

impl Disclosure {
    /// The word that keys are made of.
    fn key_text(self) -> &'static str {
        match self {
            Self::VerdictOnly => "verdict-only",
            Self::FirstFailure => "first-failure",
            Self::Full => "full",
        }
    }
}

impl Disclosures {
    /// The choices as keys are made of them: changing a letter here makes every report anew.
    pub fn key_text(self) -> String {
        let [sample, secret, hack] =
            [self.sample, self.secret, self.hack].map(Disclosure::key_text);
        format!("sample={sample} secret={secret} hack={hack}")
    }
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

//! What students are told of the tests.

use std::fmt;
use std::num::NonZeroU32;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{TestKind, words};

words! {
    /// How much of a group of tests students are shown. Instructors are always shown everything.
    /// Keys are made of the words.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "kebab-case")]
    pub enum Disclosure by word {
        /// Of every test: only its verdict.
        VerdictOnly = "verdict-only",
        /// Everything of the first failing test, of the others only the verdict.
        FirstFailure = "first-failure",
        /// Everything.
        Full = "full",
    }
}

/// When students are shown the smallest input that was found on which their program fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(into = "String", try_from = "String")]
pub enum WhenShown {
    /// As soon as it is found.
    Always,
    /// From this attempt on.
    AfterAttempts(NonZeroU32),
    /// When no attempt brings points any more.
    AfterDeadline,
    Never,
}

impl WhenShown {
    /// Attempts that it can be made to wait for: more would be never.
    const ATTEMPTS_MAX: u32 = 1_000;

    /// Reads how problem.toml says it, which is how it is shown.
    pub fn read(text: &str) -> Option<Self> {
        match text {
            "always" => Some(Self::Always),
            "never" => Some(Self::Never),
            "after the deadline" => Some(Self::AfterDeadline),
            _ => {
                let number = text.strip_prefix("after ")?;
                let number = number.strip_suffix(" attempts")?;
                let number: NonZeroU32 = number.parse().ok()?;
                (number.get() <= Self::ATTEMPTS_MAX).then_some(Self::AfterAttempts(number))
            }
        }
    }

    /// Whether it is shown with this attempt.
    pub fn is_now(self, attempt: u32, is_deadline_over: bool) -> bool {
        match self {
            Self::Always => true,
            Self::AfterAttempts(number) => attempt >= number.get(),
            Self::AfterDeadline => is_deadline_over,
            Self::Never => false,
        }
    }
}

impl TryFrom<String> for WhenShown {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::read(&text).ok_or("no moment at which something is shown")
    }
}

impl From<WhenShown> for String {
    fn from(when: WhenShown) -> Self {
        when.to_string()
    }
}

impl fmt::Display for WhenShown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Always => f.write_str("always"),
            Self::AfterAttempts(number) => write!(f, "after {number} attempts"),
            Self::AfterDeadline => f.write_str("after the deadline"),
            Self::Never => f.write_str("never"),
        }
    }
}

/// The choice for each group of tests, and for what is found out beside them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Disclosures {
    /// Tests of the statement.
    pub sample: Disclosure,
    /// The instructor's tests.
    pub secret: Disclosure,
    /// Tests that were dropped in later.
    pub hack: Disclosure,
    /// When they are shown the smallest input on which the program fails: `always`, `after 3
    /// attempts`, `after the deadline`, `never`.
    pub counterexample: WhenShown,
}

impl Disclosures {
    /// As little as there is: where a report does not say what is told.
    pub fn least() -> Self {
        Self {
            sample: Disclosure::VerdictOnly,
            secret: Disclosure::VerdictOnly,
            hack: Disclosure::VerdictOnly,
            counterexample: WhenShown::Never,
        }
    }

    /// The choice for a group of tests.
    pub fn of(self, kind: TestKind) -> Disclosure {
        match kind {
            TestKind::Sample => self.sample,
            TestKind::Secret => self.secret,
            TestKind::Hack => self.hack,
        }
    }

    /// The choices as keys are made of them: changing a letter here makes every report anew.
    pub fn key_text(self) -> String {
        let [sample, secret, hack] = [self.sample, self.secret, self.hack].map(Disclosure::word);
        let counterexample = self.counterexample;
        format!("sample={sample} secret={secret} hack={hack} counterexample={counterexample}")
    }
}

impl Default for Disclosures {
    /// A student sees what went wrong, one failing test at a time. A counterexample is no test, so
    /// it need not wait.
    fn default() -> Self {
        Self {
            sample: Disclosure::Full,
            secret: Disclosure::FirstFailure,
            hack: Disclosure::FirstFailure,
            counterexample: WhenShown::Always,
        }
    }
}

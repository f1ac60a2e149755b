//! What students are told of the tests.

use std::fmt;
use std::num::NonZeroU32;

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

/// When students are shown the smallest input that was found on which their program fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Disclosures {
    /// Tests of the statement.
    pub sample: Disclosure,
    /// The instructor's tests.
    pub secret: Disclosure,
    /// Tests that were dropped in later.
    pub hack: Disclosure,
    pub counterexample: WhenShown,
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

#[cfg(test)]
mod tests {
    use super::WhenShown;

    #[test]
    fn when_it_is_shown_reads_as_it_is_written() {
        for text in ["always", "never", "after the deadline", "after 3 attempts"] {
            assert_eq!(WhenShown::read(text).unwrap().to_string(), text);
        }
        for text in [
            "",
            "after 0 attempts",
            "after 1001 attempts",
            "after attempts",
            "3",
        ] {
            assert_eq!(WhenShown::read(text), None, "{text}");
        }
    }

    #[test]
    fn each_choice_has_its_moment() {
        for (text, attempt, is_over, shown) in [
            ("always", 1, false, true),
            ("never", 9, true, false),
            ("after 3 attempts", 2, true, false),
            ("after 3 attempts", 3, false, true),
            ("after the deadline", 9, false, false),
            ("after the deadline", 1, true, true),
        ] {
            let when = WhenShown::read(text).unwrap();
            assert_eq!(
                when.is_now(attempt, is_over),
                shown,
                "{text} {attempt} {is_over}"
            );
        }
    }
}

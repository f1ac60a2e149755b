//! The nouns of the field: no I/O, no async, no file formats.
//!
//! A *verdict* is about the program, a *fault* is about us, a *rejection* is about a file that is
//! not a submission. The three never turn into each other.

mod complaint;
mod digest;
mod disclosure;
mod explanation;
mod facts;
mod fault;
mod groups;
mod identity;
mod judgement;
mod limits;
mod names;
mod submission;
mod talk;
mod verdict;

use self::limits::bounds::NAME_BYTES_MAX;

pub use complaint::Complaint;
pub use digest::Digest;
pub use disclosure::{Disclosure, Disclosures, WhenShown};
pub use explanation::{Counterexample, Explanation, Growth, GrowthPoint, Reason, Strategy};
pub(crate) use facts::base64;
pub use facts::{
    Build, Compared, Difference, End, FileRef, HowBuilt, Manifest, Output, RunFacts, RunKey, Stop,
};
pub use fault::{Fault, FaultKind, Shortage};
#[cfg(test)]
pub use groups::group;
pub use groups::{Failures, Given, Group, GroupResult, Groups, Score, Scoring};
pub use identity::{Identity, Speed};
pub use judgement::{
    Because, Change, GroupPoints, Judgement, Provenance, Published, TestKind, TestRef, TestResult,
};
pub use limits::{BuildLimits, Limits, Multipliers, TimeFactor, bounds};
pub use names::{Key, LanguageId, ProblemSlug, ServerName, Student, is_invisible};
pub use submission::{
    Added, Attempt, NamedFile, Rejection, RejectionKind, SourceFile, Submission, SubmissionId,
    SubmissionName, ending, is_header,
};
pub use talk::{First, Rounds, Said, Speaker, Talk, Transcript};
pub use verdict::{Cause, Verdict};

/// Characters of a text that are repeated.
const REPEATED_CHARACTERS_MAX: usize = 40;

/// Why a text is no name, or none of an enum's words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// Nothing is left of it.
    #[error("the name is empty")]
    Empty,
    /// It is too long to be a file name everywhere.
    #[error("the name is longer than {NAME_BYTES_MAX} bytes")]
    TooLong,
    /// It has a character that no name may have.
    #[error("the name has the character {0:?}, which is not allowed")]
    Character(char),
    /// It would be hidden, or climb out of its folder.
    #[error("the name begins with a dot")]
    Dot,
    /// It is none of the words of the enum that is named first; the beginning of it.
    #[error("unknown {0}: {1:?}")]
    Unknown(&'static str, String),
}

impl NameError {
    /// A text that is none of the words of this enum.
    pub fn unknown(what: &'static str, word: &str) -> Self {
        let word = word.chars().take(REPEATED_CHARACTERS_MAX).collect();
        Self::Unknown(what, word)
    }
}

/// Makes an enum with a stable word for each variant: `ALL` of them, a function that gives the
/// word, under the name that the enum gives it, and [`FromStr`](std::str::FromStr), which reads it
/// back.
macro_rules! words {
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident by $word:ident {
            $($(#[$doc:meta])* $variant:ident = $text:literal,)+
        }
    ) => {
        $(#[$meta])*
        $vis enum $name {
            $($(#[$doc])* $variant,)+
        }

        impl $name {
            pub const ALL: [Self; [$($text),+].len()] = [$(Self::$variant),+];

            /// Its word; stable.
            pub const fn $word(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)+
                }
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::domain::NameError;

            fn from_str(word: &str) -> Result<Self, Self::Err> {
                let mut all = Self::ALL.into_iter();
                all.find(|one| one.$word() == word)
                    .ok_or_else(|| $crate::domain::NameError::unknown(stringify!($name), word))
            }
        }
    };
}

pub(crate) use words;

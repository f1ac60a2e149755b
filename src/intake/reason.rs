//! Why a file is not a submission: the kind of reason, and the words for its student.

use crate::domain::RejectionKind;

/// Why a file is not a submission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    pub kind: RejectionKind,
    /// Why, and what to do about it.
    pub words: String,
}

impl RejectionKind {
    /// A reason of this kind.
    pub(super) fn because(self, words: impl Into<String>) -> Reason {
        Reason {
            kind: self,
            words: words.into(),
        }
    }
}

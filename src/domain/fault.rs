//! What went wrong on our side.

/// Something failed that is not the program's doing: set-up of the sandbox, a full disk, a broken package.
///
/// A fault is recorded, retried a bounded number of times, shown as "not judged", and never becomes a verdict.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{step}: {reason}")]
pub struct Fault {
    /// The step that failed, in a few words: `mount tmpfs on the root`.
    pub step: String,
    /// Why, in the words of whoever refused.
    pub reason: String,
    /// What it calls for.
    pub kind: FaultKind,
}

/// What a fault calls for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FaultKind {
    /// The piece of work is tried again, a bounded number of times.
    #[default]
    Retry,
    /// There is no room on a disk: everything waits until there is, and nothing is counted as a try.
    NoRoom,
    /// The store cannot be used any more: nothing can be kept, so the daemon ends.
    StoreLost,
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "callers hand over errors that they are done with"
)]
impl Fault {
    /// A fault at a step.
    pub fn new(step: impl Into<String>, reason: impl ToString) -> Self {
        Self {
            step: step.into(),
            reason: reason.to_string(),
            kind: FaultKind::Retry,
        }
    }

    /// The same fault of another kind.
    #[must_use]
    pub fn of_kind(self, kind: FaultKind) -> Self {
        Self { kind, ..self }
    }
}

//! What went wrong on our side.

use std::fmt;
use std::io;

use serde::{Deserialize, Serialize};

use super::Shortage;

/// Something failed that is not the program's doing: set-up of the sandbox, a full disk, a broken
/// package.
///
/// A fault is recorded, retried a bounded number of times, shown as "not judged", and never becomes
/// a verdict.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub struct Fault {
    /// The step that failed, in a few words: `mount tmpfs on the root`.
    pub step: String,
    /// Why, in the words of whoever refused.
    pub reason: String,
    /// What it calls for.
    pub kind: FaultKind,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { step, reason, .. } = self;
        match self.kind {
            FaultKind::Short(of) => {
                let of = of.words();
                write!(f, "the machine is short of {of}: {step}: {reason}")
            }
            FaultKind::Retry
            | FaultKind::Busy
            | FaultKind::NoRoom
            | FaultKind::NoPlace
            | FaultKind::Cancelled
            | FaultKind::StoreLost => {
                write!(f, "{step}: {reason}")
            }
        }
    }
}

/// What a fault calls for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum FaultKind {
    /// The piece of work is tried again, a bounded number of times.
    #[default]
    Retry,
    /// The machine is short of something for the moment: tried again every few seconds while that
    /// lasts, and for
    /// some minutes nothing is counted as a try.
    Short(Shortage),
    /// The machine was busy with other work while a run near its time limit was measured again: it
    /// is measured again some minutes later, a bounded number of times, and nothing is counted as a
    /// try.
    Busy,
    /// There is no room on a disk: everything waits until there is, and nothing is counted as a
    /// try.
    NoRoom,
    /// The daemon is ending, and no machine is there that can measure it: it waits for the next
    /// start, and nothing is counted as a try.
    NoPlace,
    /// Whoever wanted it does not want it any more: nothing has failed, and nothing is recorded.
    Cancelled,
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

    /// A system call that failed at a step: for what the machine is short of, or for another
    /// reason.
    pub fn of_call(step: impl Into<String>, error: impl Into<io::Error>) -> Self {
        let error = error.into();
        let short = Shortage::of(&error);
        Self::new(step, error).short_of(short)
    }

    /// The same fault of another kind.
    #[must_use]
    pub fn of_kind(self, kind: FaultKind) -> Self {
        Self { kind, ..self }
    }

    /// The same fault, for lack of this.
    #[must_use]
    pub fn short_of(self, shortage: Option<Shortage>) -> Self {
        match shortage {
            Some(of) => self.of_kind(FaultKind::Short(of)),
            None => self,
        }
    }

    /// What the machine is short of, where that is the reason.
    pub fn shortage(&self) -> Option<Shortage> {
        match self.kind {
            FaultKind::Short(of) => Some(of),
            FaultKind::Retry
            | FaultKind::Busy
            | FaultKind::NoRoom
            | FaultKind::NoPlace
            | FaultKind::Cancelled
            | FaultKind::StoreLost => None,
        }
    }
}

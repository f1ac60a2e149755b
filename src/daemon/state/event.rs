//! What the state hears of, and what it has done.

use std::collections::BTreeSet;

use crate::daemon::queue::Waiting;
use crate::domain::{Fault, ProblemSlug, SubmissionId};

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// So many submissions can be in hand that are not measured yet.
    Slots(usize),
    /// One of those in hand is measured, and one more can be taken. It may take a while until it is
    /// finished.
    Ready,
    /// These submissions need to be judged.
    Wanted(Vec<Waiting>),
    /// The intake has looked: is everything that lies in the folder taken?
    Quiet(bool),
    /// Somebody asks for these: what has failed is tried again at once.
    Insist(BTreeSet<SubmissionId>),
    /// The packages were read, or a problem has opened; nothing is judged for these.
    Packages(BTreeSet<ProblemSlug>),
    /// A submission came to its end.
    Finished {
        waiting: Waiting,
        ending: Ending,
        /// Now, in milliseconds of a clock that never goes back.
        now_ms: i64,
    },
    /// Time has passed; now in milliseconds.
    Tick(i64),
    /// Finish what is being judged, then leave.
    Drain,
}

/// How the work on a submission ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// It has its verdict.
    Judged,
    /// Something changed meanwhile: it is wanted once more.
    Outdated,
    /// Something failed on our side.
    Failed(Fault),
}

/// Something to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Have this submission judged.
    Judge(Waiting),
    /// Somebody waits of whom nothing is in hand, and nobody is free: have one of these give way
    /// that is prepared and not begun.
    MakeRoom(BTreeSet<SubmissionId>),
    /// Keep a fault where people see it.
    Remember {
        waiting: Waiting,
        fault: Fault,
        /// In how many milliseconds it is tried again; `None` for not before its cause has changed.
        pause_ms: Option<i64>,
    },
    /// Say that a submission is not judged for now: its fault lasts.
    GiveUp(Waiting),
    /// A newer attempt takes the place of this one, which is not judged.
    Superseded(Waiting),
    /// Say that there is room on the disk again.
    Room,
    /// Say that the machine has what it was short of.
    Relieved,
    /// Leave: nothing is left to do.
    Leave,
}

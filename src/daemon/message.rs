//! What the threads tell the dispatcher.

use std::sync::Arc;
use std::time::Duration;

use super::hacks::Recorded;
use super::notice::{Line, PackageNews};
use super::packages::Changes;
use super::queue::Waiting;
use super::shared::Tried;
use crate::domain::{Fault, Rejection};
use crate::judge::Progress;
use crate::package::Library;
use crate::report::{Entry, Rendered};
use crate::store::{Publication, Unawaited};
use crate::toolchain::Toolchain;

/// One message.
pub enum Message {
    /// A worker has come a step further.
    Progress {
        /// Which worker.
        worker: usize,
        /// What it judges.
        what: Arc<str>,
        /// How far it is.
        progress: Progress,
    },
    /// A worker has done an order.
    Idle(usize),
    /// A planner has handed its submission on and can take another one.
    Ready,
    /// A submission has come to its end: it is published, or could not be judged.
    Finished(Draft),
    /// A submission is in the store.
    Received(Waiting),
    /// A file came again that is in the store already; it may still have no verdict.
    Known(Waiting),
    /// Something was found out about a submission, and its report is to tell it.
    Explained(Waiting),
    /// A rejection is in the store.
    Rejected(Rejection),
    /// Packages have changed.
    Library(Box<LibraryUpdate>),
    /// What came of a hack.
    Hack(String),
    /// The librarian could not do its work.
    PackageFault(Fault),
    /// Pages could not be written.
    PagesFault(Fault),
    /// The intake has looked; nothing is left to take, or something is.
    Quiet(bool),
    /// The intake could not do its work.
    IntakeFault(Fault),
    /// The intake's thread has failed too often.
    IntakeGone,
    /// What could not be done is done again.
    Recovered(Recovered),
    /// Languages were tried.
    Tried(TriedNews),
    /// A thread has something to say about how it works.
    Said(String),
}

/// Who does again what they could not do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recovered {
    Intake,
    Pages,
    Packages,
}

/// What came of trying languages.
pub struct TriedNews {
    /// Those of this table.
    pub toolchain: Arc<Toolchain>,
    /// What came of each.
    pub tried: Tried,
    /// Whether somebody asked for it, by a reload.
    pub asked: bool,
    /// When those are tried again that could not be tried.
    pub pause: Duration,
}

/// What was made of a submission.
pub struct Draft {
    /// Which one.
    pub waiting: Waiting,
    /// What it is called in messages.
    pub what: Arc<str>,
    /// The judgement, or why there is none.
    pub result: Result<Box<Folded>, Fault>,
}

/// A judgement that nobody has heard of yet.
pub struct Folded {
    /// What the store is to keep.
    pub publication: Arc<Publication>,
    /// The runs that it was folded from, on their way to the store.
    pub facts: Unawaited,
    /// Its report.
    pub report: Rendered,
    /// What the logs tell of it, and its event once it is in the store.
    pub entry: Entry,
    pub event: Option<i64>,
    /// The row to show.
    pub line: Line,
    /// Whether its verdict is new, has changed, or was not heard of yet.
    pub is_news: bool,
}

/// What a look has brought, when it is recorded: from now on it may be judged with.
pub struct LibraryUpdate {
    /// All packages, broken ones included.
    pub library: Arc<Library>,
    /// What has changed.
    pub changes: Changes,
    /// What people should hear of it.
    pub told: Vec<PackageNews>,
    /// The hacks among it.
    pub recorded: Recorded,
}

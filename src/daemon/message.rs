//! What the threads tell the dispatcher.

use std::sync::Arc;
use std::time::Duration;

use super::hacks::Recorded;
use super::notice::PackageNews;
use super::packages::Changes;
use super::queue::Waiting;
use super::shared::Tried;
use crate::domain::{Digest, Fault, Rejection};
use crate::package::Library;

/// One message.
pub enum Message {
    /// A slot measures nothing more of its submission: another one can be taken in hand.
    Measured,
    /// A submission is published, and what its judgement was folded from; or it could not be
    /// judged.
    Finished {
        waiting: Waiting,
        result: Result<Digest, Fault>,
    },
    /// A submission is in the store.
    Received(Waiting),
    /// A file came again that is in the store already; it may still have no verdict.
    Known(Waiting),
    /// A rejection is in the store.
    Rejected(Rejection),
    /// Packages have changed.
    Library(Box<LibraryUpdate>),
    /// The intake has looked; nothing is left to take, or something is.
    Quiet(bool),
    /// The intake's thread has failed too often.
    IntakeGone,
    /// Languages were tried.
    Tried(TriedNews),
    /// A thread has something to say about how it works.
    Said(String),
}

/// What came of trying languages.
pub struct TriedNews {
    /// What came of each.
    pub tried: Tried,
    /// When those are tried again that could not be tried.
    pub pause: Duration,
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

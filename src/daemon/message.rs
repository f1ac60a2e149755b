//! What the threads tell the dispatcher.

use std::sync::Arc;
use std::time::Duration;

use super::languages::Tried;
use super::librarian::LibraryUpdate;
use super::publisher::Draft;
use super::queue::Waiting;
use crate::domain::{Fault, Rejection};
use crate::judge::Progress;
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
    /// A worker has handed its submission on and can take another one.
    Free(usize),
    /// A submission has come to its end: it is published, or could not be judged.
    Finished(Draft),
    /// A submission is in the store.
    Received(Waiting),
    /// A file came again that is in the store already; it may still have no verdict.
    Known(Waiting),
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
    /// The intake has something to say about how it watches.
    Watching(String),
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

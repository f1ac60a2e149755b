//! What the intake hands to its owner, and the claim on an answer.

use std::ffi::{OsStr, OsString};
use std::sync::Arc;
use std::time::Duration;

use super::scan::ScanError;
use super::settle::Mark;
use crate::domain::{ProblemSlug, Rejection, SourceFile, Student};
use crate::util::hash::digest;

/// What has arrived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Arrival {
    /// A program.
    Submission {
        student: Student,
        problem: ProblemSlug,
        /// The extension as the language's table spells it, without the dot.
        extension: String,
        /// Its path below the submissions folder, made printable.
        path: String,
        source: SourceFile,
    },
    /// Something that is not a submission.
    Rejection(Rejection),
}

/// A claim on the answer to one arrival. The owner stores `path` and `mark` with the arrival and
/// remembers them over a restart.
#[derive(Debug, PartialEq, Eq)]
#[must_use = "the intake waits for the answer: taken or put_back"]
pub struct Token {
    pub(super) path: Arc<OsStr>,
    pub(super) mark: Mark,
    pub(super) number: u64,
    pub(super) reviews: u64,
}

impl Token {
    /// The path below the submissions folder, as the bytes it is.
    pub fn path(&self) -> &OsStr {
        &self.path
    }

    /// The same for a program that its owner does not accept now: it is looked at again like what
    /// was refused here.
    pub fn refused(mut self, reason: &str) -> Self {
        let digest = digest(reason.as_bytes());
        let (number, _) = digest.0.split_first_chunk().unwrap_or((&[0; 8], &[]));
        self.mark.told = Some(u64::from_le_bytes(*number));
        self
    }

    /// What to remember about it.
    pub fn mark(&self) -> Mark {
        self.mark
    }
}

/// What one round brought.
#[derive(Debug, Default)]
pub struct Round {
    /// What has arrived, each with the claim on its answer. Rejections of what does not look like a
    /// program come last.
    pub arrivals: Vec<(Token, Arrival)>,
    /// Files of which a rejection was told that does not hold any more: gone, or taken by now.
    /// Without an answer they are not named again, unless they are given back.
    pub released: Vec<OsString>,
    /// When the next round is due if nothing wakes it before.
    pub next_look: Duration,
    /// Why the folder could not be looked at. Nothing is forgotten meanwhile.
    pub trouble: Option<ScanError>,
    /// What the person who runs the daemon should know; each is told once.
    pub notices: Vec<String>,
    /// Whether all that is there has been delivered and answered.
    pub idle: bool,
}

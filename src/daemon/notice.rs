//! What the daemon tells whoever watches it. The record is the store; this is only news.

use std::sync::Arc;

use serde::Serialize;

use super::activity::View;
use crate::config::Config;
use crate::domain::{LanguageId, ProblemSlug, Published, Rejection, Submission};
use crate::judge::Progress;
use crate::places::{MachineNews, OtherMachines};
use crate::report::PackageState;

/// A piece of news.
#[derive(Debug, Clone)]
pub enum Notice {
    /// The daemon is about to try the languages.
    Probing,
    /// It is ready.
    Started {
        /// What is in force.
        config: Arc<Config>,
        /// Languages that are offered.
        languages: Vec<LanguageId>,
        /// Problems that can be judged, with their number of tests.
        problems: Vec<(ProblemSlug, usize)>,
        /// Protections that are allowed to be missing.
        missing: Vec<String>,
        /// For those who look on.
        view: View,
    },
    /// A package has changed, or has something that its instructor should know.
    Package(PackageNews),
    /// The state of a hack has changed.
    Hack(String),
    /// A submission was received.
    Received(Submission),
    /// A file is not a submission.
    Rejected(Rejection),
    /// A worker has come a step further with a submission.
    Progress {
        worker: usize,
        /// What it judges: `alpha/curling #2`.
        what: String,
        /// How far it is.
        progress: Progress,
    },
    /// A submission has its verdict.
    Judged(Line),
    /// Something failed on our side.
    Fault {
        /// What was being done.
        what: String,
        /// Why it failed.
        reason: String,
        /// What follows from it.
        next: &'static str,
    },
    /// How much waits and how much could not be judged.
    Load {
        /// Submissions that wait.
        waiting: usize,
        /// Submissions that could not be judged.
        faulted: usize,
    },
    /// The state of another machine has changed.
    Machine(MachineNews),
    /// The other machines are like this now.
    Machines(Arc<OtherMachines>),
    /// A worker has nothing to do.
    Idle(usize),
    /// Nothing more is judged, and the [`View`] stays as it is.
    Ending {
        /// Whether the daemon starts anew in a moment.
        starts_again: bool,
    },
    /// Something about the daemon itself: the watch, a reload, the end.
    Said(String),
}

impl Notice {
    /// Something failed on our side.
    pub(super) fn fault(what: &str, reason: String, next: &'static str) -> Self {
        tracing::warn!(what, reason, "something failed");
        Self::Fault {
            what: what.to_owned(),
            reason,
            next,
        }
    }
}

/// What follows from most faults.
pub(super) const TRIED_AGAIN: &str = "it is tried again";
/// The same where only a person can help.
pub(super) const NOT_TRIED_AGAIN: &str = "it is not tried again automatically";

/// A verdict as one line shows it.
#[derive(Debug, Clone)]
pub struct Line {
    pub submission: Submission,
    pub published: Published,
    /// Tests that were passed.
    pub passed: usize,
    /// All tests.
    pub tests: usize,
    /// Most CPU time of one test, in milliseconds.
    pub cpu_ms: u64,
    /// Most memory of one test, in KiB.
    pub memory_kib: u64,
}

/// A piece of news of a package.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct PackageNews {
    /// The problem; none where it is about something that is no package.
    pub problem: Option<ProblemSlug>,
    /// Its state: a word of the logs, or `warning`.
    pub state: &'static str,
    /// The whole of it for people; it may have more than one line.
    #[serde(skip)]
    pub words: String,
    /// The reason in one line, where there is one.
    pub reason: Option<String>,
}

impl PackageNews {
    /// Something that an instructor should know and that breaks nothing.
    pub fn warning(problem: Option<ProblemSlug>, reason: String) -> Self {
        let words = match &problem {
            Some(slug) => format!("{slug}: warning: {reason}"),
            None => format!("warning: {reason}"),
        };
        Self {
            problem,
            state: "warning",
            words,
            reason: Some(reason),
        }
    }

    /// A package has come into this state.
    pub(super) fn of(
        slug: &ProblemSlug,
        state: PackageState,
        words: String,
        reason: Option<String>,
    ) -> Self {
        Self {
            problem: Some(slug.clone()),
            state: state.word(),
            words,
            reason,
        }
    }
}

//! What a worker says at its own terminal. It names courses, machines and orders' problems, and
//! never a student: no order does.

use std::sync::Arc;

use serde::Serialize;

use crate::cluster::access::NO_DAEMON;
use crate::cluster::subjects::Name;

/// Something worth a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Note {
    /// It is connected and has places.
    Ready {
        name: Name,
        server: String,
        places: usize,
    },
    /// There is no connection yet, or no more.
    Trouble { reason: String },
    /// There is a connection again.
    Back,
    /// A course was heard, or its daemon has started again.
    Joined { course: Name },
    /// A course is heard, and its daemon does not answer.
    Unanswered { course: Name },
    /// No course was heard for a while.
    Alone,
    /// A course is not heard any more.
    Silent { course: Name },
    /// What a course says why this worker gets no orders, or none of some languages; nothing where
    /// all is well again.
    WhyNot { course: Name, reasons: Vec<String> },
    /// An order came to its end.
    Done {
        course: Name,
        problem: String,
        failed: Option<String>,
    },
    /// An order that nobody waits for any more.
    Dropped { course: Name, problem: String },
    /// It takes nothing new.
    Stopping,
}

/// Where notes go; called by several threads.
pub type Tell = Arc<dyn Fn(&Note) + Send + Sync>;

impl Note {
    /// Whether it is said on a terminal in any case, or only to programs.
    pub fn is_news(&self) -> bool {
        !matches!(self, Self::Done { failed: None, .. })
    }

    /// One line, or several.
    pub fn text(&self) -> String {
        match self {
            Self::Ready {
                name,
                server,
                places,
            } => format!("{name}: {places} at a time, for courses on {server}; Ctrl-C ends"),
            Self::Trouble { reason } => reason.clone(),
            Self::Back => "connected to the server again".to_owned(),
            Self::Joined { course } => format!("{course}: connected"),
            Self::Unanswered { course } => format!(
                "{course}: no answer: this worker receives the daemon's messages, but the daemon does not receive this worker's; reload the server's configuration (`systemctl reload nats-server`)"
            ),
            Self::Alone => NO_DAEMON.to_owned(),
            Self::Silent { course } => format!("{course}: no longer heard"),
            Self::WhyNot { course, reasons } if reasons.is_empty() => {
                format!("{course}: gives this worker orders of every language")
            }
            Self::WhyNot { course, reasons } => {
                let reasons = reasons.iter().map(|why| format!("{course}: {why}"));
                reasons.collect::<Vec<_>>().join("\n")
            }
            Self::Done {
                course,
                problem,
                failed,
            } => match failed {
                None => format!("{course}: {problem}: done"),
                Some(why) => format!("{course}: {problem}: {why}; reassigned"),
            },
            Self::Dropped { course, problem } => {
                format!("{course}: {problem}: cancelled")
            }
            Self::Stopping => "finishing running orders; a second signal stops at once".to_owned(),
        }
    }
}

//! What a worker says at its own terminal. It names courses, machines and orders' problems, and
//! never a student: no order does.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::cluster::subjects::Name;

/// Something worth a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    /// It is connected and has places.
    Ready {
        name: Name,
        url: String,
        places: usize,
    },
    /// There is no connection yet, or no more.
    Trouble(String),
    /// There is a connection again.
    Back,
    /// A course was heard, or its daemon has started again.
    Joined(Name),
    /// A course is heard, and its daemon does not answer.
    Unanswered(Name),
    /// A course is not heard any more.
    Silent(Name),
    /// What a course says why this worker gets no orders, or none of some languages; nothing where
    /// all is well again.
    WhyNot(Name, Vec<String>),
    /// An order came to its end.
    Did {
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
        !matches!(self, Self::Did { failed: None, .. })
    }

    /// One line, or several.
    pub fn text(&self) -> String {
        match self {
            Self::Ready { name, url, places } => {
                format!("{name}: {places} at a time, for courses on {url}; Ctrl-C ends")
            }
            Self::Trouble(what) => what.clone(),
            Self::Back => "connected to the server again".to_owned(),
            Self::Joined(course) => format!("{course}: there"),
            Self::Unanswered(course) => format!(
                "{course}: no daemon answers: it is heard, and does not hear this worker; have the server read its configuration again (`systemctl reload nats-server`)"
            ),
            Self::Silent(course) => format!("{course}: silent"),
            Self::WhyNot(course, reasons) if reasons.is_empty() => {
                format!("{course}: gives every order")
            }
            Self::WhyNot(course, reasons) => {
                let reasons = reasons.iter().map(|why| format!("{course}: {why}"));
                reasons.collect::<Vec<_>>().join("\n")
            }
            Self::Did {
                course,
                problem,
                failed,
            } => match failed {
                None => format!("{course}: {problem}: done"),
                Some(why) => format!("{course}: {problem}: {why}; another place does it"),
            },
            Self::Dropped { course, problem } => {
                format!("{course}: {problem}: nobody waits for it any more")
            }
            Self::Stopping => {
                "finishing what is being measured; once more stops at once".to_owned()
            }
        }
    }

    /// The same for programs.
    pub fn json(&self) -> Value {
        match self {
            Self::Ready { name, url, places } => {
                json!({"event": "ready", "name": name.as_str(), "server": url, "places": places})
            }
            Self::Trouble(what) => json!({"event": "trouble", "reason": what}),
            Self::Back => json!({"event": "back"}),
            Self::Joined(course) => json!({"event": "joined", "course": course.as_str()}),
            Self::Unanswered(course) => {
                json!({"event": "unanswered", "course": course.as_str()})
            }
            Self::Silent(course) => json!({"event": "silent", "course": course.as_str()}),
            Self::WhyNot(course, reasons) => {
                json!({"event": "why-not", "course": course.as_str(), "reasons": reasons})
            }
            Self::Did {
                course,
                problem,
                failed,
            } => json!({
                "event": "done", "course": course.as_str(), "problem": problem, "failed": failed,
            }),
            Self::Dropped { course, problem } => {
                json!({"event": "dropped", "course": course.as_str(), "problem": problem})
            }
            Self::Stopping => json!({"event": "stopping"}),
        }
    }
}

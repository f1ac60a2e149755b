//! What a worker tells the person at its terminal. No student is named: it knows none.

use std::fmt;
use std::time::Duration;

use serde_json::{Value, json};

use crate::cluster::subjects::Name;
use crate::domain::ProblemSlug;

/// Something that a person may want to know.
#[derive(Debug)]
pub enum Notice {
    /// The machine looks at itself.
    Looking,
    /// There is no connection, and why.
    Trouble(String),
    /// There is a connection.
    Connected(String),
    /// The connection was lost, and is made again by itself.
    Lost,
    /// A course gives orders of so many languages, and why not of others.
    Joined(Name, usize, Vec<String>),
    /// A course gives no orders.
    Refused(Name, Vec<String>),
    /// A course says nothing any more.
    Gone(Name),
    /// A course's daemon was started again.
    Restarted(Name),
    /// An order was done, with so many facts.
    Done(Name, ProblemSlug, u64),
    /// What was done for a course since the last such line.
    Did(Name, Tally),
    /// An order failed here.
    Failed(Name, ProblemSlug, String),
    /// Something that only costs speed.
    Slower(String),
    /// Nothing new is begun.
    Ending(usize),
}

/// Work of some time.
#[derive(Debug, Clone, Copy, Default)]
pub struct Tally {
    /// Orders that were ended.
    pub orders: u64,
    /// Facts that were taken.
    pub facts: u64,
    /// How long places were at it.
    pub busy: Duration,
}

impl Notice {
    /// One word for it, for programs.
    fn word(&self) -> &'static str {
        match self {
            Self::Looking => "looking",
            Self::Trouble(_) | Self::Slower(_) => "trouble",
            Self::Connected(_) => "connected",
            Self::Lost => "lost",
            Self::Joined(..) => "joined",
            Self::Refused(..) => "refused",
            Self::Gone(_) => "gone",
            Self::Restarted(_) => "restarted",
            Self::Done(..) => "done",
            Self::Did(..) => "did",
            Self::Failed(..) => "failed",
            Self::Ending(_) => "ending",
        }
    }

    /// Whether something is wrong.
    pub fn is_trouble(&self) -> bool {
        matches!(
            self,
            Self::Trouble(_) | Self::Lost | Self::Refused(..) | Self::Failed(..) | Self::Slower(_)
        )
    }

    /// Whether it is too much for a terminal, where the sum of it is said now and then.
    pub fn is_detail(&self) -> bool {
        matches!(self, Self::Done(..))
    }

    /// For programs.
    pub fn to_json(&self) -> Value {
        let mut value = json!({"event": self.word(), "text": self.to_string()});
        match self {
            Self::Joined(course, languages, why_not) => {
                value["course"] = json!(course.as_str());
                value["languages"] = json!(languages);
                value["why_not"] = json!(why_not);
            }
            Self::Refused(course, why_not) => {
                value["course"] = json!(course.as_str());
                value["why_not"] = json!(why_not);
            }
            Self::Did(course, tally) => {
                value["course"] = json!(course.as_str());
                value["orders"] = json!(tally.orders);
                value["facts"] = json!(tally.facts);
                value["busy_s"] = json!(tally.busy.as_secs_f64());
            }
            Self::Gone(course) | Self::Restarted(course) => {
                value["course"] = json!(course.as_str());
            }
            Self::Done(course, problem, facts) => {
                value["course"] = json!(course.as_str());
                value["problem"] = json!(problem.as_str());
                value["facts"] = json!(facts);
            }
            Self::Failed(course, problem, _) => {
                value["course"] = json!(course.as_str());
                value["problem"] = json!(problem.as_str());
            }
            Self::Looking
            | Self::Trouble(_)
            | Self::Connected(_)
            | Self::Lost
            | Self::Slower(_)
            | Self::Ending(_) => {}
        }
        value
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reasons = |f: &mut fmt::Formatter<'_>, why_not: &[String]| {
            why_not.iter().try_for_each(|why| write!(f, "\n  {why}"))
        };
        match self {
            Self::Looking => f.write_str(
                "looking at this machine: each language is built and run, which takes some seconds",
            ),
            Self::Trouble(why) => f.write_str(why),
            Self::Connected(words) => f.write_str(words),
            Self::Lost => f.write_str(
                "the connection to the server is lost; it is made again as soon as that works",
            ),
            Self::Joined(course, languages, why_not) => {
                let s = if *languages == 1 { "" } else { "s" };
                write!(f, "{course}: joined, for {languages} language{s}")?;
                reasons(f, why_not)
            }
            Self::Refused(course, why_not) => {
                write!(f, "{course}: gives no orders")?;
                reasons(f, why_not)
            }
            Self::Gone(course) => write!(f, "{course}: says nothing any more"),
            Self::Restarted(course) => {
                write!(
                    f,
                    "{course}: was started again; what was on its way is dropped"
                )
            }
            Self::Done(course, problem, facts) => {
                write!(f, "{course}: {problem}: done, {facts} facts")
            }
            Self::Did(course, tally) => {
                let Tally {
                    orders,
                    facts,
                    busy,
                } = tally;
                let busy = busy.as_secs_f64();
                write!(
                    f,
                    "{course}: {orders} orders, {facts} facts, {busy:.1} s of work"
                )
            }
            Self::Failed(course, problem, why) => write!(f, "{course}: {problem}: {why}"),
            Self::Slower(why) => f.write_str(why),
            Self::Ending(0) => f.write_str("nothing new is begun; stopped"),
            Self::Ending(orders) => write!(
                f,
                "nothing new is begun; {orders} orders are finished first (once more to stop at once)"
            ),
        }
    }
}

//! Submissions that are not judged by themselves now, problem by problem, for the staff.

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::domain::ProblemSlug;
use crate::util::words::amount;

/// Why a submission without a verdict is not judged by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Held {
    /// Its problem opens later; `None` where course.toml, which would say when, was never read.
    Until(Option<Timestamp>),
    /// It came after its assignment had closed.
    Closed,
}

/// How many submissions for a problem are held for one reason.
pub type HeldCounts = BTreeMap<(ProblemSlug, Held), usize>;

impl Held {
    /// What is held so of a problem, in words.
    pub fn words(self, problem: &ProblemSlug, count: usize, zone: &TimeZone) -> String {
        let programs = amount(count, "program");
        let is_one = count == 1;
        match self {
            Self::Until(Some(opens)) => {
                let opens = opens.to_zoned(zone.clone());
                let opens = opens.strftime("%Y-%m-%d %H:%M %Z");
                let verb = if is_one { "waits" } else { "wait" };
                format!("{problem}: {programs} {verb} until it opens at {opens}")
            }
            Self::Until(None) => {
                let verb = if is_one { "waits" } else { "wait" };
                format!("{problem}: {programs} {verb} until course.toml can be read")
            }
            Self::Closed => {
                let verb = if is_one { "is" } else { "are" };
                format!(
                    "{problem}: {programs} came after it had closed and {verb} not judged: an extension or `verdictd rejudge --late --problem {problem}` has {} judged",
                    if is_one { "it" } else { "them" }
                )
            }
        }
    }
}

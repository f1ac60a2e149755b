//! What an attempt counts by when it was handed in.

use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;

/// What becomes of a program that comes before its assignment opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Early {
    /// It is kept, and counts as handed in at the opening.
    #[default]
    Hold,
    /// It is refused until then.
    Reject,
}

/// When an assignment is open for somebody, and what counts when: everything resolved to moments,
/// extensions included.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Window {
    /// Nothing is judged before.
    pub opens: Option<Timestamp>,
    /// What becomes of what is earlier.
    pub early: Early,
    /// The end of what counts in full, the grace period not included.
    pub due: Option<Timestamp>,
    /// What is said to be `due` and yet counts in full.
    pub grace_end: Option<Timestamp>,
    /// Until when how many percent count, in order; nothing counts after the last.
    pub steps: Vec<(Timestamp, u8)>,
    /// Nothing counts that is later.
    pub closes: Option<Timestamp>,
}

/// How an attempt stands to the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It is on time and counts in full.
    OnTime,
    /// It is late by so many seconds and counts this much.
    Late { seconds: i64, percent: u8 },
    /// It came before the assignment was open.
    TooEarly,
    /// It came after the assignment was closed.
    Closed,
}

impl Standing {
    /// Whether the assignment was open.
    pub fn counts(self) -> bool {
        !matches!(self, Self::TooEarly | Self::Closed)
    }

    /// How much of its points an attempt keeps.
    pub fn percent(self) -> u8 {
        match self {
            Self::OnTime => 100,
            Self::Late { percent, .. } => percent,
            Self::TooEarly | Self::Closed => 0,
        }
    }
}

impl Window {
    /// How an attempt of this moment stands. A moment that is named belongs to what it ends.
    pub fn standing(&self, at: Timestamp) -> Standing {
        let at = match (self.opens, self.early) {
            (Some(opens), Early::Hold) => at.max(opens),
            (Some(opens), Early::Reject) if at < opens => return Standing::TooEarly,
            _ => at,
        };
        if self.closes.is_some_and(|closes| at > closes) {
            return Standing::Closed;
        }
        let Some(due) = self.due else {
            return Standing::OnTime;
        };
        if at <= self.grace_end.unwrap_or(due).max(due) {
            return Standing::OnTime;
        }
        let step = self.steps.iter().find(|(until, _)| at <= *until);
        Standing::Late {
            seconds: at.as_second() - due.as_second(),
            percent: step.map_or(0, |(_, percent)| *percent),
        }
    }

    /// The first moment that is late.
    pub fn first_late(&self) -> Option<Timestamp> {
        let due = self.due?;
        let last = self.grace_end.unwrap_or(due).max(due);
        last.checked_add(SignedDuration::from_secs(1)).ok()
    }

    /// Whether an attempt of this moment counts for less than it would if it had been handed in
    /// earlier; what `is_late` was not handed in on time.
    pub fn costs(&self, at: Timestamp, is_late: bool) -> bool {
        let best = match self.first_late().filter(|_| is_late) {
            Some(first) => self.standing(first).percent(),
            None => 100,
        };
        match self.standing(at) {
            Standing::TooEarly | Standing::OnTime => false,
            Standing::Closed => true,
            Standing::Late { percent, .. } => percent < best,
        }
    }

    /// Whether no attempt of this moment or later brings points.
    pub fn is_over(&self, at: Timestamp) -> bool {
        match self.standing(at) {
            Standing::TooEarly | Standing::OnTime => false,
            Standing::Closed => true,
            Standing::Late { .. } => self
                .steps
                .iter()
                .all(|(until, percent)| at > *until || *percent == 0),
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::{Early, Standing, Window};

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn time_that_is_over_and_time_that_costs_points() {
        let window = Window {
            opens: Some(at(100)),
            early: Early::Reject,
            due: Some(at(200)),
            grace_end: Some(at(210)),
            steps: vec![(at(300), 80), (at(400), 50)],
            closes: Some(at(500)),
        };
        let over = [99, 400, 401, 501].map(|second| window.is_over(at(second)));
        assert_eq!(over, [false, false, true, true]);
        let costs = [99, 210, 211, 300, 301, 501]
            .map(|second| [false, true].map(|is_late| window.costs(at(second), is_late)));
        let [no, new, all] = [[false, false], [true, false], [true, true]];
        assert_eq!(costs, [no, no, new, new, all, all]);
        let open = Window::default();
        assert!(!open.is_over(at(i64::from(u32::MAX))));
        assert_eq!(open.standing(at(-5)), Standing::OnTime);
    }
}

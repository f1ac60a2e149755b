//! When programs were handed in whose platform does not say so.

use jiff::Timestamp;

use super::plan::{HandIn, Plan};
use crate::course::{Terms, Times, Timing, Window};
use crate::util::hash::digest;

/// The platforms that mark what is late and give no times.
const MARKS_LATE: [&str; 1] = ["canvas"];

/// What whoever imports says of programs without a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Said {
    Nothing,
    /// They were handed in then.
    Received(Timestamp),
    /// They were handed in on time, and right after it what the platform marks as late.
    OnTime,
}

/// What is known of the time of a program.
pub fn timing(platform: &str, time: Option<Timestamp>, late: bool, on_time: bool) -> Timing {
    let marks_late = MARKS_LATE.contains(&platform);
    match time {
        Some(at) => Timing::At(at),
        None if on_time || (marks_late && !late) => Timing::OnTime,
        None => Timing::Unknown,
    }
}

impl HandIn {
    /// What is known of its time.
    pub fn timing(&self, platform: &str) -> Timing {
        timing(platform, self.time, self.late, self.on_time)
    }

    fn window(&self, terms: &Terms) -> Option<Window> {
        let problem = &self.target.problem;
        let assignment = terms.assignment_of(problem)?;
        Some(terms.window(assignment, problem, &self.student))
    }
}

impl Plan {
    /// Gives the programs without a time what somebody says of them.
    pub fn complete(&mut self, platform: &str, said: Said, terms: &Terms) {
        let hand_ins = self.rows.iter_mut();
        for hand_in in hand_ins.filter_map(|row| row.outcome.as_mut().ok()) {
            if hand_in.timing(platform) != Timing::Unknown {
                continue;
            }
            let window = hand_in.window(terms);
            // A mark of the platform's holds whatever else is said.
            let first = window.and_then(|window| window.first_late());
            let first = first.filter(|_| hand_in.late);
            match said {
                Said::Nothing => {}
                Said::Received(at) => hand_in.time = Some(first.map_or(at, |first| at.max(first))),
                Said::OnTime => (hand_in.time, hand_in.on_time) = (first, first.is_none()),
            }
        }
    }

    /// The programs that nobody has imported before and whose time nobody knows, each with whether
    /// it counts for less if it is received now.
    pub fn untimed<'p>(
        &'p self,
        platform: &str,
        known: &Times,
        terms: &Terms,
        now: Timestamp,
    ) -> Vec<(&'p HandIn, bool)> {
        let hand_ins = self.rows.iter().filter_map(|row| row.outcome.as_ref().ok());
        let untimed = hand_ins.filter(|one| {
            let source = digest(&one.bytes);
            one.timing(platform) == Timing::Unknown
                && !known.has(&one.student, &one.target.problem, source)
        });
        untimed
            .map(|one| {
                let window = one.window(terms);
                (
                    one,
                    window.is_some_and(|window| window.costs(now, one.late)),
                )
            })
            .collect()
    }
}

//! The course around the judge: what counts, when, and how many points it brings. Optional: without
//! course.toml there is one assignment that never ends, and every problem of it brings one point.

mod counting;
mod decisions;
mod extensions;
mod grades;
mod late;
mod moment;
mod points;
mod roster;
mod shape;
mod terms;
#[cfg(test)]
pub mod tests;
mod times;

pub use crate::config::Counts;
pub use counting::{Graded, HandedIn, TimeSource};
pub use decisions::{Action, Decision, Decisions, DecisionsFile, REASON_CHARACTERS_MAX, take_turn};
pub use grades::{Grade, GradedAssignment, Grades, PersonGrades, Rules};
pub use late::{Standing, Window};
pub use moment::Moment;
pub use points::Points;
pub use roster::{DETAILS, Person, Roster, header_of, is_called};
pub use shape::AttemptsAllowed;
pub use terms::Terms;
pub use times::{Times, Timing};

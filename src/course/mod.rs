//! The course around the judge: what counts, when, and how many points it brings. Optional: without
//! course.toml there is one assignment that never ends, and every problem of it brings one point.

mod counting;
mod extensions;
mod late;
mod moment;
mod points;
mod roster;
mod shape;
mod strike;
mod terms;

pub use counting::{Attempt, Counting, Counts, counting};
pub use extensions::ExtensionsError;
pub use late::{Standing, Window};
pub use points::Points;
pub use roster::{DETAILS, Person, Roster, RosterError};
pub use strike::strike;
pub use terms::{Assignment, CourseError, Terms};

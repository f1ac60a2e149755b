//! What other programs read of a whole course: the grade book, `results.xml`, and the event feed.
//!
//! All of it lies in the staff's folder, and can be made again from the store.

mod cell;
mod gradebook;
mod roster;

pub use roster::{Roster, RosterError};

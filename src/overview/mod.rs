//! The scoreboard: every submission with its verdict. Every overview is made from it: the pages,
//! the grade book, the dashboard. It holds no documents, so that a large course fits in memory.

mod cells;
mod directory;
mod events;
mod grading;
mod held;
pub mod pages;
mod schedule;
mod scoreboard;
#[cfg(test)]
pub mod tests;

pub use crate::store::Entry;
pub use cells::{Cell, Cells};
pub use directory::{Directory, Problem};
pub use events::Changes;
pub use grading::Grading;
pub use held::Held;
pub use schedule::{PAUSE, Schedule};
pub use scoreboard::{Broken, Scoreboard};

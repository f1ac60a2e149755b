//! The built-in problems, pure: the same bytes in give the same bytes out, with no I/O and no
//! clock.
//!
//! An author writes a [`Problem`] (typed); everybody else meets it as a [`Task`] (bytes).
//! Adding one is a folder here and two lines in this file.

mod bent;
mod cases;
mod families;
mod input;
mod ladder;
mod plot;
mod problem;
mod scan;
mod shrink;
mod small;
mod svg;
mod task;

pub mod curling;
pub mod regions;
pub mod thegame;

#[cfg(test)]
mod tests;

pub use bent::{Bent, Extent, Misread, Quantity, Rule, with_turned_head};
pub use cases::{Case, PICTURES_MAX, Picture, lines_of};
pub use families::Family;
pub use input::{INPUT_BYTES_MAX, InputError, Normalisation, Parsed};
pub use ladder::{Ladder, Law};
pub use plot::plot;
pub use problem::Problem;
pub use scan::{Line, Scanner};
pub use shrink::spans;
pub use svg::{Drawing, stacked};
pub use task::{Task, disagreement, missing};

/// Every built-in problem, in the order in which they are shown.
pub static ALL: [&dyn Task; 3] = [&curling::Curling, &thegame::TheGame, &regions::Regions];

/// The built-in problem of this name.
pub fn find(slug: &str) -> Option<&'static dyn Task> {
    ALL.into_iter().find(|task| task.slug() == slug)
}

//! The built-in problems, pure: the same bytes in give the same bytes out, with no I/O and no
//! clock.
//!
//! An author writes a [`Problem`] (typed); everybody else meets it as a [`Task`] (bytes).
//! Adding one is a folder here and two lines in this file. Each has the same files:
//!
//! - `board`: the instance, how it is read and written; `solve`: the one search, with its witness;
//!   `second`: another algorithm for the same answers;
//! - `rules`: what wrong programs make of rules and format, and what has bounds; `smaller`: cases,
//!   simpler inputs and every small one; `generate`: families of inputs; `draw` with its `draw.svg`:
//!   the picture.

mod drawing;
mod families;
mod grid;
mod input;
mod mutants;
mod problem;
mod smaller;

pub mod curling;
pub mod regions;
pub mod thegame;

#[cfg(test)]
mod tests;

pub use drawing::{Picture, stacked};
pub use families::{Family, Growing, Law};
pub use input::{INPUT_BYTES_MAX, InputError, Line, Normalisation, Parsed, Scanner};
pub use mutants::{Extent, Rule};
pub use problem::{Case, Extras, PICTURES_MAX, Problem, Task, disagreement, lines_of, missing};
pub use smaller::spans;

/// Every built-in problem, in the order in which they are shown.
pub static ALL: [&dyn Task; 3] = [&curling::Curling, &thegame::TheGame, &regions::Regions];

/// The built-in problem of this name.
pub fn find(slug: &str) -> Option<&'static dyn Task> {
    ALL.into_iter().find(|task| task.slug() == slug)
}

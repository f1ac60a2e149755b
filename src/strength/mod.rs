//! How good the tests of a problem are: which wrong programs and which bent rules they catch, what
//! they do without, which bounds they reach, and how the times of slow and of intended programs
//! stand to the limit.

mod matrix;
mod missing;
mod mutants;
mod page;
mod programs;
mod strong;
mod times;
mod yields;

pub use mutants::mutants;
pub use page::page;
pub use programs::{Kind, Tried, tried, tried_to_the_end};
pub use strong::Strength;
pub use times::{Timed, by_weight};
pub use yields::{HackSearch, Hit};

//! How good the tests of a problem are: which wrong programs and which mutants they catch, what
//! they do without, which bounds they reach, and how the times of slow and of intended programs
//! stand to the limit.

mod calibration;
mod mutants;
mod page;
mod programs;
mod strong;
mod words;

pub use calibration::{Calibration, Example, least_limit, limit_for_slow, with_cpu_limit};
pub use mutants::mutants;
pub use page::page;
pub use programs::{Kind, Tried, by_weight};
pub use strong::{CourseSearch, Hit, Strength, Trials};

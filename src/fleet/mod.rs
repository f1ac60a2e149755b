//! The places where orders are measured: threads of this process, and places of workers on other
//! machines.
//!
//! Planners put orders into the queue [`Orders`]; whoever has a free place takes one that suits it.
//! A planner hears of each fact at once, whichever place it comes from.

mod choose;
mod hear;
mod machines;
mod orders;
mod place;
#[cfg(test)]
pub mod samples;
mod second;
mod shown;
mod task;
#[cfg(test)]
pub mod tests;
mod turns;
mod twice;
mod words;
mod workers;

pub use choose::Most;
pub use machines::{Counts, Doing, Link, Machine, Machines};
pub use orders::Orders;
pub use place::Place;
pub use second::{Agreement, Second, Twice};
pub use shown::{Shown, ShownDoing, ShownFile, ShownMachine, Standing, Watch, read_shown};
pub use task::{About, Reply, Task, Told};
pub use turns::{Turn, Turns};
pub use words::{MachineNews, changes};
pub use workers::Workers;

//! The places where orders are measured: threads of this process, and places of workers on other
//! machines.
//!
//! Planners put orders into the queue [`Orders`]; whoever has a free place takes one that suits it.
//! A planner hears of each fact at once, whichever place it comes from.

mod machines;
mod orders;
mod shown;
mod task;
mod words;

pub use machines::{Counts, Doing, Fleet, Link, Machine, Machines};
pub use orders::Orders;
pub use shown::{Shown, ShownFile, ShownMachine, Standing, Watch, read_shown};
pub use task::{Gone, Reply, Task, Workers};
pub use words::{MachineNews, changes};

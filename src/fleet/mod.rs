//! The places where orders are measured: threads of this process, and places of workers on other
//! machines.
//!
//! Planners put orders into the queue [`Orders`]; whoever has a free place takes one that suits it.
//! A planner hears of each fact at once, whichever place it comes from.

mod orders;
mod task;

pub use orders::Orders;
pub use task::{Gone, Reply, Task, Workers};

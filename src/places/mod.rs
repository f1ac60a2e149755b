//! The places where orders are measured: those of this machine, and those of workers on other
//! machines.
//!
//! A slot or a search borrows a place from the [`Pool`] for each order, first come, first served.
//! [`Borrower`] does that for one submission, and tries again where a machine fails.

mod borrower;
mod line;
mod machine;
mod news;
mod pool;
#[cfg(test)]
pub mod tests;

pub use borrower::Borrower;
pub use line::{Place, Ticket};
pub use machine::{Counts, Doing, Link, Machine, MachinesFile, OtherMachines, Standing};
pub use news::{MachineNews, are_alike, changes};
pub use pool::Pool;
#[cfg(test)]
pub use tests::machines as samples;

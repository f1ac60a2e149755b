//! The daemon: one dispatcher that owns the [`state`], one thread a worker, one thread for the intake.

mod queue;
mod state;

//! Choosing by tables; the queue and its planners with scripted places.

mod choosing;
mod queue;
pub mod samples;
mod trying;
mod twice;

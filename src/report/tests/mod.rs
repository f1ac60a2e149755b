//! Reports of every verdict as snapshots, hostile input, the schemas, and the logs through crashes
//! and rotation.

mod disclosure;
mod explained;
mod gradescope;
mod hidden;
mod hints;
mod hostile;
mod logs;
pub mod page;
pub mod samples;
mod schemas;
mod score;
mod snapshots;
mod told;

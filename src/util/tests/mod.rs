//! What tests of all modules use.

pub mod annotated;
pub mod files;
pub mod samples;
#[path = "../../../tests/it/skips.rs"]
pub mod skips;
pub mod trials;

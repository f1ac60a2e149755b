//! What tests of all modules use.

#[path = "../../../tests/it/skips.rs"]
pub mod skips;
pub mod trials;

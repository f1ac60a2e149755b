//! What tests of other modules have in place of a sandbox.

pub mod scripted;

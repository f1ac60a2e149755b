//! Control groups: what bounds and measures a job as a whole, its children included.
//!
//! Version 2 has one folder for all controllers, version 1 one hierarchy for each. Where both are
//! mounted, version 1 bounds memory and processes, and version 2 counts CPU time and kills.

mod folder;
mod group;
mod hierarchy;
mod memory;
mod mountinfo;

pub use self::group::Group;
pub use self::hierarchy::{Hierarchy, Offers};

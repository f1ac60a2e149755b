//! What breaks under a running daemon: its store, and the disks that it writes to.

mod disk;
pub mod small_disk;
mod store;

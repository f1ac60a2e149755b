//! What breaks below a daemon that is at work: its store, and the disks that it writes to.

mod disk;
mod small_disk;
mod store;

//! Orders to other machines, and facts back, over a NATS server. The daemon's store is the only
//! record: whatever the server carries may be lost at any moment, and costs work but no truth.
//!
//! Both ends use [`wire`] (the messages) and [`subjects`] (where they go).

pub mod access;
pub mod blobs;
mod seal;
pub mod subjects;
pub mod wire;

//! Orders to other machines, and facts back, over a NATS server. The daemon's store is the only
//! record: whatever the server carries may be lost at any moment, and costs work but no truth.
//!
//! Both ends use [`wire`] (the messages) and [`subjects`] (where they go).

pub mod about;
pub mod access;
pub mod admission;
pub mod blobs;
pub mod hub;
pub mod proof;
pub mod subjects;
pub mod wire;
pub mod worker;

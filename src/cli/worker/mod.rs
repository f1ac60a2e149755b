//! `verdictd worker`: measures for the courses on a NATS server, without a store, problems or
//! submissions.

mod arguments;
mod nats;

pub use arguments::Arguments;
pub use nats::run;

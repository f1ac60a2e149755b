//! The worker's end: it has no store, no problems and no submissions. A thread per place asks for
//! orders, does them in a sandbox and hands their facts over; one thread talks to the server.

mod cache;
mod connection;
mod courses;
mod fetch;
mod link;
mod note;
mod place;
mod report;

pub use cache::Cache;
pub use connection::{Joined, join};
pub use link::Link;
pub use note::{Note, Tell};
pub use place::{Place, Speedometer};

//! Who may connect to the server, and how: credentials, the configuration of the server that goes
//! with them, and connections.

mod certificates;
mod connect;
mod credentials;
mod doctor;
mod errors;
mod folder;
mod members;
mod role;

pub use connect::{Access, connect, connect_patiently};
pub use credentials::Credentials;
pub use doctor::examine;
pub use errors::{AccessError, NO_DAEMON};
pub use folder::Folder;
pub use members::{Members, Newcomer};
pub use role::Role;

//! Who may connect to the server, and how: credentials, the configuration of the server that goes
//! with them, and connections.

mod connect;
mod credentials;
mod doctor;
mod folder;
mod members;

pub use connect::{Access, AccessError, NO_DAEMON, connect, connect_patiently};
pub use credentials::{Credentials, Role};
pub use doctor::examine;
pub use folder::Folder;
pub use members::{Members, Newcomer};

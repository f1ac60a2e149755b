//! Who may connect to the server, and how: credentials, the configuration of the server that goes
//! with them, and connections.

mod certificates;
mod check;
mod configuration;
mod connect;
mod credentials;
mod errors;
mod folder;
mod members;

pub use check::{Step, check};
pub use connect::{Access, connect, connect_patiently};
pub use credentials::{Credentials, Role};
pub use errors::AccessError;
pub use folder::{Folder, FolderError};

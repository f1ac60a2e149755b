//! Who may connect to the server, and how: credentials, the configuration of the server that goes
//! with them, and connections.

mod certificates;
mod configuration;
mod connect;
mod credentials;
mod folder;
mod members;

pub use connect::{Access, AccessError, connect, connect_patiently};
pub use credentials::{Credentials, CredentialsError, Role};
pub use folder::{Begun, Folder, FolderError};

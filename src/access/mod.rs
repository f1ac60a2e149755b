//! How somebody is let in, or kept apart, without a password: personal links and pseudonyms, both
//! made from one secret in the state folder.

mod links;
mod pseudonyms;
mod secret;
mod shape;

pub use links::{Links, LinksError, Token};
pub use pseudonyms::Pseudonyms;
pub use secret::{Secret, SecretError};

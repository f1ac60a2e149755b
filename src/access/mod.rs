//! How somebody is let in, or kept apart, without a password: personal links and pseudonyms, both
//! made from one secret in the state folder.

mod links;
mod secret;

pub use links::{Links, Token};
pub use secret::{Pseudonyms, Secret};

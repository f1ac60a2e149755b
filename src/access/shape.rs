//! The shape of the file that says which links are another one than the first, and which are
//! revoked.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    /// By student; whoever is not here has the first link.
    pub links: BTreeMap<String, Link>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Link {
    /// How many links there were before this one.
    pub number: u32,
    pub is_revoked: bool,
}

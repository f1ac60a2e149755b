//! The shape of the file that says which links are another one than the first, and which are
//! revoked.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    /// By student; whoever is not here has the first link.
    pub links: BTreeMap<String, Link>,
    /// How many links there were of names that were forgotten, by digests that only who knows the
    /// secret can make: whoever has such a name later has none of these links.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub forgotten: BTreeMap<String, u32>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Link {
    /// How many links there were before this one.
    pub number: u32,
    pub is_revoked: bool,
}

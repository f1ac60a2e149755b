//! What a language is on one machine, so that two machines can be compared.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Digest;

/// A language on one machine: everything that was found there on which its verdicts may depend.
///
/// Two machines have the same language only where their versions and all parts are the same; each
/// part has a name, so that a difference can be named.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// The first line of what its compiler says of its version.
    pub version: String,
    /// The digest of each part by its name, such as `cc1plus`; none where the part differs from
    /// one try to the next on the same machine, so that it says nothing.
    pub parts: BTreeMap<String, Option<Digest>>,
}

impl Identity {
    /// Most parts: a language with more of them is not compared at all.
    pub const PARTS_MAX: usize = 256;
    /// Longest name of a part and longest version, in bytes.
    pub const NAME_BYTES_MAX: usize = 1_024;

    /// Whether it keeps to its bounds: one from another machine may not.
    pub fn is_bounded(&self) -> bool {
        let is_short = |name: &str| name.len() <= Self::NAME_BYTES_MAX;
        self.parts.len() <= Self::PARTS_MAX
            && is_short(&self.version)
            && self.parts.keys().all(|name| is_short(name))
    }

    /// How the language is different on another machine, one difference at a time; nothing where it
    /// is the same.
    pub fn differences<'a>(&'a self, there: &'a Self) -> impl Iterator<Item = Unlike<'a>> {
        let version = (self.version != there.version).then_some(Unlike::Version {
            here: &self.version,
            there: &there.version,
        });
        let here = self.parts.iter().filter_map(|(name, here)| {
            match (here, there.parts.get(name)) {
                (_, None) => Some(Unlike::Part(name, Side::Here)),
                (Some(here), Some(Some(there))) if here != there => {
                    Some(Unlike::Part(name, Side::Both))
                }
                // A part that says nothing on one of them cannot say that they differ.
                _ => None,
            }
        });
        let only_there = there.parts.keys();
        let only_there = only_there.filter(|name| !self.parts.contains_key(*name));
        let there = only_there.map(|name| Unlike::Part(name, Side::There));
        version.into_iter().chain(here).chain(there)
    }
}

/// One difference between two machines' identities.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unlike<'a> {
    /// The versions.
    Version {
        /// Of the first machine.
        here: &'a str,
        /// Of the other one.
        there: &'a str,
    },
    /// A part, and where it is.
    Part(&'a str, Side),
}

/// Which of two machines has a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Only the first one.
    Here,
    /// Only the other one.
    There,
    /// Both, and it is not the same.
    Both,
}

#[cfg(test)]
mod tests {
    use super::{Identity, Side, Unlike};
    use crate::domain::Digest;

    fn identity(version: &str, parts: &[(&str, Option<u8>)]) -> Identity {
        let part = |(name, byte): &(&str, Option<u8>)| {
            let digest = byte.map(|byte| Digest([byte; 32]));
            ((*name).to_owned(), digest)
        };
        Identity {
            version: version.to_owned(),
            parts: parts.iter().map(part).collect(),
        }
    }

    #[test]
    fn machines_differ_by_version_and_by_part() {
        let here = identity(
            "12",
            &[("as", Some(1)), ("main", Some(2)), ("main.exe", None)],
        );
        let same = here.clone();
        let quiet = identity(
            "12",
            &[("as", Some(1)), ("main", None), ("main.exe", Some(3))],
        );
        let other = identity("13", &[("as", Some(4)), ("main", Some(2)), ("ld", Some(5))]);
        for (there, expected) in [
            (&same, vec![]),
            (&quiet, vec![]),
            (
                &other,
                vec![
                    Unlike::Version {
                        here: "12",
                        there: "13",
                    },
                    Unlike::Part("as", Side::Both),
                    Unlike::Part("main.exe", Side::Here),
                    Unlike::Part("ld", Side::There),
                ],
            ),
        ] {
            assert_eq!(here.differences(there).collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn a_strange_identity_is_out_of_bounds() {
        assert!(identity("12", &[("as", Some(1))]).is_bounded());
        assert!(!identity(&"x".repeat(Identity::NAME_BYTES_MAX + 1), &[]).is_bounded());
        let many: Vec<String> = (0..=Identity::PARTS_MAX).map(|n| n.to_string()).collect();
        let many: Vec<_> = many.iter().map(|name| (name.as_str(), None)).collect();
        assert!(!identity("12", &many).is_bounded());
    }
}

//! What a language is on one machine, and how fast that machine is, so that two can be compared.

use std::collections::{BTreeMap, BTreeSet};

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

    /// The names of the parts that are not the same on another machine. A part that says nothing on
    /// one of them cannot say that they differ.
    pub fn unlike_parts<'a>(&'a self, there: &'a Self) -> impl Iterator<Item = &'a str> {
        let names: BTreeSet<&String> = self.parts.keys().chain(there.parts.keys()).collect();
        let is_unlike = |name: &&String| match (self.parts.get(*name), there.parts.get(*name)) {
            (Some(Some(here)), Some(Some(there))) => here != there,
            (here, there) => here.is_none() || there.is_none(),
        };
        let unlike = names.into_iter().filter(is_unlike);
        unlike.map(String::as_str)
    }
}

/// How fast and how evenly a machine measures.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Speed {
    /// CPU time of a fixed piece of work, in nanoseconds: the least of several tries.
    pub least_ns: u64,
    /// By how many per cent the median was above the least.
    pub spread_percent: f64,
}

impl Speed {
    /// Of the CPU times of several tries, in nanoseconds; none without any.
    pub fn of(mut tries: Vec<u64>) -> Option<Self> {
        tries.sort_unstable();
        let (least, median) = (*tries.first()?, *tries.get(tries.len() / 2)?);
        Some(Self {
            least_ns: least,
            spread_percent: percent_above(median, least),
        })
    }

    /// By how many per cent it is slower than another machine, with one decimal; below 0 where it
    /// is faster.
    pub fn percent_slower_than(&self, other: &Self) -> f64 {
        (percent_above(self.least_ns, other.least_ns) * 10.0).round() / 10.0
    }
}

#[expect(clippy::cast_precision_loss, reason = "no work takes 2^52 ns")]
fn percent_above(ns: u64, base_ns: u64) -> f64 {
    let (ns, base_ns) = (ns as f64, base_ns.max(1) as f64);
    (ns / base_ns - 1.0) * 100.0
}

#[cfg(test)]
mod tests {
    use super::{Identity, Speed};
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
    fn machines_differ_by_part() {
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
            (&same, &[][..]),
            (&quiet, &[]),
            (&other, &["as", "ld", "main.exe"]),
        ] {
            assert_eq!(here.unlike_parts(there).collect::<Vec<_>>(), expected);
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

    #[test]
    fn the_least_try_counts_and_the_median_says_how_evenly() {
        assert_eq!(Speed::of(Vec::new()), None);
        let speed = Speed::of(vec![150, 100, 110]).unwrap();
        assert_eq!(speed.least_ns, 100);
        assert!((speed.spread_percent - 10.0).abs() < 1e-9);
        let slower = Speed::of(vec![125]).unwrap();
        assert!((slower.percent_slower_than(&speed) - 25.0).abs() < 1e-9);
        assert!((speed.percent_slower_than(&slower) + 20.0).abs() < 1e-9);
    }
}

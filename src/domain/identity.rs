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
    const PARTS_MAX: usize = 256;
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
    /// By how many percent the median was above the least.
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

    /// By how many percent it is slower than another machine, with one decimal; below 0 where it
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

//! What this machine is: a worker says it, and a daemon compares workers with its own. Finding it
//! out takes seconds.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::subjects::Name;
use super::wire::About;
use crate::domain::{BuildLimits, Caps, LanguageId};
use crate::sandbox::{Cancel, OnDemand, Runner as _, Sandbox};
use crate::toolchain::{FileDigests, Toolchain};
use crate::util::calibrate::Pace;
use crate::util::excerpt::visible_line;
use crate::util::pool::side_by_side;

/// Longest words of a machine, in characters.
const WORDS_MAX: usize = 200;

/// The machine of a worker, as reports name it: no two workers have the same one. Both ends name it
/// by this, since what is measured again has to be measured on the same machine.
pub fn machine_of(worker: &Name, words: &str) -> Arc<str> {
    let words: String = visible_line(words).chars().take(WORDS_MAX).collect();
    Arc::from(format!("{worker} ({words})"))
}

/// How it is found out.
pub struct Looking<'a> {
    /// What runs programs here.
    pub sandbox: &'a Sandbox,
    /// The number of the first runner, and how many may be used.
    pub runners: (usize, usize),
    /// The languages of this machine's own configuration.
    pub toolchain: &'a Toolchain,
    /// Those that are offered.
    pub offered: Vec<LanguageId>,
    /// What a self-test may use.
    pub caps: Caps,
    /// What a compiler may use.
    pub build: &'a BuildLimits,
    /// Whoever may end it before it is done.
    pub cancel: Option<&'a Cancel>,
}

impl Looking<'_> {
    /// What this machine is. A language that cannot be looked at is left out, and nobody measures it
    /// for this one.
    ///
    /// When the files have changed of which it has noted the digests, it is to be found out again.
    pub fn about(
        &self,
        machine: String,
        places: usize,
        pace: &mut Pace,
        files: &FileDigests,
    ) -> About {
        let mut languages = BTreeMap::new();
        let (first, threads) = self.runners;
        side_by_side(
            threads,
            self.offered.len(),
            |worker| {
                let mut runner = OnDemand::new(self.sandbox, first + worker);
                runner.heed(self.cancel);
                runner
            },
            |runner, at| {
                let id = &self.offered[at];
                self.cancel.map_or(Ok(()), Cancel::check)?;
                self.toolchain
                    .identity(id, runner, files, &self.caps, self.build)
            },
            |at, found| match found {
                Ok(identity) => drop(languages.insert(self.offered[at].clone(), identity)),
                Err(why) => tracing::warn!(language = %self.offered[at], ?why, "not compared"),
            },
        );
        let protections = self.sandbox.protections().iter();
        About {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            machine,
            places,
            sandbox: self.sandbox.policy_digest(),
            protections: protections
                .map(crate::sandbox::Protection::compared)
                .collect(),
            languages,
            speed: pace.measure(),
        }
    }
}

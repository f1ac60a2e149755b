//! What this machine is: a worker says it, and a daemon compares workers with its own. Finding it
//! out takes seconds.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;

use super::wire::About;
use crate::domain::{BuildLimits, Digest, Identity, LanguageId, Limits, Speed};
use crate::sandbox::{Cancel, Runner as _, Sandbox};
use crate::toolchain::{FileDigests, Noted, Toolchain, have_changed};
use crate::util::excerpt::visible_line;
use crate::util::files::{read_regular, replace_private};
use crate::util::hash::Key;
use crate::util::sync::side_by_side;

/// Longest words of a machine, in characters.
const WORDS_MAX: usize = 200;
/// The longest file with what the languages are.
const KEPT_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// The machine of a worker, as reports name it: no two workers have the same one. Both ends name it
/// by this, since what is measured again has to be measured on the same machine.
pub fn machine_of(worker: &str, words: &str) -> Arc<str> {
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
    pub caps: Limits,
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
    /// What was found out is kept in a file, and believed for as long as none of them changes.
    pub fn about(
        &self,
        (machine, places, speed): (String, usize, Speed),
        kept: &Path,
        files: &FileDigests,
    ) -> About {
        let key = self.key();
        let languages = recall(kept, key, files).unwrap_or_else(|| {
            let found = self.languages(files);
            if found.len() == self.offered.len() {
                keep(kept, key, &found, files);
            }
            found
        });
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
            speed,
        }
    }

    /// Everything beside the files that what is found out depends on.
    fn key(&self) -> Option<Digest> {
        let limits = serde_json::to_vec(&(&self.caps, self.build)).ok()?;
        let key = Key::new("languages of a machine, by their programs")
            .part(env!("CARGO_PKG_VERSION").as_bytes())
            .part(&self.sandbox.policy_digest().0)
            .part(&limits);
        let mut offered = self.offered.iter();
        let key = offered.try_fold(key, |key, id| {
            let version = self.toolchain.identify(id).ok()?;
            let language = self.toolchain.language(id)?;
            Some(key.part(&self.toolchain.judged_by(language, &version).0))
        })?;
        Some(key.finish())
    }

    fn languages(&self, files: &FileDigests) -> BTreeMap<LanguageId, Identity> {
        let mut languages = BTreeMap::new();
        let (first, threads) = self.runners;
        side_by_side(
            threads,
            self.offered.len(),
            |worker| {
                let mut runner = self.sandbox.runner(first + worker);
                runner.set_cancel(self.cancel);
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
                Err(why) => {
                    tracing::warn!(language = %self.offered[at], ?why, "cannot identify a language");
                }
            },
        );
        languages
    }
}

/// What is in the file: what it depends on, the files that were seen, and what was found out.
type Kept = (Digest, Noted, BTreeMap<LanguageId, Identity>);

/// What was found out before, if nothing has changed that it depends on.
fn recall(
    kept: &Path,
    key: Option<Digest>,
    files: &FileDigests,
) -> Option<BTreeMap<LanguageId, Identity>> {
    let text = read_regular(kept, KEPT_BYTES_MAX).ok()?;
    let (known, seen, languages): Kept = serde_json::from_slice(&text).ok()?;
    if Some(known) != key || have_changed(&seen) {
        return None;
    }
    files.take_over(seen);
    Some(languages)
}

fn keep(
    kept: &Path,
    key: Option<Digest>,
    languages: &BTreeMap<LanguageId, Identity>,
    files: &FileDigests,
) {
    let Some(key) = key else { return };
    let written = serde_json::to_vec(&(key, files.noted(), languages)).map_err(io::Error::other);
    if let Err(error) = written.and_then(|text| replace_private(kept, &text)) {
        // It is found out again next time.
        tracing::debug!(%error, "what the languages are is not kept");
    }
}

//! What a judgement was made from, for reports and for whoever asks whether it is up to date.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::case::Facts;
use super::grade::Judged;
use super::question;
use crate::domain::{BuildLimits, Digest, Judgement, Provenance, Verdict};
use crate::package::Package;
use crate::toolchain::Language;

/// Settings of judging that are not the package's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rules {
    /// Whether the remaining tests are skipped after the first failing one.
    pub stop_at_first_failure: bool,
    /// Whether a run over a time limit is measured again, alone.
    pub repeat_near_limit: bool,
    /// What the sandbox enforces.
    pub policy: Digest,
    /// Limits of a compilation: with other ones a program that was too much for the compiler is tried again.
    pub build: BuildLimits,
    /// What machine this is: noted with whatever is measured here.
    pub machine: Arc<str>,
}

/// How programs in a language are run on a package's tests, see [`question::run_policy`].
pub fn run_policy(package: &Package, language: &Language, sandbox: Digest) -> Digest {
    // A run-time system that is told the memory limit may behave differently under another one.
    let told = language
        .spec()
        .run
        .iter()
        .any(|word| word.contains("{memory_mib}"));
    let told_memory_bytes = if told { package.limits.memory_bytes } else { 0 };
    question::run_policy(package.io, told_memory_bytes, &sandbox)
}

/// What a judgement of a package's submissions in one language is folded from, see [`question::Fold`].
pub fn fold_key(package: &Package, language_fingerprint: Digest, rules: &Rules) -> Digest {
    question::Fold {
        package: &package.judging_digest(),
        language: &language_fingerprint,
        stop_at_first_failure: rules.stop_at_first_failure,
        repeat_near_limit: rules.repeat_near_limit,
        sandbox: &rules.policy,
        build: &rules.build,
    }
    .key()
}

/// What a judgement was made from. `toolchain` is the language's fingerprint, `fold` the [`fold_key`].
pub fn provenance(
    judged: &Judged,
    package: &Package,
    toolchain: Digest,
    fold: Digest,
) -> Provenance {
    Provenance {
        artifact: judged.build,
        toolchain,
        package: package.judging_digest(),
        limits: question::limits(&judged.limits),
        policy: judged.policy,
        fold,
        machine: judged.machine.clone(),
    }
}

/// The machines that measured the runs of a judgement; where nothing was run, the one that says so.
pub(super) fn machine_of(judgement: &Judgement, known: &Facts, here: &str) -> String {
    let was_run = judgement
        .tests
        .iter()
        .filter(|result| result.verdict != Verdict::Skipped);
    let named: BTreeSet<&str> = was_run
        .filter_map(|result| known.run(&result.test.input))
        .map(|facts| &*facts.machine)
        .collect();
    if named.is_empty() {
        return here.to_owned();
    }
    let named: Vec<&str> = named.into_iter().collect();
    named.join("; ")
}

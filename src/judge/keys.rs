//! What a fact, and a judgement, depend on, as digests.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::execute::Judged;
use crate::config;
use crate::domain::{Digest, Judgement, Provenance, Verdict};
use crate::package::Package;
use crate::toolchain::Language;
use crate::util::hash::Key;

/// Changes when the same facts may be judged differently by this version than by an earlier one.
const JUDGING_VERSION: u8 = 1;

/// In place of the machine of runs that were measured before it was noted.
const UNKNOWN_MACHINE: &str = "not noted";

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
    pub build: config::Build,
    /// What machine this is: noted with whatever is measured here.
    pub machine: Arc<str>,
}

/// Everything but the artifact and the input that can change what a run measures; the caps stand in the facts.
pub fn run_policy(package: &Package, language: &Language, sandbox: Digest) -> Digest {
    // A run-time system that is told the memory limit may behave differently under another one.
    let told = language
        .spec()
        .run
        .iter()
        .any(|word| word.contains("{memory_mib}"));
    let memory_bytes = if told { package.limits.memory_bytes } else { 0 };
    Key::new("run-policy")
        .part(format!("{:?}", package.io).as_bytes())
        .part(&memory_bytes.to_le_bytes())
        .part(&sandbox.0)
        .finish()
}

/// What a judgement of a package's submissions in one language was folded from; where it has changed, a submission is planned again.
pub fn fold_key(package: &Package, language_fingerprint: Digest, rules: &Rules) -> Digest {
    Key::new("fold")
        .part(&package.judging_digest().0)
        .part(&language_fingerprint.0)
        .part(&[
            JUDGING_VERSION,
            u8::from(rules.stop_at_first_failure),
            u8::from(rules.repeat_near_limit),
        ])
        .part(&rules.policy.0)
        .part(format!("{:?}", rules.build).as_bytes())
        .finish()
}

/// What a judgement was made from. `toolchain` is the language's fingerprint, `fold` the [`fold_key`].
pub fn provenance(
    judged: &Judged,
    package: &Package,
    toolchain: Digest,
    fold: Digest,
) -> Provenance {
    Provenance {
        artifact: judged.artifact,
        toolchain,
        package: package.judging_digest(),
        limits: Key::new("limits")
            .part(format!("{:?}", judged.limits).as_bytes())
            .finish(),
        policy: judged.policy,
        fold,
        machine: judged.machine.clone(),
    }
}

/// The machines that measured the runs of a judgement; where nothing was run, the one that says so.
pub(super) fn machine_of(
    judgement: &Judgement,
    machines: &BTreeMap<usize, Option<Arc<str>>>,
    here: &str,
) -> String {
    let was_run = |index: &usize| judgement.tests[*index].verdict != Verdict::Skipped;
    let named: BTreeSet<&str> = (0..judgement.tests.len())
        .filter(was_run)
        .map(|index| match machines.get(&index) {
            Some(Some(machine)) => machine,
            _ => UNKNOWN_MACHINE,
        })
        .collect();
    if named.is_empty() {
        return here.to_owned();
    }
    let named: Vec<&str> = named.into_iter().collect();
    named.join("; ")
}

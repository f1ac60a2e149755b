//! What a fact, and a judgement, depend on, as digests.

use crate::domain::Digest;
use crate::package::{Io, Package};
use crate::util::hash::Key;

/// Settings of judging that are not the package's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules {
    /// Whether the remaining tests are skipped after the first failing one.
    pub stop_at_first_failure: bool,
    /// What the sandbox enforces.
    pub policy: Digest,
}

/// Everything but the artifact and the input that can change what a run measures; the caps stand in the facts.
pub fn run_policy(io: Io, sandbox: Digest) -> Digest {
    Key::new("run-policy")
        .part(format!("{io:?}").as_bytes())
        .part(&sandbox.0)
        .finish()
}

/// What a judgement of a package's submissions in one language was folded from; where it has changed, a submission is planned again.
pub fn fold_key(package: &Package, language_fingerprint: Digest, rules: &Rules) -> Digest {
    Key::new("fold")
        .part(&package.judging_digest().0)
        .part(&language_fingerprint.0)
        .part(&[u8::from(rules.stop_at_first_failure)])
        .part(&rules.policy.0)
        .finish()
}

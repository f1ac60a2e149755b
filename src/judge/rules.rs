//! The settings of judging, and how programs are run under them.

use std::sync::Arc;

use super::question;
use crate::domain::{BuildLimits, Digest};
use crate::package::Package;
use crate::toolchain::Language;

/// Settings of judging that are not the package's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rules {
    /// Whether the remaining tests are skipped after the first failing one.
    pub stop_at_first_failure: bool,
    /// Whether a run over a time limit is measured again, alone.
    pub repeat_near_limit: bool,
    /// Whether a run near its limit that a busy machine disturbed is left for later, with a
    /// [fault](crate::domain::FaultKind::Busy), and not measured again at once.
    pub waits_for_quiet: bool,
    /// What the sandbox enforces.
    pub policy: Digest,
    /// Limits of a compilation: with other ones a program that was too much for the compiler is
    /// tried again.
    pub build: BuildLimits,
    /// What machine this is: noted with whatever is measured here.
    pub machine: Arc<str>,
    /// The stack of a program's first thread in bytes, where it is to be another than usual: to
    /// find out what the stack has to do with a failure.
    pub stack_bytes: Option<u64>,
}

/// How programs in a language are run on a package's tests, see [`question::run_policy`].
pub fn run_policy(package: &Package, language: &Language, sandbox: Digest) -> Digest {
    // A run-time system that is told the memory limit may behave differently under another one.
    let told = language
        .spec()
        .run
        .iter()
        .any(|word| word.contains("{memory_mib}"));
    let advertised_memory_bytes = if told { package.limits.memory_bytes } else { 0 };
    question::run_policy(package.io, advertised_memory_bytes, &sandbox)
}

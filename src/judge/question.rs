//! Keys: what a fact, an opinion or a judgement depends on, as digests of bytes that are written
//! down here.
//!
//! Changing a letter asks, runs or judges everything anew, so a test pins what comes out.

use crate::compare::{Mode, WrongLayout};
use crate::domain::{BuildLimits, Digest, Limits};
use crate::package::{Io, Protocol};
use crate::util::hash::Key;

/// Changes when the same facts may be judged differently by this version than by an earlier one.
const JUDGING_VERSION: u8 = 2;

/// Who compares: our own comparison in a mode.
pub fn mode(mode: &Mode, wrong_layout: WrongLayout) -> Digest {
    Key::new("compare-by-mode")
        .part(mode.key_text().as_bytes())
        .part(wrong_layout.key_text().as_bytes())
        .finish()
}

/// Who compares: a checker. A newer compiler for it is not another checker.
pub fn checker(protocol: Protocol, sources: &Digest) -> Digest {
    Key::new("compare-by-checker")
        .part(protocol.key_text().as_bytes())
        .part(&sources.0)
        .finish()
}

/// What `by` says of an output.
pub fn opinion(by: &Digest, input: &Digest, expected: &Digest, output: &Digest) -> Digest {
    Key::new("opinion")
        .part(&by.0)
        .part(&input.0)
        .part(&expected.0)
        .part(&output.0)
        .finish()
}

/// Whether an input is valid, by a validator that was built under this key.
pub fn validity(build: &Digest, protocol: Protocol, input: &Digest, sandbox: &Digest) -> Digest {
    Key::new("valid")
        .part(&build.0)
        .part(protocol.key_text().as_bytes())
        .part(&input.0)
        .part(&sandbox.0)
        .finish()
}

/// What a reference prints that was built under this key.
pub fn answer(build: &Digest, input: &Digest, policy: &Digest) -> Digest {
    Key::new("answer")
        .part(&build.0)
        .part(&input.0)
        .part(&policy.0)
        .finish()
}

/// Everything but the program and the input that can change what a run measures; the caps stand in
/// the facts.
/// `told_memory_bytes` is 0 where the program is not told.
pub fn run_policy(io: Io, told_memory_bytes: u64, sandbox: &Digest) -> Digest {
    Key::new("run-policy")
        .part(io.key_text().as_bytes())
        .part(&told_memory_bytes.to_le_bytes())
        .part(&sandbox.0)
        .finish()
}

/// The same, with a stack of another size than usual.
pub fn with_stack(policy: &Digest, stack_bytes: u64) -> Digest {
    Key::new("run-policy-with-stack")
        .part(&policy.0)
        .part(&stack_bytes.to_le_bytes())
        .finish()
}

/// The limits, as provenance names them.
pub fn limits(limits: &Limits) -> Digest {
    Key::new("limits")
        .part(limits.key_text().as_bytes())
        .finish()
}

/// Changes when a search by this version finds more than one by an earlier one.
const SEARCH_VERSION: u8 = 1;

/// What a search about a judgement rests on.
pub struct Subject<'a> {
    /// The key of the program's build.
    pub build: &'a Digest,
    /// How it is run.
    pub policy: &'a Digest,
    pub limits: &'a Digest,
    /// How outputs are compared.
    pub compare: &'a str,
    /// Who answers further inputs; empty where nobody does.
    pub reference: &'a [u8],
    /// The verdict's code.
    pub verdict: &'a str,
    /// The first failing test: the digests of its input and answer; empty where there is none.
    pub failing: &'a [u8],
}

impl Subject<'_> {
    /// Where it has changed, the search is made again.
    pub fn key(&self) -> Digest {
        Key::new("search")
            .part(&[SEARCH_VERSION])
            .part(&self.build.0)
            .part(&self.policy.0)
            .part(&self.limits.0)
            .part(self.compare.as_bytes())
            .part(self.reference)
            .part(self.verdict.as_bytes())
            .part(self.failing)
            .finish()
    }
}

/// What a judgement is folded from.
pub struct Fold<'a> {
    /// The package's digest.
    pub package: &'a Digest,
    /// The language's.
    pub language: &'a Digest,
    /// Whether the first failing test ends a judgement.
    pub stop_at_first_failure: bool,
    /// Whether runs near a limit are repeated.
    pub repeat_near_limit: bool,
    /// What the sandbox enforces.
    pub sandbox: &'a Digest,
    /// Limits of a compilation.
    pub build: &'a BuildLimits,
}

impl Fold<'_> {
    /// Where it has changed, a submission is planned again.
    pub fn key(&self) -> Digest {
        Key::new("fold")
            .part(&self.package.0)
            .part(&self.language.0)
            .part(&[
                JUDGING_VERSION,
                u8::from(self.stop_at_first_failure),
                u8::from(self.repeat_near_limit),
            ])
            .part(&self.sandbox.0)
            .part(self.build.key_text().as_bytes())
            .finish()
    }
}

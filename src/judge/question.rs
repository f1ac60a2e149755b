//! Keys: what a fact, a comparison or a judgement depends on, as digests of bytes that are written
//! down here.
//!
//! Changing a letter asks, runs or judges everything anew, so a test pins what comes out.

use crate::compare::{Mode, WrongLayout};
use crate::domain::{Digest, Limits};
use crate::package::{Io, Protocol};
use crate::util::hash::Key;

/// A digest of a kind of key and its parts.
macro_rules! key {
    ($kind:literal $(, $part:expr)+) => {
        Key::new($kind)$(.part(AsRef::<[u8]>::as_ref(&$part)))+.finish()
    };
}

pub(super) use key;

/// Who compares: our own comparison in a mode.
pub fn mode(mode: &Mode, wrong_layout: WrongLayout) -> Digest {
    key!("compare-by-mode", mode.key_text(), wrong_layout.key_text())
}

/// Who compares: a checker. A newer compiler for it is not another checker.
pub fn checker(protocol: Protocol, sources: &Digest) -> Digest {
    key!("compare-by-checker", protocol.key_text(), sources.0)
}

/// What `check` says of an output.
pub fn comparison(check: &Digest, input: &Digest, expected: &Digest, output: &Digest) -> Digest {
    key!("opinion", check.0, input.0, expected.0, output.0)
}

/// Whether an input is valid, by a validator that was built under this key.
pub fn validity(build: &Digest, protocol: Protocol, input: &Digest, sandbox: &Digest) -> Digest {
    key!("valid", build.0, protocol.key_text(), input.0, sandbox.0)
}

/// What a reference prints that was built under this key.
pub fn answer(build: &Digest, input: &Digest, policy: &Digest) -> Digest {
    key!("answer", build.0, input.0, policy.0)
}

/// Everything but the program and the input that can change what a run measures; the caps stand in
/// the facts. `reported_memory_bytes` is 0 where the program is not told.
pub fn run_policy(io: Io, reported_memory_bytes: u64, sandbox: &Digest) -> Digest {
    let told = reported_memory_bytes.to_le_bytes();
    key!("run-policy", io.key_text(), told, sandbox.0)
}

/// The same, with a stack of another size than usual.
pub fn with_stack(policy: &Digest, stack_bytes: u64) -> Digest {
    key!("run-policy-with-stack", policy.0, stack_bytes.to_le_bytes())
}

/// The limits, as provenance names them.
pub fn limits(limits: &Limits) -> Digest {
    key!("limits", limits.key_text())
}

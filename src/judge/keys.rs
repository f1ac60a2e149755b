//! Keys: what a fact, a comparison or a judgement depends on, as digests of bytes that are written
//! down here; and the settings of judging, with which they change. Pure.
//!
//! Changing a letter asks, runs or judges everything anew, so a test pins what comes out.

use std::sync::Arc;

use crate::compare::{Mode, WrongLayout};
use crate::domain::{BuildLimits, Digest, Limits, TestRef};
use crate::package::{Checker, Io, Package, Protocol};
use crate::toolchain::Language;
use crate::util::hash::Key;

/// Changes when the same facts may be judged differently by this version than by an earlier one.
const JUDGING_VERSION: u8 = 2;

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
pub fn checker(protocol: Protocol, sources: &Digest, arguments: &[String]) -> Digest {
    let id = key!("compare-by-checker", protocol.key_text(), sources.0);
    told(id, arguments)
}

/// Who judges: the checker of a package, which may take part in the runs.
pub fn checker_of(checker: &Checker) -> Digest {
    let asked = self::checker(
        checker.protocol,
        &checker.program.digest,
        &checker.arguments,
    );
    let judged = match checker.rounds.key_text() {
        plain if plain.is_empty() => asked,
        rounds => key!("judge-by-talk", asked.0, rounds),
    };
    let judged = match checker.gives {
        None => judged,
        Some(gives) => key!("judge-with-points", judged.0, gives.key_text()),
    };
    match &checker.judge {
        None => judged,
        Some(judge) => key!("judge-by-two", judged.0, checker_of(judge).0),
    }
}

/// What a program and the package's program are given that talk with each other.
pub fn talk_input(input: &Digest, expected: &Digest) -> Digest {
    key!("talk-about", input.0, expected.0)
}

/// What a run on a test of a package is a run of, beside the program: [`RunSpec::run_input`] of any
/// order for it.
pub fn run_input(package: &Package, test: &TestRef) -> Digest {
    if package.talks() {
        told_instead(talk_input(&test.input, &test.expected), test.told.as_ref())
    } else {
        test.input
    }
}

/// The same question to a program that is told something beside it.
fn told(question: Digest, arguments: &[String]) -> Digest {
    if arguments.is_empty() {
        return question;
    }
    with_arguments("told", question, arguments)
}

/// The same question about a test for which the program has arguments of its own.
pub fn told_instead(question: Digest, arguments: Option<&Vec<String>>) -> Digest {
    arguments.map_or(question, |arguments| {
        with_arguments("told-instead", question, arguments)
    })
}

fn with_arguments(kind: &str, question: Digest, arguments: &[String]) -> Digest {
    let key = Key::new(kind).part(&question.0);
    let with = |key: Key, argument: &String| key.part(argument.as_bytes());
    arguments.iter().fold(key, with).finish()
}

/// What `check` says of an output.
pub fn comparison(check: &Digest, input: &Digest, expected: &Digest, output: &Digest) -> Digest {
    key!("opinion", check.0, input.0, expected.0, output.0)
}

/// Whether an input is valid, by a validator that was built under this key.
pub fn validity(
    build: &Digest,
    (protocol, arguments): (Protocol, &[String]),
    input: &Digest,
    sandbox: &Digest,
) -> Digest {
    let question = key!("valid", build.0, protocol.key_text(), input.0, sandbox.0);
    told(question, arguments)
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

/// How programs in a language are run on a package's tests, see [`run_policy`].
pub fn policy_of(package: &Package, language: &Language, sandbox: Digest) -> Digest {
    // A run-time system that is told the memory limit may behave differently under another one.
    let told = language
        .spec()
        .run
        .iter()
        .any(|word| word.contains("{memory_mib}"));
    let advertised_memory_bytes = if told { package.limits.memory_bytes } else { 0 };
    let policy = run_policy(package.io, advertised_memory_bytes, &sandbox);
    match package.checker.as_ref().filter(|_| package.talks()) {
        Some(with) => key!("run-policy-with-talk", policy.0, checker_of(with).0),
        None => policy,
    }
}

/// What a judgement is folded from: where it has changed, a submission is planned again. `package`
/// is its judging digest, and `language` what
/// [`judged_by`](crate::toolchain::Toolchain::judged_by) says.
pub fn fold(package: &Digest, language: &Digest, rules: &Rules) -> Digest {
    let flags = [
        JUDGING_VERSION,
        u8::from(rules.stop_at_first_failure),
        u8::from(rules.repeat_near_limit),
    ];
    let build = rules.build.key_text();
    key!("fold", package.0, language.0, flags, rules.policy.0, build)
}

/// The same for a package.
pub fn fold_key(package: &Package, language: Digest, rules: &Rules) -> Digest {
    fold(&package.judging_digest(), &language, rules)
}

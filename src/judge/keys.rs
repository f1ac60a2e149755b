//! What a judgement was made from, for reports and for whoever asks whether it is up to date.

use super::grade::Judged;
use super::question;
use super::rules::Rules;
use crate::domain::{Digest, Provenance};
use crate::package::{Package, Reference};

/// What a judgement of a package's submissions in one language is folded from, see
/// [`question::Fold`]. `language` is what
/// [`judged_by`](crate::toolchain::Toolchain::judged_by) says.
pub fn fold_key(package: &Package, language: Digest, rules: &Rules) -> Digest {
    question::Fold {
        package: &package.judging_digest(),
        language: &language,
        stop_at_first_failure: rules.stop_at_first_failure,
        repeat_near_limit: rules.repeat_near_limit,
        sandbox: &rules.policy,
        build: &rules.build,
    }
    .key()
}

/// What a judgement was made from. `toolchain` is the language's fingerprint, `fold` the
/// [`fold_key`].
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

/// What a search about a judgement rests on: the program, how it is run and compared, who answers
/// its inputs, and where it fails. A new test changes the fold of every judgement, and this only
/// where it is the one that fails first.
pub fn subject(judged: &Judged, package: &Package) -> Digest {
    let judgement = &judged.judgement;
    let reference = match &package.reference {
        Reference::BuiltIn(task) => task.slug().as_bytes().to_vec(),
        Reference::Program(program) => program.digest.0.to_vec(),
        Reference::Stored => Vec::new(),
    };
    let failing = judgement.failing().map(|failing| &failing.test);
    let at = failing.map(|test| [test.input.0, test.expected.0].concat());
    question::Subject {
        build: &judged.build,
        policy: &judged.policy,
        limits: &question::limits(&judged.limits),
        compare: &package.compare_key(),
        reference: &reference,
        verdict: judgement.verdict.code(),
        failing: at.as_deref().unwrap_or_default(),
    }
    .key()
}

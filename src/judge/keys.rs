//! Keys of a judgement: what it was made from, and what a search about it rests on.

use super::grade::Judged;
use super::question::{key, limits};
use super::rules::Rules;
use crate::domain::{Digest, Provenance};
use crate::package::{Package, Reference};
use crate::util::hash::Key;

/// Changes when the same facts may be judged differently by this version than by an earlier one.
const JUDGING_VERSION: u8 = 2;
/// Changes when a search by this version finds more than one by an earlier one.
const SEARCH_VERSION: u8 = 1;

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

/// What a judgement was made from. `toolchain` is the language's fingerprint, `fold` the
/// [`fold_key`].
pub fn provenance(
    judged: &Judged,
    package: &Package,
    toolchain: Digest,
    fold: Digest,
) -> Provenance {
    Provenance {
        artifact: judged.build.to_string(),
        toolchain: toolchain.to_string(),
        package: package.judging_digest().to_string(),
        limits: limits(&judged.limits).to_string(),
        policy: judged.policy.to_string(),
        fold: fold.to_string(),
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
    let failing = failing.map(|test| [test.input.0, test.expected.0].concat());
    key!(
        "search",
        [SEARCH_VERSION],
        judged.build.0,
        judged.policy.0,
        limits(&judged.limits).0,
        package.compare_key(),
        reference,
        judgement.verdict.code(),
        failing.unwrap_or_default()
    )
}

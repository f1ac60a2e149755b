//! Whether the accepted examples of a package pass a hack before it joins the tests.
//!
//! Whoever wrote the package promises that these programs are right and quick enough, so a test on
//! which one of them fails would fail students who did nothing wrong either. What came of each
//! example is remembered where facts are kept; once all of them have passed, that stands for as long
//! as the answer does: a hack that has joined is not taken back because an example was added later.
//!
//! Where accepted means some of the points, an example is believed once it has got all of them on
//! the package's own tests.

use std::sync::Arc;

use super::case::{parts, time_factor};
use super::grade::{Grader, Judged, judge};
use super::keys::policy_of;
use crate::domain::{
    Cause, Complaint, Digest, Fault, Groups, ProblemSlug, SourceFile, TestKind, Verdict,
};
use crate::package::{Example, Package, Test, Trouble, accepted_examples};
use crate::toolchain::Language;
use crate::util::crash::point;
use crate::util::excerpt::visible_line;
use crate::util::hash::{Key, digest};

/// Under what it is remembered that every accepted example has passed an input: a line with the
/// digest of its answer, and one for each example that could not be tried. Without the first it
/// stands for any answer: earlier versions did not keep it, and an upgrade does not know it.
pub fn passed_key(problem: &ProblemSlug, input: &Digest) -> Digest {
    Key::new("passed by all examples")
        .part(problem.as_str().as_bytes())
        .part(&input.0)
        .finish()
}

/// Runs every accepted example on a test, the first that fails ends it.
/// An example in a language that is not here, or that cannot be built, says nothing about the test;
/// those of the first kind are what is returned, each with the reason.
pub(super) fn vouch(
    grader: &mut Grader<'_>,
    package: &Package,
    test: &Test,
) -> Result<Vec<String>, Trouble> {
    let passed = passed_key(&package.slug, &test.name.input);
    let answer = test.name.expected.to_string();
    if let Some(kept) = grader.archive.answer(&passed)? {
        let kept = String::from_utf8_lossy(&kept);
        let (first, untried) = kept.split_once('\n').unwrap_or((&kept, ""));
        let untried = match Digest::parse(first) {
            Some(_) => (first == answer).then_some(untried),
            None => Some(&*kept),
        };
        if let Some(untried) = untried {
            return Ok(untried.lines().map(str::to_owned).collect());
        }
    }
    let examples = accepted_examples(&package.examples, &package.constants)?;
    let mut test = test.clone();
    test.name.group = None;
    let alone = Package {
        tests: vec![test],
        groups: Groups::default(),
        hacks: Vec::new(),
        ..package.clone()
    };
    let mut untried = Vec::new();
    for example in &examples {
        let Some(language) = grader
            .toolchain
            .language_of_program(&example.file_name, &example.source)
        else {
            continue;
        };
        match grader.toolchain.identify(language.id()) {
            Err(unresolved) => {
                let (path, name) = (&example.path, language.name());
                let line = format!("{path}: {name} cannot be used on this machine: {unresolved}");
                untried.push(visible_line(&line));
            }
            Ok(version) => {
                let language = (language, &*version);
                if let Some(how) = failure(grader, &alone, example, language)?
                    && failure_on_own(grader, package, example, language)?.is_none()
                {
                    let path = &example.path;
                    let reason = format!("{path}, which has to be accepted, fails on it: {how}");
                    return Err(Complaint::new(path, reason).into());
                }
            }
        }
    }
    let kept = [&[answer], &untried[..]].concat().join("\n");
    grader.keep_answer(passed, &Arc::from(kept.as_bytes()))?;
    Ok(untried)
}

/// Whether an example is right on the package's own tests, where that it is accepted does not say so.
pub(super) fn prove(
    grader: &mut Grader<'_>,
    package: &Package,
    example: &Example,
) -> Result<(), Trouble> {
    let (toolchain, path) = (grader.toolchain, &example.path);
    let language = toolchain.language_of_program(&example.file_name, &example.source);
    let version = language.map(|language| (language, toolchain.identify(language.id())));
    let Some((language, Ok(version))) = version else {
        return Ok(());
    };
    match failure_on_own(grader, package, example, (language, &version))? {
        None => Ok(()),
        Some(how) => Err(Complaint::new(
            path,
            format!("{path} does not get all points on the tests of the package: {how}"),
        )
        .into()),
    }
}

/// How an example that may have only some of the points fails on the package's own tests.
fn failure_on_own(
    grader: &mut Grader<'_>,
    package: &Package,
    example: &Example,
    language: (&Language, &str),
) -> Result<Option<String>, Fault> {
    if !package.accepts_in_part() {
        return Ok(None);
    }
    let own = (package.tests.iter()).filter(|test| test.name.kind != TestKind::Hack);
    let own = Package {
        tests: own.cloned().collect(),
        hacks: Vec::new(),
        ..package.clone()
    };
    failure(grader, &own, example, language)
}

/// How an example fails on a package; none where it passes.
fn failure(
    grader: &mut Grader<'_>,
    package: &Package,
    example: &Example,
    (language, version): (&Language, &str),
) -> Result<Option<String>, Fault> {
    let toolchain = grader.toolchain;
    let source = SourceFile {
        name: example.file_name.clone(),
        digest: digest(&example.source),
        bytes: Arc::clone(&example.source),
    };
    let build = toolchain.build_key(language, version, &parts(&source, language, package)?);
    let mut question = Key::new("example on tests")
        .part(&build.0)
        .part(&package.judging_digest().0)
        .part(&policy_of(package, language, grader.rules.policy).0);
    if let Some(percent) = time_factor(package, language).percent() {
        question = question.part(&percent.to_le_bytes());
    }
    let question = question.finish();
    if let Some(reason) = grader.archive.answer(&question)? {
        let reason = String::from_utf8_lossy(&reason).into_owned();
        return Ok((!reason.is_empty()).then_some(reason));
    }
    let judged = judge(grader, &source, language, version, package)?;
    let reason = match judged.judgement.verdict {
        Verdict::CompileError => return Ok(None),
        Verdict::Accepted if package.groups.is_empty() || judged.judgement.score.is_full() => {
            String::new()
        }
        _ => words(&judged),
    };
    grader.keep_answer(question, &Arc::from(reason.as_bytes()))?;
    point("example answered");
    Ok((!reason.is_empty()).then_some(reason))
}

fn words(judged: &Judged) -> String {
    let judgement = &judged.judgement;
    let failing = judgement.failing();
    let difference = failing.and_then(|test| test.said.difference.as_ref());
    let how = match (&judgement.cause, failing, difference) {
        (Some(Cause::Cpu), Some(test), _) => format!(
            "{:.2} s of CPU time, and {:.2} s are allowed",
            test.cpu().as_secs_f64(),
            judged.limits.cpu.as_secs_f64()
        ),
        (.., Some(difference)) => difference.words(),
        (Some(cause), ..) => cause.words(),
        (None, Some(_), _) => judgement.verdict.words().to_owned(),
        (None, None, _) => format!("{} points", judgement.score),
    };
    let place = failing.filter(|_| judgement.tests.len() > 1);
    let place = place.map_or(String::new(), |test| format!(" on {}", test.test.name));
    format!("{}{place}, {how}", judgement.verdict.code())
}

//! Whether the accepted examples of a package pass a hack before it joins the tests.
//!
//! Whoever wrote the package promises that these programs are right and quick enough, so a test on
//! which one of them fails would fail students who did nothing wrong either. What came of each
//! example is remembered where facts are kept; once all of them have passed, that stands for as long
//! as the answer does: a hack that has joined is not taken back because an example was added later.
//!
//! Where accepted means some of the points, an example is believed once it has been right on every
//! test of the package but hacks; that it was stands for as long as it and the tests do, whatever
//! becomes of the limits.

use std::fmt::Display;
use std::sync::Arc;

use super::case::{parts, time_factor};
use super::grade::{Grader, Judged, judge};
use super::keys::policy_of;
use super::timing::is_doubtful;
use crate::domain::{
    Cause, Complaint, Digest, Fault, FaultKind, Groups, ProblemSlug, SourceFile, TestKind, Verdict,
};
use crate::package::{Example, Package, Test, Trouble, accepted_examples};
use crate::toolchain::{Language, Unresolved};
use crate::util::crash::point;
use crate::util::excerpt::visible_line;
use crate::util::hash::{Key, digest};

/// How often an example is tried while something of ours fails.
const TRIES_MAX: u32 = 3;

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
                let asked = Asked::new(grader, package, example, (language, &version))?;
                let Err(Some(how)) = passes(grader, &alone, &asked)? else {
                    continue;
                };
                match prove(grader, package, example) {
                    Err(Trouble::Theirs(_)) => {}
                    Err(ours) => return Err(ours),
                    Ok(()) => {
                        let path = &example.path;
                        let words = "which has to be accepted, fails on it";
                        let reason = format!("{path}, {words}: {how}");
                        return Err(Complaint::new(path, reason).into());
                    }
                }
            }
        }
    }
    let kept = [&[answer], &untried[..]].concat().join("\n");
    grader.keep_answer(passed, &Arc::from(kept.as_bytes()))?;
    Ok(untried)
}

/// Whether an example is right on every test of the package but hacks, where that it is accepted
/// does not say so. What fails on our side for good, as a checker does that cannot read what the
/// example prints, is its failure: it is not believed.
pub(super) fn prove(
    grader: &mut Grader<'_>,
    package: &Package,
    example: &Example,
) -> Result<(), Trouble> {
    if !package.accepts_in_part() {
        return Ok(());
    }
    let (toolchain, path) = (grader.toolchain, &example.path);
    let complaint = |how: &dyn Display| Complaint::new(path, format!("{path}: {how}"));
    let language = toolchain.language_of_program(&example.file_name, &example.source);
    let language = language.ok_or_else(|| complaint(&"no language has its extension"))?;
    let version = match toolchain.identify(language.id()) {
        Ok(version) => version,
        Err(Unresolved::Fault(fault)) => return Err(fault.into()),
        Err(missing) => return Err(complaint(&missing).into()),
    };
    let asked = Asked::new(grader, package, example, (language, &version))?;
    let own = without_hacks(package);
    let mut right = (Key::new("right example").part(&asked.build.0))
        .part(&policy_of(package, language, grader.rules.policy).0)
        .part(own.compare_key().as_bytes());
    for text in own.groups.key_texts() {
        right = right.part(text.as_bytes());
    }
    for test in &own.tests {
        right = (right.part(&test.name.input.0)).part(&test.name.expected.0);
        let told = test.name.told.iter().flatten();
        right = told.fold(right, |key, argument| key.part(argument.as_bytes()));
    }
    let right = right.finish();
    if grader.archive.answer(&right)?.is_some() {
        return Ok(());
    }
    let stop = std::mem::replace(&mut grader.rules.stop_at_first_failure, true);
    let mut tries = 1..TRIES_MAX;
    let said = loop {
        match passes(grader, &own, &asked) {
            Err(fault) if fault.kind == FaultKind::Retry && tries.next().is_some() => {}
            said => break said,
        }
    };
    grader.rules.stop_at_first_failure = stop;
    match said {
        Ok(Ok(())) => Ok(grader.keep_answer(right, &Arc::from([]))?),
        Ok(Err(how)) => Err(complaint(&how.unwrap_or("it cannot be built".to_owned())).into()),
        Err(fault) if fault.kind == FaultKind::Retry => Err(complaint(&fault).into()),
        Err(fault) => Err(fault.into()),
    }
}

/// A package of the same tests but hacks, which all have to be passed; the groups are those by which
/// a checker gives points.
fn without_hacks(package: &Package) -> Package {
    let gives = package.checker.as_ref().and_then(|checker| checker.gives);
    let tests = package.tests.iter();
    let mut own: Vec<Test> = (tests.filter(|test| test.name.kind != TestKind::Hack))
        .cloned()
        .collect();
    let mut groups = package.groups.clone();
    if gives.is_none() {
        groups = Groups::default();
        for test in &mut own {
            test.name.group = None;
        }
    }
    Package {
        tests: own,
        groups,
        hacks: Vec::new(),
        ..package.clone()
    }
}

/// An example, and what it is built with.
struct Asked<'e> {
    language: &'e Language,
    version: &'e str,
    source: SourceFile,
    build: Digest,
}

impl<'e> Asked<'e> {
    fn new(
        grader: &Grader<'_>,
        package: &Package,
        example: &'e Example,
        (language, version): (&'e Language, &'e str),
    ) -> Result<Self, Fault> {
        let source = SourceFile {
            name: example.file_name.clone(),
            digest: digest(&example.source),
            bytes: Arc::clone(&example.source),
        };
        let parts = parts(&source, language, package)?;
        Ok(Self {
            build: grader.toolchain.build_key(language, version, &parts),
            language,
            version,
            source,
        })
    }
}

/// Whether an example passes the tests of a package, or how it fails; with no words if it cannot be
/// built.
fn passes(
    grader: &mut Grader<'_>,
    package: &Package,
    asked: &Asked<'_>,
) -> Result<Result<(), Option<String>>, Fault> {
    let said = |how: String| {
        if how.is_empty() {
            Ok(())
        } else {
            Err(Some(how))
        }
    };
    let language = asked.language;
    let mut question = Key::new("example on tests")
        .part(&asked.build.0)
        .part(&package.judging_digest().0)
        .part(&policy_of(package, language, grader.rules.policy).0);
    if let Some(percent) = time_factor(package, language).percent() {
        question = question.part(&percent.to_le_bytes());
    }
    let question = question.finish();
    if let Some(reason) = grader.archive.answer(&question)? {
        return Ok(said(String::from_utf8_lossy(&reason).into_owned()));
    }
    let judged = judge(grader, &asked.source, language, asked.version, package)?;
    let judgement = &judged.judgement;
    let reason = match judgement.verdict {
        Verdict::CompileError => return Ok(Err(None)),
        Verdict::Accepted if package.groups.is_empty() || judgement.score.is_full() => {
            String::new()
        }
        _ => words(&judged),
    };
    let run = judgement.failing().and_then(|test| test.run.as_ref());
    // What a busy machine may have caused is found out again next time.
    if judgement.verdict != Verdict::TimeLimit || !run.is_some_and(|run| is_doubtful(run)) {
        grader.keep_answer(question, &Arc::from(reason.as_bytes()))?;
    }
    point("example answered");
    Ok(said(reason))
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

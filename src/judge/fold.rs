//! Facts to a judgement. Pure.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::case::{Case, Facts};
use super::settle::Standing;
use super::timing::is_doubtful;
use crate::domain::{
    Compared, Fault, GroupResult, Judgement, RunFacts, TestKind, TestRef, TestResult, Verdict,
    is_header,
};

/// A shorter line of a driver is nobody's secret.
const HIDDEN_BYTES_MIN: usize = 4;

/// The judgement of everything that is known. A test that does not stand yet was not run.
pub fn fold(case: &Case<'_>, known: &Facts) -> Judgement {
    let (package, build) = (case.package, known.build(&case.program.key));
    let compiler_words = build.map_or(Vec::new(), |build| words(case, &build.words));
    if let Some(cause) = build.and_then(|build| build.result.as_ref().err()) {
        let tests = package.tests.iter();
        let none = tests.map(|test| (test.name.group, Verdict::Skipped, None));
        let groups = package.groups.results(none);
        return Judgement {
            verdict: Verdict::CompileError,
            cause: Some(cause.clone()),
            score: package.groups.score(Verdict::CompileError, &groups),
            groups,
            compiler_words,
            first_failing: None,
            tests: Vec::new(),
        };
    }
    let tests = package.tests.iter().map(|test| {
        let facts = known.run_on(case, &test.name);
        match (known.standing(case, &test.name), facts) {
            (Standing::Settled(said), Some(facts)) => result_of(&test.name, said, facts),
            _ => TestResult::skipped(&test.name),
        }
    });
    let tests: Vec<TestResult> = tests.collect();
    let is_failing =
        |test: &TestResult| !matches!(test.said.verdict, Verdict::Accepted | Verdict::Skipped);
    let first_failing = tests.iter().position(is_failing);
    let failing = first_failing.map(|index| &tests[index].said);
    let verdict = failing.map_or(Verdict::Accepted, |said| said.verdict);
    let results = tests.iter();
    let results =
        results.map(|TestResult { test, said, .. }| (test.group, said.verdict, said.given));
    let groups = package.groups.results(results);
    Judgement {
        verdict,
        cause: failing.and_then(|said| said.cause.clone()),
        score: package.groups.score(verdict, &groups),
        groups,
        compiler_words,
        first_failing,
        tests,
    }
}

/// The fault: a checker gives points that the groups of its package do not have. That is wrong with
/// the package, and nobody's verdict.
pub(super) fn check_points(case: &Case<'_>, judgement: &Judgement) -> Result<(), Fault> {
    let step = |of: &str| format!("count the points of {} for {of}", case.package.slug);
    for TestResult { test, said, .. } in &judgement.tests {
        let group = test.group.and_then(|place| case.package.groups.get(place));
        // Those for samples count nowhere.
        let group = group.filter(|_| test.kind != TestKind::Sample);
        if let Some(why) = group
            .zip(said.given)
            .and_then(|(group, given)| group.refuses(given))
        {
            return Err(Fault::new(step(&test.name), why));
        }
    }
    let over = |group: &&GroupResult| group.score.got > group.score.of;
    match judgement.groups.iter().find(over) {
        None => Ok(()),
        Some(GroupResult { name, score, .. }) => {
            let words = format!("its tests bring {}, as the checker says", score.words());
            Err(Fault::new(step(&format!("the group {name}")), words))
        }
    }
}

/// What the compiler says, without the lines that it repeats of a driver of the package: students are
/// not to see it.
fn words(case: &Case<'_>, words: &[u8]) -> Vec<u8> {
    let hidden: BTreeSet<Vec<u8>> = case
        .included
        .files
        .iter()
        .filter(|(name, _)| !is_header(name))
        .flat_map(|(_, bytes)| bytes.split(|&byte| byte == b'\n'))
        .map(without_spaces)
        .filter(|line| line.len() >= HIDDEN_BYTES_MIN)
        .collect();
    if hidden.is_empty() {
        return words.to_vec();
    }
    let is_mark = |byte: &u8| byte.is_ascii_whitespace() || b"|^~".contains(byte);
    let mut follows_hidden = false;
    let lines = words.split_inclusive(|&byte| byte == b'\n');
    let kept = lines.filter(|line| {
        // gcc and others write the line's number before it: `   12 |     int x;`.
        let number = line
            .splitn(2, |&byte| byte == b'|')
            .next()
            .unwrap_or_default();
        let is_numbered = number
            .iter()
            .all(|byte| byte.is_ascii_digit() || *byte == b' ');
        let of_source = if is_numbered {
            &line[number.len()..]
        } else {
            line
        };
        let is_hidden = hidden.contains(&without_spaces(of_source));
        // What is marked in it follows.
        let goes = is_hidden || follows_hidden && line.iter().all(is_mark);
        follows_hidden = is_hidden;
        !goes
    });
    kept.flatten().copied().collect()
}

/// A line as it can be compared: compilers write tabs in other ways, and marks before it.
fn without_spaces(line: &[u8]) -> Vec<u8> {
    let mut rest = line.to_vec();
    rest.retain(|byte| !byte.is_ascii_whitespace());
    let marks = rest.iter().take_while(|byte| b"|/".contains(byte)).count();
    rest.split_off(marks)
}

fn result_of(test: &TestRef, mut said: Compared, facts: &Arc<RunFacts>) -> TestResult {
    if said.judge_message.is_none() {
        said.judge_message = doubt(said.verdict, facts);
    }
    TestResult {
        test: test.clone(),
        said,
        run: Some(Arc::clone(facts)),
    }
}

/// What the staff reads about a run that was too slow, and perhaps only for what else the machine
/// did.
fn doubt(verdict: Verdict, facts: &RunFacts) -> Option<String> {
    let is_doubtful = verdict == Verdict::TimeLimit && is_doubtful(facts);
    is_doubtful.then(|| {
        format!(
            "measured on a busy machine, {} times: on a quiet one `verdictd rejudge --force` may say otherwise",
            facts.measurements
        )
    })
}

/// The machines that measured the runs of a judgement; where nothing was run, the one that says so.
pub(super) fn machine_of(judgement: &Judgement, here: &str) -> String {
    let runs = judgement
        .tests
        .iter()
        .filter_map(|result| result.run.as_ref());
    let named: BTreeSet<&str> = runs.map(|facts| &*facts.machine).collect();
    if named.is_empty() {
        return here.to_owned();
    }
    let named: Vec<&str> = named.into_iter().collect();
    named.join("; ")
}

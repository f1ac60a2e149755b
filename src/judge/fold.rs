//! Facts to a judgement. Pure.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::case::{Case, Facts};
use super::settle::Standing;
use super::timing::is_doubtful;
use crate::domain::{Compared, Judgement, RunFacts, TestRef, TestResult, Verdict};

/// The judgement of everything that is known. A test that does not stand yet was not run.
pub fn fold(case: &Case<'_>, known: &Facts) -> Judgement {
    let build = known.build(&case.program.key);
    let (result, compiler_words) = match build {
        Some(build) => (build.result.as_ref().map(|_| ()), build.words.clone()),
        None => (Ok(()), Vec::new()),
    };
    if let Err(cause) = result {
        let tests = case.tests.iter();
        let none = tests.map(|test| (test.name.group, Verdict::Skipped));
        let groups = case.groups.results(none);
        return Judgement {
            verdict: Verdict::CompileError,
            cause: Some(cause.clone()),
            score: case.groups.score(Verdict::CompileError, &groups),
            groups,
            compiler_words,
            first_failing: None,
            tests: Vec::new(),
        };
    }
    let tests: Vec<TestResult> = case
        .tests
        .iter()
        .map(|test| {
            let facts = known.run_on(case, &test.name);
            match (known.standing(case, &test.name), facts) {
                (Standing::Settled(said), Some(facts)) => result_of(&test.name, said, facts),
                _ => TestResult::skipped(&test.name),
            }
        })
        .collect();
    let first_failing = tests
        .iter()
        .position(|result| !matches!(result.said.verdict, Verdict::Accepted | Verdict::Skipped));
    let failing = first_failing.map(|index| &tests[index]);
    let verdict = failing.map_or(Verdict::Accepted, |result| result.said.verdict);
    let results = tests.iter();
    let results = results.map(|result| (result.test.group, result.said.verdict));
    let groups = case.groups.results(results);
    Judgement {
        verdict,
        cause: failing.and_then(|result| result.said.cause.clone()),
        score: case.groups.score(verdict, &groups),
        groups,
        compiler_words,
        first_failing,
        tests,
    }
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

//! What is missing for a judgement. Pure: what is known in, the next order out.
//!
//! There is no special path for rejudging: a new submission, a hack, a changed limit, a crash in
//! the middle each only change what is missing.

use std::collections::HashSet;

use super::case::{Case, Facts};
use super::order::{
    JudgeWork, ORDER_VERSION, Order, OutputCheck, Program, RunSpec, STEPS_MAX, Step, TestStep, Work,
};
use super::settle::Standing;
use crate::domain::{Failures, RunFacts};
use crate::package::Test;

/// The next order for a submission; none where everything that its judgement needs is known.
pub fn plan(case: &Case<'_>, known: &Facts) -> Option<Order> {
    let build = known.build(&case.program.key);
    if build.is_some_and(|build| build.result.is_err()) {
        return None;
    }
    let steps = steps(case, known, STEPS_MAX);
    if steps.is_empty() && build.is_some() {
        return None;
    }
    let runs = build.is_none() || steps.iter().any(|step| matches!(step, Step::Run { .. }));
    Some(Order {
        version: ORDER_VERSION,
        problem: case.package.slug.clone(),
        sandbox: case.rules.policy,
        build: case.rules.build.clone(),
        work: Work::Judge(JudgeWork {
            program: runs.then(|| with_files(&case.program, known)),
            spec: spec(case, known),
            steps,
            total_tests: case.package.tests.len(),
            stop_at_first_failure: case.rules.stop_at_first_failure,
            groups: case.package.groups.clone(),
            repeat_near_limit: case.rules.repeat_near_limit,
        }),
    })
}

/// What a judgement took, or takes at most: then a test that fails may end it earlier, and what is
/// measured again near a limit comes on top.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cost {
    /// Programs that are built.
    pub builds: usize,
    /// Runs on tests.
    pub runs: usize,
    /// Outputs that a checker is asked about.
    pub checks: usize,
}

/// What is missing for a judgement, all of it, counted. Pure.
pub fn cost(case: &Case<'_>, known: &Facts) -> Cost {
    let build = known.build(&case.program.key);
    if build.is_some_and(|build| build.result.is_err()) {
        return Cost::default();
    }
    let steps = steps(case, known, usize::MAX);
    let is_run = |step: &&Step| matches!(step, Step::Run { .. });
    Cost {
        builds: usize::from(build.is_none()),
        runs: steps.iter().filter(is_run).count(),
        checks: if case.spec.check.is_checker() {
            steps.len()
        } else {
            0
        },
    }
}

fn steps(case: &Case<'_>, known: &Facts, most: usize) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut failures = Failures::new(&case.package.groups, case.rules.stop_at_first_failure);
    let mut tests = HashSet::new();
    for (index, test) in case.package.tests.iter().enumerate() {
        let group = test.name.group;
        if failures.stop(group) {
            continue;
        }
        match known.standing(case, &test.name) {
            Standing::Settled(said) => failures.note(group, said.verdict),
            standing => {
                let step = step(case, known, index, test, standing);
                // A run is a run of its input: a test with the input and the answer of another one is
                // not run beside it, and is settled by what comes of that.
                let same = (test.name.input, test.name.expected);
                if matches!(step, Step::Run { .. }) && !tests.insert(same) {
                    continue;
                }
                steps.push(step);
            }
        }
        if steps.len() == most {
            break;
        }
    }
    steps
}

fn step(case: &Case<'_>, known: &Facts, index: usize, test: &Test, standing: Standing) -> Step {
    let facts = known.run_on(case, &test.name);
    let test = TestStep {
        index,
        name: test.name.name.clone(),
        group: test.name.group,
        input: test.name.input,
        expected: test.name.expected,
        told: test.name.told.clone(),
    };
    match (standing, facts) {
        (Standing::NearLimit, Some(facts)) => Step::Run {
            test,
            before: Some(Box::new(RunFacts::clone(facts))),
        },
        // Of a longer output only the beginning was kept: another run has to show it.
        (Standing::NotCompared, Some(facts))
            if facts.output.is_whole() && !known.is_lost(&facts.output.digest) =>
        {
            Step::Ask {
                test,
                output: facts.output.digest,
            }
        }
        _ => Step::Run { test, before: None },
    }
}

/// A program with its files where they are known.
fn with_files(program: &Program, known: &Facts) -> Program {
    let build = known.build(&program.key);
    Program {
        built: build.and_then(|build| build.result.clone().ok()),
        ..program.clone()
    }
}

fn spec(case: &Case<'_>, known: &Facts) -> RunSpec {
    let mut spec = case.spec.clone();
    if let OutputCheck::Checker(helper) | OutputCheck::Talk(helper, _) = &mut spec.check {
        helper.program = with_files(&helper.program, known);
        if let Some(judge) = &mut helper.judge {
            judge.program = with_files(&judge.program, known);
        }
    }
    spec
}

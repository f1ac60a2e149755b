//! Everything that is found out about a program that fails.

use std::sync::Arc;

use super::causes::carried_over;
use super::measured::Measured;
use super::reruns::{Failure, Reasons, is_carried_over, reasons};
use super::search::{Budget, Found, Inputs, Progress, Smallest, Trial, minimize};
use crate::domain::{Counterexample, Explanation, Fault, Strategy};
use crate::judge::Judged;
use crate::package::Oracle;
use crate::problems::Task;
use crate::util::archive::shown;
use crate::util::clock::as_ms;
use crate::util::excerpt::spelled;

/// Why a program fails.
pub struct Findings {
    pub explanation: Explanation,
    /// Where other work came in between: what the next search may begin with.
    pub progress: Progress,
}

/// Finds out why a program fails as it was judged; `None` where it passes, or where it was not
/// built. `from` is what an earlier search came to, and `oracle` asks the programs of a package.
pub fn explain(
    program: &mut Measured<'_>,
    judged: &Judged,
    budget: Budget,
    from: Option<Progress>,
    oracle: &mut dyn Oracle,
) -> Result<Option<Findings>, Fault> {
    let package = program.about.package;
    // Nobody can tell what it would have been told on another input.
    if package.knows_only_its_tests() {
        return Ok(None);
    }
    let Some(failing) = judged.judgement.failing() else {
        return Ok(None);
    };
    let mut tests = package.tests.iter();
    let Some(test) = tests.find(|test| test.name.name == failing.test.name) else {
        return Ok(None);
    };
    let printed = judged.printed.clone().unwrap_or_default();
    let seed = Found {
        input: test.input.read()?,
        expected: test.expected.read()?,
        verdict: judged.judgement.verdict,
        printed: Arc::clone(&printed),
        strategy: Strategy::Test,
    };
    let inputs = Inputs { package, oracle };
    let found = minimize(&mut Trial::new(budget, inputs, program), &seed, from)?;
    let failure = Failure {
        package,
        limits: &judged.limits,
        test,
        result: failing,
        printed: &printed,
        source: &shown(program.about.source),
    };
    let Reasons { mut causes, growth } = reasons(&failure, program)?;
    let mut counterexample = counterexample(&found, package.task());
    if let Some(task) = package.task()
        && is_carried_over(&found.found, task, program)?
    {
        counterexample.is_carried_over = true;
        causes.push(carried_over(found.cases - 1));
    }
    let explanation = Explanation {
        counterexample: Some(counterexample),
        fails_alone: found.progress.fails_alone,
        causes,
        growth,
        runs: program.runs as u64,
        cpu_ms: as_ms(program.spent),
        is_shown: None,
    };
    Ok(Some(Findings {
        explanation,
        progress: found.progress,
    }))
}

/// What was found, as it is kept and shown.
pub fn counterexample(smallest: &Smallest, task: Option<&dyn Task>) -> Counterexample {
    let Found {
        input,
        expected,
        printed,
        strategy,
        ..
    } = &smallest.found;
    let witness = task.and_then(|task| task.witness(input).ok().flatten());
    Counterexample {
        input: spelled(input),
        expected: spelled(expected),
        printed: spelled(printed),
        cut: None,
        cells: smallest.cells.map(|cells| cells as u64),
        cases: smallest.cases as u64,
        is_carried_over: false,
        found_by: strategy.clone(),
        witness,
        task: None,
    }
}

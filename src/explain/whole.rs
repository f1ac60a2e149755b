//! Everything that is found out about a program that fails.

use std::sync::Arc;

use super::again::{Failure, Reasons, is_carried_over, reasons};
use super::causes::carried_over;
use super::confirmed::confirmed;
use super::measured::Measured;
use super::search::{
    BuiltIn, Failed, Found, Inputs, Progress, Smallest, Way, simpler_texts, smallest,
};
use crate::domain::{Counterexample, Explanation, Fault};
use crate::judge::Judged;
use crate::package::{Oracle, Package, PackageProgram, Reference, Trouble, Validator};
use crate::problems::Task;
use crate::util::clock::as_ms;
use crate::util::excerpt::spelled;

/// Why a program fails.
pub struct Why {
    pub explanation: Explanation,
    /// Where other work came in between: what the next search may begin with.
    pub progress: Progress,
}

/// Finds out why a program fails as it was judged; `None` where it passes, or where it was not
/// built. `from` is what an earlier search came to, and `oracle` asks the programs of a package.
pub fn explain(
    program: &mut Measured<'_>,
    judged: &Judged,
    from: Option<Progress>,
    oracle: &mut dyn Oracle,
) -> Result<Option<Why>, Fault> {
    let package = program.about.package;
    let Some(failing) = judged.judgement.failing() else {
        return Ok(None);
    };
    let mut tests = package.tests.iter();
    let Some(test) = tests.find(|test| test.name.name == failing.test.name) else {
        return Ok(None);
    };
    let printed = judged.printed.clone().unwrap_or_default();
    let failed = Failed {
        verdict: judged.judgement.verdict,
        input: &test.input,
        expected: &test.expected,
        printed: &printed,
        mode: &package.mode,
    };
    let mut inputs = inputs(package, oracle);
    let budget = program.budget;
    let found = smallest(&failed, from, inputs.as_mut(), program, budget)?;
    let found = confirmed(found, failed.found(), failed.verdict, program)?;
    let failure = Failure {
        package,
        limits: &judged.limits,
        test,
        result: failing,
        printed: &printed,
        source: &program.about.source.bytes,
    };
    let Reasons { mut causes, growth } = reasons(&failure, program)?;
    let mut counterexample = counterexample(&found, package.task());
    if let Some(task) = package.task()
        && is_carried_over(&found.found, failed.verdict, task, program)?
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
    Ok(Some(Why {
        explanation,
        progress: found.progress,
    }))
}

/// The inputs of a package: what says which are valid, and what is right for them.
pub fn inputs<'p>(package: &'p Package, oracle: &'p mut dyn Oracle) -> Box<dyn Inputs + 'p> {
    if let Some(task) = package.task() {
        return Box::new(BuiltIn(task));
    }
    match (&package.validator, &package.reference) {
        (Some(validator), Reference::Program(reference)) => Box::new(ByPrograms {
            oracle,
            package,
            validator,
            reference,
        }),
        _ => Box::new(Unknown),
    }
}

/// Whether other inputs than the tests of a package can be tried.
pub fn can_search(package: &Package) -> bool {
    let has_programs =
        package.validator.is_some() && matches!(package.reference, Reference::Program(_));
    package.task().is_some() || has_programs
}

/// The inputs of a package with a validator and a reference of its own.
struct ByPrograms<'p> {
    oracle: &'p mut dyn Oracle,
    package: &'p Package,
    validator: &'p Validator,
    reference: &'p PackageProgram,
}

impl Inputs for ByPrograms<'_> {
    fn expected(&mut self, input: &Arc<[u8]>) -> Result<Option<Arc<[u8]>>, Fault> {
        let valid = self.oracle.validate(self.validator, input);
        let answer = valid.and_then(|()| self.oracle.answer(self.package, self.reference, input));
        match answer {
            Ok(answer) => Ok(Some(answer)),
            Err(Trouble::Theirs(_)) => Ok(None),
            Err(Trouble::Ours(fault)) => Err(fault),
        }
    }

    fn simpler(&self, input: &[u8]) -> Vec<Vec<u8>> {
        simpler_texts(input)
    }
}

/// Inputs of which nobody says whether they are valid, or what is right for them.
struct Unknown;

impl Inputs for Unknown {
    fn expected(&mut self, _: &Arc<[u8]>) -> Result<Option<Arc<[u8]>>, Fault> {
        Ok(None)
    }

    fn simpler(&self, _: &[u8]) -> Vec<Vec<u8>> {
        Vec::new()
    }
}

/// What was found, as it is kept and shown.
pub fn counterexample(smallest: &Smallest, task: Option<&dyn Task>) -> Counterexample {
    let Found {
        input,
        expected,
        printed,
        way,
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
        found_by: found_by(*way),
        witness,
        task: None,
    }
}

fn found_by(way: Way) -> String {
    match way {
        Way::Test => "test".to_owned(),
        Way::Cut => "cut".to_owned(),
        Way::Prefix => "prefix".to_owned(),
        Way::Enumeration => "enumeration".to_owned(),
        Way::Shrink => "shrink".to_owned(),
        Way::Family(name) => format!("family {name}"),
    }
}

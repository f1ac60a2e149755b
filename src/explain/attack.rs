//! Inputs that may break a program that passes all tests: those that broke others, small ones,
//! generated ones, and tests that were changed.

use std::sync::Arc;
use std::time::Duration;

use super::findings::counterexample;
use super::search::{Ask, Budget, Found, Inputs, Trial, minimize};
use crate::domain::{Counterexample, Fault, Strategy, Verdict};
use crate::package::Test;
use crate::problems::Task;
use crate::store::COUNTEREXAMPLE_BYTES_MAX;

/// Counterexamples of other programs that are tried, the latest ones.
pub const OTHERS_MAX: u32 = 100;
/// Percent of the budget after which small inputs are no longer listed.
const SMALL_SHARE: u32 = 25;
/// Small inputs that are joined to one.
const JOINED_MAX: usize = 100;
/// Time that the search itself may take, in budgets: making inputs and answering them.
const OWN_TIMES: u32 = 2;
/// Bytes of a test that is changed: to list what is simpler than a long one takes too long.
const CHANGED_BYTES_MAX: usize = 4 * 1024;
/// Bytes of an input that is tried.
const INPUT_BYTES_MAX: usize = COUNTEREXAMPLE_BYTES_MAX;
/// Rounds of generated and changed inputs.
const ROUNDS_MAX: u64 = 1_000;

/// What is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// What broke others, and everything that the problem has.
    Everything,
    /// Nothing but what broke others: everything else was tried before.
    Others,
}

/// What came of it.
#[derive(Debug, Default)]
pub struct Attacked {
    /// Inputs that the program was tried on; several that were joined to one count as so many.
    pub inputs: usize,
    /// How many of the others' inputs are done with, the first ones.
    pub others: usize,
    pub broken: Option<Broken>,
}

/// An input on which the program fails, twice, as small as it was found.
#[derive(Debug)]
pub struct Broken {
    pub input: Arc<[u8]>,
    pub verdict: Verdict,
    pub evidence: Counterexample,
}

/// Tries to break a program: first on inputs that broke `others`, then on the problem's own. What was
/// found is made smaller with as much time again.
pub fn attack<'t>(
    program: &'t mut dyn Ask,
    inputs: Inputs<'t>,
    budget: Budget,
    others: impl IntoIterator<Item = Vec<u8>>,
    scope: Scope,
) -> Result<Attacked, Fault> {
    let package = inputs.package;
    if package.knows_only_its_tests() {
        return Ok(Attacked::default());
    }
    let looking = Budget {
        own: budget.cpu * OWN_TIMES,
        wall: Duration::MAX,
        ..budget
    };
    let mut attack = Attack {
        trial: Trial::new(looking, inputs, program),
        done: Attacked::default(),
    };
    if let Some(hit) = attack.first_hit(others, scope)? {
        attack.trial.renew(budget);
        let smallest = minimize(&mut attack.trial, &hit, None)?;
        let mut evidence = counterexample(&smallest, package.task());
        if matches!(smallest.found.strategy, Strategy::Cut | Strategy::Prefix) {
            evidence.found_by = hit.strategy;
        }
        attack.done.broken = Some(Broken {
            input: smallest.found.input,
            verdict: hit.verdict,
            evidence,
        });
    }
    Ok(attack.done)
}

/// A program that is attacked, and the inputs of its problem.
struct Attack<'t> {
    trial: Trial<'t>,
    done: Attacked,
}

impl Attack<'_> {
    /// The first input that breaks the program, twice.
    fn first_hit(
        &mut self,
        others: impl IntoIterator<Item = Vec<u8>>,
        scope: Scope,
    ) -> Result<Option<Found>, Fault> {
        for input in others {
            if self.trial.is_over(100) {
                return Ok(None);
            }
            self.done.others += 1;
            if let Some(hit) = self.hit(input, 1, &Strategy::Other)? {
                return Ok(Some(hit));
            }
        }
        if scope == Scope::Others {
            return Ok(None);
        }
        let task = self.trial.inputs.task();
        if let Some(task) = task
            && let Some(hit) = self.small(task)?
        {
            return Ok(Some(hit));
        }
        for seed in 0..ROUNDS_MAX {
            let families = task.map_or(&[][..], Task::families);
            for family in families {
                if self.trial.is_over(100) {
                    return Ok(None);
                }
                let made = task.and_then(|task| task.generate(family.name, seed));
                let strategy = Strategy::Family(family.name.into());
                if let Some(hit) = self.hit(made.unwrap_or_default(), 1, &strategy)? {
                    return Ok(Some(hit));
                }
            }
            if self.trial.is_over(100) {
                return Ok(None);
            }
            let changed = self.changed(seed).unwrap_or_default();
            if let Some(hit) = self.hit(changed, 1, &Strategy::Changed)? {
                return Ok(Some(hit));
            }
        }
        Ok(None)
    }

    /// The small inputs of the problem, many joined to one where the problem can join them.
    fn small(&mut self, task: &'static dyn Task) -> Result<Option<Found>, Fault> {
        let mut cells = 1;
        while let Some(small) = task.small(cells) {
            let mut inputs = small.chain(task.also_small(cells));
            loop {
                let batch: Vec<Vec<u8>> = inputs.by_ref().take(JOINED_MAX).collect();
                if batch.is_empty() {
                    break;
                }
                let count = batch.len();
                let joined = task.joined(&batch).ok().flatten();
                let (tried, each) = joined.map_or((batch, 1), |joined| (vec![joined], count));
                for input in tried {
                    if self.trial.is_over(SMALL_SHARE) {
                        return Ok(None);
                    }
                    if let Some(hit) = self.hit(input, each, &Strategy::Enumeration)? {
                        return Ok(Some(hit));
                    }
                }
            }
            cells += 1;
        }
        Ok(None)
    }

    /// A test, changed in one step: one of its simpler forms, another one for each seed.
    fn changed(&self, seed: u64) -> Option<Vec<u8>> {
        let place = |count: usize, seed: u64| usize::try_from(seed % count.max(1) as u64).ok();
        let tests = &self.trial.inputs.package.tests;
        let short = |test: &&Test| test.input.len_bytes() <= CHANGED_BYTES_MAX;
        let short: Vec<&Test> = tests.iter().filter(short).collect();
        let test = short.get(place(short.len(), seed)?)?;
        let mut simpler = self.trial.inputs.simpler(&test.input.read().ok()?);
        let at = place(simpler.len(), seed / short.len().max(1) as u64)?;
        (at < simpler.len()).then(|| simpler.swap_remove(at))
    }

    /// Runs the program on an input that stands for so many, and again if it fails: a hit is
    /// believed if both runs fail.
    fn hit(
        &mut self,
        input: Vec<u8>,
        inputs: usize,
        strategy: &Strategy,
    ) -> Result<Option<Found>, Fault> {
        if input.is_empty() || input.len() > INPUT_BYTES_MAX {
            return Ok(None);
        }
        let Some(ran) = self.trial.run(input, strategy)? else {
            return Ok(None);
        };
        self.done.inputs += inputs;
        if ran.verdict == Verdict::Accepted {
            return Ok(None);
        }
        self.trial.again(&ran)
    }
}

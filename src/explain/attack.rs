//! Inputs that may break a program that passes all tests: those that broke others, small ones,
//! generated ones, and tests that were changed.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::confirmed::confirmed;
use super::measured::Measured;
use super::search::{Ask as _, Failed, Inputs, Smallest, Way, smallest};
use super::whole::{counterexample, inputs};
use crate::domain::{Counterexample, Fault, FaultKind, Verdict};
use crate::package::{Oracle, Test};
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

/// Tries to break a program: first on inputs that broke `others`, then on its own. `oracle` asks the
/// programs of a package. What was found is made smaller with as much time again.
pub fn attack(
    program: &mut Measured<'_>,
    others: Vec<String>,
    scope: Scope,
    oracle: &mut dyn Oracle,
) -> Result<Attacked, Fault> {
    let package = program.about.package;
    let mut inputs = inputs(package, oracle);
    let program_asked = program.asked;
    let mut attack = Attack {
        program,
        inputs: inputs.as_mut(),
        tests: &package.tests,
        tried: 0,
        others_tried: 0,
        started: Instant::now(),
        asked: program_asked,
    };
    let hit = attack.first_hit(others, scope)?;
    let broken = match hit {
        None => None,
        Some(hit) => {
            let smallest = attack.smaller(&hit)?;
            let mut evidence = counterexample(&smallest, package.task());
            if matches!(smallest.found.way, Way::Test | Way::Cut | Way::Prefix) {
                evidence.found_by = hit.origin;
            }
            Some(Broken {
                input: smallest.found.input,
                verdict: hit.verdict,
                evidence,
            })
        }
    };
    Ok(Attacked {
        inputs: attack.tried,
        others: attack.others_tried,
        broken,
    })
}

/// An input on which the program fails, and where it comes from.
struct Hit {
    input: Arc<[u8]>,
    expected: Arc<[u8]>,
    printed: Arc<[u8]>,
    verdict: Verdict,
    origin: String,
}

/// A program that is attacked, and the inputs of its problem.
struct Attack<'a, 'p> {
    program: &'a mut Measured<'p>,
    inputs: &'a mut dyn Inputs,
    tests: &'a [Test],
    tried: usize,
    others_tried: usize,
    started: Instant,
    /// How long the program was asked before that.
    asked: Duration,
}

impl Attack<'_, '_> {
    /// Whether its time is used up, or nobody waits for more.
    fn is_over(&self) -> bool {
        self.program.is_used_up() || self.is_used(100)
    }

    /// Whether this share, in percent, of something that it may use is used.
    fn is_used(&self, share: u32) -> bool {
        let program = &*self.program;
        let own = self.started.elapsed();
        let own = own.saturating_sub(program.asked.saturating_sub(self.asked));
        let budget = &program.budget;
        program.is_stopped
            || program.spent * 100 >= budget.cpu * share
            || program.runs * 100 >= budget.runs * share as usize
            || own * 100 >= budget.cpu * OWN_TIMES * share
    }

    /// The first input that breaks the program, twice.
    fn first_hit(&mut self, others: Vec<String>, scope: Scope) -> Result<Option<Hit>, Fault> {
        for input in others {
            if self.is_over() {
                return Ok(None);
            }
            self.others_tried += 1;
            let by = || "a counterexample of another program".to_owned();
            if let Some(hit) = self.tried(input.into_bytes(), by)? {
                return Ok(Some(hit));
            }
        }
        if scope == Scope::Others {
            return Ok(None);
        }
        if let Some(task) = self.inputs.task()
            && let Some(hit) = self.small(task)?
        {
            return Ok(Some(hit));
        }
        for seed in 0..ROUNDS_MAX {
            let families = self.inputs.task().map_or(&[][..], Task::families);
            for family in families {
                if self.is_over() {
                    return Ok(None);
                }
                let task = self.inputs.task();
                let made = task.and_then(|task| task.generate(family.name, seed));
                let by = || format!("family {}", family.name);
                if let Some(hit) = self.tried(made.unwrap_or_default(), by)? {
                    return Ok(Some(hit));
                }
            }
            if self.is_over() {
                return Ok(None);
            }
            let changed = self.changed(seed).unwrap_or_default();
            if let Some(hit) = self.tried(changed, || "a test that was changed".to_owned())? {
                return Ok(Some(hit));
            }
        }
        Ok(None)
    }

    /// The small inputs of the problem, many joined to one where the problem can join them.
    fn small(&mut self, task: &'static dyn Task) -> Result<Option<Hit>, Fault> {
        let by = || "enumeration".to_owned();
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
                    if self.is_used(SMALL_SHARE) {
                        return Ok(None);
                    }
                    if let Some(hit) = self.tried_as(input, each, by)? {
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
        let short = |test: &&Test| test.input.len() <= CHANGED_BYTES_MAX;
        let short: Vec<&Test> = self.tests.iter().filter(short).collect();
        let test = short.get(place(short.len(), seed)?)?;
        let mut simpler = self.inputs.simpler(&test.input);
        let at = place(simpler.len(), seed / short.len().max(1) as u64)?;
        (at < simpler.len()).then(|| simpler.swap_remove(at))
    }

    /// Runs the program on an input, and again if it fails: a hit is believed if both runs fail.
    fn tried(&mut self, input: Vec<u8>, origin: impl Fn() -> String) -> Result<Option<Hit>, Fault> {
        self.tried_as(input, 1, origin)
    }

    /// The same with an input that stands for so many.
    fn tried_as(
        &mut self,
        input: Vec<u8>,
        inputs: usize,
        origin: impl Fn() -> String,
    ) -> Result<Option<Hit>, Fault> {
        if self.is_over() || input.is_empty() || input.len() > INPUT_BYTES_MAX {
            return Ok(None);
        }
        let input: Arc<[u8]> = Arc::from(input);
        let expected = match self.inputs.expected(&input) {
            Err(fault) if fault.kind == FaultKind::Cancelled => {
                self.program.is_stopped = true;
                return Ok(None);
            }
            expected => expected?,
        };
        let Some(expected) = expected else {
            return Ok(None);
        };
        let reply = self.program.ask(&input, &expected)?;
        if reply.is_some() {
            self.tried += inputs;
        }
        if reply.is_none_or(|reply| reply.verdict == Verdict::Accepted) {
            return Ok(None);
        }
        let again = self.program.fails_on(&input, &expected)?;
        Ok(again.map(|reply| Hit {
            input,
            expected,
            printed: reply.printed,
            verdict: reply.verdict,
            origin: origin(),
        }))
    }

    /// The hit, made smaller with as much time again.
    fn smaller(&mut self, hit: &Hit) -> Result<Smallest, Fault> {
        let program = &mut *self.program;
        let more = program.budget;
        program.budget.cpu = program.spent + more.cpu;
        program.budget.runs = program.runs + more.runs;
        let failed = Failed {
            verdict: hit.verdict,
            input: &hit.input,
            expected: &hit.expected,
            printed: &hit.printed,
            mode: &program.about.package.mode,
        };
        let found = smallest(&failed, None, self.inputs, program, more)?;
        confirmed(found, failed.found(), hit.verdict, program)
    }
}

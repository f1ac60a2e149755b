//! A program that is tried on inputs within a budget: to find one on which it fails, and to make
//! that smaller.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::text::simpler;
use crate::domain::{Fault, FaultKind, Strategy, Verdict};
use crate::package::{Oracle, Package, Trouble, validate};
use crate::problems::Task;

/// CPU time of the runs of one search.
const CPU_MAX: Duration = Duration::from_secs(10);
/// Wall-clock time of one search.
const WALL_MAX: Duration = Duration::from_secs(40);
/// Runs of one search, however short they are.
const RUNS_MAX: usize = 5_000;
/// Time that the search itself may take: listing inputs, and answering them.
const OWN_TIME_MAX: Duration = Duration::from_secs(30);

/// A program, as something that is asked.
pub trait Ask {
    /// Runs it on an input that has this answer; `None` where it cannot be run any more, so that a
    /// search ends with the best that it has. `is_sure`: as for a verdict.
    fn ask(
        &mut self,
        case: (&Arc<[u8]>, &Arc<[u8]>),
        is_sure: bool,
    ) -> Result<Option<Reply>, Fault>;

    /// Whether nobody waits for more.
    fn is_over(&self) -> bool {
        false
    }

    /// Nobody waits for more: the runs of the package's own programs were cancelled.
    fn stop(&mut self) {}

    /// From now on its CPU limit is divided by this, until it is told otherwise.
    fn divide_limit(&mut self, _by: u32) {}
}

/// What a program did with an input.
#[derive(Debug, Clone)]
pub struct Reply {
    /// AC where it passes.
    pub verdict: Verdict,
    /// What is kept of what it printed.
    pub printed: Arc<[u8]>,
    /// What the run is charged with.
    pub cost: Duration,
}

/// An input on which the program fails.
#[derive(Debug, Clone)]
pub struct Found {
    pub input: Arc<[u8]>,
    pub expected: Arc<[u8]>,
    pub verdict: Verdict,
    pub printed: Arc<[u8]>,
    pub strategy: Strategy,
}

/// The inputs of a package: which are valid, what is right for them, and which are simpler.
pub struct Inputs<'p> {
    pub package: &'p Package,
    /// Asks the programs of the package.
    pub oracle: &'p mut dyn Oracle,
}

impl Inputs<'_> {
    /// The built-in problem, which knows more of them.
    pub fn task(&self) -> Option<&'static dyn Task> {
        self.package.task()
    }

    /// The right answer; `None` for an input that is not valid, or where nobody can say.
    pub fn expected(&mut self, input: &Arc<[u8]>) -> Result<Option<Arc<[u8]>>, Fault> {
        let package = self.package;
        if let Some(task) = package.task() {
            return Ok(task.answer(input).ok().map(Arc::from));
        }
        let (true, Some(reference)) = (can_search(package), package.reference.program()) else {
            return Ok(None);
        };
        let valid = validate(package, input, None, self.oracle);
        match valid.and_then(|()| self.oracle.answer(package, reference, input)) {
            Ok(answer) => Ok(Some(answer)),
            Err(Trouble::Theirs(_)) => Ok(None),
            Err(Trouble::Ours(fault)) => Err(fault),
        }
    }

    /// Inputs one step simpler, the boldest first; they need not be valid.
    pub fn simpler(&self, input: &[u8]) -> Vec<Vec<u8>> {
        match self.task() {
            Some(task) => task.shrink(input).unwrap_or_default(),
            None if can_search(self.package) => simpler(input),
            None => Vec::new(),
        }
    }
}

/// Whether other inputs than the tests of a package can be tried.
pub fn can_search(package: &Package) -> bool {
    let has_programs = !package.validators.is_empty() && package.reference.program().is_some();
    !package.knows_only_its_tests() && (package.task().is_some() || has_programs)
}

/// What a search may use.
#[derive(Debug, Clone, Copy)]
pub struct Budget {
    pub cpu: Duration,
    pub runs: usize,
    /// Time that is not the program's: listing inputs and answering them.
    pub own: Duration,
    /// Wall-clock time of all of it.
    pub wall: Duration,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            cpu: CPU_MAX,
            runs: RUNS_MAX,
            own: OWN_TIME_MAX,
            wall: WALL_MAX,
        }
    }
}

/// A program, the inputs that it may be tried on, and what that may cost.
pub struct Trial<'t> {
    pub inputs: Inputs<'t>,
    pub program: &'t mut dyn Ask,
    budget: Budget,
    used: Used,
    /// Whether the program cannot be run any more.
    is_ended: bool,
}

/// What was used of a budget.
struct Used {
    cpu: Duration,
    runs: usize,
    since: Instant,
    /// How much of the time since then the program was asked.
    asked: Duration,
}

impl Used {
    fn nothing() -> Self {
        Self {
            cpu: Duration::ZERO,
            runs: 0,
            since: Instant::now(),
            asked: Duration::ZERO,
        }
    }
}

impl<'t> Trial<'t> {
    pub fn new(budget: Budget, inputs: Inputs<'t>, program: &'t mut dyn Ask) -> Self {
        Self {
            inputs,
            program,
            budget,
            used: Used::nothing(),
            is_ended: false,
        }
    }

    /// From now on it may use this much.
    pub fn renew(&mut self, budget: Budget) {
        self.budget = budget;
        self.used = Used::nothing();
    }

    /// Whether this share, in percent, of what it may use is used, or nobody waits for more.
    pub fn is_over(&self, share: u32) -> bool {
        let (budget, used) = (&self.budget, &self.used);
        let wall = used.since.elapsed();
        self.is_ended
            || self.program.is_over()
            || wall >= budget.wall
            || wall.saturating_sub(used.asked) * 100 >= budget.own * share
            || used.cpu * 100 >= budget.cpu * share
            || used.runs * 100 >= budget.runs * share as usize
    }

    /// Runs the program on an input, if that is valid and there is something left to use.
    pub fn run(&mut self, input: Vec<u8>, strategy: &Strategy) -> Result<Option<Found>, Fault> {
        if self.is_over(100) {
            return Ok(None);
        }
        let input = Arc::from(input);
        let expected = match self.inputs.expected(&input) {
            Err(fault) if fault.kind == FaultKind::Cancelled => {
                self.program.stop();
                self.is_ended = true;
                return Ok(None);
            }
            expected => expected?,
        };
        let Some(expected) = expected else {
            return Ok(None);
        };
        self.ask(input, expected, strategy, false)
    }

    /// Runs it once more, as for a verdict, whatever is left: what comes of it now, or nothing if
    /// it passes.
    pub fn again(&mut self, found: &Found) -> Result<Option<Found>, Fault> {
        let [input, expected] = [&found.input, &found.expected].map(Arc::clone);
        let ran = self.ask(input, expected, &found.strategy, true)?;
        Ok(ran.filter(|ran| ran.verdict != Verdict::Accepted))
    }

    fn ask(
        &mut self,
        input: Arc<[u8]>,
        expected: Arc<[u8]>,
        strategy: &Strategy,
        is_sure: bool,
    ) -> Result<Option<Found>, Fault> {
        let began = Instant::now();
        let reply = self.program.ask((&input, &expected), is_sure)?;
        self.used.asked += began.elapsed();
        let Some(reply) = reply else {
            self.is_ended = true;
            return Ok(None);
        };
        self.used.cpu += reply.cost;
        self.used.runs += 1;
        Ok(Some(Found {
            input,
            expected,
            verdict: reply.verdict,
            printed: reply.printed,
            strategy: strategy.clone(),
        }))
    }
}

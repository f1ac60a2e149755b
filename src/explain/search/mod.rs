//! The smallest input on which a program fails as it did on a test. Pure: who runs the program is
//! the caller's business.
//!
//! Four ways, one after the other, each with a share of the budget: the failing case cut out of
//! its test, every small input of the problem, the cut-out case made simpler step by step, and the
//! families of generated inputs. Inputs of one case are joined and tried together, because a run
//! costs more than a case.

mod batch;
mod progress;
mod slow;
mod text;
mod ways;

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::compare::{self, Mode};
use crate::domain::{Digest, Fault, FaultKind, Verdict};
use crate::problems::Task;
use crate::util::hash::digest;
use crate::util::text::line_of;

pub use text::simpler as simpler_texts;

/// CPU time of the runs of one search.
pub const CPU_MAX: Duration = Duration::from_secs(10);
/// Wall-clock time of one search.
pub const WALL_MAX: Duration = Duration::from_secs(40);
/// Runs of one search, however short they are.
pub const RUNS_MAX: usize = 5_000;
/// Bytes of all the simpler inputs that one search lists: listing them takes time that is not the
/// program's.
const LISTED_BYTES_MAX: usize = 256 * 1024 * 1024;
/// Time that the search itself may take: listing inputs, and answering them.
const OWN_TIME_MAX: Duration = Duration::from_secs(30);
/// Bytes of an input that several others are joined to, or that a family makes.
const INPUT_BYTES_MAX: usize = 256 * 1024;

/// A program, as something that is asked.
pub trait Ask {
    /// Runs it on an input; `None` where it cannot be run any more, so that the search ends with
    /// the best that it has.
    fn ask(&mut self, input: &Arc<[u8]>, expected: &Arc<[u8]>) -> Result<Option<Reply>, Fault>;

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

/// The inputs of a problem.
pub trait Inputs {
    /// The built-in problem that knows more of them.
    fn task(&self) -> Option<&'static dyn Task> {
        None
    }
    /// The right answer; `None` for an input that is not valid.
    fn expected(&mut self, input: &Arc<[u8]>) -> Result<Option<Arc<[u8]>>, Fault>;
    /// Inputs one step simpler, the boldest first; they need not be valid.
    fn simpler(&self, input: &[u8]) -> Vec<Vec<u8>>;
}

/// The inputs of a built-in problem.
pub struct BuiltIn(pub &'static dyn Task);

impl Inputs for BuiltIn {
    fn task(&self) -> Option<&'static dyn Task> {
        Some(self.0)
    }

    fn expected(&mut self, input: &Arc<[u8]>) -> Result<Option<Arc<[u8]>>, Fault> {
        Ok(self.0.answer(input).ok().map(Arc::from))
    }

    fn simpler(&self, input: &[u8]) -> Vec<Vec<u8>> {
        self.0.shrink(input).unwrap_or_default()
    }
}

/// How an input was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// It is the failing test.
    Test,
    /// It is the failing case of the test.
    Cut,
    /// It is the beginning of the test, up to the failing case, which passes alone.
    Prefix,
    /// The problem's small inputs were tried one after the other.
    Enumeration,
    /// An input that fails was made simpler.
    Shrink,
    /// This family of generated inputs made it.
    Family(&'static str),
}

/// An input on which the program fails.
#[derive(Debug, Clone)]
pub struct Found {
    pub input: Arc<[u8]>,
    pub expected: Arc<[u8]>,
    pub printed: Arc<[u8]>,
    pub way: Way,
}

/// What a search has found.
#[derive(Debug, Clone)]
pub struct Smallest {
    pub found: Found,
    /// Cells of its boards, where the problem has boards.
    pub cells: Option<usize>,
    /// Cases that it has.
    pub cases: usize,
    /// What was the best before, the latest last.
    pub earlier: Vec<Found>,
    /// What a search that goes on begins with.
    pub progress: Progress,
}

impl Smallest {
    /// This input, where nothing smaller is known.
    pub fn of(found: Found, task: Option<&dyn Task>) -> Self {
        let cases = task.and_then(|task| task.cases(&found.input).ok());
        Self {
            cells: task.and_then(|task| task.cells(&found.input).ok()?),
            cases: cases.map_or(1, |cases| cases.len()),
            earlier: Vec::new(),
            progress: Progress {
                best: found.clone(),
                all_below: 1,
                unsure: None,
                fails_alone: None,
            },
            found,
        }
    }
}

/// What a search that was stopped has come to.
#[derive(Debug, Clone)]
pub struct Progress {
    best: Found,
    /// Every listed input with fewer cells than this passes.
    all_below: usize,
    /// The smallest input that failed with a part of the limit, if that is as far as it came.
    unsure: Option<Found>,
    /// Whether the case of the test in which the difference is fails alone; `None` where that was
    /// not seen.
    pub fails_alone: Option<bool>,
}

impl Progress {
    /// Bytes of its inputs and outputs.
    pub fn bytes(&self) -> usize {
        let found = [Some(&self.best), self.unsure.as_ref()]
            .into_iter()
            .flatten();
        let bytes =
            found.map(|found| found.input.len() + found.expected.len() + found.printed.len());
        bytes.sum()
    }
}

/// What a search may use.
#[derive(Debug, Clone, Copy)]
pub struct Budget {
    pub cpu: Duration,
    pub runs: usize,
    /// Wall-clock time, for what is not the program's: listing inputs and answering them.
    pub wall: Duration,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            cpu: CPU_MAX,
            runs: RUNS_MAX,
            wall: WALL_MAX,
        }
    }
}

/// A test that failed.
pub struct Failed<'a> {
    pub verdict: Verdict,
    pub input: &'a Arc<[u8]>,
    pub expected: &'a Arc<[u8]>,
    pub printed: &'a Arc<[u8]>,
    /// How its output was compared.
    pub mode: &'a Mode,
}

impl Failed<'_> {
    /// The test itself.
    pub fn found(&self) -> Found {
        Found {
            input: Arc::clone(self.input),
            expected: Arc::clone(self.expected),
            printed: Arc::clone(self.printed),
            way: Way::Test,
        }
    }
}

/// Looks for the smallest input on which the program fails with the verdict of this test. Each was
/// seen to fail once: who shows one should see that again. `from` is what an earlier search about
/// the same came to.
pub fn smallest(
    failed: &Failed<'_>,
    from: Option<Progress>,
    inputs: &mut dyn Inputs,
    ask: &mut dyn Ask,
    budget: Budget,
) -> Result<Smallest, Fault> {
    let mut search = Search {
        tried: HashSet::from([digest(failed.input)]),
        verdict: failed.verdict,
        mode: *failed.mode,
        task: inputs.task(),
        best: failed.found(),
        inputs,
        ask,
        budget,
        spent: Duration::ZERO,
        runs: 0,
        listed_bytes: 0,
        misses: 0,
        all_below: 1,
        unsure: None,
        resumed: None,
        earlier: Vec::new(),
        fails_alone: None,
        is_joining_checked: false,
        started: Instant::now(),
        asked: Duration::ZERO,
        is_ended: false,
        until: Instant::now() + budget.wall,
    };
    if let Some(from) = from {
        search.resume(from);
    }
    search.go()?;
    let progress = Progress {
        best: search.best.clone(),
        all_below: search.all_below,
        unsure: search.resumed.take(),
        fails_alone: search.fails_alone,
    };
    Ok(Smallest {
        earlier: search.earlier,
        progress,
        ..Smallest::of(search.best, search.task)
    })
}

/// Smaller is better: cells, then bytes, then smaller digits.
type Size<'i> = (Option<usize>, usize, &'i [u8]);

struct Search<'s> {
    verdict: Verdict,
    mode: Mode,
    task: Option<&'static dyn Task>,
    inputs: &'s mut dyn Inputs,
    ask: &'s mut dyn Ask,
    best: Found,
    /// Digests of the inputs that were tried alone.
    tried: HashSet<Digest>,
    budget: Budget,
    spent: Duration,
    runs: usize,
    listed_bytes: usize,
    /// Cases that failed among others and passed alone.
    misses: usize,
    /// Every listed input with fewer cells than this passes.
    all_below: usize,
    /// While only a part of the limit is given: what failed with it.
    unsure: Option<Vec<Found>>,
    /// The smallest of those, as long as nothing fails with all of the limit.
    resumed: Option<Found>,
    /// What was the best before, the latest last.
    earlier: Vec<Found>,
    /// Whether the case of the test in which the difference is fails alone, once that was tried.
    fails_alone: Option<bool>,
    /// Whether one of the inputs that passed together has been tried alone.
    is_joining_checked: bool,
    started: Instant,
    /// How much of the time since then the program was asked.
    asked: Duration,
    /// Whether the program cannot be run any more.
    is_ended: bool,
    /// When the search ends at the latest.
    until: Instant,
}

impl Search<'_> {
    fn size<'i>(&self, input: &'i [u8]) -> Size<'i> {
        let cells = self.task.and_then(|task| task.cells(input).ok()?);
        (cells, input.len(), input)
    }

    /// Whether every listed input with fewer cells than the best passes.
    fn is_nothing_smaller_listed(&self) -> bool {
        let (cells, _, _) = self.size(&self.best.input);
        cells.is_some_and(|cells| cells <= self.all_below)
    }

    /// Whether this share, in percent, of what the search may use is used.
    fn is_over(&self, share: u32) -> bool {
        self.is_ended
            || self.ask.is_over()
            || Instant::now() >= self.until
            || self.started.elapsed().saturating_sub(self.asked) * 100 >= OWN_TIME_MAX * share
            || self.spent * 100 >= self.budget.cpu * share
            || self.runs * 100 >= self.budget.runs * share as usize
    }

    /// Runs the program on an input, if that is valid: what came of it, and the verdict.
    fn run(&mut self, input: Vec<u8>, way: Way) -> Result<Option<(Found, Verdict)>, Fault> {
        if self.is_over(100) {
            return Ok(None);
        }
        let input = Arc::from(input);
        let expected = match self.inputs.expected(&input) {
            Err(fault) if fault.kind == FaultKind::Cancelled => {
                self.ask.stop();
                self.is_ended = true;
                return Ok(None);
            }
            expected => expected?,
        };
        let Some(expected) = expected else {
            return Ok(None);
        };
        let asked_at = Instant::now();
        let reply = self.ask.ask(&input, &expected)?;
        self.asked += asked_at.elapsed();
        let Some(reply) = reply else {
            self.is_ended = true;
            return Ok(None);
        };
        self.spent += reply.cost;
        self.runs += 1;
        let ran = Found {
            input,
            expected,
            printed: reply.printed,
            way,
        };
        Ok(Some((ran, reply.verdict)))
    }

    /// Tries an input that was not tried before.
    fn alone(&mut self, input: Vec<u8>, way: Way) -> Result<Option<Found>, Fault> {
        if !self.tried.insert(digest(&input)) {
            return Ok(None);
        }
        let ran = self.run(input, way)?;
        let failed = ran.filter(|(_, verdict)| *verdict == self.verdict);
        Ok(failed.map(|(found, _)| found))
    }

    /// The case, from 0, that the first difference is in; the last one where there is none. A
    /// program that was ended may have failed in a later one.
    fn first_wrong(&self, task: &dyn Task, found: &Found) -> usize {
        let cases = task.cases(&found.input).unwrap_or_default();
        let difference = compare::compare(&found.expected, &found.printed, &self.mode).difference();
        let line = difference.map(|first| line_of(&found.expected, first.expected_at.start));
        let is_in = |line| cases.iter().position(|lines| lines.contains(&line));
        let last = cases.len().saturating_sub(1);
        line.and_then(is_in).unwrap_or(last)
    }

    /// Whether the verdict is about what was printed, so that the first difference is the fault.
    fn is_compared(&self) -> bool {
        matches!(
            self.verdict,
            Verdict::WrongAnswer | Verdict::PresentationError
        )
    }
}

#[cfg(test)]
mod tests;

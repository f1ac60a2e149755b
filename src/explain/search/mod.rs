//! The smallest input on which a program fails as it did on a test. Pure: who runs the program is
//! the caller's business.
//!
//! Four ways, one after the other, each with a share of the budget: the failing case cut out of
//! its test, every small input of the problem, the cut-out case made simpler step by step, and the
//! families of generated inputs. Inputs of one case are joined and tried together, because a run
//! costs more than a case.

mod slow;
mod strategies;
mod text;
mod trial;

use std::collections::HashSet;

use crate::compare;
use crate::domain::{Digest, Fault, Strategy, Verdict};
use crate::problems::Task;
use crate::util::hash::digest;
use crate::util::text::line_of;

pub use trial::{Ask, Budget, Found, Inputs, Reply, Trial, can_search};

/// Bytes of all the simpler inputs that one search lists: listing them takes time that is not the
/// program's.
const LISTED_BYTES_MAX: usize = 256 * 1024 * 1024;
/// Bytes of an input that several others are joined to, or that a family makes.
const INPUT_BYTES_MAX: usize = 256 * 1024;

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
            progress: Progress::of(found.clone()),
            found,
        }
    }
}

/// What a search that was stopped has come to.
#[derive(Debug, Clone)]
pub struct Progress {
    /// The smallest one. All that are kept fail with the same verdict.
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
    /// A search that has only begun.
    fn of(best: Found) -> Self {
        Self {
            best,
            all_below: 1,
            unsure: None,
            fails_alone: None,
        }
    }

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

/// The smallest input on which the program fails as on `seed`, and does so once more. `from` is what
/// an earlier search from there came to.
pub fn minimize(
    trial: &mut Trial<'_>,
    seed: &Found,
    from: Option<Progress>,
) -> Result<Smallest, Fault> {
    smallest(trial, seed, from)?.confirmed(trial, seed)
}

/// The same, where each input was seen to fail once.
fn smallest(
    trial: &mut Trial<'_>,
    seed: &Found,
    from: Option<Progress>,
) -> Result<Smallest, Fault> {
    let task = trial.inputs.task();
    let mut search = Search {
        trial,
        task,
        tried: HashSet::from([digest(&seed.input)]),
        so_far: Progress::of(seed.clone()),
        listed_bytes: 0,
        misses: 0,
        unsure: None,
        earlier: Vec::new(),
        is_joining_checked: false,
    };
    if let Some(from) = from {
        search.keep(&from.best);
        let best = search.so_far.best.clone();
        search.so_far = Progress { best, ..from };
    }
    search.go()?;
    let best = search.so_far.best.clone();
    Ok(Smallest {
        earlier: search.earlier,
        progress: search.so_far,
        ..Smallest::of(best, task)
    })
}

/// Smaller is better: cells, then bytes, then smaller digits.
type Size<'i> = (Option<usize>, usize, &'i [u8]);

struct Search<'s, 't> {
    trial: &'s mut Trial<'t>,
    task: Option<&'static dyn Task>,
    so_far: Progress,
    /// Digests of the inputs that were tried alone.
    tried: HashSet<Digest>,
    listed_bytes: usize,
    /// Cases that failed among others and passed alone.
    misses: usize,
    /// While only a part of the limit is given: what failed with it.
    unsure: Option<Vec<Found>>,
    /// What was the best before, the latest last.
    earlier: Vec<Found>,
    /// Whether one of the inputs that passed together has been tried alone.
    is_joining_checked: bool,
}

impl Search<'_, '_> {
    fn size<'i>(&self, input: &'i [u8]) -> Size<'i> {
        let cells = self.task.and_then(|task| task.cells(input).ok()?);
        (cells, input.len(), input)
    }

    /// Whether every listed input with fewer cells than the best passes.
    fn is_nothing_smaller_listed(&self) -> bool {
        let (cells, _, _) = self.size(&self.so_far.best.input);
        cells.is_some_and(|cells| cells <= self.so_far.all_below)
    }

    /// Tries an input that was not tried before.
    fn alone(&mut self, input: Vec<u8>, strategy: &Strategy) -> Result<Option<Found>, Fault> {
        if !self.tried.insert(digest(&input)) {
            return Ok(None);
        }
        let ran = self.trial.run(input, strategy)?;
        Ok(ran.filter(|ran| self.is_failing(ran)))
    }

    /// Whether it fails as the seed does.
    fn is_failing(&self, ran: &Found) -> bool {
        ran.verdict == self.so_far.best.verdict
    }

    /// The case, from 0, that the first difference is in; the last one where there is none. A
    /// program that was ended may have failed in a later one.
    fn first_wrong(&self, task: &dyn Task, found: &Found) -> usize {
        let cases = task.cases(&found.input).unwrap_or_default();
        let mode = &self.trial.inputs.package.mode;
        let difference = compare::compare(&found.expected, &found.printed, mode).difference();
        let line = difference.map(|first| line_of(&found.expected, first.expected_at.start));
        let is_in = |line| cases.iter().position(|lines| lines.contains(&line));
        let last = cases.len().saturating_sub(1);
        line.and_then(is_in).unwrap_or(last)
    }

    /// Whether the verdict is about what was printed, so that the first difference is the fault.
    fn is_compared(&self) -> bool {
        matches!(
            self.so_far.best.verdict,
            Verdict::WrongAnswer | Verdict::PresentationError
        )
    }
}

/// How far back among the earlier inputs the next one is, if one does not fail again: inputs of
/// nearly the same size take nearly as long.
const STEPS_BACK: [usize; 4] = [1, 2, 4, 8];

impl Smallest {
    /// The smallest input on which the program fails as on the seed once more, as for a verdict; if
    /// there is none, the seed. The search believes a single run, and of many runs it keeps the one
    /// that a busy machine or a program's luck made fail.
    fn confirmed(self, trial: &mut Trial<'_>, seed: &Found) -> Result<Self, Fault> {
        // The test itself was judged.
        if self.found.strategy == Strategy::Test {
            return Ok(self);
        }
        let Self {
            found,
            earlier,
            progress,
            ..
        } = self;
        let back = STEPS_BACK.map(|back| earlier.len().checked_sub(back).map(|at| &earlier[at]));
        let mut believed = seed.clone();
        for found in [Some(&found)]
            .into_iter()
            .chain(back)
            .map_while(|found| found)
        {
            if found.strategy == Strategy::Test {
                believed = found.clone();
                break;
            }
            let again = trial.again(found)?;
            if let Some(again) = again.filter(|again| again.verdict == seed.verdict) {
                believed = again;
                break;
            }
        }
        Ok(Self {
            progress,
            ..Self::of(believed, trial.inputs.task())
        })
    }
}

/// Inputs that were the best before, at most: of more, every other one is forgotten.
const EARLIER_MAX: usize = 64;

impl Search<'_, '_> {
    /// Keeps what was found if it is smaller.
    fn keep(&mut self, found: &Found) {
        if let Some(unsure) = &mut self.unsure {
            unsure.push(found.clone());
        } else if self.size(&found.input) < self.size(&self.so_far.best.input) {
            if self.earlier.len() >= EARLIER_MAX {
                let mut stays = false;
                self.earlier.retain(|_| {
                    stays = !stays;
                    stays
                });
            }
            let before = std::mem::replace(&mut self.so_far.best, found.clone());
            self.earlier.push(before);
        }
    }
}

#[cfg(test)]
mod tests;

//! Programs that are too slow. Each failing run of one costs as much as the limit, so inputs are
//! looked for with a part of the limit, and the smallest of them are tried with all of it.

use super::strategies::ENUMERATION_FIRST_SHARE;
use super::{EARLIER_MAX, Found, Search};
use crate::domain::{Fault, Strategy};
use crate::explain::growth::series;
use crate::problems::Task;

/// The part of the limit that inputs are looked for with.
const DIVISOR: u32 = 8;
/// Percent of the budget at which inputs are no longer looked for with a part of the limit.
const PART_SHARE: u32 = 60;
/// Percent of the budget at which inputs that grow are left.
const GROWING_SHARE: u32 = 40;
/// Sizes that are tried beyond the first one that is too slow for a part of the limit.
const LARGER_MAX: usize = 6;
/// Copies of an input that together must take longer than the limit: more than [`DIVISOR`],
/// because the part of the limit may only just have been reached.
const COPIES: usize = 10;

impl Search<'_, '_> {
    pub(super) fn too_slow(&mut self, task: &'static dyn Task, whole: Found) -> Result<(), Fault> {
        self.trial.program.divide_limit(DIVISOR);
        self.unsure = Some(Vec::new());
        let resumed = self.so_far.unsure.take();
        if let Some(resumed) = &resumed {
            self.keep(resumed);
        }
        let is_found = self.enumerate(task, ENUMERATION_FIRST_SHARE)?;
        if !is_found {
            let cut = if let Some(resumed) = resumed {
                resumed
            } else {
                self.grow(task)?;
                self.cut(task, whole)?
            };
            self.keep(&cut);
            self.shrink(cut, PART_SHARE, &Strategy::Shrink)?;
        }
        self.settle(task)?;
        if self.is_nothing_smaller_listed() {
            return Ok(());
        }
        let best = self.so_far.best.clone();
        self.shrink(best, 100, &Strategy::Shrink)
    }

    /// Looks among inputs that grow for the smallest on which the program is too slow for a part of
    /// the limit. All of the limit is exceeded a few sizes later, where time grows fast.
    fn grow(&mut self, task: &'static dyn Task) -> Result<(), Fault> {
        for series in series(task) {
            let strategy = Strategy::Family(series.family.name.into());
            let (mut passes, mut fails) = (0, series.inputs.len());
            while passes < fails && !self.trial.is_over(GROWING_SHARE) {
                let at = usize::midpoint(passes, fails);
                if self.is_slow_on(&series.inputs[at].1, &strategy)? {
                    fails = at;
                } else {
                    passes = at + 1;
                }
            }
            for (_, input) in series.inputs.iter().skip(fails + 1).take(LARGER_MAX) {
                if self.trial.is_over(GROWING_SHARE) {
                    return Ok(());
                }
                self.is_slow_on(input, &strategy)?;
            }
        }
        Ok(())
    }

    fn is_slow_on(&mut self, input: &[u8], strategy: &Strategy) -> Result<bool, Fault> {
        let found = self.alone(input.to_vec(), strategy)?;
        if let Some(found) = &found {
            self.keep(found);
        }
        Ok(found.is_some())
    }

    /// Whether an input that failed does so with all of the limit.
    pub(super) fn is_sure(&mut self, found: &Found) -> Result<bool, Fault> {
        if self.unsure.is_none() {
            return Ok(true);
        }
        self.trial.program.divide_limit(1);
        let ran = self.trial.run(found.input.to_vec(), &found.strategy)?;
        self.trial.program.divide_limit(DIVISOR);
        Ok(ran.is_some_and(|ran| self.is_failing(&ran)))
    }

    /// Gives the program all of its limit again, and keeps the smallest of the inputs that failed
    /// with a part of it which fails with all of it. The larger ones take its place if it does not
    /// fail again.
    fn settle(&mut self, task: &dyn Task) -> Result<(), Fault> {
        self.trial.program.divide_limit(1);
        let mut unsure = self.unsure.take().unwrap_or_default();
        unsure.sort_by(|one, other| self.size(&one.input).cmp(&self.size(&other.input)));
        unsure.dedup_by(|one, other| one.input == other.input);
        self.settle_on(unsure.clone(), task)?;
        let is_larger =
            |found: &Found| self.size(&found.input) > self.size(&self.so_far.best.input);
        unsure.retain(is_larger);
        unsure.truncate(EARLIER_MAX);
        self.earlier.extend(unsure.into_iter().rev());
        Ok(())
    }

    /// Where the smallest that fails is larger than several copies of the smallest, these together
    /// are kept.
    fn settle_on(&mut self, mut unsure: Vec<Found>, task: &dyn Task) -> Result<(), Fault> {
        let Some(smallest) = unsure.first().cloned() else {
            return Ok(());
        };
        if self.fails(smallest.input.to_vec(), &smallest.strategy)? {
            return Ok(());
        }
        self.so_far.unsure = Some(smallest.clone());
        let copies = vec![smallest.input.to_vec(); COPIES];
        if let Ok(Some(joined)) = task.joined(&copies)
            && self.size(&joined) < self.size(&self.so_far.best.input)
        {
            self.fails(joined, &smallest.strategy)?;
        }
        let is_smaller =
            |found: &Found| self.size(&found.input) < self.size(&self.so_far.best.input);
        unsure.retain(is_smaller);
        let (mut passes, mut fails) = (0, unsure.len());
        while passes + 1 < fails && !self.trial.is_over(100) {
            let at = usize::midpoint(passes, fails);
            let Found {
                input, strategy, ..
            } = &unsure[at];
            if self.fails(input.to_vec(), strategy)? {
                fails = at;
            } else {
                passes = at;
            }
        }
        Ok(())
    }

    /// Tries an input with all of the limit, and keeps it if it fails.
    fn fails(&mut self, input: Vec<u8>, strategy: &Strategy) -> Result<bool, Fault> {
        let ran = self.trial.run(input, strategy)?;
        let failed = ran.filter(|ran| self.is_failing(ran));
        if let Some(found) = &failed {
            self.keep(found);
        }
        Ok(failed.is_some())
    }
}

//! The ways to a smaller input, and the share of the budget that each may use up.

use std::collections::VecDeque;

use super::{Found, INPUT_BYTES_MAX, LISTED_BYTES_MAX, Search};
use crate::domain::{Fault, Strategy, Verdict};
use crate::problems::Task;
use crate::util::hash::digest;

/// Percent of the budget at which small inputs are no longer tried.
const ENUMERATION_SHARE: u32 = 40;
/// The same where each failing run takes as long as the limit, and these are tried first because
/// most of them pass at once.
pub(super) const ENUMERATION_FIRST_SHARE: u32 = 20;
/// Percent of the budget at which a failing input whose last case passes alone is no longer made
/// simpler.
const CARRIED_SHARE: u32 = 60;
/// Percent of the budget at which the failing case is no longer made simpler.
const SHRINK_SHARE: u32 = 80;
/// Inputs that are made of each family.
const SEEDS_MAX: u64 = 20;

impl Search<'_, '_> {
    pub(super) fn go(&mut self) -> Result<(), Fault> {
        let whole = self.so_far.best.clone();
        let Some(task) = self.task else {
            return self.shrink(whole, 100, &Strategy::Shrink);
        };
        if self.so_far.best.verdict == Verdict::TimeLimit {
            return self.too_slow(task, whole);
        }
        if self.is_limit() && self.enumerate(task, ENUMERATION_FIRST_SHARE)? {
            return Ok(());
        }
        let cut = self.cut(task, whole)?;
        self.keep(&cut);
        // Where one case alone does not fail, small inputs of one case hardly do.
        if cut.strategy == Strategy::Prefix {
            self.shrink(cut, CARRIED_SHARE, &Strategy::Shrink)?;
            self.carrying(task, CARRIED_SHARE)?;
            if self.enumerate(task, SHRINK_SHARE)? {
                return Ok(());
            }
        } else {
            if self.enumerate(task, ENUMERATION_SHARE)? {
                return Ok(());
            }
            self.shrink(cut, SHRINK_SHARE, &Strategy::Shrink)?;
        }
        self.families(task)?;
        let best = self.so_far.best.clone();
        self.shrink(best, 100, &Strategy::Shrink)
    }

    /// The failing case of an input, alone, or with as many before it as it takes.
    pub(super) fn cut(&mut self, task: &'static dyn Task, whole: Found) -> Result<Found, Fault> {
        let cases = task.cases(&whole.input).unwrap_or_default();
        if cases.len() < 2 {
            return Ok(whole);
        }
        let wrong = self.first_wrong(task, &whole);
        let alone = self.case(task, &whole, wrong)?;
        if whole.strategy == Strategy::Test && self.is_compared() {
            let alone = alone.as_ref();
            self.so_far.fails_alone = alone.map(|ran| ran.verdict != Verdict::Accepted);
        }
        if let Some(found) = alone.filter(|ran| self.is_failing(ran)) {
            return Ok(found);
        }
        let (mut passes, mut fails) = (0, cases.len());
        let mut shortest = Found {
            strategy: Strategy::Prefix,
            ..whole.clone()
        };
        if self.is_compared() && wrong + 1 == fails {
            return Ok(shortest);
        }
        let mut at = (wrong + 1).min(fails - 1);
        while passes + 1 < fails {
            // A difference is in its case; a program that was ended may have come further.
            let prefix = task.prefix(&whole.input, at).ok().flatten();
            let found = match prefix {
                Some(prefix) => self.alone(prefix, &Strategy::Prefix)?,
                None => None,
            };
            if let Some(found) = found {
                shortest = found;
                fails = at;
                if self.is_compared() {
                    break;
                }
            } else if self.trial.is_over(100) {
                break;
            } else {
                passes = at;
            }
            at = usize::midpoint(passes, fails);
        }
        if !self.is_compared()
            && let Some(found) = self.case(task, &whole, fails - 1)?
            && self.is_failing(&found)
        {
            return Ok(found);
        }
        Ok(shortest)
    }

    /// One case of an input, from 0, alone, and what comes of it.
    fn case(&mut self, task: &dyn Task, of: &Found, case: usize) -> Result<Option<Found>, Fault> {
        let cases = task.cases(&of.input).unwrap_or_default();
        let cut = cases.get(case).and_then(|lines| {
            let cut = task.case_at(&of.input, lines.start);
            cut.ok().flatten()
        });
        match cut {
            Some(case) => {
                self.tried.insert(digest(&case.input));
                self.trial.run(case.input, &Strategy::Cut)
            }
            None => Ok(None),
        }
    }

    /// Tries the listed inputs with fewer cells than the best, the smallest first. Whether that
    /// came to an end, so that there is nothing smaller to look for.
    pub(super) fn enumerate(&mut self, task: &'static dyn Task, share: u32) -> Result<bool, Fault> {
        loop {
            if self.is_nothing_smaller_listed() {
                return Ok(true);
            }
            let Some(small) = task.small(self.so_far.all_below) else {
                return Ok(false);
            };
            let mut inputs = small.chain(task.also_small(self.so_far.all_below));
            loop {
                if self.trial.is_over(share) {
                    return Ok(false);
                }
                // What is joined takes longer, and that would be all that it shows of a limit.
                let together = if self.is_limit() { 1 } else { JOINED_MAX };
                let batch: Vec<Vec<u8>> = inputs.by_ref().take(together).collect();
                if batch.is_empty() {
                    break;
                }
                if let Some(found) = self.first_of(batch, &Strategy::Enumeration)? {
                    let is_sure = self.is_sure(&found)?;
                    self.keep(&found);
                    return Ok(is_sure);
                }
            }
            self.so_far.all_below += 1;
        }
    }

    /// Tries small inputs of several cases with fewer cells than the best, the smallest first, each
    /// alone: what is joined would carry more.
    fn carrying(&mut self, task: &'static dyn Task, share: u32) -> Result<(), Fault> {
        for cells in 1..self.size(&self.so_far.best.input).0.unwrap_or(0) {
            for input in task.carrying(cells) {
                if self.trial.is_over(share) {
                    return Ok(());
                }
                if let Some(found) = self.alone(input, &Strategy::Enumeration)? {
                    self.keep(&found);
                    return self.shrink(found, share, &Strategy::Enumeration);
                }
            }
        }
        Ok(())
    }

    /// Makes an input simpler until nothing that is simpler fails.
    pub(super) fn shrink(
        &mut self,
        from: Found,
        share: u32,
        strategy: &Strategy,
    ) -> Result<(), Fault> {
        let (mut at, mut begin) = (from, 0);
        while let Some((found, part)) = self.simpler((&at, begin), share, strategy)? {
            self.keep(&found);
            // Of a text much does not fit at all, and that hardly changes from one to the next.
            begin = if self.task.is_none() { part } else { 0 };
            at = found;
        }
        Ok(())
    }

    /// The first of the simpler inputs that fails, and after which part of all of them, in
    /// thousandths, it came. They are tried from the part `begin` on, and then those before it.
    fn simpler(
        &mut self,
        (than, begin): (&Found, usize),
        share: u32,
        strategy: &Strategy,
    ) -> Result<Option<(Found, usize)>, Fault> {
        if self.listed_bytes >= LISTED_BYTES_MAX || self.trial.is_over(share) {
            return Ok(None);
        }
        let mut listed = self.trial.inputs.simpler(&than.input);
        self.listed_bytes += listed.iter().map(Vec::len).sum::<usize>();
        let all = listed.len();
        let first = all * begin / 1_000;
        listed.rotate_left(first);
        let mut left = listed.into_iter();
        let joins = self.joins(&than.input);
        let mut together = 1;
        loop {
            let tried = all - left.len();
            let batch: Vec<Vec<u8>> = left.by_ref().take(together).collect();
            if batch.is_empty() || self.trial.is_over(share) {
                return Ok(None);
            }
            if let Some(found) = self.first_of(batch, strategy)? {
                let part = (first + tried) % all * 1_000 / all;
                return Ok(Some((found, part)));
            }
            if joins {
                together = (together * 2).min(JOINED_MAX);
            }
        }
    }

    /// Whether inputs that are simpler than this one can be tried together. What is too much for a
    /// limit would only be more of it.
    fn joins(&self, input: &[u8]) -> bool {
        let cases = self.task.and_then(|task| task.cases(input).ok());
        !self.is_limit() && cases.is_some_and(|cases| cases.len() == 1)
    }

    fn is_limit(&self) -> bool {
        matches!(
            self.so_far.best.verdict,
            Verdict::TimeLimit | Verdict::MemoryLimit | Verdict::OutputLimit
        )
    }

    /// Generated inputs, each made simpler where it fails, until a round of all families brings
    /// nothing with fewer cells.
    fn families(&mut self, task: &'static dyn Task) -> Result<(), Fault> {
        let mut before = None;
        for seed in 0..SEEDS_MAX {
            let cells = self.size(&self.so_far.best.input).0;
            if before.replace(cells) == Some(cells) {
                return Ok(());
            }
            for family in task.families() {
                if self.is_nothing_smaller_listed() || self.trial.is_over(100) {
                    return Ok(());
                }
                let input = task.generate(family.name, seed);
                let Some(input) = input.filter(|input| input.len() <= INPUT_BYTES_MAX) else {
                    continue;
                };
                let strategy = Strategy::Family(family.name.into());
                let Some(whole) = self.alone(input, &strategy)? else {
                    continue;
                };
                let cut = self.cut(task, whole)?;
                let found = Found {
                    strategy: strategy.clone(),
                    ..cut
                };
                self.keep(&found);
                self.shrink(found, 100, &strategy)?;
            }
        }
        Ok(())
    }
}

/// Inputs that are joined to one.
pub(super) const JOINED_MAX: usize = 100;
/// Cases that fail among others and pass alone, after which nothing is joined any more: what the
/// program does with a case depends on the cases before it.
const MISSES_MAX: usize = 8;

/// What several inputs as one say.
enum Together {
    /// None of them fails.
    Pass,
    /// This one, from 0, is the first that fails among them.
    Wrong(usize),
    /// They have to be taken apart.
    Unknown,
}

impl Search<'_, '_> {
    /// The first of these inputs that fails alone, as far as it can be told from joining them.
    pub(super) fn first_of(
        &mut self,
        inputs: Vec<Vec<u8>>,
        strategy: &Strategy,
    ) -> Result<Option<Found>, Fault> {
        let is_new = |input: &Vec<u8>| !self.tried.contains(&digest(input));
        let inputs: Vec<Vec<u8>> = inputs.into_iter().filter(is_new).collect();
        let mut parts = VecDeque::from([inputs]);
        while let Some(mut part) = parts.pop_front() {
            if part.len() < 2 {
                if let Some(found) = self.only(part, strategy)? {
                    return Ok(Some(found));
                }
                continue;
            }
            match self.together(&part, strategy)? {
                Together::Pass => {
                    if !std::mem::replace(&mut self.is_joining_checked, true)
                        && let Some(found) = self.only(vec![part.swap_remove(0)], strategy)?
                    {
                        // What it does with a case depends on whether others are there.
                        self.misses = MISSES_MAX;
                        return Ok(Some(found));
                    }
                    self.tried.extend(part.iter().map(|input| digest(input)));
                }
                Together::Unknown => {
                    let later = part.split_off(part.len() / 2);
                    parts.push_front(later);
                    parts.push_front(part);
                }
                Together::Wrong(at) => {
                    let later = part.split_off((at + 1).min(part.len()));
                    let pair = part.split_off(part.len().saturating_sub(2));
                    let wrong = pair.last().into_iter().cloned().collect();
                    if let Some(found) = self.only(wrong, strategy)? {
                        return Ok(Some(found));
                    }
                    self.misses += 1;
                    let twice = pair.iter().map(|one| vec![one.clone(); 2]);
                    for two in twice.chain([pair.clone()]) {
                        if let Some(joined) = self.joined(&two)
                            && let Some(found) = self.alone(joined, strategy)?
                        {
                            self.keep(&found);
                        }
                    }
                    parts.push_front(later);
                }
            }
        }
        Ok(None)
    }

    fn only(&mut self, part: Vec<Vec<u8>>, strategy: &Strategy) -> Result<Option<Found>, Fault> {
        match part.into_iter().next() {
            Some(input) => self.alone(input, strategy),
            None => Ok(None),
        }
    }

    /// Tries several inputs as one.
    fn together(&mut self, part: &[Vec<u8>], strategy: &Strategy) -> Result<Together, Fault> {
        let Some(joined) = self.joined(part) else {
            return Ok(Together::Unknown);
        };
        let Some(whole) = self.trial.run(joined, strategy)? else {
            return Ok(Together::Unknown);
        };
        Ok(match self.task {
            _ if whole.verdict == Verdict::Accepted => Together::Pass,
            // A difference says where it is.
            Some(task) if self.is_failing(&whole) && self.is_compared() => {
                let mut case = self.first_wrong(task, &whole);
                let holds = |input: &&Vec<u8>| {
                    let cases = task.cases(input).map_or(1, |cases| cases.len());
                    let before = case;
                    case = case.saturating_sub(cases);
                    before >= cases
                };
                Together::Wrong(part.iter().take_while(holds).count())
            }
            _ => Together::Unknown,
        })
    }

    /// One input with the cases of all of these.
    fn joined(&self, inputs: &[Vec<u8>]) -> Option<Vec<u8>> {
        if self.misses >= MISSES_MAX {
            return None;
        }
        let bytes: usize = inputs.iter().map(Vec::len).sum();
        let task = self.task.filter(|_| bytes <= INPUT_BYTES_MAX)?;
        task.joined(inputs).ok()?
    }
}

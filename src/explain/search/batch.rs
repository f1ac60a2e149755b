//! Inputs of one case that are tried together: joined to one input, which is taken apart again
//! where it fails.

use std::collections::VecDeque;

use super::{Found, INPUT_BYTES_MAX, Search};
use crate::domain::{Fault, Strategy, Verdict};
use crate::util::hash::digest;

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

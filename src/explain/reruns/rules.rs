//! Whether a program is right by other rules, or on inputs of another format.

use std::sync::Arc;

use super::output::{INPUT_BYTES_MAX, Tried, words_that_differ};
use super::{AS_USUAL, Answered, Runs, answer};
use crate::domain::{Fault, Reason, Verdict};
use crate::explain::causes::{bent_rule, misread};
use crate::problems::{Rule, Task};

/// Words that a mutant changes, and inputs that have some, before it is no chance that a
/// program prints them.
const WORDS_MIN: usize = 3;
const INPUTS_MIN: usize = 2;
/// Words up to which more inputs are tried, as long as there are some.
const WORDS_ENOUGH: usize = 8;
/// Inputs that a program is run on to see whether it follows a mutant.
const RUNS_MAX: usize = 16;
/// Generated inputs of each family that are looked at for that.
const SEEDS: std::ops::RangeInclusive<u64> = 1..=4;
/// Cases that a program must answer rightly in another format.
const CASES_MIN: usize = 3;

/// A mutant that the program may follow.
struct Candidate {
    index: usize,
    rule: Rule,
    /// Words that it changes, in so many inputs.
    words: usize,
    inputs: usize,
}

impl Candidate {
    /// What a program prints that follows the rule, and how many words of that are changed.
    fn mutant(&self, task: &dyn Task, input: &[u8], right: &[u8]) -> Option<(Vec<u8>, usize)> {
        let mutant = task.answer_mutant(input, self.index).ok().flatten()?;
        let changed = words_that_differ(right, &mutant);
        Some((mutant, changed))
    }

    /// Whether the program did as the rule says.
    fn follows(&mut self, task: &dyn Task, tried: &Tried) -> bool {
        let mutant = self.mutant(task, &tried.input, &tried.expected);
        let Some((mutant, changed)) = mutant else {
            return false;
        };
        self.words += changed;
        self.inputs += usize::from(changed > 0);
        words_that_differ(&mutant, &tried.printed) == 0
    }

    fn is_likely(&self) -> bool {
        self.words >= WORDS_MIN && self.inputs >= INPUTS_MIN
    }

    fn is_sure(&self) -> bool {
        self.words >= WORDS_ENOUGH && self.inputs >= INPUTS_MIN
    }
}

impl Runs<'_> {
    /// The mutant that explains all that it prints, also on further inputs on which the rule
    /// changes the answer.
    pub(super) fn bent_rule(
        &mut self,
        task: &'static dyn Task,
        tried: &[Tried],
    ) -> Result<Option<Reason>, Fault> {
        let candidate = |(index, rule)| Candidate {
            index,
            rule,
            words: 0,
            inputs: 0,
        };
        let rules = task.mutants().into_iter().enumerate();
        let mut left: Vec<Candidate> = rules.map(candidate).collect();
        for one in tried {
            left.retain_mut(|candidate| candidate.follows(task, one));
        }
        let mut runs = 0;
        let mut inputs = tried.len();
        for (input, expected) in self.further(task) {
            let is_wanted = |candidate: &Candidate| {
                let changed = candidate.mutant(task, &input, &expected);
                changed.is_some_and(|(_, changed)| changed > 0)
            };
            if runs == RUNS_MAX || left.iter().all(Candidate::is_sure) {
                break;
            }
            if !left.iter().any(|one| !one.is_sure() && is_wanted(one)) {
                continue;
            }
            runs += 1;
            let Some(one) = self.tried(&input, &expected)? else {
                return Ok(None);
            };
            inputs += 1;
            left.retain_mut(|candidate| candidate.follows(task, &one));
        }
        let found = left.into_iter().find(Candidate::is_likely);
        Ok(found.map(|found| bent_rule(found.rule.summary, found.words, inputs)))
    }

    /// Other inputs to try: small tests, then generated ones.
    fn further(&self, task: &'static dyn Task) -> impl Iterator<Item = Answered> + use<> {
        let tests: Vec<Answered> = self
            .small_tests()
            .into_iter()
            .filter_map(|test| Some(test.read().ok()?.into()))
            .collect();
        let families = task.families().iter();
        let generated = families.flat_map(move |family| {
            SEEDS.filter_map(move |seed| {
                let input = task.generate(family.name, seed)?;
                let input = Some(input).filter(|input| input.len() <= INPUT_BYTES_MAX)?;
                answer(task, input)
            })
        });
        tests.into_iter().chain(generated)
    }

    /// The format in which it would read the failing test rightly, and further tests that it fails
    /// where that has few cases.
    pub(super) fn misread(&mut self, task: &'static dyn Task) -> Result<Option<Reason>, Fault> {
        let package = self.failure.package;
        let failing = self.failure.test;
        for (index, rule) in task.misread().into_iter().enumerate() {
            let others = package.tests.iter().filter(|test| {
                test.name != failing.name && test.input.len_bytes() <= INPUT_BYTES_MAX
            });
            let (mut passed, mut answered) = (0, 0);
            for test in std::iter::once(failing).chain(others) {
                let [own, expected] = test.read()?;
                let written = task.written_for(&own, index).ok().flatten();
                let Some(input) = written.filter(|_| answered < CASES_MIN) else {
                    if passed == 0 {
                        break;
                    }
                    continue;
                };
                // What it answers rightly as it is says nothing of how it reads.
                if passed > 0 {
                    let usual = self.run(&own, &expected, AS_USUAL)?;
                    let Some(usual) = usual else { return Ok(None) };
                    if usual.result.said.verdict == Verdict::Accepted {
                        continue;
                    }
                }
                let Some(ran) = self.run(&Arc::from(input), &expected, AS_USUAL)? else {
                    return Ok(None);
                };
                if ran.result.said.verdict != Verdict::Accepted {
                    answered = 0;
                    break;
                }
                passed += 1;
                answered += task.cases(&own).map_or(1, |cases| cases.len());
            }
            // A program that fails in some runs only may pass with any format.
            if answered >= CASES_MIN && self.fails_again()? {
                return Ok(Some(misread(rule.summary, passed)));
            }
        }
        Ok(None)
    }
}

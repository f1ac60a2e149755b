//! Wrong outputs: what they have in common, on the failing test and, where that has few cases, on
//! some other tests.

use std::ops::Range;
use std::sync::Arc;

use super::{AS_USUAL, Runs, answer};
use crate::domain::{Fault, Reason, TestResult, Verdict};
use crate::explain::causes::{Outputs, answered, of_answers, of_whole, stops_early};
use crate::package::Test;
use crate::problems::Task;
use crate::util::text::{tokens, trim_end};

/// Cases below which other tests are looked at, too.
const CASES_MIN: usize = 20;
/// Tests that are looked at together.
const TESTS_MAX: usize = 8;
/// Inputs of tests that the program is run on beside the failing one, in bytes.
pub(super) const INPUT_BYTES_MAX: usize = 16 * 1024;

/// An input that was tried to its end.
pub(super) struct Tried {
    pub input: Arc<[u8]>,
    pub expected: Arc<[u8]>,
    pub printed: Arc<[u8]>,
    /// The lines of the answer that belong to each case, from 1.
    cases: Vec<Range<usize>>,
}

impl Tried {
    fn outputs(&self) -> Outputs<'_> {
        Outputs {
            expected: &self.expected,
            printed: &self.printed,
            cases: &self.cases,
        }
    }
}

/// The cases of an input; all of its answer is one where nobody knows more.
fn cases(task: Option<&dyn Task>, input: &[u8], expected: &[u8]) -> Vec<Range<usize>> {
    let cases = task.and_then(|task| task.cases(input).ok());
    let lines = trim_end(expected).split(|&byte| byte == b'\n').count();
    let all = 1..lines + 1;
    cases.unwrap_or_else(|| Vec::from([all]))
}

/// Words in which two outputs differ.
pub(super) fn words_that_differ(one: &[u8], other: &[u8]) -> usize {
    let (mut ones, mut others) = (tokens(one), tokens(other));
    let mut count = 0;
    loop {
        match (ones.next(), others.next()) {
            (None, None) => return count,
            (Some(at), Some(other_at)) => count += usize::from(one[at] != other[other_at]),
            _ => count += 1,
        }
    }
}

/// Whether all of what a run printed is kept.
fn is_whole(result: &TestResult, printed: &[u8]) -> bool {
    printed.len() as u64 == result.output_bytes()
}

impl Runs<'_> {
    /// A wrong output. Where a checker says what is right, ours is only one of the right ones, and
    /// what is not kept whole cannot be compared.
    pub(super) fn output(&mut self) -> Result<(), Fault> {
        let failure = self.failure;
        let (test, package) = (failure.test, failure.package);
        if !is_whole(failure.result, failure.printed) || package.checker.is_some() {
            return Ok(());
        }
        let task = package.task();
        let [input, expected] = test.read()?;
        let first = Tried {
            cases: cases(task.map(|task| task as _), &input, &expected),
            input,
            expected,
            printed: Arc::clone(failure.printed),
        };
        let outputs = first.outputs();
        if let Some(reason) = of_whole(&outputs) {
            self.found.causes.push(reason);
            if let Some(task) = task
                && let Some(count) = answered(&outputs)
            {
                return self.without_the_rest(task, count, outputs.cases.len());
            }
            if failure.result.said.verdict == Verdict::WrongAnswer {
                self.other_format()?;
            }
            return Ok(());
        }
        self.other_format()?;
        if !self.found.causes.is_empty() {
            return Ok(());
        }
        let mut tried = vec![first];
        self.other_tests(&mut tried)?;
        let causes = of_tried(&tried);
        let rule = match task {
            Some(task) => self.bent_rule(task, &tried)?,
            None => None,
        };
        match rule {
            Some(rule) => self.found.causes.push(rule),
            None => self.found.causes.extend(causes),
        }
        if self.found.causes.is_empty() {
            let large = self.large()?;
            self.found.causes.extend(large);
        }
        Ok(())
    }

    /// Tests of the package beside the failing one that are not too large.
    pub(super) fn small_tests(&self) -> Vec<&'_ Test> {
        let failing = &self.failure.test.name;
        let tests = self.failure.package.tests.iter();
        tests
            .filter(|test| test.name != *failing && test.input.len_bytes() <= INPUT_BYTES_MAX)
            .collect()
    }

    /// Runs it on tests with other answers.
    fn other_tests(&mut self, tried: &mut Vec<Tried>) -> Result<(), Fault> {
        let package = self.failure.package;
        for test in &package.tests {
            let count: usize = tried.iter().map(|one| one.cases.len()).sum();
            if tried.len() == TESTS_MAX || count >= CASES_MIN {
                break;
            }
            if test.input.len_bytes() > INPUT_BYTES_MAX {
                continue;
            }
            let [input, expected] = test.read()?;
            let is_same = |seen: &Tried| words_that_differ(&seen.expected, &expected) == 0;
            if !tried.iter().any(is_same) {
                let one = self.tried(&input, &expected)?;
                tried.extend(one);
            }
        }
        Ok(())
    }

    /// What it prints on an input; `None` where it does not come to its end.
    pub(super) fn tried(
        &mut self,
        input: &Arc<[u8]>,
        expected: &Arc<[u8]>,
    ) -> Result<Option<Tried>, Fault> {
        let Some(ran) = self.run(input, expected, AS_USUAL)? else {
            return Ok(None);
        };
        let printed = match ran.result.said.verdict {
            Verdict::Accepted => Arc::clone(expected),
            Verdict::WrongAnswer | Verdict::PresentationError
                if is_whole(&ran.result, &ran.printed) =>
            {
                ran.printed
            }
            _ => return Ok(None),
        };
        let task = self.failure.package.task();
        Ok(Some(Tried {
            cases: cases(task.map(|task| task as _), input, expected),
            input: Arc::clone(input),
            expected: Arc::clone(expected),
            printed,
        }))
    }

    /// Whether the output is the same, and right, without the cases that were not answered.
    fn without_the_rest(
        &mut self,
        task: &dyn Task,
        count: usize,
        cases: usize,
    ) -> Result<(), Fault> {
        let input = self.failure.test.input.read()?;
        let prefix = task.prefix(&input, count).ok().flatten();
        let Some((input, expected)) = prefix.and_then(|input| answer(task, input)) else {
            return Ok(());
        };
        let ran = self.run(&input, &expected, AS_USUAL)?;
        // What was printed is the answer to this beginning, as it was to all of the test.
        if ran.is_some_and(|ran| ran.result.said.verdict == Verdict::Accepted) {
            self.found.causes.push(stops_early(count, cases));
        }
        Ok(())
    }
}

/// What is wrong with the answers to the first of these and to all of them.
fn of_tried(tried: &[Tried]) -> Vec<Reason> {
    let each: Vec<Outputs<'_>> = tried.iter().map(Tried::outputs).collect();
    let (mut expected, mut printed, mut cases) = (Vec::new(), Vec::new(), Vec::new());
    let mut before = 0;
    for one in tried {
        cases.extend(
            one.cases
                .iter()
                .map(|lines| lines.start + before..lines.end + before),
        );
        let ends = one.cases.last().map_or(1, |lines| lines.end);
        before += ends - 1;
        for (all, part) in [(&mut expected, &one.expected), (&mut printed, &one.printed)] {
            // What is missing takes no lines from the cases of the next one.
            let lines = trim_end(part).split(|&byte| byte == b'\n');
            let lines = lines.skip(usize::from(trim_end(part).is_empty()));
            let missing = (ends - 1).saturating_sub(lines.clone().count());
            for line in lines.chain(std::iter::repeat_n(&b""[..], missing)) {
                all.extend(line);
                all.push(b'\n');
            }
        }
    }
    let all = Outputs {
        expected: &expected,
        printed: &printed,
        cases: &cases,
    };
    of_answers(&each[0], &all, &each)
}

//! Runs that show why a program fails: once more with more time or with another stack, without the
//! end of its input, and on inputs of growing size.

mod carried;

use std::sync::Arc;
use std::time::Duration;

pub use carried::is_carried_over;

use super::causes::{
    Outputs, Rung, answered, crash_on_large, of_output, stack_by_words, stack_of_crash,
    stack_of_memory, stops_early, too_slow,
};
use super::growth::growth;
use crate::domain::{Cause, Fault, Growth, GrowthPoint, Limits, Reason, TestResult, Verdict};
use crate::package::{Package, Test};
use crate::problems::{Ladder, Task};

/// How many times its limit a program may take to show that its answers are right.
const TIMES_MAX: u32 = 10;
/// CPU time of that one run at most, where it is more than twice the limit.
const EXTENDED_MAX: Duration = Duration::from_secs(10);
/// The stack of a program that crashes, in memory limits.
const STACK_TIMES: u64 = 4;
/// CPU time of all runs on ladders, without the last one.
const LADDERS_CPU_MAX: Duration = Duration::from_secs(6);
/// The largest time on a ladder must be at least one part in so many of the limit: below it, what
/// is slow about the program does not show there.
const SLOW_PART: u32 = 5;

/// How a program is run once more.
#[derive(Debug, Clone, Copy)]
pub struct Terms {
    /// How many times its time limit it has.
    pub times: u32,
    /// The stack of its first thread, where it is to be another than usual.
    pub stack_bytes: Option<u64>,
}

const AS_USUAL: Terms = Terms {
    times: 1,
    stack_bytes: None,
};

/// A program that can be run once more.
pub trait Again {
    /// Runs it on an input as on a test; `None` where it cannot be run any more.
    fn again(
        &mut self,
        input: &Arc<[u8]>,
        expected: &Arc<[u8]>,
        terms: Terms,
    ) -> Result<Option<TestResult>, Fault>;
}

/// A failure that wants an explanation.
pub struct Failure<'a> {
    pub package: &'a Package,
    /// The limits of its language.
    pub limits: &'a Limits,
    /// The first failing test.
    pub test: &'a Test,
    pub result: &'a TestResult,
    /// What is kept of what it printed on that test.
    pub printed: &'a Arc<[u8]>,
}

/// What was found.
#[derive(Debug, Clone, Default)]
pub struct Reasons {
    pub causes: Vec<Reason>,
    pub growth: Option<Growth>,
}

/// Everything that follows from rules about a failure, with the few runs that these need.
pub fn reasons(failure: &Failure<'_>, program: &mut dyn Again) -> Result<Reasons, Fault> {
    let mut runs = Runs {
        failure,
        program,
        found: Reasons::default(),
        cpu: Duration::ZERO,
    };
    match failure.result.verdict {
        Verdict::WrongAnswer | Verdict::PresentationError => runs.output()?,
        Verdict::TimeLimit if failure.result.cause == Some(Cause::Cpu) => runs.time()?,
        Verdict::RuntimeError => runs.crash()?,
        Verdict::MemoryLimit => runs.memory()?,
        Verdict::Accepted
        | Verdict::TimeLimit
        | Verdict::OutputLimit
        | Verdict::CompileError
        | Verdict::Skipped => {}
    }
    Ok(runs.found)
}

struct Runs<'a> {
    failure: &'a Failure<'a>,
    program: &'a mut dyn Again,
    found: Reasons,
    /// CPU time of the runs so far.
    cpu: Duration,
}

impl Runs<'_> {
    fn run(
        &mut self,
        input: &Arc<[u8]>,
        expected: &Arc<[u8]>,
        terms: Terms,
    ) -> Result<Option<TestResult>, Fault> {
        let ran = self.program.again(input, expected, terms)?;
        self.cpu += ran.as_ref().map_or(Duration::ZERO, |ran| ran.cpu);
        Ok(ran)
    }

    /// The failing test once more.
    fn test(&mut self, terms: Terms) -> Result<Option<TestResult>, Fault> {
        let test = self.failure.test;
        self.run(&test.input, &test.expected, terms)
    }

    /// A wrong output. Where a checker says what is right, ours is only one of the right ones, and
    /// what is not kept whole cannot be compared.
    fn output(&mut self) -> Result<(), Fault> {
        let failure = self.failure;
        let is_whole = failure.printed.len() as u64 == failure.result.output_bytes;
        if !is_whole || failure.package.checker.is_some() {
            return Ok(());
        }
        let task = failure.package.task();
        let cases = task.and_then(|task| task.cases(&failure.test.input).ok());
        let cases = cases.unwrap_or_default();
        let outputs = Outputs {
            expected: &failure.test.expected,
            printed: failure.printed,
            cases: &cases,
        };
        self.found.causes.extend(of_output(&outputs));
        if let Some(task) = task
            && let Some(count) = answered(&outputs)
        {
            self.without_the_rest(task, count, cases.len())?;
        }
        Ok(())
    }

    /// Whether the output is the same, and right, without the cases that were not answered.
    fn without_the_rest(
        &mut self,
        task: &dyn Task,
        count: usize,
        cases: usize,
    ) -> Result<(), Fault> {
        let prefix = task.prefix(&self.failure.test.input, count).ok().flatten();
        let Some((input, expected)) = prefix.and_then(|input| answer(task, input)) else {
            return Ok(());
        };
        let ran = self.run(&input, &expected, AS_USUAL)?;
        // What was printed is the answer to this beginning, as it was to all of the test.
        if ran.is_some_and(|ran| ran.verdict == Verdict::Accepted) {
            self.found.causes.push(stops_early(count, cases));
        }
        Ok(())
    }

    fn time(&mut self) -> Result<(), Fault> {
        let limit = self.failure.limits.cpu;
        let times = EXTENDED_MAX.as_millis() / limit.as_millis().max(1);
        let times = u32::try_from(times).unwrap_or(TIMES_MAX);
        let terms = Terms {
            times: times.clamp(2, TIMES_MAX),
            ..AS_USUAL
        };
        let ran = self.test(terms)?;
        if let Some(ran) = ran.filter(|ran| ran.verdict == Verdict::Accepted) {
            let test = &self.failure.test.name.name;
            let reason = too_slow(test, ran.cpu, limit);
            self.found.causes.push(reason);
        }
        let before = self.cpu;
        for (index, ladder) in self.ladders() {
            let rungs = self.climb(index, ladder, before + LADDERS_CPU_MAX)?;
            let is_slow = |(_, ran): &(u64, TestResult)| ran.cpu * SLOW_PART >= limit;
            if rungs.iter().any(is_slow) {
                self.found.growth = growth(ladder, rungs.iter().filter_map(point).collect());
            }
            if self.found.growth.is_some() {
                break;
            }
        }
        Ok(())
    }

    fn crash(&mut self) -> Result<(), Fault> {
        let before = &self.failure.result.cause;
        let mut stack = stack_by_words(&self.failure.result.stderr);
        if stack.is_none()
            && let Some(crash @ Cause::Signal(_)) = before
        {
            let bytes = self.failure.limits.memory_bytes * STACK_TIMES;
            let ran = self.with_stack(bytes)?;
            stack = ran.and_then(|ran| stack_of_crash(crash, ran.verdict, bytes));
            // A program that crashes in some runs only may pass with any stack.
            if stack.is_some() {
                let ran = self.test(AS_USUAL)?;
                stack = stack.filter(|_| ran.is_some_and(|ran| ran.cause.as_ref() == Some(crash)));
            }
        }
        self.found.causes.extend(stack);
        let until = self.cpu + LADDERS_CPU_MAX;
        for (index, ladder) in self.ladders() {
            let rungs: Vec<Rung> = self
                .climb(index, ladder, until)?
                .iter()
                .map(|(size, result)| Rung {
                    size: *size,
                    verdict: result.verdict,
                })
                .collect();
            // A ladder that was left in the middle says nothing about larger sizes.
            let is_whole = rungs.len() == ladder.sizes.len();
            let reason = crash_on_large(&ladder.quantity(), &rungs).filter(|_| is_whole);
            if reason.is_some() {
                self.found.causes.extend(reason);
                break;
            }
        }
        Ok(())
    }

    fn memory(&mut self) -> Result<(), Fault> {
        let limit = self.failure.limits.memory_bytes;
        let ran = self.with_stack(limit / 2)?;
        let cause = ran.and_then(|ran| ran.cause);
        let reason = stack_of_memory(cause.as_ref(), limit / 2, limit);
        self.found.causes.extend(reason);
        Ok(())
    }

    fn with_stack(&mut self, bytes: u64) -> Result<Option<TestResult>, Fault> {
        self.test(Terms {
            stack_bytes: Some(bytes),
            ..AS_USUAL
        })
    }

    fn ladders(&self) -> impl Iterator<Item = (usize, &'static Ladder)> + use<> {
        let task = self.failure.package.task();
        let ladders = task.map_or(&[][..], <dyn Task>::ladders);
        ladders.iter().enumerate()
    }

    /// Runs the program on the inputs of a ladder, up to the one on which it runs into a limit.
    fn climb(
        &mut self,
        index: usize,
        ladder: &Ladder,
        until: Duration,
    ) -> Result<Vec<(u64, TestResult)>, Fault> {
        let mut rungs = Vec::new();
        let Some(task) = self.failure.package.task() else {
            return Ok(rungs);
        };
        for &size in ladder.sizes {
            let input = task.rung(index, size);
            let Some((input, expected)) = input.and_then(|input| answer(task, input)) else {
                break;
            };
            let Some(result) = self.run(&input, &expected, AS_USUAL)? else {
                break;
            };
            let verdict = result.verdict;
            rungs.push((size.into(), result));
            let is_limit = matches!(verdict, Verdict::TimeLimit | Verdict::MemoryLimit);
            if is_limit || self.cpu >= until {
                break;
            }
        }
        Ok(rungs)
    }
}

/// An input and its answer.
type Answered = (Arc<[u8]>, Arc<[u8]>);

fn answer(task: &dyn Task, input: Vec<u8>) -> Option<Answered> {
    let expected = task.answer(&input).ok()?;
    Some((Arc::from(input), Arc::from(expected)))
}

/// What a run says of the time; `None` where it ended early by itself. One that ran into a limit
/// would have taken longer.
fn point((size, result): &(u64, TestResult)) -> Option<GrowthPoint> {
    (result.verdict != Verdict::RuntimeError).then(|| GrowthPoint {
        size: *size,
        cpu_us: u64::try_from(result.cpu.as_micros()).unwrap_or(u64::MAX),
        is_stopped: matches!(result.verdict, Verdict::TimeLimit | Verdict::MemoryLimit),
    })
}

#[cfg(test)]
mod tests;

//! Runs that show why a program fails: once more with more time or with another stack, without the
//! end of its input, and on inputs of growing size.

mod carried;
mod output;
mod rules;

use std::sync::Arc;
use std::time::Duration;

pub use carried::is_carried_over;

use super::causes::{
    Rung, STACK, large_fail, of_stderr, right_but_slow, stack_of_crash, stack_of_memory, too_slow,
    uses_files,
};
use super::growth::growth;
use crate::domain::{Cause, Fault, Growth, GrowthPoint, Limits, Reason, TestResult, Verdict};
use crate::package::{Io, Package, Test};
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

/// Other tests that show that what a slow program answers is right, the smallest first.
const OTHERS_MAX: usize = 5;
/// Answers that show it.
const RIGHT_MIN: usize = 3;
/// What a program that uses files has in its source, in small letters, beginning with `in` or `out`.
const FILE: &[u8] = b"put.txt";

/// How a program is run once more.
#[derive(Debug, Clone, Copy)]
pub struct Terms {
    /// How many times its time limit it has.
    pub times: u32,
    /// The stack of its first thread, where it is to be another than usual.
    pub stack_bytes: Option<u64>,
    /// Whether its input lies in a file, too.
    pub in_file: bool,
}

const AS_USUAL: Terms = Terms {
    times: 1,
    stack_bytes: None,
    in_file: false,
};

/// What came of a run.
#[derive(Debug, Clone)]
pub struct Ran {
    pub result: TestResult,
    /// What is kept of what it printed; nothing where it passes.
    pub printed: Arc<[u8]>,
}

/// A program that can be run once more.
pub trait Again {
    /// Runs it on an input as on a test; `None` where it cannot be run any more.
    fn again(
        &mut self,
        input: &Arc<[u8]>,
        expected: &Arc<[u8]>,
        terms: Terms,
    ) -> Result<Option<Ran>, Fault>;
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
    pub source: &'a [u8],
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
        let ran = self.ran(input, expected, terms)?;
        Ok(ran.map(|ran| ran.result))
    }

    fn ran(
        &mut self,
        input: &Arc<[u8]>,
        expected: &Arc<[u8]>,
        terms: Terms,
    ) -> Result<Option<Ran>, Fault> {
        let ran = self.program.again(input, expected, terms)?;
        self.cpu += ran.as_ref().map_or(Duration::ZERO, |ran| ran.result.cpu);
        Ok(ran)
    }

    /// The failing test once more.
    fn test(&mut self, terms: Terms) -> Result<Option<TestResult>, Fault> {
        let test = self.failure.test;
        self.run(&test.input, &test.expected, terms)
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
        let is_right = ran.is_some_and(|ran| {
            let is_right = ran.verdict == Verdict::Accepted;
            if is_right {
                let test = &self.failure.test.name.name;
                self.found.causes.push(too_slow(test, ran.cpu, limit));
            }
            is_right
        });
        let before = self.cpu;
        let mut rungs = Vec::new();
        for (index, ladder) in self.ladders() {
            let climbed = self.climb(index, ladder, before + LADDERS_CPU_MAX)?;
            let is_slow = |(_, ran): &(u64, TestResult)| ran.cpu * SLOW_PART >= limit;
            if climbed.iter().any(is_slow) {
                self.found.growth = growth(ladder, climbed.iter().filter_map(point).collect());
            }
            rungs.extend(climbed.into_iter().map(|(_, ran)| ran.verdict));
            if self.found.growth.is_some() {
                break;
            }
        }
        if !is_right {
            self.right_in_time(limit * terms.times, rungs)?;
        }
        Ok(())
    }

    /// Whether a program that did not end within this time is right wherever it ends: on small
    /// tests and on the rungs of ladders.
    fn right_in_time(&mut self, allowed: Duration, rungs: Vec<Verdict>) -> Result<(), Fault> {
        let Failure { package, test, .. } = *self.failure;
        if package.checker.is_some() {
            return Ok(());
        }
        let mut others: Vec<&Test> = package.tests.iter().collect();
        others.retain(|other| other.name != test.name);
        others.sort_by_key(|other| other.input.len());
        let mut seen = rungs;
        for other in others.into_iter().take(OTHERS_MAX) {
            let ran = self.run(&other.input, &other.expected, AS_USUAL)?;
            seen.extend(ran.map(|ran| ran.verdict));
        }
        seen.retain(|verdict| *verdict != Verdict::TimeLimit);
        let is_right = seen.iter().all(|verdict| *verdict == Verdict::Accepted);
        if is_right && seen.len() >= RIGHT_MIN {
            let grows = self.found.growth.is_some();
            let reason = right_but_slow(&test.name.name, seen.len(), allowed, grows);
            self.found.causes.push(reason);
        }
        Ok(())
    }

    fn crash(&mut self) -> Result<(), Fault> {
        let before = &self.failure.result.cause;
        let mut said = of_stderr(&self.failure.result.stderr);
        if said.is_none()
            && let Some(crash @ Cause::Signal(_)) = before
        {
            let bytes = self.failure.limits.memory_bytes * STACK_TIMES;
            let ran = self.with_stack(bytes)?;
            said = ran.and_then(|ran| stack_of_crash(crash, ran.verdict, bytes));
            // A program that crashes in some runs only may pass with any stack.
            if said.is_some() {
                let ran = self.test(AS_USUAL)?;
                said = said.filter(|_| ran.is_some_and(|ran| ran.cause.as_ref() == Some(crash)));
            }
        }
        let is_stack = said.as_ref().is_some_and(|said| said.code == STACK.code);
        self.found.causes.extend(said);
        let large = self.large()?;
        self.found.causes.extend(large);
        if !is_stack {
            self.other_format()?;
        }
        Ok(())
    }

    /// Whether it fails on the test once more as it did.
    fn fails_again(&mut self) -> Result<bool, Fault> {
        let ran = self.test(AS_USUAL)?;
        Ok(ran.is_some_and(|ran| ran.verdict == self.failure.result.verdict))
    }

    /// Whether it fails from some size of an input on.
    fn large(&mut self) -> Result<Option<Reason>, Fault> {
        let until = self.cpu + LADDERS_CPU_MAX;
        for (index, ladder) in self.ladders() {
            let climbed = self.climb(index, ladder, until)?;
            let rung = |(size, result): &(u64, TestResult)| Rung {
                size: *size,
                verdict: result.verdict,
            };
            let rungs: Vec<Rung> = climbed.iter().map(rung).collect();
            // A ladder that was left in the middle says nothing about larger sizes.
            let is_whole = rungs.len() == ladder.sizes.len();
            if is_whole && large_fail(&ladder.quantity(), &rungs).is_some() {
                let rungs = self.between(index, rungs)?;
                return Ok(large_fail(&ladder.quantity(), &rungs));
            }
        }
        Ok(None)
    }

    /// Looks for the first size that fails, between the last that passes and the first that does
    /// not.
    fn between(&mut self, ladder: usize, mut rungs: Vec<Rung>) -> Result<Vec<Rung>, Fault> {
        let task = self.failure.package.task();
        let is_failing = |rung: &Rung| rung.verdict != Verdict::Accepted;
        while let Some(at @ 1..) = rungs.iter().position(is_failing) {
            let middle = rungs[at - 1].size.midpoint(rungs[at].size);
            let size = u16::try_from(middle).ok();
            let input = size.filter(|_| middle > rungs[at - 1].size);
            let input = task.zip(input).and_then(|(task, size)| {
                let input = task.rung(ladder, size)?;
                answer(task, input)
            });
            let Some((input, expected)) = input else {
                break;
            };
            let Some(ran) = self.run(&input, &expected, AS_USUAL)? else {
                break;
            };
            let rung = Rung {
                size: middle,
                verdict: ran.verdict,
            };
            rungs.insert(at, rung);
        }
        Ok(rungs)
    }

    /// Whether it passes where its input lies in a file, or is written as it reads it.
    fn other_format(&mut self) -> Result<(), Fault> {
        let Failure {
            package, source, ..
        } = *self.failure;
        let mut words = source.windows(FILE.len());
        if package.io == Io::Stdio && words.any(|word| word.eq_ignore_ascii_case(FILE)) {
            let in_file = Terms {
                in_file: true,
                ..AS_USUAL
            };
            let ran = self.test(in_file)?;
            let passes = ran.is_some_and(|ran| ran.verdict == Verdict::Accepted);
            if passes && self.fails_again()? {
                self.found.causes.push(uses_files());
            }
        }
        if let Some(task) = package.task() {
            let reason = self.misread(task)?;
            self.found.causes.extend(reason);
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

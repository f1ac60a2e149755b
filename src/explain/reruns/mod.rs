//! Runs that show why a program fails: once more with more time or with another stack, without the
//! end of its input, and on inputs of growing size.

mod carried;
mod output;
mod rules;

use std::sync::Arc;
use std::time::Duration;

pub use carried::is_carried_over;

use super::causes::{
    STACK, SizedRun, large_fail, of_stderr, right_but_slow, stack_of_crash, stack_of_memory,
    too_slow, uses_files,
};
use super::growth::{Series, growth, series};
use crate::domain::{Cause, Fault, Growth, GrowthPoint, Limits, Reason, TestResult, Verdict};
use crate::package::{Io, Package, Test};
use crate::problems::Task;
use crate::util::clock::as_us;

/// How many times its limit a program may take to show that its answers are right.
const TIMES_MAX: u32 = 10;
/// CPU time of that one run at most, where it is more than twice the limit.
const EXTENDED_MAX: Duration = Duration::from_secs(10);
/// The stack of a program that crashes, in memory limits.
const STACK_TIMES: u64 = 4;
/// CPU time of all runs on inputs that grow, without the last one.
const GROWING_CPU_MAX: Duration = Duration::from_secs(6);
/// The largest time on inputs that grow must be at least one part in so many of the limit: below it,
/// what is slow about the program does not show there.
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
pub trait Rerun {
    /// Runs it on an input as on a test; `None` where it cannot be run any more.
    fn rerun(
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
pub fn reasons(failure: &Failure<'_>, program: &mut dyn Rerun) -> Result<Reasons, Fault> {
    let mut runs = Runs {
        failure,
        program,
        found: Reasons::default(),
        cpu: Duration::ZERO,
    };
    match failure.result.said.verdict {
        Verdict::WrongAnswer | Verdict::PresentationError => runs.output()?,
        Verdict::TimeLimit if failure.result.said.cause == Some(Cause::Cpu) => runs.time()?,
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
    program: &'a mut dyn Rerun,
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
    ) -> Result<Option<Ran>, Fault> {
        let ran = self.program.rerun(input, expected, terms)?;
        self.cpu += ran.as_ref().map_or(Duration::ZERO, |ran| ran.result.cpu());
        Ok(ran)
    }

    /// The failing test once more.
    fn test(&mut self, terms: Terms) -> Result<Option<TestResult>, Fault> {
        let test = self.failure.test;
        let [input, expected] = test.read()?;
        let ran = self.run(&input, &expected, terms)?;
        Ok(ran.map(|ran| ran.result))
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
            let is_right = ran.said.verdict == Verdict::Accepted;
            if is_right {
                let test = &self.failure.test.name.name;
                self.found.causes.push(too_slow(test, ran.cpu(), limit));
            }
            is_right
        });
        let before = self.cpu;
        let mut seen = Vec::new();
        for series in self.series() {
            let ran = self.grow(&series, before + GROWING_CPU_MAX)?;
            let is_slow = |(_, ran): &(u64, TestResult)| ran.cpu() * SLOW_PART >= limit;
            if ran.iter().any(is_slow) {
                let points = ran.iter().filter_map(point).collect();
                self.found.growth = growth(series.growing, points);
            }
            seen.extend(ran.into_iter().map(|(_, ran)| ran.said.verdict));
            if self.found.growth.is_some() {
                break;
            }
        }
        if !is_right {
            self.right_in_time(limit * terms.times, seen)?;
        }
        Ok(())
    }

    /// Whether a program that did not end within this time is right wherever it ends: on small
    /// tests and on inputs that grow, of which these verdicts are known.
    fn right_in_time(&mut self, allowed: Duration, mut seen: Vec<Verdict>) -> Result<(), Fault> {
        let Failure { package, test, .. } = *self.failure;
        if package.checker.is_some() {
            return Ok(());
        }
        let mut others: Vec<&Test> = package.tests.iter().collect();
        others.retain(|other| other.name != test.name);
        others.sort_by_key(|other| other.input.len_bytes());
        for other in others.into_iter().take(OTHERS_MAX) {
            let [input, expected] = other.read()?;
            let ran = self.run(&input, &expected, AS_USUAL)?;
            seen.extend(ran.map(|ran| ran.result.said.verdict));
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
        let before = &self.failure.result.said.cause;
        let run = self.failure.result.run.as_ref();
        let mut said = run.and_then(|run| of_stderr(&run.stderr));
        if said.is_none()
            && let Some(crash @ Cause::Signal(_)) = before
        {
            let bytes = self.failure.limits.memory_bytes * STACK_TIMES;
            let ran = self.with_stack(bytes)?;
            said = ran.and_then(|ran| stack_of_crash(crash, ran.said.verdict, bytes));
            // A program that crashes in some runs only may pass with any stack.
            if said.is_some() {
                let ran = self.test(AS_USUAL)?;
                said =
                    said.filter(|_| ran.is_some_and(|ran| ran.said.cause.as_ref() == Some(crash)));
            }
        }
        let is_stack = said.as_ref().is_some_and(|said| said.code == STACK);
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
        Ok(ran.is_some_and(|ran| ran.said.verdict == self.failure.result.said.verdict))
    }

    /// Whether it fails from some size of an input on.
    fn large(&mut self) -> Result<Option<Reason>, Fault> {
        let until = self.cpu + GROWING_CPU_MAX;
        for series in self.series() {
            let ran = self.grow(&series, until)?;
            // Where it was left in the middle, that says nothing about larger sizes.
            let is_whole = ran.len() == series.inputs.len();
            let sized = |(size, result): &(u64, TestResult)| SizedRun {
                size: *size,
                verdict: result.said.verdict,
            };
            let sized: Vec<SizedRun> = ran.iter().map(sized).collect();
            let quantity = series.growing.quantity();
            if is_whole && large_fail(&quantity, &sized).is_some() {
                let sized = self.between(&series, sized)?;
                return Ok(large_fail(&quantity, &sized));
            }
        }
        Ok(None)
    }

    /// Looks for the first size that fails, between the last that passes and the first that does
    /// not.
    fn between(
        &mut self,
        series: &Series,
        mut sized: Vec<SizedRun>,
    ) -> Result<Vec<SizedRun>, Fault> {
        let is_failing = |run: &SizedRun| run.verdict != Verdict::Accepted;
        let first = sized.iter().position(is_failing).unwrap_or_default();
        let (Some(task), [.., last, first]) = (self.failure.package.task(), &sized[..=first])
        else {
            return Ok(sized);
        };
        let inputs = series.between(task, last.size, first.size);
        let (mut passes, mut fails) = (0, inputs.len());
        while passes < fails {
            let at = usize::midpoint(passes, fails);
            let (size, input) = inputs[at].clone();
            let Some((input, expected)) = answer(task, input) else {
                break;
            };
            let Some(ran) = self.run(&input, &expected, AS_USUAL)? else {
                break;
            };
            let verdict = ran.result.said.verdict;
            sized.push(SizedRun { size, verdict });
            if verdict == Verdict::Accepted {
                passes = at + 1;
            } else {
                fails = at;
            }
        }
        sized.sort_by_key(|run| run.size);
        Ok(sized)
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
            let passes = ran.is_some_and(|ran| ran.said.verdict == Verdict::Accepted);
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
        let cause = ran.and_then(|ran| ran.said.cause);
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

    fn series(&self) -> impl Iterator<Item = Series> + use<> {
        let task = self.failure.package.task();
        task.into_iter().flat_map(series)
    }

    /// Runs the program on inputs that grow, up to the one on which it runs into a limit.
    fn grow(&mut self, series: &Series, until: Duration) -> Result<Vec<(u64, TestResult)>, Fault> {
        let mut all = Vec::new();
        let Some(task) = self.failure.package.task() else {
            return Ok(all);
        };
        for (size, input) in &series.inputs {
            let Some((input, expected)) = answer(task, input.clone()) else {
                break;
            };
            let Some(Ran { result, .. }) = self.run(&input, &expected, AS_USUAL)? else {
                break;
            };
            let verdict = result.said.verdict;
            all.push((*size, result));
            let is_limit = matches!(verdict, Verdict::TimeLimit | Verdict::MemoryLimit);
            if is_limit || self.cpu >= until {
                break;
            }
        }
        Ok(all)
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
    (result.said.verdict != Verdict::RuntimeError).then(|| GrowthPoint {
        size: *size,
        cpu_us: as_us(result.cpu()),
        is_stopped: matches!(
            result.said.verdict,
            Verdict::TimeLimit | Verdict::MemoryLimit
        ),
    })
}

#[cfg(test)]
mod tests;

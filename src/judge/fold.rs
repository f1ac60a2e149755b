//! Facts to verdicts. Pure.
//!
//! Precedence for one run: output > memory > time > run-time error > comparison, decided from counters and from who ended the program, never from the signal number alone.

use crate::compare::{self, Kind, Outcome, WrongLayout};
use crate::domain::{
    Cause, Compared, Difference, End, Judgement, Limits, RunFacts, Stop, TestResult, Verdict,
};
use crate::package::{Package, Test};

/// Below this share of the CPU limit a program that ran out of wall-clock time was idle.
const IDLE_CPU_SHARE: u32 = 10;

/// What a run says under these limits, or `None` where it was measured under caps too low to tell, or its output is not known well enough.
pub fn judge_run(
    package: &Package,
    test: &Test,
    limits: &Limits,
    facts: &RunFacts,
) -> Option<TestResult> {
    let (verdict, cause, difference, checker, judge_message) = match ended_badly(limits, facts) {
        Bad::No => {
            let compared = compare_run(package, test, facts)?;
            let Compared {
                verdict,
                cause,
                difference,
                words,
                judge_message,
                ..
            } = compared;
            (verdict, cause, difference, words, judge_message)
        }
        Bad::Yes(verdict, cause) => (verdict, cause, None, None, None),
        Bad::CapsTooLow => return None,
    };
    Some(TestResult {
        test: test.name.clone(),
        verdict,
        cause,
        ended_by_itself: facts.stop.is_none(),
        measurements: facts.measurements,
        busy: facts.busy,
        waited: facts.waited,
        cpu: facts.cpu,
        wall: facts.wall,
        memory_bytes: facts.memory_bytes,
        output_bytes: facts.output.len_bytes,
        difference,
        checker,
        judge_message,
        stderr: facts.stderr.clone(),
    })
}

enum Bad {
    No,
    Yes(Verdict, Option<Cause>),
    CapsTooLow,
}

fn ended_badly(limits: &Limits, facts: &RunFacts) -> Bad {
    let caps = &facts.caps;
    let narrow = caps.processes != limits.processes || caps.open_files != limits.open_files;
    let stopped_below_the_limit = match facts.stop {
        Some(Stop::Output) => caps.output_bytes < limits.output_bytes,
        Some(Stop::Cpu) => caps.cpu < limits.cpu,
        Some(Stop::Wall) => caps.wall < limits.wall,
        None => false,
    } || (facts.memory_exceeded
        && caps.memory_bytes < limits.memory_bytes);
    if narrow || stopped_below_the_limit {
        return Bad::CapsTooLow;
    }
    if facts.stop == Some(Stop::Output) || facts.output.len_bytes > limits.output_bytes {
        return Bad::Yes(Verdict::OutputLimit, None);
    }
    if facts.memory_exceeded || facts.memory_bytes > limits.memory_bytes {
        return Bad::Yes(Verdict::MemoryLimit, None);
    }
    if facts.stop == Some(Stop::Cpu) || facts.cpu > limits.cpu {
        return Bad::Yes(Verdict::TimeLimit, Some(Cause::Cpu));
    }
    if facts.stop == Some(Stop::Wall) || facts.wall > limits.wall {
        let cause = if is_idle(limits, facts) {
            Cause::Idle
        } else {
            Cause::Wall
        };
        return Bad::Yes(Verdict::TimeLimit, Some(cause));
    }
    match facts.end {
        End::Exited(0) => Bad::No,
        End::Exited(code) => Bad::Yes(Verdict::RuntimeError, Some(Cause::ExitCode(code))),
        End::Signalled(number) => Bad::Yes(Verdict::RuntimeError, Some(Cause::Signal(number))),
    }
}

/// Whether a program that ran out of wall-clock time hardly computed at all.
pub fn is_idle(limits: &Limits, facts: &RunFacts) -> bool {
    facts.cpu < limits.cpu / IDLE_CPU_SHARE
}

/// Compares a run's output with the expected one: by digest, by its bytes, or as it was compared before.
fn compare_run(package: &Package, test: &Test, facts: &RunFacts) -> Option<Compared> {
    // A checker has to be asked even about the very bytes of the answer, which need not look like an output.
    if package.checker.is_none() {
        if facts.output.digest == test.name.expected {
            return Some(same(package, test));
        }
        if let Some(whole) = facts.output.whole() {
            return Some(compare_bytes(package, test, whole));
        }
    }
    facts
        .compared
        .clone()
        .filter(|kept| kept.expected == test.name.expected && kept.mode == package.compare_key())
}

/// Whether these facts tell all but what the package's checker says of the output.
pub fn waits_for_checker(
    package: &Package,
    test: &Test,
    limits: &Limits,
    facts: &RunFacts,
) -> bool {
    package.checker.is_some()
        && matches!(ended_badly(limits, facts), Bad::No)
        && compare_run(package, test, facts).is_none()
}

fn same(package: &Package, test: &Test) -> Compared {
    Compared {
        expected: test.name.expected,
        mode: package.compare_key(),
        verdict: Verdict::Accepted,
        cause: None,
        difference: None,
        words: None,
        judge_message: None,
    }
}

/// Compares bytes with the expected output.
pub fn compare_bytes(package: &Package, test: &Test, output: &[u8]) -> Compared {
    let (verdict, found) = match compare::compare(&test.expected, output, &package.mode) {
        Outcome::Same => return same(package, test),
        Outcome::Layout(found) => match package.wrong_layout {
            WrongLayout::Presentation => (Verdict::PresentationError, found),
            WrongLayout::Wrong => (Verdict::WrongAnswer, found),
        },
        Outcome::Different(found) => (Verdict::WrongAnswer, found),
    };
    let cause = match (verdict, found.kind) {
        (Verdict::PresentationError, _) => None,
        (_, Kind::Differs) => Some(Cause::Differs),
        (_, Kind::Missing) => Some(Cause::Missing),
        (_, Kind::Extra) => Some(Cause::Extra),
        (_, Kind::Empty) => Some(Cause::Empty),
    };
    Compared {
        expected: test.name.expected,
        mode: package.compare_key(),
        verdict,
        cause,
        difference: Some(Difference {
            line: found.line,
            column: found.column,
            expected: found.expected.printable(),
            got: found.got.printable(),
        }),
        words: None,
        judge_message: None,
    }
}

/// The judgement of a program that could not be built.
pub fn fold_build_failure(cause: Cause, compiler_words: Vec<u8>) -> Judgement {
    Judgement {
        verdict: Verdict::CompileError,
        cause: Some(cause),
        compiler_words,
        first_failing: None,
        tests: Vec::new(),
    }
}

/// Folds results in the tests' order; a test without a result was skipped.
pub fn fold(
    package: &Package,
    results: &[Option<TestResult>],
    compiler_words: Vec<u8>,
) -> Judgement {
    let tests: Vec<TestResult> = package
        .tests
        .iter()
        .zip(results)
        .map(|(test, result)| result.clone().unwrap_or_else(|| skipped(test)))
        .collect();
    let first_failing = tests
        .iter()
        .position(|result| !matches!(result.verdict, Verdict::Accepted | Verdict::Skipped));
    let failing = first_failing.map(|index| &tests[index]);
    Judgement {
        verdict: failing.map_or(Verdict::Accepted, |result| result.verdict),
        cause: failing.and_then(|result| result.cause.clone()),
        compiler_words,
        first_failing,
        tests,
    }
}

fn skipped(test: &Test) -> TestResult {
    TestResult {
        test: test.name.clone(),
        verdict: Verdict::Skipped,
        cause: None,
        ended_by_itself: false,
        measurements: 0,
        busy: 0,
        waited: std::time::Duration::ZERO,
        cpu: std::time::Duration::ZERO,
        wall: std::time::Duration::ZERO,
        memory_bytes: 0,
        output_bytes: 0,
        difference: None,
        checker: None,
        judge_message: None,
        stderr: Vec::new(),
    }
}

#[cfg(test)]
#[path = "fold_tests.rs"]
pub mod tests;

#[cfg(test)]
#[path = "limits_tests.rs"]
mod limits_tests;

//! Programs on every test, and not only up to the first that they fail on.

use std::sync::Arc;
use std::time::Duration;

use super::matrix::{Mark, Row};
use crate::domain::{Fault, Groups, LanguageId, Limits, TestResult, Verdict};
use crate::judge::Judged;
use crate::package::Package;

/// Tests on which a program may be stopped by the time limit before it is not run on the others.
const STOPPED_MAX: usize = 2;
/// Times the limit at which a slow program is certainly too slow.
pub const CERTAIN: f64 = 2.0;
/// Times the limit at which it is stopped.
const SLOW_TIMES: f64 = 2.2;
/// Times the limit that a slow program may take on all tests together.
const SLOW_TIMES_IN_ALL: u32 = 8;

/// What a program is there for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// It is right, and fast enough.
    Intended,
    /// It is wrong.
    Wrong,
    /// It is right as a rule, and too slow.
    Slow,
}

/// A program that was run on the tests.
#[derive(Debug, Clone)]
pub struct Tried {
    pub kind: Kind,
    pub language: LanguageId,
    pub row: Row,
    /// CPU time on each test; zero where it was not run.
    pub cpu: Vec<Duration>,
    /// What its language is allowed.
    pub limit: Duration,
}

/// Judges the program with a package.
pub type Judge<'j> = &'j mut dyn FnMut(Arc<Package>) -> Result<Judged, Fault>;

/// Runs a program on every test. The package is one that stops at the first failing test, so it is
/// judged again on the tests after that one. `None` for a program that does not build.
pub fn tried(
    (kind, name, language): (Kind, &str, &LanguageId),
    package: &Package,
    judge: Judge<'_>,
) -> Result<Option<Tried>, Fault> {
    let mut tried = untried((kind, name, language), package);
    let mut stopped = 0;
    let mut at = 0;
    while at < package.tests.len() && stopped < STOPPED_MAX {
        let judged = judge(part(package, at..package.tests.len(), 1.0))?;
        if judged.judgement.verdict == Verdict::CompileError {
            return Ok(None);
        }
        tried.limit = judged.limits.cpu;
        let results = judged.judgement.tests.iter();
        let results: Vec<&TestResult> = results
            .take_while(|result| result.verdict != Verdict::Skipped)
            .collect();
        if results.is_empty() {
            break;
        }
        for result in results {
            stopped += usize::from(result.verdict == Verdict::TimeLimit);
            tried.note(at, result);
            at += 1;
        }
    }
    Ok(Some(tried))
}

/// Runs a slow program on the heaviest tests (`by_weight`), with a higher limit, until it has taken
/// at least twice what it may. `None` for a program that does not build.
pub fn tried_to_the_end(
    (name, language): (&str, &LanguageId),
    package: &Package,
    by_weight: &[usize],
    judge: Judge<'_>,
) -> Result<Option<Tried>, Fault> {
    let mut tried = untried((Kind::Slow, name, language), package);
    let mut spent = Duration::ZERO;
    for &at in by_weight {
        let judged = judge(part(package, at..at + 1, SLOW_TIMES))?;
        if judged.judgement.verdict == Verdict::CompileError {
            return Ok(None);
        }
        tried.limit = judged.limits.cpu.div_f64(SLOW_TIMES);
        let Some(result) = judged.judgement.tests.first() else {
            break;
        };
        tried.note(at, result);
        if result.cpu > tried.limit {
            tried.row.marks[at] = Mark::Killed(Verdict::TimeLimit);
        }
        spent += result.cpu;
        let is_certain = result.cpu.as_secs_f64() >= CERTAIN * tried.limit.as_secs_f64();
        if is_certain || spent >= tried.limit * SLOW_TIMES_IN_ALL {
            break;
        }
    }
    Ok(Some(tried))
}

fn untried((kind, name, language): (Kind, &str, &LanguageId), package: &Package) -> Tried {
    let tests = package.tests.len();
    Tried {
        kind,
        language: language.clone(),
        row: Row {
            name: name.to_owned(),
            marks: vec![Mark::NotRun; tests],
        },
        cpu: vec![Duration::ZERO; tests],
        limit: package.limits.cpu,
    }
}

impl Tried {
    fn note(&mut self, at: usize, result: &TestResult) {
        self.cpu[at] = result.cpu;
        self.row.marks[at] = match result.verdict {
            Verdict::Accepted => Mark::Passed,
            Verdict::Skipped => Mark::NotRun,
            verdict => Mark::Killed(verdict),
        };
    }

    /// The test on which it takes longest, with its time there.
    pub fn heaviest(&self) -> Option<(usize, Duration)> {
        let times = self.cpu.iter().copied().enumerate();
        times
            .max_by_key(|&(_, cpu)| cpu)
            .filter(|(_, cpu)| !cpu.is_zero())
    }
}

/// The package with some of its tests, without groups, and with so many times its time limit.
fn part(package: &Package, tests: std::ops::Range<usize>, times: f64) -> Arc<Package> {
    let cpu = package.limits.cpu.mul_f64(times);
    Arc::new(Package {
        tests: package.tests[tests].to_vec(),
        groups: Groups::default(),
        limits: Limits {
            cpu,
            wall: package.limits.wall.max(Limits::wall_floor(cpu)),
            ..package.limits.clone()
        },
        ..package.clone()
    })
}

//! Programs on every test, and not only up to the first that they fail on.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use crate::domain::{Fault, Groups, LanguageId, TestResult, Verdict};
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
    pub name: String,
    pub language: LanguageId,
    /// Its verdict on each test; none where it was not run.
    pub marks: Vec<Option<Verdict>>,
    /// CPU time on each test; zero where it was not run.
    cpu: Vec<Duration>,
    /// What its language is allowed.
    pub limit: Duration,
}

/// Judges the program with a package.
type Judge<'j> = &'j mut dyn FnMut(Arc<Package>) -> Result<Judged, Fault>;

impl Tried {
    /// A program that was not run yet.
    pub fn new(kind: Kind, name: &str, language: &LanguageId, package: &Package) -> Self {
        let tests = package.tests.len();
        Self {
            kind,
            name: name.to_owned(),
            language: language.clone(),
            marks: vec![None; tests],
            cpu: vec![Duration::ZERO; tests],
            limit: package.limits.cpu,
        }
    }

    /// Runs it on every test. The package is one that stops at the first failing test, so the
    /// program is judged again on the tests after that one. `None` if it does not build.
    pub fn on_every_test(
        mut self,
        package: &Package,
        judge: Judge<'_>,
    ) -> Result<Option<Self>, Fault> {
        let mut stopped = 0;
        let mut at = 0;
        while at < package.tests.len() && stopped < STOPPED_MAX {
            let judged = judge(part(package, at..package.tests.len(), 1.0))?;
            if judged.judgement.verdict == Verdict::CompileError {
                return Ok(None);
            }
            self.limit = judged.limits.cpu;
            let results = judged.judgement.tests.iter();
            let before = at;
            for result in results.take_while(|result| result.said.verdict != Verdict::Skipped) {
                stopped += usize::from(result.said.verdict == Verdict::TimeLimit);
                self.note(at, result);
                at += 1;
            }
            if at == before {
                break;
            }
        }
        Ok(Some(self))
    }

    /// Runs a slow program on the heaviest tests (`by_weight`), with a higher limit, until it has
    /// taken at least twice what it may. `None` if it does not build.
    pub fn on_the_heaviest(
        mut self,
        package: &Package,
        by_weight: &[usize],
        judge: Judge<'_>,
    ) -> Result<Option<Self>, Fault> {
        let mut spent = Duration::ZERO;
        for &at in by_weight {
            let judged = judge(part(package, at..at + 1, SLOW_TIMES))?;
            if judged.judgement.verdict == Verdict::CompileError {
                return Ok(None);
            }
            self.limit = judged.limits.cpu.div_f64(SLOW_TIMES);
            let Some(result) = judged.judgement.tests.first() else {
                break;
            };
            self.note(at, result);
            if result.cpu() > self.limit {
                self.marks[at] = Some(Verdict::TimeLimit);
            }
            spent += result.cpu();
            let is_certain = result.cpu().as_secs_f64() >= CERTAIN * self.limit.as_secs_f64();
            if is_certain || spent >= self.limit * SLOW_TIMES_IN_ALL {
                break;
            }
        }
        Ok(Some(self))
    }

    fn note(&mut self, at: usize, result: &TestResult) {
        self.cpu[at] = result.cpu();
        self.marks[at] = Some(result.said.verdict).filter(|verdict| *verdict != Verdict::Skipped);
    }

    /// Whether it was run on every test, and is right on all of them.
    pub fn is_accepted(&self) -> bool {
        let mut marks = self.marks.iter();
        marks.all(|mark| *mark == Some(Verdict::Accepted))
    }

    /// Whether it was stopped by wall-clock time, before it had used up its CPU time.
    pub fn waits(&self) -> bool {
        let mut runs = self.marks.iter().zip(&self.cpu);
        runs.any(|(mark, cpu)| *mark == Some(Verdict::TimeLimit) && *cpu <= self.limit)
    }

    /// The test on which it takes longest, with its time there.
    pub fn heaviest(&self) -> Option<(usize, Duration)> {
        let times = self.cpu.iter().copied().enumerate();
        times
            .max_by_key(|&(_, cpu)| cpu)
            .filter(|(_, cpu)| !cpu.is_zero())
    }
}

/// The tests, those first on which intended programs take longest.
pub fn by_weight(tried: &[Tried], tests: usize) -> Vec<usize> {
    let weight = |test: usize| {
        let intended = tried.iter().filter(|one| one.kind == Kind::Intended);
        let times = intended.map(|one| one.cpu.get(test).copied().unwrap_or_default());
        times.fold(Duration::ZERO, Duration::saturating_add)
    };
    let mut order: Vec<usize> = (0..tests).collect();
    order.sort_by_key(|&test| std::cmp::Reverse((weight(test), test)));
    order
}

/// The package with some of its tests, without groups, and with so many times its time limit.
fn part(package: &Package, tests: Range<usize>, times: f64) -> Arc<Package> {
    Arc::new(Package {
        tests: package.tests[tests].to_vec(),
        groups: Groups::default(),
        limits: package.limits.with_cpu(package.limits.cpu.mul_f64(times)),
        ..package.clone()
    })
}

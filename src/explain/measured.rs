//! A program that is asked again and again: built once, and run where orders are measured. Nothing
//! that it measures is kept.

use std::sync::Arc;
use std::time::Duration;

use super::reruns::{Ran, Rerun, Terms};
use super::search::{Ask, Reply};
use crate::domain::{
    Cause, Fault, FaultKind, Groups, Limits, SourceFile, TestKind, TestRef, TestResult,
};
use crate::judge::{Archive, Grader, Judged, Layered, Memory, Rules, Worker, judge};
use crate::package::{Io, Package, Test};
use crate::store::Reader;
use crate::toolchain::{Language, Toolchain};
use crate::util::hash::digest;

/// A program and the problem that it is for.
#[derive(Clone, Copy)]
pub struct About<'a> {
    pub source: &'a SourceFile,
    pub language: &'a Language,
    pub version: &'a str,
    pub toolchain: &'a Toolchain,
    pub package: &'a Package,
}

/// Where its runs are measured, and by which rules.
pub struct Place<'a> {
    pub worker: &'a mut dyn Worker,
    /// Where builds and runs are looked up that are known already.
    pub store: Option<&'a Reader>,
    pub rules: Rules,
}

/// The program, and what its runs have cost.
pub struct Measured<'a> {
    pub about: About<'a>,
    place: Place<'a>,
    memory: Memory,
    /// The package without its tests.
    bare: Package,
    pub spent: Duration,
    pub runs: usize,
    /// Whether a run was cancelled, because other work came.
    pub is_stopped: bool,
    /// By what the CPU limit is divided.
    divisor: u32,
    /// Hears of each run.
    watch: &'a (dyn Fn() + Sync),
}

impl<'a> Measured<'a> {
    pub fn new(about: About<'a>, place: Place<'a>, watch: &'a (dyn Fn() + Sync)) -> Self {
        let mut bare = Package::clone(about.package);
        bare.tests = Vec::new();
        bare.groups = Groups::default();
        Self {
            about,
            place,
            memory: Memory::default(),
            bare,
            spent: Duration::ZERO,
            runs: 0,
            is_stopped: false,
            divisor: 1,
            watch,
        }
    }

    /// Its judgement on all tests of its package.
    pub fn judged(&mut self) -> Result<Judged, Fault> {
        let rules = self.place.rules.clone();
        self.judged_on(self.about.package, rules, true)
    }

    /// `recalls_runs`: whether what the store knows counts. What is run once more is run.
    fn judged_on(
        &mut self,
        package: &Package,
        rules: Rules,
        recalls_runs: bool,
    ) -> Result<Judged, Fault> {
        let archive = Layered {
            memory: &self.memory,
            store: self.place.store,
            recalls_runs,
        };
        let About {
            source,
            language,
            version,
            toolchain,
            ..
        } = self.about;
        let mut grader = Grader {
            worker: &mut *self.place.worker,
            toolchain,
            archive: &archive as &dyn Archive,
            sink: &mut &self.memory,
            rules,
        };
        judge(&mut grader, source, language, version, package)
    }

    /// The package with this test alone.
    fn with_test(&self, input: &Arc<[u8]>, expected: &Arc<[u8]>) -> Package {
        let mut package = self.bare.clone();
        package.tests.push(test(&self.bare, input, expected));
        package
    }

    /// Judges it on a package of one test; what the run is charged with comes with it. `None` if
    /// other work came.
    fn once(
        &mut self,
        package: &Package,
        rules: Rules,
    ) -> Result<Option<(Judged, Duration)>, Fault> {
        if self.is_stopped {
            return Ok(None);
        }
        let judged = match self.judged_on(package, rules, false) {
            Err(fault) if fault.kind == FaultKind::Cancelled => {
                self.is_stopped = true;
                return Ok(None);
            }
            judged => judged?,
        };
        self.memory.forget_runs();
        let charged = |test: &TestResult| {
            let run = test.run.as_ref()?;
            Some(match test.said.cause {
                Some(Cause::Wall | Cause::Idle) => run.wall,
                _ => run.cpu,
            })
        };
        let cost = judged.judgement.tests.iter().filter_map(charged).sum();
        self.spent += cost;
        self.runs += 1;
        (self.watch)();
        Ok(Some((judged, cost)))
    }
}

impl Ask for Measured<'_> {
    /// For a verdict, a time just over the limit is measured again.
    fn ask(
        &mut self,
        (input, expected): (&Arc<[u8]>, &Arc<[u8]>),
        is_sure: bool,
    ) -> Result<Option<Reply>, Fault> {
        let mut package = self.with_test(input, expected);
        package.limits.cpu /= self.divisor;
        let rules = Rules {
            repeat_near_limit: is_sure,
            ..self.place.rules.clone()
        };
        let ran = self.once(&package, rules)?;
        Ok(ran.map(|(judged, cost)| Reply {
            verdict: judged.judgement.verdict,
            printed: judged.printed.unwrap_or_default(),
            cost,
        }))
    }

    fn is_over(&self) -> bool {
        self.is_stopped
    }

    fn stop(&mut self) {
        self.is_stopped = true;
    }

    fn divide_limit(&mut self, by: u32) {
        self.divisor = by.max(1);
    }
}

impl Rerun for Measured<'_> {
    /// These few runs have bounds of their own.
    fn rerun(
        &mut self,
        input: &Arc<[u8]>,
        expected: &Arc<[u8]>,
        terms: Terms,
    ) -> Result<Option<Ran>, Fault> {
        let mut package = self.with_test(input, expected);
        if terms.in_file {
            package.io = Io::StdioOrFiles;
        }
        let limits = &mut package.limits;
        limits.cpu *= terms.times;
        limits.wall = limits.wall.max(Limits::wall_floor(limits.cpu));
        let rules = Rules {
            repeat_near_limit: false,
            stack_bytes: terms.stack_bytes,
            ..self.place.rules.clone()
        };
        let ran = self.once(&package, rules)?;
        Ok(ran.and_then(|(mut judged, _)| {
            let result = judged.judgement.tests.pop()?;
            let printed = judged.printed.unwrap_or_default();
            Some(Ran { result, printed })
        }))
    }
}

fn test(package: &Package, input: &Arc<[u8]>, expected: &Arc<[u8]>) -> Test {
    let name = TestRef {
        name: "counterexample".to_owned(),
        kind: TestKind::Secret,
        group: None,
        input: digest(input),
        expected: digest(expected),
        told: None,
    };
    Test {
        name,
        file: package.folder.clone(),
        input: Arc::clone(input).into(),
        expected: Arc::clone(expected).into(),
        notes: Vec::new(),
    }
}

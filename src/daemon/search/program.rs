//! A submission's program, as something that is asked by a search: it runs in a sandbox of the
//! searcher's own, and what it measures is kept by nobody.

use std::sync::Arc;
use std::time::Duration;

use crate::domain::{
    Cause, Counterexample, Digest, Explanation, Fault, FaultKind, Groups, SourceFile, Submission,
    TestKind, TestRef, TestResult, Verdict,
};
use crate::explain::search::{
    Ask, Budget, BuiltIn, Failed, Found, RUNS_MAX, Reply, Smallest, Way, smallest,
};
use crate::judge::{Above, Grader, Judged, Memory, Rules, Worker, judge};
use crate::package::{Package, Test};
use crate::problems::Task;
use crate::store::Reader;
use crate::toolchain::{Language, Toolchain};
use crate::util::excerpt::spelled;
use crate::util::hash::digest;

/// What a program is.
#[derive(Clone, Copy)]
pub struct About<'a> {
    pub submission: &'a Submission,
    pub source: &'a SourceFile,
    pub language: &'a Language,
    pub version: &'a str,
    pub toolchain: &'a Toolchain,
    pub package: &'a Package,
}

/// The program, and where it runs.
pub struct Program<'a> {
    pub about: About<'a>,
    worker: &'a mut dyn Worker,
    pub reader: &'a Reader,
    memory: Memory,
    rules: Rules,
    /// The package without its tests.
    bare: Package,
    /// What its runs may cost before no more are made.
    pub budget: Duration,
    pub spent: Duration,
    pub runs: u64,
    /// Whether other work came.
    pub is_stopped: bool,
}

impl<'a> Program<'a> {
    pub fn new(
        about: About<'a>,
        worker: &'a mut dyn Worker,
        reader: &'a Reader,
        rules: Rules,
        budget: Duration,
    ) -> Self {
        let mut bare = Package::clone(about.package);
        bare.tests = Vec::new();
        bare.groups = Groups::default();
        Self {
            about,
            worker,
            reader,
            memory: Memory::default(),
            rules,
            bare,
            budget,
            spent: Duration::ZERO,
            runs: 0,
            is_stopped: false,
        }
    }

    /// Its judgement, from what is known.
    pub fn judged(&mut self) -> Result<Judged, Fault> {
        let package = self.about.package;
        self.judged_on(package, self.rules.clone())
    }

    fn judged_on(&mut self, package: &Package, rules: Rules) -> Result<Judged, Fault> {
        let archive = Above {
            memory: &self.memory,
            store: Some(self.reader),
            recalls_runs: true,
        };
        let About {
            source,
            language,
            version,
            toolchain,
            ..
        } = self.about;
        let mut grader = Grader {
            worker: &mut *self.worker,
            toolchain,
            archive: &archive,
            sink: &mut &self.memory,
            rules,
        };
        judge(&mut grader, source, language, version, package)
    }

    /// Runs it on an input. `is_sure`: a time just over the limit is measured again, as for a
    /// verdict.
    pub fn run(
        &mut self,
        (input, expected): (&Arc<[u8]>, &Arc<[u8]>),
        is_sure: bool,
    ) -> Result<Reply, Fault> {
        let mut package = self.bare.clone();
        package.tests.push(test(&self.bare, input, expected));
        let rules = Rules {
            repeat_near_limit: is_sure,
            ..self.rules.clone()
        };
        let judged = self.judged_on(&package, rules)?;
        self.memory.forget_runs();
        let charged = |run: &TestResult| match run.cause {
            Some(Cause::Wall | Cause::Idle) => run.wall,
            _ => run.cpu,
        };
        let cost = judged.judgement.tests.iter().map(charged).sum();
        self.spent += cost;
        self.runs += 1;
        Ok(Reply {
            verdict: judged.judgement.verdict,
            printed: judged.printed.unwrap_or_default(),
            cost,
        })
    }

    /// Runs it on an input as for a verdict: `None` if it passes, or if other work came.
    pub fn sure(
        &mut self,
        input: &Arc<[u8]>,
        expected: &Arc<[u8]>,
    ) -> Result<Option<(Verdict, Arc<[u8]>)>, Fault> {
        match self.run((input, expected), true) {
            Ok(reply) if reply.verdict == Verdict::Accepted => Ok(None),
            Ok(reply) => Ok(Some((reply.verdict, reply.printed))),
            Err(fault) if fault.kind == FaultKind::Cancelled => {
                self.is_stopped = true;
                Ok(None)
            }
            Err(fault) => Err(fault),
        }
    }

    /// What can be found out about why it fails; `None` where nothing can.
    pub fn explanation(&mut self, judged: &Judged) -> Result<Option<Explanation>, Fault> {
        let package = self.about.package;
        let (Some(task), Some(failing)) = (package.task(), judged.judgement.failing()) else {
            return Ok(None);
        };
        let mut tests = package.tests.iter();
        let Some(test) = tests.find(|test| test.name.name == failing.test.name) else {
            return Ok(None);
        };
        let failed = Failed {
            verdict: judged.judgement.verdict,
            input: &test.input,
            expected: &test.expected,
            printed: &judged.printed.clone().unwrap_or_default(),
            mode: &package.mode,
        };
        let budget = Budget {
            cpu: self.budget,
            runs: RUNS_MAX,
        };
        let found = smallest(&failed, &mut BuiltIn(task), self, budget)?;
        Ok(Some(Explanation {
            counterexample: Some(evidence(&found, Some(task))),
            runs: self.runs,
            cpu_ms: u64::try_from(self.spent.as_millis()).unwrap_or(u64::MAX),
            ..Explanation::default()
        }))
    }

    /// Whether its budget is used up, or other work came.
    pub fn is_over(&self) -> bool {
        self.is_stopped || self.spent >= self.budget
    }
}

/// What was found, as it is kept and shown.
pub fn evidence(found: &Smallest, task: Option<&dyn Task>) -> Counterexample {
    let Found {
        input,
        expected,
        printed,
        way,
    } = &found.found;
    let witness = task.and_then(|task| task.witness(input).ok().flatten());
    Counterexample {
        input: spelled(input),
        expected: spelled(expected),
        printed: spelled(printed),
        cells: found.cells.map(|cells| cells as u64),
        cases: found.cases as u64,
        found_by: found_by(*way),
        is_least: found.is_least,
        witness,
    }
}

fn found_by(way: Way) -> String {
    match way {
        Way::Test => "test".to_owned(),
        Way::Cut => "cut".to_owned(),
        Way::Prefix => "prefix".to_owned(),
        Way::Enumeration => "enumeration".to_owned(),
        Way::Shrink => "shrink".to_owned(),
        Way::Family(name) => format!("family {name}"),
    }
}

fn test(package: &Package, input: &Arc<[u8]>, expected: &Arc<[u8]>) -> Test {
    let digests: [Digest; 2] = [input, expected].map(|bytes| digest(bytes));
    let [of_input, of_expected] = digests;
    Test {
        name: TestRef {
            name: "counterexample".to_owned(),
            kind: TestKind::Secret,
            group: None,
            input: of_input,
            expected: of_expected,
        },
        file: package.folder.clone(),
        input: Arc::clone(input),
        expected: Arc::clone(expected),
        notes: Vec::new(),
    }
}

impl Ask for Program<'_> {
    /// A search that is stopped has used up its budget: so it ends with the best that it has.
    fn ask(&mut self, input: &Arc<[u8]>, expected: &Arc<[u8]>) -> Result<Reply, Fault> {
        let over = |budget| Reply {
            verdict: Verdict::Accepted,
            printed: Arc::default(),
            cost: budget,
        };
        if self.is_over() {
            return Ok(over(self.budget));
        }
        match self.run((input, expected), false) {
            Err(fault) if fault.kind == FaultKind::Cancelled => {
                self.is_stopped = true;
                Ok(over(self.budget))
            }
            other => other,
        }
    }
}

//! Does the work that the planner asks for, and keeps every fact as soon as it is known.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::facts::{FactStore, KnownBuild, RunKey};
use super::fold::{fold, fold_build_failure, judge_run, waits_for_checker};
use super::keys::{Rules, machine_of, run_policy};
use super::outcome::{facts_of, job_of, room_of};
use super::plan::{BuildState, Next, next};
use super::programs::Programs;
use super::timing::{BUSY_REPEATS_MAX, again, busy_fault, is_quiet, merge, repeat_caps};
use crate::domain::{
    Cause, Compared, Digest, Fault, Judgement, Limits, RunFacts, Submission, TestResult, Verdict,
};
use crate::package::{Case as Asked, Package, Test};
use crate::sandbox::{Job, Runner};
use crate::toolchain::{Artifact, Build, Language, Toolchain};
use crate::util::MIB;

/// What a worker judges with.
pub struct Bench<'a> {
    /// The sandbox of this worker.
    pub runner: &'a mut dyn Runner,
    /// The languages.
    pub toolchain: &'a Toolchain,
    /// Where facts are kept.
    pub facts: &'a dyn FactStore,
    /// Settings of judging.
    pub rules: Rules,
}

/// How far a submission is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// It is being built.
    Building,
    /// It is being run on a test.
    Running {
        /// Tests that are behind it.
        done: usize,
        /// All tests.
        of: usize,
    },
}

/// A judgement and what it took to reach it.
#[derive(Debug, Clone)]
pub struct Judged {
    /// The judgement.
    pub judgement: Judgement,
    /// The limits that were applied, the language's own share included.
    pub limits: Limits,
    /// The machine that measured what the judgement rests on; several where its runs are of several.
    pub machine: String,
    /// Key of the artifact that was judged.
    pub artifact: Digest,
    /// Digest of how it was run.
    pub policy: Digest,
    /// What is kept of what it printed on the first failing test.
    pub printed: Option<Arc<[u8]>>,
    /// Builds made now.
    pub builds: u32,
    /// Runs made now, repeated measurements included.
    pub runs: u32,
    /// Outputs that the package's checker was asked about now.
    pub checks: u32,
}

/// Brings a submission to its judgement: asks the planner, does what is missing, keeps each fact, until nothing is.
pub fn judge(
    bench: &mut Bench<'_>,
    submission: &Submission,
    language: &Language,
    version: &str,
    package: &Package,
    progress: &mut dyn FnMut(Progress),
) -> Result<Judged, Fault> {
    let artifact_key =
        bench
            .toolchain
            .build_key(language, version, &submission.file_name, &submission.source);
    let mut case = Case {
        artifact_key,
        package,
        language,
        limits: Limits {
            memory_bytes: package.limits.memory_bytes + language.spec().memory_extra_mib * MIB,
            ..package.limits.clone()
        },
        build: bench.facts.build(artifact_key)?,
        artifact: None,
        results: Vec::new(),
        machines: BTreeMap::new(),
        unchecked: BTreeMap::new(),
        suspects: BTreeMap::new(),
        failed: None,
        programs: Programs::default(),
        policy: run_policy(package, language, bench.rules.policy),
        version,
        builds: 0,
        runs: 0,
        checks: 0,
    };
    case.recall(bench)?;
    loop {
        match next(
            case.build_state(),
            &case.results,
            |index| case.unchecked.contains_key(&index),
            bench.rules.stop_at_first_failure,
        ) {
            Next::Build => {
                progress(Progress::Building);
                case.make(bench, submission)?;
            }
            Next::Run(index) => {
                progress(Progress::Running {
                    done: index,
                    of: package.tests.len(),
                });
                case.run(bench, index)?;
            }
            Next::Check(index) => case.check(bench, index)?,
            Next::Fold => return case.fold(bench),
        }
    }
}

/// One submission on its way to a judgement.
struct Case<'a> {
    artifact_key: Digest,
    package: &'a Package,
    language: &'a Language,
    limits: Limits,
    build: Option<KnownBuild>,
    /// The program, once a run has asked for it.
    artifact: Option<Artifact>,
    results: Vec<Option<TestResult>>,
    /// Where each test was measured.
    machines: BTreeMap<usize, Option<Arc<str>>>,
    /// What is known of tests whose outputs wait for the checker.
    unchecked: BTreeMap<usize, RunFacts>,
    /// What is known of tests and near a time limit: measured again before it counts.
    suspects: BTreeMap<usize, RunFacts>,
    /// The earliest test that failed now, and what is kept of what was printed on it.
    failed: Option<(usize, Arc<[u8]>)>,
    /// The checker, and in whose room the runner is.
    programs: Programs,
    policy: Digest,
    version: &'a str,
    builds: u32,
    runs: u32,
    checks: u32,
}

impl Case<'_> {
    fn build_state(&self) -> BuildState {
        match &self.build {
            None => BuildState::Unknown,
            Some(build) if build.result.is_ok() => BuildState::Built,
            Some(_) => BuildState::Failed,
        }
    }

    /// Judges what is known already.
    fn recall(&mut self, bench: &Bench<'_>) -> Result<(), Fault> {
        let mut known = match self.build_state() {
            BuildState::Built => bench.facts.runs(self.artifact_key, self.policy)?,
            BuildState::Unknown | BuildState::Failed => HashMap::new(),
        };
        for (index, test) in self.package.tests.iter().enumerate() {
            let Some(facts) = known.get_mut(&test.name.input) else {
                self.results.push(None);
                continue;
            };
            self.machines.insert(index, facts.machine.clone());
            let mut result = judge_run(self.package, test, &self.limits, facts);
            let waits = waits_for_checker(self.package, test, &self.limits, facts);
            if !waits && result.is_none() && facts.output.kept.is_none() {
                facts.output.kept = bench.facts.output(facts.output.digest)?;
                result = judge_run(self.package, test, &self.limits, facts);
            }
            if waits {
                // Its output is looked up when the checker is asked: all of them together may be more than fits into memory.
                self.unchecked.insert(index, facts.clone());
            } else if result.is_some() && self.is_suspect(bench, facts) {
                self.suspects.insert(index, facts.clone());
                result = None;
            }
            self.results.push(result);
        }
        Ok(())
    }

    fn make(&mut self, bench: &mut Bench<'_>, submission: &Submission) -> Result<(), Fault> {
        let build = bench.toolchain.build(
            bench.runner,
            self.language,
            &submission.file_name,
            &submission.source,
            &bench.rules.build,
        )?;
        self.programs.room = None;
        if build.result.is_err() {
            bench.toolchain.confirm(
                bench.runner,
                self.language,
                (&submission.file_name, &submission.source),
                &build,
                &bench.rules.build,
            )?;
        }
        keep_build(bench, self.artifact_key, self.version, &build)?;
        self.builds += 1;
        let (result, artifact) = match build.result {
            Ok(artifact) => (Ok(()), Some(artifact)),
            Err(cause) => (Err(cause), None),
        };
        self.artifact = artifact;
        self.build = Some(KnownBuild {
            result,
            words: build.words,
        });
        Ok(())
    }

    /// Measures a test, and near a time limit again; every measurement is kept at once.
    fn run(&mut self, bench: &mut Bench<'_>, index: usize) -> Result<(), Fault> {
        if self.artifact.is_none() {
            self.artifact = bench.facts.artifact(self.artifact_key)?;
        }
        if self.artifact.is_none() {
            // Its bytes are lost: the planner asks for another build.
            self.build = None;
            return Ok(());
        }
        let limits = self.limits.clone();
        let key = self.key(index);
        let mut facts = if let Some(known) = self.suspects.remove(&index) {
            known
        } else {
            let facts = self.measure(bench, index, &limits, false)?;
            bench.facts.keep_run(key, &facts)?;
            facts
        };
        let mut busy = 0;
        while self.is_suspect(bench, &facts) {
            if busy == BUSY_REPEATS_MAX {
                return Err(busy_fault(&facts));
            }
            let repeat = self.measure(bench, index, &repeat_caps(&limits, &facts), true)?;
            busy += u32::from(!is_quiet(&repeat));
            facts = merge(&limits, facts, repeat);
            bench.facts.keep_run(key, &facts)?;
        }
        self.settle(index, facts)
    }

    /// Whether what was measured does not count yet: it is near a time limit.
    fn is_suspect(&self, bench: &Bench<'_>, facts: &RunFacts) -> bool {
        bench.rules.repeat_near_limit && again(&self.limits, facts)
    }

    fn measure(
        &mut self,
        bench: &mut Bench<'_>,
        index: usize,
        caps: &Limits,
        alone: bool,
    ) -> Result<RunFacts, Fault> {
        let Some(artifact) = &self.artifact else {
            return Err(Fault::new("run a test", "there is no artifact"));
        };
        let test = &self.package.tests[index];
        let start =
            bench
                .toolchain
                .start(self.language, artifact, self.package.limits.memory_bytes)?;
        if self.programs.room != Some(self.artifact_key) {
            self.programs.room = None;
            bench.runner.enter(&room_of(artifact, &start))?;
            self.programs.room = Some(self.artifact_key);
        }
        let job = Job {
            alone,
            ..job_of(&start, &test.input, caps, self.package.io)
        };
        let outcome = bench.runner.run(&job)?;
        self.runs += 1;
        let (mut facts, long) = facts_of(
            outcome,
            self.package,
            test,
            caps,
            self.language,
            &bench.rules.machine,
        );
        // A long output is not kept whole, so its checker is asked now, while it is at hand.
        if let Some(output) = long
            && waits_for_checker(self.package, test, &self.limits, &facts)
        {
            facts.compared = self.ask_checker(bench, test, &Arc::from(output))?;
        }
        Ok(facts)
    }

    /// Has the checker say what it thinks of an output that is known.
    fn check(&mut self, bench: &mut Bench<'_>, index: usize) -> Result<(), Fault> {
        let Some(mut facts) = self.unchecked.remove(&index) else {
            return Err(Fault::new("check an output", "nothing waits for it"));
        };
        if facts.output.whole().is_none() {
            facts.output.kept = bench.facts.output(facts.output.digest)?;
        }
        let Some(output) = facts.output.kept.clone() else {
            // It was too long to be kept: only another run can show it.
            return self.run(bench, index);
        };
        facts.compared = self.ask_checker(bench, &self.package.tests[index], &output)?;
        self.keep(bench, index, facts)
    }

    /// What the checker says. Where it says nothing, that is our fault and never the student's.
    fn ask_checker(
        &mut self,
        bench: &mut Bench<'_>,
        test: &Test,
        output: &Arc<[u8]>,
    ) -> Result<Option<Compared>, Fault> {
        let Some(checker) = &self.package.checker else {
            return Ok(None);
        };
        let case = Asked {
            input: &test.input,
            answer: &test.expected,
            output,
        };
        self.checks += 1;
        self.programs
            .check(bench, checker, &case)?
            .map(Some)
            .map_err(|complaint| {
                let step = format!(
                    "ask the checker of {} about {}",
                    self.package.slug, test.name.name
                );
                Fault::new(step, complaint.reason)
            })
    }

    /// Keeps the facts of a run, and what they say.
    fn keep(&mut self, bench: &Bench<'_>, index: usize, facts: RunFacts) -> Result<(), Fault> {
        bench.facts.keep_run(self.key(index), &facts)?;
        self.settle(index, facts)
    }

    /// What names the run of a test.
    fn key(&self, index: usize) -> RunKey {
        RunKey {
            artifact: self.artifact_key,
            input: self.package.tests[index].name.input,
            policy: self.policy,
        }
    }

    /// What the facts of a run say, now or when its checker has been asked.
    fn settle(&mut self, index: usize, facts: RunFacts) -> Result<(), Fault> {
        let test = &self.package.tests[index];
        self.machines.insert(index, facts.machine.clone());
        self.results[index] = judge_run(self.package, test, &self.limits, &facts);
        if let Some(result) = &self.results[index] {
            let earliest = self.failed.as_ref().is_none_or(|(at, _)| index < *at);
            if result.verdict != Verdict::Accepted && earliest {
                self.failed = facts.output.kept.map(|kept| (index, kept));
            }
            return Ok(());
        }
        if facts.output.whole().is_some()
            && waits_for_checker(self.package, test, &self.limits, &facts)
        {
            self.unchecked.insert(index, facts);
            return Ok(());
        }
        Err(Fault::new("judge a run", "its facts do not suffice"))
    }

    fn fold(mut self, bench: &Bench<'_>) -> Result<Judged, Fault> {
        let (result, words) = match self.build.take() {
            Some(build) => (build.result, build.words),
            None => (Ok(()), Vec::new()),
        };
        let judgement = match result {
            Ok(()) => fold(self.package, &self.results, words),
            Err(cause) => fold_build_failure(cause, words),
        };
        let printed = match (judgement.first_failing, self.failed.take()) {
            (None, _) => None,
            (Some(first), Some((at, printed))) if at == first => Some(printed),
            (Some(first), _) => bench.facts.printed(self.key(first))?,
        };
        Ok(Judged {
            machine: machine_of(&judgement, &self.machines, &bench.rules.machine),
            judgement,
            printed,
            limits: self.limits,
            artifact: self.artifact_key,
            policy: self.policy,
            builds: self.builds,
            runs: self.runs,
            checks: self.checks,
        })
    }
}

/// Keeps a build. What was too much for the compiler under these limits is no fact about the program: under others it is tried again.
pub(super) fn keep_build(
    bench: &Bench<'_>,
    key: Digest,
    version: &str,
    build: &Build,
) -> Result<(), Fault> {
    match build.result {
        Err(Cause::CompileTime | Cause::CompileMemory | Cause::CompileOutput) => Ok(()),
        Ok(_) | Err(_) => bench.facts.keep_build(key, version, build),
    }
}

#[cfg(test)]
#[path = "execute_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "checker_tests.rs"]
mod checker_tests;

#[cfg(test)]
#[path = "run_tests.rs"]
mod run_tests;

#[cfg(test)]
#[path = "oracle_tests.rs"]
mod oracle_tests;

//! Does the work that the planner asks for, and keeps every fact as soon as it is known.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::facts::{FactStore, KnownBuild, RunKey};
use super::fold::{compare_bytes, fold, fold_build_failure, judge_run, waits_for_checker};
use super::keys::{Rules, run_policy};
use super::plan::{BuildState, Next, next};
use super::programs::Programs;
use crate::domain::bounds::{
    OUTPUT_HEAD_BYTES_MAX, OUTPUT_KEPT_WHOLE_BYTES_MAX, STDERR_KEPT_BYTES_MAX,
};
use crate::domain::{
    Cause, Compared, Digest, End, Fault, Judgement, Limits, Output, RunFacts, Stop, Submission,
    TestResult,
};
use crate::package::{Case as Asked, Io, Package, Test};
use crate::sandbox::{AppFile, Collect, Job, Outcome, Room, Runner};
use crate::toolchain::{Artifact, Build, Language, Start, Toolchain};
use crate::util::hash::digest;

/// What the working folder may hold beside the output file, in bytes.
const DISK_BYTES: u64 = 64 * 1024 * 1024;

const MIB: u64 = 1024 * 1024;

/// Names of the input file of old programs.
const INPUT_NAMES: [&str; 2] = ["INPUT.TXT", "input.txt"];
/// Names of the output file of old programs.
const OUTPUT_NAMES: [&str; 2] = ["OUTPUT.TXT", "output.txt"];

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
    /// Key of the artifact that was judged.
    pub artifact: Digest,
    /// Digest of how it was run.
    pub policy: Digest,
    /// Builds made now.
    pub builds: u32,
    /// Runs made now.
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
        unchecked: BTreeMap::new(),
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
            Next::Fold => return Ok(case.fold()),
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
    /// What is known of tests whose outputs wait for the checker.
    unchecked: BTreeMap<usize, RunFacts>,
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
            let mut result = judge_run(self.package, test, &self.limits, facts);
            if waits_for_checker(self.package, test, &self.limits, facts) {
                // Its output is looked up when the checker is asked: all of them together may be more than fits into memory.
                self.unchecked.insert(index, facts.clone());
            } else if result.is_none() && facts.output.kept.is_none() {
                facts.output.kept = bench.facts.output(facts.output.digest)?;
                result = judge_run(self.package, test, &self.limits, facts);
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

    fn run(&mut self, bench: &mut Bench<'_>, index: usize) -> Result<(), Fault> {
        if self.artifact.is_none() {
            self.artifact = bench.facts.artifact(self.artifact_key)?;
        }
        let Some(artifact) = &self.artifact else {
            // Its bytes are lost: the planner asks for another build.
            self.build = None;
            return Ok(());
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
        let job = job_of(&start, &test.input, &self.limits, self.package.io);
        let outcome = bench.runner.run(&job)?;
        self.runs += 1;
        let (mut facts, long) = facts_of(outcome, self.package, test, &self.limits, self.language);
        // A long output is not kept whole, so its checker is asked now, while it is at hand.
        if let Some(output) = long
            && waits_for_checker(self.package, test, &self.limits, &facts)
        {
            facts.compared = self.ask_checker(bench, test, &Arc::from(output))?;
        }
        self.keep(bench, index, facts)
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
        let test = &self.package.tests[index];
        let key = RunKey {
            artifact: self.artifact_key,
            input: test.name.input,
            policy: self.policy,
        };
        bench.facts.keep_run(key, &facts)?;
        self.results[index] = judge_run(self.package, test, &self.limits, &facts);
        if self.results[index].is_some() {
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

    fn fold(self) -> Judged {
        let (result, words) = match self.build {
            Some(build) => (build.result, build.words),
            None => (Ok(()), Vec::new()),
        };
        Judged {
            judgement: match result {
                Ok(()) => fold(self.package, &self.results, words),
                Err(cause) => fold_build_failure(cause, words),
            },
            limits: self.limits,
            artifact: self.artifact_key,
            policy: self.policy,
            builds: self.builds,
            runs: self.runs,
            checks: self.checks,
        }
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

pub(super) fn room_of(artifact: &Artifact, start: &Start) -> Room {
    Room {
        shown: start.shown.clone(),
        app: artifact.files.clone(),
    }
}

/// A run on an input.
pub(super) fn job_of(start: &Start, input: &Arc<[u8]>, caps: &Limits, io: Io) -> Job {
    let (files, collect) = match io {
        Io::Stdio => (Vec::new(), Collect::Nothing),
        Io::StdioOrFiles => (
            INPUT_NAMES
                .map(|name| AppFile {
                    name: name.to_owned(),
                    bytes: Arc::clone(input),
                    executable: false,
                })
                .to_vec(),
            Collect::Named {
                names: OUTPUT_NAMES.map(str::to_owned).to_vec(),
                bytes_max: caps.output_bytes + 1,
            },
        ),
    };
    Job {
        argv: start.argv.clone(),
        env: BTreeMap::clone(&start.env),
        stdin: Arc::clone(input),
        files,
        collect,
        caps: caps.clone(),
        stderr_bytes_max: STDERR_KEPT_BYTES_MAX,
        disk_bytes: DISK_BYTES + caps.output_bytes + 2 * input.len() as u64,
        stack_bytes: start.stack_bytes,
    }
}

/// Whether the language's run-time system ended the program with the words for used-up memory.
/// A program that only prints such words and ends well has not used it up.
fn says_out_of_memory(language: &Language, outcome: &Outcome) -> bool {
    let words = &language.spec().memory_words;
    outcome.stop.is_none()
        && outcome.end != End::Exited(0)
        && words.iter().any(|words| {
            !words.is_empty()
                && outcome
                    .stderr
                    .windows(words.len())
                    .any(|window| window == words.as_bytes())
        })
}

/// What a program printed: its output file where it wrote one, else its standard output.
pub(super) fn output_of(outcome: &mut Outcome) -> (Vec<u8>, Option<String>) {
    let written = outcome
        .files
        .iter()
        .filter(|file| !file.bytes.is_empty() || outcome.stdout.is_empty())
        .max_by_key(|file| file.bytes.len());
    match written {
        Some(file) => (file.bytes.to_vec(), Some(file.name.clone())),
        None => (std::mem::take(&mut outcome.stdout), None),
    }
}

/// The facts of a run, and the whole output where it is too long to be kept in them.
fn facts_of(
    mut outcome: Outcome,
    package: &Package,
    test: &Test,
    caps: &Limits,
    language: &Language,
) -> (RunFacts, Option<Vec<u8>>) {
    let (bytes, file) = output_of(&mut outcome);
    let too_long = bytes.len() as u64 > caps.output_bytes;
    let kept_len = if bytes.len() > OUTPUT_KEPT_WHOLE_BYTES_MAX {
        OUTPUT_HEAD_BYTES_MAX
    } else {
        bytes.len()
    };
    let long = kept_len < bytes.len();
    let facts = RunFacts {
        end: outcome.end,
        stop: if too_long {
            Some(Stop::Output)
        } else {
            outcome.stop
        },
        memory_exceeded: outcome.memory_exceeded || says_out_of_memory(language, &outcome),
        measurements: 1,
        cpu: outcome.cpu,
        wall: outcome.wall,
        memory_bytes: outcome.memory_bytes,
        output: Output {
            digest: digest(&bytes),
            len_bytes: bytes.len() as u64,
            kept: Some(Arc::from(&bytes[..kept_len])),
            file,
        },
        // Output that is not kept whole is compared now, while it is at hand.
        compared: (long && package.checker.is_none()).then(|| compare_bytes(package, test, &bytes)),
        stderr: outcome.stderr,
        caps: caps.clone(),
    };
    (facts, long.then_some(bytes))
}

#[cfg(test)]
#[path = "execute_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "checker_tests.rs"]
mod checker_tests;

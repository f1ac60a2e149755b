//! Does the work that the planner asks for, and keeps every fact as soon as it is known.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::facts::{FactStore, KnownBuild, RunKey};
use super::fold::{compare_bytes, fold, fold_build_failure, judge_run};
use super::keys::{Rules, run_policy};
use super::plan::{BuildState, Next, next};
use crate::domain::bounds::{
    OUTPUT_HEAD_BYTES_MAX, OUTPUT_KEPT_WHOLE_BYTES_MAX, STDERR_KEPT_BYTES_MAX,
};
use crate::domain::{
    Cause, Digest, End, Fault, Judgement, Limits, Output, RunFacts, Stop, Submission, TestResult,
};
use crate::package::{Io, Package, Test};
use crate::sandbox::{AppFile, Collect, Job, Outcome, Room, Runner};
use crate::toolchain::{Artifact, Language, Start, Toolchain};
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
        entered: false,
        policy: run_policy(package, language, bench.rules.policy),
        version,
        builds: 0,
        runs: 0,
    };
    case.recall(bench)?;
    loop {
        match next(
            case.build_state(),
            &case.results,
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
    entered: bool,
    policy: Digest,
    version: &'a str,
    builds: u32,
    runs: u32,
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
        for test in &self.package.tests {
            let result = match known.get_mut(&test.name.input) {
                None => None,
                Some(facts) => {
                    if facts.output.kept.is_none() && facts.output.digest != test.name.expected {
                        facts.output.kept = bench.facts.output(facts.output.digest)?;
                    }
                    judge_run(self.package, test, &self.limits, facts)
                }
            };
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
        // What was too much for the compiler under these limits is no fact about the program: under others it is tried again.
        let too_much = matches!(
            build.result,
            Err(Cause::CompileTime | Cause::CompileMemory | Cause::CompileOutput)
        );
        if !too_much {
            bench
                .facts
                .keep_build(self.artifact_key, self.version, &build)?;
        }
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
        if !self.entered {
            bench.runner.enter(&room_of(artifact, &start))?;
            self.entered = true;
        }
        let job = job_of(&start, test, &self.limits, self.package.io);
        let outcome = bench.runner.run(&job)?;
        self.runs += 1;
        let facts = facts_of(outcome, self.package, test, &self.limits, self.language);
        let key = RunKey {
            artifact: self.artifact_key,
            input: test.name.input,
            policy: self.policy,
        };
        bench.facts.keep_run(key, &facts)?;
        let result = judge_run(self.package, test, &self.limits, &facts)
            .ok_or_else(|| Fault::new("judge a run", "its facts do not suffice"))?;
        self.results[index] = Some(result);
        Ok(())
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
        }
    }
}

fn room_of(artifact: &Artifact, start: &Start) -> Room {
    Room {
        shown: start.shown.clone(),
        app: artifact.files.clone(),
    }
}

fn job_of(start: &Start, test: &Test, caps: &Limits, io: Io) -> Job {
    let (files, collect) = match io {
        Io::Stdio => (Vec::new(), Collect::Nothing),
        Io::StdioOrFiles => (
            INPUT_NAMES
                .map(|name| AppFile {
                    name: name.to_owned(),
                    bytes: Arc::clone(&test.input),
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
        stdin: Arc::clone(&test.input),
        files,
        collect,
        caps: caps.clone(),
        stderr_bytes_max: STDERR_KEPT_BYTES_MAX,
        disk_bytes: DISK_BYTES + caps.output_bytes + 2 * test.input.len() as u64,
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
fn output_of(outcome: &mut Outcome) -> (Vec<u8>, Option<String>) {
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

fn facts_of(
    mut outcome: Outcome,
    package: &Package,
    test: &Test,
    caps: &Limits,
    language: &Language,
) -> RunFacts {
    let (bytes, file) = output_of(&mut outcome);
    let too_long = bytes.len() as u64 > caps.output_bytes;
    let kept_len = if bytes.len() > OUTPUT_KEPT_WHOLE_BYTES_MAX {
        OUTPUT_HEAD_BYTES_MAX
    } else {
        bytes.len()
    };
    RunFacts {
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
        compared: (kept_len < bytes.len()).then(|| compare_bytes(package, test, &bytes)),
        stderr: outcome.stderr,
        caps: caps.clone(),
    }
}

#[cfg(test)]
#[path = "execute_tests.rs"]
mod tests;

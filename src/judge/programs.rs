//! Builds and runs the programs of packages: references, validators, checkers. In the sandbox like everything else, each in a room of its own.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use super::execute::{Bench, keep_build};
use super::keys::run_policy;
use super::outcome::{job_of, output_of, room_of};
use super::protocol::{
    CASE_FILES, MESSAGE_FILES, checker_arguments, checker_words, failure, judge_message, opinion,
    said, validity, with_words,
};
use crate::domain::bounds::STDERR_KEPT_BYTES_MAX;
use crate::domain::{Cause, Compared, Digest, End, Fault, Limits, Verdict};
use crate::package::{
    Case, Checker, Complaint, Header, Package, PackageProgram, Protocol, Said, Validator,
};
use crate::sandbox::{AppFile, Collect, Job, Outcome};
use crate::toolchain::{Artifact, Language};
use crate::util::MIB;
use crate::util::hash::{Key, digest};

/// CPU time of a validator or checker on one test.
const HELPER_CPU: Duration = Duration::from_secs(30);
/// Memory of a validator or checker, beside its run-time system's.
const HELPER_MEMORY_BYTES: u64 = 1024 * MIB;
/// What a validator or checker may print.
const HELPER_OUTPUT_BYTES: u64 = MIB;
/// Processes and threads of a program of a package.
const HELPER_PROCESSES: u32 = 64;
/// Open files of a program of a package.
const HELPER_OPEN_FILES: u32 = 256;
/// What a program of a package may write beside the files that it is given.
const HELPER_DISK_BYTES: u64 = 64 * MIB;
/// A reference may take this many times the CPU time of a student's program: it need not be quick, only right.
const REFERENCE_CPU_TIMES: u32 = 5;
/// The same for memory.
const REFERENCE_MEMORY_TIMES: u64 = 2;

/// What a runner has at hand of the programs of packages. It belongs to one runner, which nobody else may use in between.
#[derive(Debug, Default)]
pub struct Programs {
    built: HashMap<Digest, Arc<Built>>,
    /// The key of the artifact in whose room the runner stands.
    pub room: Option<Digest>,
}

#[derive(Debug)]
struct Built {
    key: Digest,
    artifact: Artifact,
}

/// A program or why there is none, and the compiler's words.
type MadeBuild = (Result<Artifact, Cause>, Vec<u8>);

/// What a program is given.
struct Call {
    arguments: Vec<String>,
    stdin: Arc<[u8]>,
    files: Vec<AppFile>,
    collect: Collect,
}

impl Programs {
    /// Builds a program, or finds it built.
    pub fn build(&mut self, bench: &mut Bench<'_>, program: &PackageProgram) -> Said<()> {
        Ok(self.built(bench, program)?.map(|_| ()))
    }

    /// Whether an input is valid.
    pub fn validate(
        &mut self,
        bench: &mut Bench<'_>,
        validator: &Validator,
        input: &Arc<[u8]>,
    ) -> Said<()> {
        let built = match self.built(bench, &validator.program)? {
            Ok(built) => built,
            Err(complaint) => return Ok(Err(complaint)),
        };
        let question = Key::new("valid")
            .part(&built.key.0)
            .part(format!("{:?}", validator.protocol).as_bytes())
            .part(&digest(input).0)
            .part(&bench.rules.policy.0)
            .finish();
        if bench.facts.answer(question)?.is_some() {
            return Ok(Ok(()));
        }
        let call = Call {
            arguments: Vec::new(),
            stdin: Arc::clone(input),
            files: Vec::new(),
            collect: Collect::Nothing,
        };
        let outcome = self.help(bench, &validator.program, &built, call)?;
        let valid = validity(validator.protocol, &outcome);
        if valid.is_ok() {
            bench.facts.keep_answer(question, &Arc::from([]))?;
        }
        Ok(valid)
    }

    /// What a reference prints for an input.
    pub fn answer(
        &mut self,
        bench: &mut Bench<'_>,
        package: &Package,
        reference: &PackageProgram,
        input: &Arc<[u8]>,
    ) -> Said<Arc<[u8]>> {
        let built = match self.built(bench, reference)? {
            Ok(built) => built,
            Err(complaint) => return Ok(Err(complaint)),
        };
        let language = language_or_fault(bench, reference)?;
        let question = Key::new("answer")
            .part(&built.key.0)
            .part(&digest(input).0)
            .part(&run_policy(package, language, bench.rules.policy).0)
            .finish();
        if let Some(answer) = bench.facts.answer(question)? {
            return Ok(Ok(answer));
        }
        let memory_bytes = package.limits.memory_bytes * REFERENCE_MEMORY_TIMES;
        let start = bench
            .toolchain
            .start(language, &built.artifact, memory_bytes)?;
        let cpu = package.limits.cpu * REFERENCE_CPU_TIMES;
        let caps = Limits {
            cpu,
            wall: Limits::wall_floor(cpu).max(package.limits.wall),
            memory_bytes: memory_bytes + start.memory_extra_bytes,
            output_bytes: package.limits.output_bytes,
            processes: package.limits.processes.max(HELPER_PROCESSES),
            open_files: package.limits.open_files.max(HELPER_OPEN_FILES),
        };
        self.enter(bench, &built, language, memory_bytes)?;
        let mut outcome = bench
            .runner
            .run(&job_of(&start, input, &caps, package.io))?;
        let words = said(&outcome.stderr);
        let complain = |why: String| Ok(Err(Complaint::new(why)));
        if let Some(why) = failure(&outcome) {
            return complain(why);
        }
        if let End::Exited(code) = outcome.end
            && code != 0
        {
            return complain(with_words(Cause::ExitCode(code).words(), words));
        }
        let (output, _) = output_of(&mut outcome);
        if output.len() as u64 > caps.output_bytes {
            return complain("it printed more than a program for this problem may".to_owned());
        }
        let answer: Arc<[u8]> = Arc::from(output);
        bench.facts.keep_answer(question, &answer)?;
        Ok(Ok(answer))
    }

    /// What a checker says of an output.
    pub fn check(
        &mut self,
        bench: &mut Bench<'_>,
        checker: &Checker,
        case: &Case<'_>,
    ) -> Said<Compared> {
        let built = match self.built(bench, &checker.program)? {
            Ok(built) => built,
            Err(complaint) => return Ok(Err(complaint)),
        };
        let parts = [case.input, case.answer, case.output];
        let files = CASE_FILES
            .iter()
            .zip(parts)
            .map(|(name, bytes)| AppFile {
                name: (*name).to_owned(),
                bytes: Arc::clone(bytes),
                executable: false,
            })
            .collect();
        let call = Call {
            arguments: checker_arguments(checker.protocol),
            stdin: match checker.protocol {
                Protocol::Icpc => Arc::clone(case.output),
                Protocol::Testlib => Arc::from([]),
            },
            files,
            collect: Collect::Named {
                names: MESSAGE_FILES.map(str::to_owned).to_vec(),
                bytes_max: STDERR_KEPT_BYTES_MAX as u64,
            },
        };
        let outcome = self.help(bench, &checker.program, &built, call)?;
        Ok(opinion(checker.protocol, &outcome)
            .map(|verdict| Compared {
                expected: digest(case.answer),
                mode: checker.key(),
                verdict,
                cause: cause_of(verdict, case.output),
                difference: None,
                words: checker_words(checker.protocol, &outcome),
                judge_message: judge_message(checker.protocol, &outcome),
            })
            .map_err(Complaint::new))
    }

    /// Runs a validator or checker under its own limits.
    fn help(
        &mut self,
        bench: &mut Bench<'_>,
        program: &PackageProgram,
        built: &Built,
        call: Call,
    ) -> Result<Outcome, Fault> {
        let language = language_or_fault(bench, program)?;
        let start = bench
            .toolchain
            .start(language, &built.artifact, HELPER_MEMORY_BYTES)?;
        let given: usize = call.files.iter().map(|file| file.bytes.len()).sum();
        self.enter(bench, built, language, HELPER_MEMORY_BYTES)?;
        let job = Job {
            argv: [start.argv, call.arguments].concat(),
            env: start.env,
            stdin: call.stdin,
            files: call.files,
            collect: call.collect,
            caps: Limits {
                cpu: HELPER_CPU,
                wall: Limits::wall_floor(HELPER_CPU),
                memory_bytes: HELPER_MEMORY_BYTES + start.memory_extra_bytes + given as u64,
                output_bytes: HELPER_OUTPUT_BYTES,
                processes: HELPER_PROCESSES,
                open_files: HELPER_OPEN_FILES,
            },
            stderr_bytes_max: STDERR_KEPT_BYTES_MAX,
            disk_bytes: HELPER_DISK_BYTES + given as u64,
            stack_bytes: start.stack_bytes,
            alone: false,
        };
        self.run(bench, &job)
    }

    /// After a fault nobody knows where the runner stands.
    fn run(&mut self, bench: &mut Bench<'_>, job: &Job) -> Result<Outcome, Fault> {
        let outcome = bench.runner.run(job);
        if outcome.is_err() {
            self.room = None;
        }
        outcome
    }

    fn enter(
        &mut self,
        bench: &mut Bench<'_>,
        built: &Built,
        language: &Language,
        memory_bytes: u64,
    ) -> Result<(), Fault> {
        if self.room == Some(built.key) {
            return Ok(());
        }
        let start = bench
            .toolchain
            .start(language, &built.artifact, memory_bytes)?;
        self.room = None;
        bench.runner.enter(&room_of(&built.artifact, &start))?;
        self.room = Some(built.key);
        Ok(())
    }

    fn built(&mut self, bench: &mut Bench<'_>, program: &PackageProgram) -> Said<Arc<Built>> {
        if let Some(built) = self.built.get(&program.digest) {
            return Ok(Ok(Arc::clone(built)));
        }
        let path = &program.path;
        let Some(language) = bench.toolchain.language_of(program.extension()) else {
            return Ok(Err(Complaint::new(format!(
                "`{path}`: no language has the extension `{}`; `verdictd doctor` lists those that there are",
                program.extension()
            ))));
        };
        let version = bench.toolchain.identify(language.id()).map_err(|missing| {
            Fault::new(format!("find {} for `{path}`", language.name()), missing)
        })?;
        let key = artifact_key(bench, language, &version, program);
        let known = known_build(bench, key)?;
        let (result, words) = if let Some(known) = known {
            known
        } else {
            let beside: Vec<AppFile> = program.headers.iter().map(header).collect();
            self.room = None;
            let build = bench.toolchain.build_with(
                bench.runner,
                language,
                program.name(),
                &program.source,
                &beside,
                &bench.rules.build,
            )?;
            if build.result.is_err() {
                bench.toolchain.confirm(
                    bench.runner,
                    language,
                    (program.name(), &program.source),
                    &build,
                    &bench.rules.build,
                )?;
            }
            keep_build(bench, key, &version, &build)?;
            (build.result, build.words)
        };
        match result {
            Ok(artifact) => {
                let built = Arc::new(Built { key, artifact });
                self.built.insert(program.digest, Arc::clone(&built));
                Ok(Ok(built))
            }
            Err(cause) => Ok(Err(Complaint::new(with_words(
                format!("`{path}` cannot be built: {}", cause.words()),
                said(&words),
            )))),
        }
    }
}

/// A build that was made before, with the program where there is one; one whose bytes are lost is made again.
fn known_build(bench: &Bench<'_>, key: Digest) -> Result<Option<MadeBuild>, Fault> {
    let Some(build) = bench.facts.build(key)? else {
        return Ok(None);
    };
    if let Err(cause) = build.result {
        return Ok(Some((Err(cause), build.words)));
    }
    let artifact = bench.facts.artifact(key)?;
    Ok(artifact.map(|artifact| (Ok(artifact), build.words)))
}

fn header((name, bytes): &Header) -> AppFile {
    AppFile {
        name: name.clone(),
        bytes: Arc::clone(bytes),
        executable: false,
    }
}

fn language_or_fault<'b>(
    bench: &Bench<'b>,
    program: &PackageProgram,
) -> Result<&'b Language, Fault> {
    bench
        .toolchain
        .language_of(program.extension())
        .ok_or_else(|| Fault::new("find the language", &program.path))
}

/// The key of a program's build. One without headers is built as a student's would be, and shares its artifact.
fn artifact_key(
    bench: &Bench<'_>,
    language: &Language,
    version: &str,
    program: &PackageProgram,
) -> Digest {
    let alone = bench
        .toolchain
        .build_key(language, version, program.name(), &program.source);
    if program.headers.is_empty() {
        return alone;
    }
    let key = Key::new("build-with-headers").part(&alone.0);
    let with = |key: Key, (name, bytes): &Header| key.part(name.as_bytes()).part(bytes);
    program.headers.iter().fold(key, with).finish()
}

fn cause_of(verdict: Verdict, output: &[u8]) -> Option<Cause> {
    if verdict != Verdict::WrongAnswer {
        return None;
    }
    let blank = output.iter().all(u8::is_ascii_whitespace);
    Some(if blank { Cause::Empty } else { Cause::Refused })
}

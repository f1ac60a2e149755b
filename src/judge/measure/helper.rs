//! Runs the programs of packages: references, validators, checkers. In the sandbox like everything
//! else, each in a room of its own.

use std::sync::Arc;
use std::time::Duration;

use super::station::{Built, Measuring};
use crate::domain::bounds::STDERR_KEPT_BYTES_MAX;
use crate::domain::{Caps, Cause, Compared, Digest, End, Fault, Limits, Verdict};
use crate::judge::order::{Ended, Fact, Helper, How, Work};
use crate::judge::outcome::{job_of, output_of, room_of};
use crate::judge::protocol::{
    CASE_FILES, MESSAGE_FILES, checker_arguments, checker_words, failure, judge_message, opinion,
    said, validity, with_words,
};
use crate::judge::question;
use crate::package::{Complaint, Protocol, Said};
use crate::sandbox::{AppFile, Collect, Job, Outcome};
use crate::util::MIB;
use crate::util::hash::digest;

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
/// A reference may take this many times the CPU time of a student's program: it need not be quick,
/// only right.
const REFERENCE_CPU_TIMES: u32 = 5;
/// The same for memory.
const REFERENCE_MEMORY_TIMES: u64 = 2;

/// An output that a checker is asked about, and what it needs to know.
pub(super) struct Asked<'a> {
    pub input: &'a Arc<[u8]>,
    pub expected: &'a Arc<[u8]>,
    pub output: &'a Arc<[u8]>,
}

/// What a validator or checker is given.
struct Call {
    arguments: Vec<String>,
    stdin: Arc<[u8]>,
    files: Vec<AppFile>,
    collect: Collect,
}

impl Measuring<'_, '_> {
    /// Asks a program of a package what the order wants to know.
    pub(super) fn help(&mut self) -> Result<Ended, Fault> {
        let said = match &self.order.work {
            Work::Judge { .. } => return Err(Fault::new("ask a program", "nothing is asked")),
            Work::Build(helper) => self.helper(helper)?.map(drop),
            Work::Validate { validator, input } => self.validate(validator, input)?,
            Work::Answer {
                reference,
                how,
                input,
            } => self.answer(reference, how, input)?,
            Work::Check {
                checker,
                input,
                expected,
                output,
            } => self.check(checker, [input, expected, output])?,
        };
        if let Err(complaint) = said {
            self.tell(&Fact::Refused(complaint), &[])?;
        }
        Ok(Ended::Done)
    }

    fn validate(&mut self, validator: &Helper, input: &Digest) -> Said<()> {
        let built = match self.helper(validator)? {
            Ok(built) => built,
            Err(complaint) => return Ok(Err(complaint)),
        };
        let call = Call {
            arguments: Vec::new(),
            stdin: self.needed(input, &validator.path)?,
            files: Vec::new(),
            collect: Collect::Nothing,
        };
        let outcome = self.call(validator, &built, call)?;
        if let Err(complaint) = validity(validator.protocol, &outcome) {
            return Ok(Err(complaint));
        }
        let sandbox = &self.order.sandbox;
        let question = question::validity(&built.key, validator.protocol, input, sandbox);
        self.answered(question, Arc::from([]))
    }

    fn answer(&mut self, reference: &Helper, how: &How, input: &Digest) -> Said<()> {
        let built = match self.helper(reference)? {
            Ok(built) => built,
            Err(complaint) => return Ok(Err(complaint)),
        };
        let memory_bytes = how.told_memory_bytes * REFERENCE_MEMORY_TIMES;
        let toolchain = self.station.toolchain;
        let language = self.language(&reference.program)?;
        let start = toolchain.start(language, &built.artifact, memory_bytes)?;
        let cpu = how.limits.cpu * REFERENCE_CPU_TIMES;
        let caps = Caps {
            cpu,
            wall: Limits::wall_floor(cpu).max(how.limits.wall),
            memory_bytes: memory_bytes + start.memory_extra_bytes,
            output_bytes: how.limits.output_bytes,
            processes: how.limits.processes.max(HELPER_PROCESSES),
            open_files: how.limits.open_files.max(HELPER_OPEN_FILES),
        };
        let bytes = self.needed(input, &reference.path)?;
        self.enter(reference, &built, memory_bytes)?;
        let job = job_of(&start, &bytes, &caps, how.io);
        let mut outcome = self.station.runner.run(&job)?;
        let complain = |why: String| Ok(Err(Complaint::new(why)));
        if let Some(why) = failure(&outcome) {
            return complain(why);
        }
        if let End::Exited(code) = outcome.end
            && code != 0
        {
            let words = said(&outcome.stderr);
            return complain(with_words(Cause::ExitCode(code).words(), words));
        }
        let (output, _) = output_of(&mut outcome);
        if output.len() as u64 > caps.output_bytes {
            return complain("it printed more than a program for this problem may".to_owned());
        }
        let question = question::answer(&built.key, input, &how.policy);
        self.answered(question, Arc::from(output))
    }

    fn check(&mut self, checker: &Helper, [input, expected, output]: [&Digest; 3]) -> Said<()> {
        let case = Asked {
            input: &self.needed(input, &checker.path)?,
            expected: &self.needed(expected, &checker.path)?,
            output: &self.needed(output, &checker.path)?,
        };
        let said = match self.opinion(checker, &case)? {
            Ok(said) => said,
            Err(complaint) => return Ok(Err(complaint)),
        };
        let fact = Fact::Opinion {
            question: question::opinion(&checker.id, input, expected, output),
            said,
            is_unique: true,
        };
        self.tell(&fact, &[]).map(Ok)
    }

    fn answered(&mut self, question: Digest, answer: Arc<[u8]>) -> Said<()> {
        let digest = digest(&answer);
        let fact = Fact::Answered {
            question,
            answer: digest,
        };
        self.tell(&fact, &[(digest, answer)]).map(Ok)
    }

    /// What a checker says of an output.
    pub(super) fn opinion(&mut self, checker: &Helper, case: &Asked<'_>) -> Said<Compared> {
        let built = match self.helper(checker)? {
            Ok(built) => built,
            Err(complaint) => return Ok(Err(complaint)),
        };
        let parts = [case.input, case.expected, case.output];
        let files = CASE_FILES.iter().zip(parts).map(|(name, bytes)| AppFile {
            name: (*name).to_owned(),
            bytes: Arc::clone(bytes),
            executable: false,
        });
        let call = Call {
            arguments: checker_arguments(checker.protocol),
            stdin: match checker.protocol {
                Protocol::Icpc => Arc::clone(case.output),
                Protocol::Testlib => Arc::from([]),
            },
            files: files.collect(),
            collect: Collect::Named {
                names: MESSAGE_FILES.map(str::to_owned).to_vec(),
                bytes_max: STDERR_KEPT_BYTES_MAX as u64,
            },
        };
        let outcome = self.call(checker, &built, call)?;
        Ok(opinion(checker.protocol, &outcome)
            .map(|verdict| Compared {
                verdict,
                cause: cause_of(verdict, case.output),
                difference: None,
                words: checker_words(checker.protocol, &outcome),
                judge_message: judge_message(checker.protocol, &outcome),
            })
            .map_err(Complaint::new))
    }

    /// Runs a validator or checker under its own limits.
    fn call(&mut self, helper: &Helper, built: &Built, call: Call) -> Result<Outcome, Fault> {
        let toolchain = self.station.toolchain;
        let language = self.language(&helper.program)?;
        let start = toolchain.start(language, &built.artifact, HELPER_MEMORY_BYTES)?;
        let given: usize = call.files.iter().map(|file| file.bytes.len()).sum();
        self.enter(helper, built, HELPER_MEMORY_BYTES)?;
        let job = Job {
            argv: [start.argv, call.arguments].concat(),
            env: start.env,
            stdin: call.stdin,
            files: call.files,
            collect: call.collect,
            caps: Caps {
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
        self.station.runner.run(&job)
    }

    fn enter(&mut self, helper: &Helper, built: &Built, memory_bytes: u64) -> Result<(), Fault> {
        if self.station.room == Some(built.key) {
            return Ok(());
        }
        let toolchain = self.station.toolchain;
        let language = self.language(&helper.program)?;
        let start = toolchain.start(language, &built.artifact, memory_bytes)?;
        self.station.room = None;
        self.station
            .runner
            .enter(&room_of(&built.artifact, &start))?;
        self.station.room = Some(built.key);
        Ok(())
    }

    fn helper(&mut self, helper: &Helper) -> Said<Arc<Built>> {
        let path = &helper.path;
        if helper.program.language.is_none() {
            let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
            return Ok(Err(Complaint::new(format!(
                "`{path}`: no language has the extension `{extension}`; `verdictd doctor` lists those that there are"
            ))));
        }
        let language = self.language(&helper.program)?;
        let known = self.station.toolchain.identify(language.id());
        known.map_err(|missing| {
            Fault::new(format!("find {} for `{path}`", language.name()), missing)
        })?;
        match self.program(&helper.program, false)? {
            Ok(built) => Ok(Ok(built)),
            Err((cause, words)) => Ok(Err(Complaint::new(with_words(
                format!("`{path}` cannot be built: {}", cause.words()),
                said(&words),
            )))),
        }
    }
}

fn cause_of(verdict: Verdict, output: &[u8]) -> Option<Cause> {
    if verdict != Verdict::WrongAnswer {
        return None;
    }
    let blank = output.iter().all(u8::is_ascii_whitespace);
    Some(if blank { Cause::Empty } else { Cause::Refused })
}

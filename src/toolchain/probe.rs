//! Tries a language by the real path: its echo program is built and run in the sandbox, and has to
//! give back what it was given.
//!
//! There are three outcomes. A language that is not installed, or whose compiler does not do its
//! work, is missing.
//! Where something of ours kept it from being tried, nothing is known of it: that must never turn
//! into "not offered here".

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{Build, Language, Missing, Start, Toolchain, Unresolved};
use crate::domain::bounds::STDERR_KEPT_BYTES_MAX;
use crate::domain::{BuildLimits, Caps, Cause, End, Fault, LanguageId, Limits, Stop};
use crate::sandbox::{AppFile, Collect, Job, Outcome, Room, Runner};
use crate::util::excerpt;
use crate::util::sync::lock;

/// Lines of the input that an echo program is given.
const LINES: usize = 100;
/// What an echo program may leave in its folder.
const DISK_BYTES_MAX: u64 = 16 * 1024 * 1024;
/// How much of what went wrong is shown.
const WORDS_BYTES_MAX: usize = 600;
/// The least time that a probe is given: the limits of the course may be too small to start a
/// run-time system for the first time.
const CPU_MIN: Duration = Duration::from_secs(5);
/// The same for its compiler: on a busy machine it is not the compiler's fault that it takes long.
const BUILD_CPU_MIN: Duration = Duration::from_mins(1);

/// What came of an echo program that works.
pub(super) struct Echo {
    /// The program.
    pub files: Vec<AppFile>,
    /// What its compiler said.
    pub compiler_words: Vec<u8>,
    /// Its run.
    pub outcome: Outcome,
}

/// The version of a language that works, or why it cannot be used.
pub type Availability = Result<String, Unresolved>;

impl Toolchain {
    /// Tries a language: its programs are found, its echo program is built and run, and the output
    /// is compared.
    pub fn probe(
        &self,
        id: &LanguageId,
        runner: &mut dyn Runner,
        caps: &Caps,
        build: &BuildLimits,
    ) -> Availability {
        let version = self.look_again(id)?;
        let Some(language) = self.language(id) else {
            return Ok(version);
        };
        let mut wrong = self.echo(language, runner, caps, build)?;
        if wrong.is_some() {
            // What fails for want of processes or memory looks like a compiler that does not work:
            // once more before it is believed.
            wrong = self.echo(language, runner, caps, build)?;
        }
        match wrong {
            None => Ok(version),
            Some(why) => Err(Missing {
                why: format!("{version} is there, but {why}"),
                install: language.spec().install.clone(),
            }
            .into()),
        }
    }

    /// Builds and runs the echo program: what is wrong with compiler or run-time system, if
    /// anything is.
    fn echo(
        &self,
        language: &Language,
        runner: &mut dyn Runner,
        caps: &Caps,
        limits: &BuildLimits,
    ) -> Result<Option<String>, Fault> {
        Ok(self.try_echo(language, runner, caps, limits)?.err())
    }

    /// Builds and runs the echo program, where the language has one: what came of it, or what is
    /// wrong.
    pub(super) fn try_echo(
        &self,
        language: &Language,
        runner: &mut dyn Runner,
        caps: &Caps,
        limits: &BuildLimits,
    ) -> Result<Result<Option<Echo>, String>, Fault> {
        let too_slow = |why| Fault::new(format!("try {}", language.name()), why);
        let Some(build) = self.build_echo(language, runner, limits)? else {
            return Ok(Ok(None));
        };
        let artifact = match build.result {
            Ok(artifact) => artifact,
            Err(Cause::CompileTime) => {
                let why = "the compiler needs too much time for a program that copies its input";
                return Err(too_slow(why));
            }
            Err(cause) => {
                return Ok(Err(format!(
                    "a program that copies its input does not build: {}: {}",
                    cause.words(),
                    shown(&build.words)
                )));
            }
        };
        let start = self.start(language, &artifact, caps.memory_bytes)?;
        runner.enter(&Room {
            shown: start.shown.clone(),
            app: artifact.files.clone(),
        })?;
        let input = input();
        let outcome = runner.run(&job(start, caps, &input))?;
        if let Some(Stop::Cpu | Stop::Wall) = outcome.stop {
            return Err(too_slow(
                "a program that copies its input needs too much time",
            ));
        }
        Ok(match wrong(&outcome, &input) {
            Some(wrong) => Err(wrong),
            None => Ok(Some(Echo {
                files: artifact.files,
                compiler_words: build.words,
                outcome,
            })),
        })
    }

    /// Builds the echo program, where the language has one.
    pub(super) fn build_echo(
        &self,
        language: &Language,
        runner: &mut dyn Runner,
        limits: &BuildLimits,
    ) -> Result<Option<Build>, Fault> {
        let Some(echo) = &language.spec().echo else {
            return Ok(None);
        };
        let file_name = format!(
            "echo.{}",
            language.extensions().first().map_or("", String::as_str)
        );
        let limits = BuildLimits {
            cpu: limits.cpu.max(BUILD_CPU_MIN),
            ..limits.clone()
        };
        let began = Instant::now();
        let build = self.build(runner, language, &file_name, echo.as_bytes(), &limits)?;
        if build.result.is_ok() {
            let mut health = lock(&language.health);
            health.built = Some(began);
            health.worked = true;
        }
        Ok(Some(build))
    }
}

/// What an echo program is given.
pub(super) fn input() -> Arc<[u8]> {
    let mut text = String::new();
    for line in 0..LINES {
        let shift = line % 26;
        let letters: String = ('a'..='z')
            .cycle()
            .skip(shift)
            .take(line % 40 + 1)
            .collect();
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{line} {letters} -0.{line}");
    }
    Arc::from(text.into_bytes())
}

fn job(start: Start, caps: &Caps, input: &Arc<[u8]>) -> Job {
    let cpu = caps.cpu.max(CPU_MIN);
    Job {
        argv: start.argv,
        env: start.env,
        stdin: Arc::clone(input),
        files: Vec::new(),
        collect: Collect::Nothing,
        caps: Caps {
            cpu,
            wall: caps.wall.max(Limits::wall_floor(cpu)),
            memory_bytes: caps.memory_bytes.saturating_add(start.memory_extra_bytes),
            output_bytes: caps.output_bytes,
            processes: caps.processes,
            open_files: caps.open_files,
        },
        stderr_bytes_max: STDERR_KEPT_BYTES_MAX,
        disk_bytes: DISK_BYTES_MAX,
        stack_bytes: start.stack_bytes,
        alone: false,
    }
}

fn wrong(outcome: &Outcome, input: &[u8]) -> Option<String> {
    let how = if outcome.memory_exceeded {
        "needs more memory than the limit"
    } else if outcome.stop.is_some() {
        "prints more than it is given"
    } else if outcome.end != End::Exited(0) {
        "fails"
    } else if outcome.stdout != input {
        "prints something else"
    } else {
        return None;
    };
    Some(format!(
        "a program that copies its input {how} ({:?}): {}",
        outcome.end,
        shown(&outcome.stderr)
    ))
}

/// What a compiler or a program said, short and on one line.
pub(super) fn shown(words: &[u8]) -> String {
    let text = excerpt::decode(words, WORDS_BYTES_MAX).text;
    excerpt::visible_line(text.trim())
}

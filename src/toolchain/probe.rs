//! Tries a language by the real path: its echo program is built and run in the sandbox, and has to give back what it was given.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use super::{Build, Language, LanguageId, Missing, Start, Toolchain};
use crate::config;
use crate::domain::bounds::STDERR_KEPT_BYTES_MAX;
use crate::domain::{Caps, End, Fault};
use crate::sandbox::{Collect, Job, Outcome, Room, Runner};
use crate::util::excerpt;

/// Lines of the input that an echo program is given.
const LINES: usize = 100;
/// What an echo program may leave in its folder.
const DISK_BYTES_MAX: u64 = 16 * 1024 * 1024;
/// How much of what went wrong is shown.
const WORDS_BYTES_MAX: usize = 600;
/// The least time that a probe is given: the limits of the course may be too small to start a run-time system for the first time.
const CPU_MIN: Duration = Duration::from_secs(5);

/// Whether a language can be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Availability {
    /// It works.
    Offered {
        /// The version of its compiler or interpreter.
        version: String,
    },
    /// It does not.
    Missing {
        /// Why.
        why: String,
        /// What a person does about it.
        install: String,
    },
}

/// One language, for `verdictd doctor`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DoctorRow {
    /// Name for people.
    pub name: String,
    /// Its key.
    pub key: LanguageId,
    /// Its extensions.
    pub extensions: Vec<String>,
    /// Whether it can be used.
    pub availability: Availability,
}

impl From<Missing> for Availability {
    fn from(missing: Missing) -> Self {
        Self::Missing {
            why: missing.why,
            install: missing.install,
        }
    }
}

impl Toolchain {
    /// Tries a language: its programs are found, its echo program is built and run, and the output is compared.
    pub fn probe(
        &self,
        id: &LanguageId,
        runner: &mut dyn Runner,
        caps: &Caps,
        build: &config::Build,
    ) -> Availability {
        let version = match self.identify(id) {
            Ok(version) => version,
            Err(missing) => return missing.into(),
        };
        let Some(language) = self.language(id) else {
            return Availability::Offered { version };
        };
        let why = match self.echo(language, runner, caps, build) {
            Ok(None) => return Availability::Offered { version },
            Ok(Some(why)) => why,
            Err(fault) => format!("the sandbox could not try it: {fault}"),
        };
        Availability::Missing {
            why: format!("{version} is there, but {why}"),
            install: language.spec().install.clone(),
        }
    }

    /// Tries every language, for `verdictd doctor`.
    pub fn doctor_rows(
        &self,
        runner: &mut dyn Runner,
        caps: &Caps,
        build: &config::Build,
    ) -> Vec<DoctorRow> {
        self.languages()
            .map(|language| DoctorRow {
                name: language.name().to_owned(),
                key: language.id().clone(),
                extensions: language.extensions().to_vec(),
                availability: self.probe(language.id(), runner, caps, build),
            })
            .collect()
    }

    /// Builds and runs the echo program; says what went wrong, if anything did.
    fn echo(
        &self,
        language: &Language,
        runner: &mut dyn Runner,
        caps: &Caps,
        limits: &config::Build,
    ) -> Result<Option<String>, Fault> {
        let Some(echo) = &language.spec().echo else {
            return Ok(None);
        };
        let file_name = format!(
            "echo.{}",
            language.extensions().first().map_or("", String::as_str)
        );
        let Build { result, words, .. } =
            self.build(runner, language, &file_name, echo.as_bytes(), limits)?;
        let artifact = match result {
            Ok(artifact) => artifact,
            Err(cause) => {
                return Ok(Some(format!(
                    "a program that copies its input does not build: {}: {}",
                    cause.words(),
                    shown(&words)
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
        Ok(wrong(&outcome, &input))
    }
}

fn input() -> Arc<[u8]> {
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
            wall: caps.wall.max(Caps::wall_floor(cpu)),
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
        "needs more time or output than the limit"
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

fn shown(words: &[u8]) -> String {
    let text = excerpt::decode(words, WORDS_BYTES_MAX).text;
    excerpt::visible_line(text.trim())
}

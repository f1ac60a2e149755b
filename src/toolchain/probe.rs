//! Tries a language by the real path: its echo program is built and run in the sandbox, and has to
//! give back what it was given.
//!
//! There are three outcomes. A language that is not installed, or whose compiler does not do its
//! work, is missing.
//! Where something of ours kept it from being tried, nothing is known of it: that must never turn
//! into "not offered here".
//!
//! The same program says whether a compiler still works, before a student is told that a program
//! does not build. A compiler that is being upgraded, that has lost a file or that finds no memory
//! fails on everything, and nobody may pay for that with a CE. So after a build that failed, the
//! echo program has to build. It costs one small compilation, and not even that where the compiler
//! names a line of the source, as it does for nearly every mistake, and has built the echo program a
//! moment ago.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use memchr::memmem;

use super::{Build, Language, Start, Toolchain, Unresolved, source};
use crate::domain::bounds::STDERR_KEPT_BYTES_MAX;
use crate::domain::{BuildLimits, Cause, End, Fault, LanguageId, Limits, Stop};
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

/// For so long the compiler counts as one that works, where it speaks of the source.
const REMEMBERED: Duration = Duration::from_secs(30);

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
        caps: &Limits,
        build: &BuildLimits,
    ) -> Availability {
        let version = self.look_again(id)?;
        let language = self.language_or_missing(id)?;
        let mut tried = self.try_echo(language, runner, caps, build);
        if let Err(Unresolved::Missing { .. }) = tried {
            // What fails for want of processes or memory looks like a compiler that does not work:
            // once more before it is believed.
            tried = self.try_echo(language, runner, caps, build);
        }
        match tried {
            Ok(_) => Ok(version),
            Err(Unresolved::Missing { why, install }) => Err(Unresolved::Missing {
                why: format!("{version} is there, but {why}"),
                install,
            }),
            Err(fault) => Err(fault),
        }
    }

    /// Builds and runs the echo program, where the language has one.
    pub(super) fn try_echo(
        &self,
        language: &Language,
        runner: &mut dyn Runner,
        caps: &Limits,
        limits: &BuildLimits,
    ) -> Result<Option<Echo>, Unresolved> {
        let too_slow = |why| Fault::new(format!("try {}", language.name()), why);
        let missing = |why| Unresolved::Missing {
            why,
            install: language.spec.install.clone(),
        };
        let Some(build) = self.build_echo(language, runner, limits)? else {
            return Ok(None);
        };
        let artifact = build.result.map_err(|cause| match cause {
            Cause::CompileTime => Unresolved::from(too_slow(
                "the compiler needs too much time for a program that copies its input",
            )),
            cause => missing(format!(
                "a program that copies its input does not build: {}: {}",
                cause.words(),
                shown(&build.words)
            )),
        })?;
        let start = self.start(language, &artifact, caps.memory_bytes)?;
        runner.enter(&Room {
            shown: start.shown.clone(),
            app: artifact.files.clone(),
        })?;
        let input = input();
        let outcome = runner.run(&job(start, caps, &input))?;
        if let Some(Stop::Cpu | Stop::Wall) = outcome.stop {
            return Err(too_slow("a program that copies its input needs too much time").into());
        }
        if let Some(wrong) = wrong(&outcome, &input) {
            return Err(missing(wrong));
        }
        Ok(Some(Echo {
            files: artifact.files,
            compiler_words: build.words,
            outcome,
        }))
    }

    /// Makes sure that a build failed because of its source. Where the compiler fails on
    /// everything, that is a fault.
    /// The runner is left in the compiler's room.
    pub fn confirm(
        &self,
        runner: &mut dyn Runner,
        language: &Language,
        (file_name, source): (&str, &[u8]),
        build: &Build,
        limits: &BuildLimits,
    ) -> Result<(), Fault> {
        let name = source::prepare(&language.spec, (file_name, source), &[]).name;
        let is_known = |built: Instant| {
            names_a_line(&build.words, name.as_bytes()) && built.elapsed() <= REMEMBERED
        };
        if lock(&language.health).built.is_some_and(is_known) {
            return Ok(());
        }
        let Some(echo) = self.build_echo(language, runner, limits)? else {
            return Ok(());
        };
        match echo.result {
            Ok(_) => {
                lock(&language.health).trouble = None;
                Ok(())
            }
            Err(cause) => {
                let fault = Fault::new(
                    format!("build with the compiler of {}", language.name()),
                    format!(
                        "it fails on a program that copies its input too: {}: {}",
                        cause.words(),
                        shown(&echo.words)
                    ),
                );
                let mut health = lock(&language.health);
                health.built = None;
                health.trouble = Some(fault.clone());
                Err(fault)
            }
        }
    }

    /// Whether a language's compiler has worked since this table was read: then what it lacks now
    /// is a fault, and not a language that is
    /// not installed. In the middle of an upgrade even the program itself may be gone for a moment.
    pub fn has_worked(&self, id: &LanguageId) -> bool {
        self.language(id)
            .is_some_and(|language| lock(&language.health).worked)
    }

    /// Builds the echo program, where the language has one.
    fn build_echo(
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
        let build = self.build(
            runner,
            language,
            (file_name.as_str(), echo.as_bytes()),
            &[],
            &limits,
        )?;
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

fn job(start: Start, caps: &Limits, input: &Arc<[u8]>) -> Job {
    let cpu = caps.cpu.max(CPU_MIN);
    Job {
        argv: start.argv,
        env: start.env,
        stdin: Arc::clone(input),
        files: Vec::new(),
        collect: Collect::Nothing,
        caps: Limits {
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
fn shown(words: &[u8]) -> String {
    let text = excerpt::decode(words, WORDS_BYTES_MAX).text;
    excerpt::visible_line(text.trim())
}

/// Whether a compiler's words name a line of a file: `main.cpp:3`, `main.pas(3`,
/// `"main.py", line 3`.
fn names_a_line(words: &[u8], file_name: &[u8]) -> bool {
    let is_line = |at: usize| {
        let after = &words[at + file_name.len()..];
        let number = [&b":"[..], b"(", b"\", line "]
            .iter()
            .find_map(|sign| after.strip_prefix(*sign));
        number.is_some_and(|number| number.first().is_some_and(u8::is_ascii_digit))
    };
    !file_name.is_empty() && memmem::find_iter(words, file_name).any(is_line)
}

#[cfg(test)]
mod tests {
    use super::names_a_line;

    #[test]
    fn a_mistake_of_the_source_has_a_line() {
        for (words, named) in [
            ("main.cpp:3:5: error: 'x' was not declared", true),
            ("x\nmain.cpp(7,2) Error: Identifier not found", true),
            ("  File \"main.cpp\", line 1", true),
            ("g++: fatal error: cannot execute 'cc1plus': vfork", false),
            ("main.cpp: file not recognized", false),
            ("main.cpp", false),
            ("", false),
        ] {
            let found = names_a_line(words.as_bytes(), b"main.cpp");
            assert_eq!(found, named, "{words}");
        }
        assert!(!names_a_line(b":3", b""));
    }
}

//! Before a student is told that a program does not build: does the compiler itself still work?
//!
//! A compiler that is being upgraded, that has lost a file or that finds no memory fails on
//! everything, and nobody may pay for that with a CE.
//! So after a build that failed, the language's echo program has to build. It costs one small
//! compilation, and not even that where
//! the compiler names a line of the source, as it does for nearly every mistake, and has built the
//! echo program a moment ago.

use std::time::{Duration, Instant};

use super::probe::shown;
use super::{Build, Language, Toolchain, source};
use crate::domain::{BuildLimits, Fault, LanguageId};
use crate::sandbox::Runner;
use crate::util::sync::lock;

/// For so long the compiler counts as one that works, where it speaks of the source.
const REMEMBERED: Duration = Duration::from_secs(30);

impl Toolchain {
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
        let now = Instant::now();
        let name = source::prepare(&language.spec, file_name, source).name;
        let speaks_of_it = names_a_line(&build.words, name.as_bytes());
        let since = if speaks_of_it {
            now.checked_sub(REMEMBERED).unwrap_or(now)
        } else {
            now
        };
        if lock(&language.health)
            .built
            .is_some_and(|built| built >= since)
        {
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
}

/// Whether a compiler's words name a line of a file: `main.cpp:3`, `main.pas(3`,
/// `"main.py", line 3`.
fn names_a_line(words: &[u8], file_name: &[u8]) -> bool {
    !file_name.is_empty()
        && words
            .windows(file_name.len())
            .enumerate()
            .any(|(at, window)| {
                let after = &words[at + file_name.len()..];
                let number = [&b":"[..], b"(", b"\", line "]
                    .iter()
                    .find_map(|sign| after.strip_prefix(*sign));
                window == file_name
                    && number.is_some_and(|number| number.first().is_some_and(u8::is_ascii_digit))
            })
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
            assert_eq!(
                names_a_line(words.as_bytes(), b"main.cpp"),
                named,
                "{words}"
            );
        }
        assert!(!names_a_line(b":3", b""));
    }
}

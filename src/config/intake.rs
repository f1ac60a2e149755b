//! The table `[intake]`: what counts as a submission, and what is passed over.

use std::time::Duration;

use toml::Spanned;

use super::error::ConfigError;
use super::file::IntakeKeys;
use super::place::Place;
use crate::domain::bounds::{IGNORED_PATTERN_BYTES_MAX, IGNORED_PATTERNS_MAX};

/// What counts as a submission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Intake {
    /// Largest source, in bytes.
    pub source_bytes_max: u64,
    /// How long a file must stay as it is before it is taken.
    pub settle: Duration,
    /// Time between two scans when nothing happens.
    pub rescan: Duration,
    /// Names of files that are passed over without a word, with `*` and `?`, unless they are
    /// programs.
    pub ignore: Vec<String>,
}

/// What is passed over where config.toml does not say: what lies beside programs in a student's
/// checkout.
const IGNORED: [&str; 8] = [
    "README*",
    "*.md",
    "LICENSE*",
    "Makefile",
    "CMakeLists.txt",
    "*.in",
    "*.ans",
    "*.pyc",
];

impl Place<'_> {
    pub(super) fn intake(&self, keys: &IntakeKeys) -> Result<Intake, ConfigError> {
        Ok(Intake {
            source_bytes_max: 1024
                * self.whole(
                    "source_kib_max",
                    keys.source_kib_max.as_ref(),
                    256,
                    1..=65_536,
                )?,
            settle: Duration::from_millis(self.whole(
                "settle_ms",
                keys.settle_ms.as_ref(),
                300,
                10..=60_000,
            )?),
            rescan: self.seconds("rescan_s", keys.rescan_s.as_ref(), 30.0, 1.0..=86_400.0)?,
            ignore: self.ignored(keys.ignore.as_deref())?,
        })
    }

    /// Patterns of names; a mistake in one would pass over programs or, unseen, nothing at all.
    fn ignored(&self, patterns: Option<&[Spanned<String>]>) -> Result<Vec<String>, ConfigError> {
        let Some(patterns) = patterns else {
            return Ok(IGNORED.map(str::to_owned).into());
        };
        if let Some(beyond) = patterns.get(IGNORED_PATTERNS_MAX) {
            return Err(self.error(
                beyond.span(),
                format!("`ignore` has more than {IGNORED_PATTERNS_MAX} patterns"),
                "take some out; one with `*` stands for many names",
            ));
        }
        let read = |pattern: &Spanned<String>| {
            let text = pattern.get_ref();
            let problem = if text.is_empty() {
                "is empty"
            } else if text.contains(['/', '\0']) {
                "is not a file's name"
            } else if text.len() > IGNORED_PATTERN_BYTES_MAX {
                "is too long"
            } else if text.chars().all(|character| character == '*') {
                "stands for every file"
            } else {
                return Ok(text.clone());
            };
            Err(self.error(
                pattern.span(),
                format!("a pattern of `ignore` {problem}"),
                "write names without folders; `*` is any text and `?` any character, as in \"README*\", \"*.class\"",
            ))
        };
        patterns.iter().map(read).collect()
    }
}

//! config.toml, read once and resolved: every path absolute, every default filled in.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::domain::{LanguageId, Limits};

mod error;
mod file;
mod intake;
mod language;
mod languages;
mod nearest;
mod place;
mod resolve;
mod web;

pub use error::{ConfigError, Mistake};
pub use intake::Intake;
pub use language::{LanguageOverride, LanguageSpec};

pub use nearest::nearest;
pub use place::{Place, suggestion};
#[cfg(test)]
pub use resolve::parse;
pub use resolve::{load, parse_languages};
pub use web::Web;

/// Everything that config.toml decides.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// The file that was read.
    pub file: PathBuf,
    /// The folders, absolute; in the file they are relative to it.
    pub folders: Folders,
    /// How submissions are judged.
    pub judge: Judge,
    /// Limits of problems that do not set their own.
    pub limits: LimitDefaults,
    /// What counts as a submission.
    pub intake: Intake,
    /// Limits of one compilation.
    pub build: Build,
    /// What the sandbox may do without.
    pub sandbox: SandboxPolicy,
    /// What the overviews and the grade book are made from.
    pub overview: Overview,
    /// The dashboard.
    pub web: Web,
    /// What it says of languages, by their key.
    pub languages: BTreeMap<LanguageId, LanguageOverride>,
    /// The text that was read, so that a mistake that shows only later still gets its line and a caret.
    pub text: Arc<str>,
}

impl Config {
    /// A mistake at this place of the text.
    pub fn mistake(
        &self,
        span: Range<usize>,
        message: impl Into<String>,
        help: Option<String>,
    ) -> ConfigError {
        ConfigError::at(&self.file, &self.text, span, message, help)
    }
}

/// Where things are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folders {
    /// The watched folder.
    pub submissions: PathBuf,
    /// The problem packages.
    pub problems: PathBuf,
    /// The reports for students.
    pub reports: PathBuf,
    /// The whole reports, the logs and the overviews, for instructors.
    pub staff: PathBuf,
    /// The store.
    pub state: PathBuf,
}

/// How submissions are judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judge {
    /// Programs run at the same time; `None` for as many as the machine can measure side by side.
    pub workers: Option<NonZeroUsize>,
    /// Whether the remaining tests are skipped after the first failing one.
    pub stop_at_first_failure: bool,
    /// Whether an attempt that was not judged yet is left out when a newer one is there.
    pub skip_superseded: bool,
    /// Whether a run over a time limit is measured again, alone, before anybody is told.
    pub repeat_near_limit: bool,
}

/// Limits where the problem sets none.
#[derive(Debug, Clone, PartialEq)]
pub struct LimitDefaults {
    /// CPU time.
    pub cpu: Duration,
    /// Wall-clock time; `None` for the floor, `Limits::wall_floor`. Never below it.
    pub wall: Option<Duration>,
    /// Memory, in bytes.
    pub memory_bytes: u64,
    /// Output, in bytes.
    pub output_bytes: u64,
    /// Processes and threads.
    pub processes: u32,
    /// Open files of one process.
    pub open_files: u32,
}

impl LimitDefaults {
    /// The limits of a problem that sets none.
    pub fn limits(&self) -> Limits {
        let floor = Limits::wall_floor(self.cpu);
        Limits {
            cpu: self.cpu,
            wall: self.wall.unwrap_or(floor).max(floor),
            memory_bytes: self.memory_bytes,
            output_bytes: self.output_bytes,
            processes: self.processes,
            open_files: self.open_files,
        }
    }
}

/// Limits of one compilation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Build {
    /// CPU time.
    pub cpu: Duration,
    /// Memory, in bytes.
    pub memory_bytes: u64,
}

/// What the sandbox may do without.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SandboxPolicy {
    /// Names of protections that may be missing or weak. Every report shows them.
    pub allow_missing: BTreeSet<String>,
}

/// What the overviews and the grade book are made from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Overview {
    /// Which attempt of a student counts for a problem.
    pub counts: Counts,
    /// The file that names the students of the course, absolute.
    pub roster: Option<PathBuf>,
}

/// Which attempt of a student counts for a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Counts {
    /// The first one that is accepted now; where none is, the latest one that is judged.
    #[default]
    Best,
    /// The latest one that is judged.
    Last,
}

#[cfg(test)]
mod tests;

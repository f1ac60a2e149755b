//! config.toml as the rest of the program reads it: every value checked while it is read, every
//! path absolute, every default filled in from the file that is shipped.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;
use serde::de::Deserializer;

use super::cluster::Cluster;
use super::language::LanguageSpec;
use super::languages::languages;
use super::limits::LimitTable;
use super::place::suggestion;
use super::value::{Wrong, list, milliseconds, one_of, optional_file, path, seconds, text, whole};
use super::web::Web;
use crate::domain::bounds::{IGNORED_PATTERN_BYTES_MAX, IGNORED_PATTERNS_MAX};
use crate::domain::{BuildLimits, LanguageId};
use crate::sandbox::ALLOWED_MISSING;
use crate::util::{KIB, MIB};

/// Everything that config.toml decides.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The file that was read.
    #[serde(skip)]
    pub file: PathBuf,
    /// The folders, absolute; in the file they are relative to it.
    pub folders: Folders,
    /// How submissions are judged.
    pub judge: Judge,
    /// Limits of problems that do not set their own.
    pub limits: LimitTable,
    /// What counts as a submission.
    pub intake: Intake,
    /// Limits of one compilation.
    #[serde(deserialize_with = "build_limits")]
    pub build: BuildLimits,
    /// What the sandbox may do without.
    pub sandbox: SandboxPolicy,
    /// What the overviews and the grade book are made from.
    pub overview: Overview,
    /// The dashboard.
    pub web: Web,
    /// What is found out in idle time.
    pub explain: Explain,
    /// Other machines.
    pub cluster: Cluster,
    /// Every language by its key, the built-in ones with what the file changes.
    #[serde(deserialize_with = "languages")]
    pub languages: BTreeMap<LanguageId, LanguageSpec>,
    /// The language that each extension means.
    #[serde(skip)]
    pub extensions: BTreeMap<String, LanguageId>,
}

/// Where things are.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Folders {
    /// The watched folder.
    #[serde(deserialize_with = "folder")]
    pub submissions: PathBuf,
    /// The problem packages.
    #[serde(deserialize_with = "folder")]
    pub problems: PathBuf,
    /// The reports for students.
    #[serde(deserialize_with = "folder")]
    pub reports: PathBuf,
    /// The whole reports, the logs and the overviews, for instructors.
    #[serde(deserialize_with = "folder")]
    pub staff: PathBuf,
    /// The store.
    #[serde(deserialize_with = "folder")]
    pub state: PathBuf,
}

/// Programs run at the same time on this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Workers {
    /// As many as it can measure side by side; in the file 0.
    PerCore,
    /// So many.
    These(NonZeroUsize),
    /// None: other machines measure.
    Nobody,
}

/// How submissions are judged.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Judge {
    /// Programs run at the same time on this machine.
    #[serde(deserialize_with = "workers")]
    pub workers: Workers,
    /// Whether the remaining tests are skipped after the first failing one.
    pub stop_at_first_failure: bool,
    /// Whether an attempt that was not judged yet is left out when a newer one is there.
    pub skip_superseded: bool,
    /// Whether a run over a time limit is measured again, alone, before anybody is told.
    pub repeat_near_limit: bool,
}

/// What counts as a submission.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Intake {
    /// Largest source, in bytes.
    #[serde(
        rename = "source_kib_max",
        deserialize_with = "whole::<1, 65_536, KIB, _, _>"
    )]
    pub source_bytes_max: u64,
    /// How long a file must stay as it is before it is taken.
    #[serde(
        rename = "settle_ms",
        deserialize_with = "milliseconds::<10, 60_000, _>"
    )]
    pub settle: Duration,
    /// Time between two scans when nothing happens.
    #[serde(rename = "rescan_s", deserialize_with = "seconds::<1_000, 86_400, _>")]
    pub rescan: Duration,
    /// Names of files that are passed over without a word, with `*` and `?`, unless they are
    /// programs.
    #[serde(deserialize_with = "patterns")]
    pub ignore: Vec<String>,
}

/// Limits of one compilation, as they are written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BuildTable {
    /// CPU time.
    #[serde(rename = "cpu_s", deserialize_with = "seconds::<1_000, 3_600, _>")]
    pub cpu: Duration,
    /// Memory, in bytes.
    #[serde(
        rename = "memory_mib",
        deserialize_with = "whole::<64, 1_048_576, MIB, _, _>"
    )]
    pub memory_bytes: u64,
}

/// What is found out in idle time.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Explain {
    /// Whether the daemon searches by itself.
    pub idle: bool,
    /// CPU time of the runs of one failing program.
    #[serde(rename = "cpu_s", deserialize_with = "seconds::<100, 3_600, _>")]
    pub cpu: Duration,
    /// CPU time of the runs of one accepted program.
    #[serde(rename = "hacks_cpu_s", deserialize_with = "seconds::<0, 3_600, _>")]
    pub hacks_cpu: Duration,
}

/// What the sandbox may do without.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SandboxPolicy {
    /// Names of protections that may be missing or weak. Every report shows them.
    #[serde(deserialize_with = "protections")]
    pub allow_missing: BTreeSet<String>,
}

/// What the overviews and the grade book are made from.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Overview {
    /// Which attempt of a student counts for a problem.
    #[serde(deserialize_with = "counts")]
    pub counts: Counts,
    /// The file that names the students of the course, absolute.
    #[serde(deserialize_with = "optional_file")]
    pub roster: Option<PathBuf>,
    /// What is done with a program by somebody who is not on the roster.
    #[serde(deserialize_with = "unknown_students")]
    pub unknown_students: UnknownStudents,
}

/// What is done with a program by somebody who is not on the roster.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UnknownStudents {
    /// It is judged like any other.
    #[default]
    Accept,
    /// It is judged, and the instructor is told.
    Warn,
    /// It is rejected until the roster has the name.
    Reject,
}

/// Which attempt of a student counts for a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Counts {
    /// The one with the most points after the late rule, so that no later attempt lowers a grade;
    /// of equal ones the first, and where none brings points, the latest that is judged.
    #[default]
    Best,
    /// The latest one that is judged.
    Last,
    /// The latest one that was on time; only where there is none, the latest. Only course.toml
    /// knows it, because without it nothing is late.
    LastOnTime,
}

fn folder<'de, D: Deserializer<'de>>(from: D) -> Result<PathBuf, D::Error> {
    // An empty path is none, as one with a zero byte.
    text(from, |text| {
        path(if text.is_empty() { "\0" } else { text }, "folder")
    })
}

fn workers<'de, D: Deserializer<'de>>(from: D) -> Result<Workers, D::Error> {
    match toml::Value::deserialize(from)? {
        toml::Value::String(word) if word == "none" => Ok(Workers::Nobody),
        toml::Value::String(word) => Err(Wrong::new(
            format!("`{{key}}` cannot be `{word}`"),
            "write a number without quotation marks, 0 for one per core, or \"none\" where other machines measure",
        )
        .error(None)),
        number => {
            let number = whole::<0, 1_024, 1, usize, toml::Value>(number);
            let number = number.map_err(serde::de::Error::custom)?;
            Ok(NonZeroUsize::new(number).map_or(Workers::PerCore, Workers::These))
        }
    }
}

/// Patterns of names; a mistake in one would pass over programs or, unseen, nothing at all.
fn patterns<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    let patterns: Vec<String> = list(from, |text: &String| {
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
        Err(Wrong::new(
            format!("a pattern of `ignore` {problem}"),
            "write names without folders; `*` is any text and `?` any character, as in \"README*\", \"*.class\"",
        ))
    })?;
    if patterns.len() <= IGNORED_PATTERNS_MAX {
        return Ok(patterns);
    }
    Err(Wrong::new(
        format!("`ignore` has more than {IGNORED_PATTERNS_MAX} patterns"),
        "take some out; one with `*` stands for many names",
    )
    .error(None))
}

fn protections<'de, D: Deserializer<'de>>(from: D) -> Result<BTreeSet<String>, D::Error> {
    list(from, |name: &String| {
        if ALLOWED_MISSING.contains(&name.as_str()) {
            return Ok(name.clone());
        }
        Err(Wrong::new(
            format!("no protection is called `{name}`"),
            suggestion(name, &ALLOWED_MISSING),
        ))
    })
}

fn counts<'de, D: Deserializer<'de>>(from: D) -> Result<Counts, D::Error> {
    one_of(from, &[("best", Counts::Best), ("last", Counts::Last)])
}

fn unknown_students<'de, D: Deserializer<'de>>(from: D) -> Result<UnknownStudents, D::Error> {
    one_of(
        from,
        &[
            ("accept", UnknownStudents::Accept),
            ("warn", UnknownStudents::Warn),
            ("reject", UnknownStudents::Reject),
        ],
    )
}

fn build_limits<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BuildLimits, D::Error> {
    let table = BuildTable::deserialize(deserializer)?;
    Ok(BuildLimits {
        cpu: table.cpu,
        memory_bytes: table.memory_bytes,
    })
}

//! config.toml as the rest of the program reads it: every value checked, every path absolute, every
//! default filled in from the file that is shipped. `[limits]` is also a table of every
//! problem.toml.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _};

use super::language::LanguageSpec;
use super::place::{Place, suggestion};
use super::rules::{Check, Rule, Wrong, file, folder, mib, milliseconds, seconds, unless_empty};
use super::web::Web;
use crate::domain::bounds::{IGNORED_PATTERN_BYTES_MAX, IGNORED_PATTERNS_MAX};
use crate::domain::{BuildLimits, Complaint, LanguageId, Limits, ServerName};
use crate::sandbox::ALLOWED_MISSING;
use crate::util::cores::Cores;
use crate::util::{KIB, MIB};

/// Length of the server's address, in bytes.
const URL_BYTES_MAX: usize = 1_000;

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
    /// Limits of problems that do not set their own, as they are written: see [`LimitTable`].
    #[serde(with = "LimitTable")]
    pub limits: Limits,
    /// What counts as a submission.
    pub intake: Intake,
    /// Limits of one compilation.
    #[serde(with = "BuildTable")]
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

impl Workers {
    /// Programs that a command runs at the same time: as many as the configuration says, or as this
    /// machine can measure side by side.
    pub fn count(self) -> usize {
        match self {
            Self::These(count) => count.get(),
            Self::PerCore | Self::Nobody => Cores::find().workers(),
        }
    }

    /// Programs that the daemon runs at the same time on this machine.
    pub fn places(self) -> usize {
        match self {
            Self::Nobody => 0,
            Self::These(_) | Self::PerCore => self.count(),
        }
    }
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
    #[serde(rename = "source_kib_max", deserialize_with = "kib")]
    pub source_bytes_max: u64,
    /// How long a file must stay as it is before it is taken.
    #[serde(rename = "settle_ms", deserialize_with = "milliseconds")]
    pub settle: Duration,
    /// Time between two scans when nothing happens.
    #[serde(rename = "rescan_s", deserialize_with = "seconds")]
    pub rescan: Duration,
    /// Names of files that are passed over without a word, with `*` and `?`, unless they are
    /// programs.
    pub ignore: Vec<String>,
}

/// What is found out in idle time.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Explain {
    /// Whether the daemon searches by itself.
    pub idle: bool,
    /// CPU time of the runs of one failing program.
    #[serde(rename = "cpu_s", deserialize_with = "seconds")]
    pub cpu: Duration,
    /// CPU time of the runs of one accepted program.
    #[serde(rename = "hacks_cpu_s", deserialize_with = "seconds")]
    pub hacks_cpu: Duration,
}

/// What the sandbox may do without.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SandboxPolicy {
    /// Names of protections that may be missing or weak. Every report shows them.
    pub allow_missing: BTreeSet<String>,
}

/// What the overviews and the grade book are made from.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Overview {
    /// Which attempt of a student counts for a problem.
    pub counts: Counts,
    /// The file that names the students of the course, absolute.
    #[serde(deserialize_with = "unless_empty")]
    pub roster: Option<PathBuf>,
    /// What is done with a program by somebody who is not on the roster.
    pub unknown_students: UnknownStudents,
}

/// What is done with a program by somebody who is not on the roster.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum UnknownStudents {
    /// It is judged like any other.
    Accept,
    /// It is judged, the instructor is told, and it is on no board and in no grade book until the
    /// roster has the name.
    #[default]
    Warn,
    /// It is rejected until the roster has the name.
    Reject,
}

/// Which attempt of a student counts for a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Counts {
    /// The one with the most points after the late rule, so that no later attempt lowers a grade;
    /// of equal ones the first, and where none brings points, the latest that is judged.
    #[default]
    Best,
    /// The same one; the grade is the sum of the best points of each group of tests, whichever
    /// attempt brought them. Only course.toml knows it.
    BestOfGroups,
    /// The latest one that is judged.
    Last,
    /// The latest one that was on time; only where there is none, the latest. Only course.toml
    /// knows it, because without it nothing is late.
    LastOnTime,
}

/// The server through which other machines measure for this course.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cluster {
    /// Its address; `None`, in the file "", for this machine alone.
    #[serde(deserialize_with = "unless_empty")]
    pub nats: Option<String>,
    /// The file with this daemon's credentials, absolute.
    #[serde(deserialize_with = "unless_empty")]
    pub credentials: Option<PathBuf>,
    /// What the course is called on the server; `None` for what the credentials say, or the folder.
    #[serde(deserialize_with = "unless_empty")]
    pub name: Option<ServerName>,
    /// Whether the connection may go unencrypted to another machine.
    pub insecure: bool,
    /// By how many percent a machine may measure faster or slower than this one.
    pub tolerance_percent: u32,
    /// A worker that says nothing for this long is gone.
    #[serde(rename = "silent_s", deserialize_with = "seconds")]
    pub silent: Duration,
    /// Bytes that the server keeps for workers to fetch.
    #[serde(rename = "keep_mib", deserialize_with = "mib")]
    pub keep_bytes: u64,
}

/// What the values may be, beside those of `[limits]`, `[web]` and `[languages]`.
pub(super) const RULES: [Rule; 25] = [
    ("folders.submissions", Check::Text(folder)),
    ("folders.problems", Check::Text(folder)),
    ("folders.reports", Check::Text(folder)),
    ("folders.staff", Check::Text(folder)),
    ("folders.state", Check::Text(folder)),
    ("judge.workers", Check::Whole(0, 1_024)),
    ("judge.workers", Check::Text(workers_word)),
    ("intake.source_kib_max", Check::Whole(1, 65_536)),
    ("intake.settle_ms", Check::Whole(10, 60_000)),
    ("intake.rescan_s", Check::Number(1.0, 86_400.0)),
    ("intake.ignore.*", Check::Text(pattern)),
    (
        "intake.ignore",
        Check::AtMost(
            IGNORED_PATTERNS_MAX,
            "take some out; one with `*` stands for many names",
        ),
    ),
    ("build.cpu_s", Check::Number(1.0, 3_600.0)),
    ("build.memory_mib", Check::Whole(64, 1_048_576)),
    ("explain.cpu_s", Check::Number(0.1, 3_600.0)),
    ("explain.hacks_cpu_s", Check::Number(0.0, 3_600.0)),
    ("sandbox.allow_missing.*", Check::Text(protection)),
    ("overview.roster", Check::Text(file)),
    ("overview.counts", Check::Text(counts)),
    ("cluster.nats", Check::Text(nats)),
    ("cluster.credentials", Check::Text(file)),
    ("cluster.name", Check::Text(name)),
    ("cluster.tolerance_percent", Check::Whole(1, 1_000_000)),
    ("cluster.silent_s", Check::Number(5.0, 3_600.0)),
    ("cluster.keep_mib", Check::Whole(256, 1_048_576)),
];

fn kib<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
    Ok(u64::deserialize(from)?.saturating_mul(KIB))
}

fn workers<'de, D: Deserializer<'de>>(from: D) -> Result<Workers, D::Error> {
    let value = toml::Value::deserialize(from)?;
    if value.is_str() {
        return Ok(Workers::Nobody);
    }
    let number = usize::deserialize(value).map_err(D::Error::custom)?;
    Ok(NonZeroUsize::new(number).map_or(Workers::PerCore, Workers::These))
}

fn workers_word(word: &str) -> Result<(), Wrong> {
    Wrong::unless(
        word == "none",
        format!("`{{key}}` cannot be `{word}`"),
        "write a number without quotation marks, 0 for one per core, or \"none\" where other machines measure",
    )
}

/// A pattern of names; a mistake in one would pass over programs or, unseen, nothing at all.
fn pattern(text: &str) -> Result<(), Wrong> {
    let problem = if text.is_empty() {
        "is empty"
    } else if text.contains(['/', '\0']) {
        "is not a file's name"
    } else if text.len() > IGNORED_PATTERN_BYTES_MAX {
        "is too long"
    } else if text.chars().all(|character| character == '*') {
        "stands for every file"
    } else {
        return Ok(());
    };
    Err(Wrong::new(
        format!("a pattern of `ignore` {problem}"),
        "write names without folders; `*` is any text and `?` any character, as in \"README*\", \"*.class\"",
    ))
}

fn protection(name: &str) -> Result<(), Wrong> {
    Wrong::unless(
        ALLOWED_MISSING.contains(&name),
        format!("no protection is called `{name}`"),
        suggestion(name, &ALLOWED_MISSING),
    )
}

/// What is on time only course.toml says.
fn counts(word: &str) -> Result<(), Wrong> {
    Wrong::unless(
        ["best", "last"].contains(&word),
        format!("`{{key}}` cannot be `{word}`"),
        "it is \"best\" or \"last\"{default}",
    )
}

fn nats(text: &str) -> Result<(), Wrong> {
    let rest = ["tls://", "nats://"]
        .into_iter()
        .find_map(|scheme| text.strip_prefix(scheme));
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b".-_:[]".contains(&byte);
    let is_good = rest.is_some_and(|rest| !rest.is_empty() && rest.bytes().all(is_plain));
    Wrong::unless(
        text.is_empty() || (is_good && text.len() <= URL_BYTES_MAX),
        "`{key}` is not the address of a server",
        "write \"tls://HOST:4222\", or \"nats://127.0.0.1:4222\" for a server on this machine; credentials are in a file of their own",
    )
}

fn name(text: &str) -> Result<(), Wrong> {
    Wrong::unless(
        text.is_empty() || ServerName::new(text).is_some(),
        format!("`{{key}}` cannot be `{text}`"),
        format!(
            "write at most {} small letters, digits and hyphens, as in \"algorithms-2026\"",
            ServerName::BYTES_MAX
        ),
    )
}

/// [`Limits`] as they are written. A wall-clock time of 0 stands for the
/// [least](Limits::wall_floor).
#[derive(Deserialize)]
#[serde(remote = "Limits", deny_unknown_fields)]
pub struct LimitTable {
    #[serde(rename = "cpu_s", deserialize_with = "seconds")]
    cpu: Duration,
    #[serde(rename = "wall_s", deserialize_with = "seconds")]
    wall: Duration,
    #[serde(rename = "memory_mib", deserialize_with = "mib")]
    memory_bytes: u64,
    #[serde(rename = "output_mib", deserialize_with = "mib")]
    output_bytes: u64,
    processes: u32,
    open_files: u32,
}

/// What their values may be.
pub const LIMIT_RULES: [Rule; 6] = [
    ("limits.cpu_s", Check::Number(0.01, 3_600.0)),
    ("limits.wall_s", Check::Number(0.0, 86_400.0)),
    ("limits.memory_mib", Check::Whole(4, 1_048_576)),
    ("limits.output_mib", Check::Whole(1, 1_048_576)),
    ("limits.processes", Check::Whole(1, 32_768)),
    ("limits.open_files", Check::Whole(16, 1_048_576)),
];

/// [`BuildLimits`] as they are written.
#[derive(Deserialize)]
#[serde(remote = "BuildLimits", deny_unknown_fields)]
struct BuildTable {
    #[serde(rename = "cpu_s", deserialize_with = "seconds")]
    cpu: Duration,
    #[serde(rename = "memory_mib", deserialize_with = "mib")]
    memory_bytes: u64,
}

/// Looks at what this very file says of `wall_s`. A default that is too short for a problem's CPU
/// time is not the problem's mistake.
pub fn check_wall(limits: &Limits, place: &Place<'_>) -> Result<(), Complaint> {
    let (wall, floor) = (limits.wall, Limits::wall_floor(limits.cpu));
    let Some(span) = place.span_of(&["limits", "wall_s"]) else {
        return Ok(());
    };
    if wall.is_zero() || wall >= floor {
        return Ok(());
    }
    let (wall, floor) = (wall.as_secs_f64(), floor.as_secs_f64());
    Err(place.error(
        span,
        format!("`wall_s` cannot be {wall}, which is less than a busy machine needs"),
        format!("it is at least 2 × cpu_s + 1 = {floor} s; 0 stands for just that"),
    ))
}

/// Limits as they are written, so that a problem's own can be laid over them.
pub fn limits_toml(limits: &Limits) -> String {
    format!(
        "[limits]\ncpu_s = {}\nwall_s = {}\nmemory_mib = {}\noutput_mib = {}\nprocesses = {}\nopen_files = {}\n",
        limits.cpu.as_secs_f64(),
        limits.wall.as_secs_f64(),
        limits.memory_bytes / MIB,
        limits.output_bytes / MIB,
        limits.processes,
        limits.open_files,
    )
}

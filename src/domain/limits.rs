//! What a program may use, and the bounds of everything that comes from outside.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// In percent of a job's wall-clock limit.
const STARVED_PERCENT: u32 = 10;

/// What a program may use on one test. A run that needs more gets the verdict that says so.
///
/// What is enforced while a run is measured, its caps, is said in the same way. A run that touched
/// none of the first four says the same under any higher ones. `processes` and `open_files` are
/// conditions: a program may notice them without reaching them, so under any others it is run
/// again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// CPU time of all its processes together.
    pub cpu: Duration,
    /// Wall-clock time, from its start.
    pub wall: Duration,
    /// Memory of all its processes together, in bytes.
    pub memory_bytes: u64,
    /// What it may print, in bytes.
    pub output_bytes: u64,
    /// Processes and threads at one time.
    pub processes: u32,
    /// Open files of one process.
    pub open_files: u32,
}

impl Limits {
    /// Whether the machine kept a job waiting for so long that it may have had no time to compute,
    /// though it looks as if it had slept.
    pub fn is_starved(&self, waited: Duration) -> bool {
        waited > self.wall * STARVED_PERCENT / 100
    }

    /// The least wall limit that a CPU limit allows: 2 × CPU + 1 s, so that a busy machine is not
    /// the student's fault.
    pub fn wall_floor(cpu: Duration) -> Duration {
        cpu * 2 + Duration::from_secs(1)
    }

    /// The same with no less than that.
    #[must_use]
    pub fn with_wall_floor(&self) -> Self {
        Self {
            wall: self.wall.max(Self::wall_floor(self.cpu)),
            ..self.clone()
        }
    }

    /// The same with another CPU time, and so much wall-clock time at least that it can be used.
    #[must_use]
    pub fn with_cpu(&self, cpu: Duration) -> Self {
        Self {
            cpu,
            ..self.clone()
        }
        .with_wall_floor()
    }

    /// These limits as keys are made of them: changing a letter here judges every submission anew.
    pub fn key_text(&self) -> String {
        format!(
            "cpu_ns={} wall_ns={} memory_bytes={} output_bytes={} processes={} open_files={}",
            self.cpu.as_nanos(),
            self.wall.as_nanos(),
            self.memory_bytes,
            self.output_bytes,
            self.processes,
            self.open_files
        )
    }
}

/// By how much a language's programs may take longer, in hundredths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "f64")]
pub struct TimeFactor(u32);

impl TimeFactor {
    /// The factor, rounded to hundredths; `None` for one that is not from 0.1 to 100.
    pub fn new(number: f64) -> Option<Self> {
        let percent = (number * 100.0).round();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "what is outside is left out"
        )]
        (10.0..=10_000.0)
            .contains(&percent)
            .then_some(Self(percent as u32))
    }

    /// In hundredths, where it changes anything.
    pub fn percent(self) -> Option<u32> {
        (self != Self::default()).then_some(self.0)
    }

    /// The limits of a problem for a language: more CPU time, and so much more wall-clock time that
    /// it can be used.
    pub fn of(self, limits: &Limits) -> Limits {
        limits.with_cpu(limits.cpu * self.0 / 100)
    }
}

impl TryFrom<f64> for TimeFactor {
    type Error = &'static str;

    fn try_from(number: f64) -> Result<Self, Self::Error> {
        Self::new(number).ok_or("no factor on CPU time")
    }
}

impl Default for TimeFactor {
    fn default() -> Self {
        Self(100)
    }
}

/// How the CPU limit of a problem follows from the times of its examples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Multipliers {
    /// The limit is at least so many times what the slowest accepted example takes.
    pub accepted: f64,
    /// Whatever must be too slow takes at least so many times the limit.
    pub too_slow: f64,
}

impl Multipliers {
    /// Those of the ICPC's format `legacy`.
    pub const LEGACY: Self = Self {
        accepted: 5.0,
        too_slow: 2.0,
    };
}

/// Those of the format 2025-09.
impl Default for Multipliers {
    fn default() -> Self {
        Self {
            accepted: 2.0,
            too_slow: 1.5,
        }
    }
}

/// Limits of one compilation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BuildLimits {
    /// CPU time of one command.
    pub cpu: Duration,
    pub memory_bytes: u64,
}

impl BuildLimits {
    /// These limits as keys are made of them.
    pub fn key_text(&self) -> String {
        format!(
            "cpu_ns={} memory_bytes={}",
            self.cpu.as_nanos(),
            self.memory_bytes
        )
    }
}

/// Named bounds of what comes from outside.
pub mod bounds {
    /// A name of a student, problem or language, in bytes.
    pub const NAME_BYTES_MAX: usize = 128;
    /// Tests of one problem.
    pub const TESTS_MAX: usize = 10_000;
    /// A test's input or answer file, in bytes.
    pub const TEST_FILE_BYTES_MAX: u64 = 64 * 1024 * 1024;
    /// A hack's input, in bytes.
    pub const HACK_FILE_BYTES_MAX: u64 = 16 * 1024 * 1024;
    /// What an instructor says of a hack, in bytes.
    pub const HACK_NOTE_BYTES_MAX: u64 = 4 * 1024;
    /// Problems in one folder.
    pub const PROBLEMS_MAX: usize = 1_000;
    /// A configuration file or manifest, in bytes.
    pub const CONFIG_BYTES_MAX: u64 = 1024 * 1024;
    /// What is kept of a program's standard error, in bytes.
    pub const STDERR_KEPT_BYTES_MAX: usize = 8 * 1024;
    /// What is kept of a compiler's words, in bytes.
    pub const COMPILER_WORDS_BYTES_MAX: usize = 64 * 1024;
    /// An output that is kept whole in the store, in bytes; of a longer one the beginning is kept.
    pub const OUTPUT_KEPT_WHOLE_BYTES_MAX: usize = 1024 * 1024;
    /// What is kept of an output that is not kept whole, in bytes.
    pub const OUTPUT_HEAD_BYTES_MAX: usize = 64 * 1024;
    /// What is kept of the words of a package's checker or validator, in characters.
    pub const PROGRAM_WORDS_CHARACTERS_MAX: usize = 400;
    /// All files of one built program, in bytes.
    pub const ARTIFACT_BYTES_MAX: u64 = 128 * 1024 * 1024;
    /// Files of one built program.
    pub const ARTIFACT_FILES_MAX: usize = 1_024;
    /// Rejected files of one student that are named: with a note, in the logs, on pages. The others
    /// are counted.
    pub const REJECTIONS_NAMED_MAX: usize = 100;
    /// Patterns of file names that config.toml has intake pass over.
    pub const IGNORED_PATTERNS_MAX: usize = 200;
    /// Bytes of one such pattern.
    pub const IGNORED_PATTERN_BYTES_MAX: usize = 100;
    /// Tries of one piece of work that ends in a fault, before it waits for its cause to change.
    pub const FAULT_TRIES_MAX: u32 = 4;
}

//! What was measured when a program ran once: facts, no opinion.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Caps, Cause, Difference, Digest, Verdict, base64};

/// How a program's first process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum End {
    /// By itself, with this exit code.
    Exited(i32),
    /// By this signal, whoever sent it.
    Signalled(i32),
}

/// Why *we* ended a run. A run that ended by itself has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stop {
    /// Its CPU time reached the cap.
    Cpu,
    /// The clock reached the cap.
    Wall,
    /// Its output reached the cap.
    Output,
}

/// What names a run: everything that decides its facts, apart from the caps, which are among the
/// facts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RunKey {
    /// The key of the build.
    pub build: Digest,
    pub input: Digest,
    /// Digest of how it was run, and of what the sandbox enforced and offered.
    pub policy: Digest,
}

/// What a program printed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Output {
    /// Digest of what was read of it.
    pub digest: Digest,
    /// How many bytes were read of it.
    pub len_bytes: u64,
    /// Digest of the bytes that were kept: all of them where they are few, else their beginning.
    pub kept: Option<Digest>,
    /// The file in the working folder that it was read from; `None` for standard output.
    pub file: Option<String>,
}

impl Output {
    /// Whether all of it was kept.
    pub fn is_whole(&self) -> bool {
        self.kept == Some(self.digest)
    }
}

/// What a comparison said of an output: our own, or the package's checker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compared {
    /// Accepted, presentation error or wrong answer.
    pub verdict: Verdict,
    pub cause: Option<Cause>,
    /// Where the output goes wrong.
    pub difference: Option<Difference>,
    /// What the package's checker says of it, for a person: printable, bounded.
    pub words: Option<String>,
    /// What the checker says to the judges, in `judgemessage.txt`: printable, bounded.
    /// No student is ever shown it.
    pub judge_message: Option<String>,
}

/// One run of one artifact on one input.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunFacts {
    /// How the first process ended.
    pub end: End,
    /// Why we ended it, if we did.
    pub stop: Option<Stop>,
    /// The kernel refused it memory at the cap and ended a process for that,
    /// or its run-time system said that its memory was used up.
    pub memory_exceeded: bool,
    /// How often it was measured, from 1; these facts are of the measurement with the least CPU
    /// time.
    pub measurements: u32,
    /// How many of these measurements were repeats on a core that others kept busy; they do not
    /// count against the program.
    pub busy: u32,
    /// CPU time of all processes.
    pub cpu: Duration,
    /// Wall-clock time, without that for which the machine is known to have kept it waiting.
    pub wall: Duration,
    /// For how long the machine kept it waiting, at least; of several measurements the most.
    pub waited: Duration,
    /// The most memory in use at one time, in bytes.
    pub memory_bytes: u64,
    pub output: Output,
    /// The beginning of what it wrote to standard error.
    #[serde(with = "base64")]
    pub stderr: Vec<u8>,
    pub caps: Caps,
    /// The machine that measured it.
    pub machine: Arc<str>,
}

impl Compared {
    /// The output is right, and there is nothing to add.
    pub fn accepted() -> Self {
        Self {
            verdict: Verdict::Accepted,
            cause: None,
            difference: None,
            words: None,
            judge_message: None,
        }
    }
}

//! What was measured when a program ran once: facts, no opinion.

use std::sync::Arc;
use std::time::Duration;

use super::{Cause, Difference, Digest, Limits, Verdict};

/// How a program's first process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// By itself, with this exit code.
    Exited(i32),
    /// By this signal, whoever sent it.
    Signalled(i32),
}

/// Why *we* ended a run. A run that ended by itself has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// Its CPU time reached the cap.
    Cpu,
    /// The clock reached the cap.
    Wall,
    /// Its output reached the cap.
    Output,
}

/// The caps under which a run was measured. A run that touched none of them says the same under any higher ones.
pub type Caps = Limits;

/// What a program printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// Digest of what was read of it.
    pub digest: Digest,
    /// How many bytes were read of it.
    pub len_bytes: u64,
    /// The bytes, whole where they are few, else their beginning, else nothing.
    pub kept: Option<Arc<[u8]>>,
    /// The file in the working folder that it was read from; `None` for standard output.
    pub file: Option<String>,
}

impl Output {
    /// The whole output, where it was kept.
    pub fn whole(&self) -> Option<&[u8]> {
        self.kept
            .as_deref()
            .filter(|kept| kept.len() as u64 == self.len_bytes)
    }
}

/// What a comparison said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compared {
    /// Digest of the expected output that it was compared with.
    pub expected: Digest,
    /// How it was compared.
    pub mode: String,
    /// Accepted, presentation error or wrong answer.
    pub verdict: Verdict,
    /// What refines it.
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunFacts {
    /// How the first process ended.
    pub end: End,
    /// Why we ended it, if we did.
    pub stop: Option<Stop>,
    /// The kernel refused it memory at the cap and ended a process for that,
    /// or its run-time system said that its memory was used up.
    pub memory_exceeded: bool,
    /// How often it was measured, from 1; these facts are of the measurement with the least CPU time.
    pub measurements: u32,
    /// How many of these measurements were repeats on a core that others kept busy; they do not count against the program.
    pub busy: u32,
    /// CPU time of all processes.
    pub cpu: Duration,
    /// Wall-clock time, without that for which the machine is known to have kept it waiting.
    pub wall: Duration,
    /// For how long the machine kept it waiting, at least; of several measurements the most.
    pub waited: Duration,
    /// The most memory in use at one time, in bytes.
    pub memory_bytes: u64,
    /// What it printed.
    pub output: Output,
    /// How its output compared; kept where the output is not kept whole, and where a program compares.
    pub compared: Option<Compared>,
    /// The beginning of what it wrote to standard error.
    pub stderr: Vec<u8>,
    /// The caps in force.
    pub caps: Caps,
    /// The machine that measured it; none where that was not noted.
    pub machine: Option<Arc<str>>,
}

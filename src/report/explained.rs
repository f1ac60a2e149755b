//! The shape of what was found out in idle time, as reports have it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Why a program fails, as far as the daemon found out by running it on further inputs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExplanationPart {
    /// The smallest input that was found on which it fails as it did on the test.
    pub counterexample: Option<CounterexamplePart>,
    /// Reasons by rule: each holds for all that was seen.
    pub causes: Vec<ReasonPart>,
    /// How its CPU time grows; only of programs that are too slow.
    pub growth: Option<GrowthPart>,
    /// Runs of the program that it took.
    pub runs: u64,
    /// CPU time of these runs, in milliseconds.
    pub cpu_ms: u64,
    /// Whether its student is shown the counterexample and the growth now.
    pub is_shown: bool,
}

/// An input on which the program fails.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CounterexamplePart {
    /// The input; bytes that are no text are spelled.
    pub input: String,
    /// The right answer.
    pub expected: String,
    /// What the program printed.
    pub printed: String,
    /// Whether one of these is longer than what is shown.
    pub cut: bool,
    /// The built-in problem that can draw the input, where one can and the input is whole.
    pub task: Option<String>,
    /// Cells of its boards, where the problem has boards.
    pub cells: Option<u64>,
    /// Cases that it has.
    #[schemars(range(min = 1))]
    pub cases: u64,
    /// Whether the last case alone is answered rightly: the cases before it make the program fail.
    pub is_carried_over: bool,
    /// How it was found: `test`, `cut`, `prefix`, `enumeration`, `shrink`, `family NAME`.
    pub found_by: String,
    /// Why the expected answer is right, where the problem can say it.
    pub witness: Option<String>,
}

/// A reason why a program fails.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReasonPart {
    /// A word for programs.
    pub code: String,
    /// One sentence.
    pub summary: String,
    /// What it rests on.
    pub evidence: String,
}

/// How a program's CPU time grows with its input.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GrowthPart {
    /// What the sizes count, such as `rows`.
    pub quantity: String,
    /// The measurements, smallest size first.
    pub points: Vec<GrowthPointPart>,
    /// The law that fits, if one does: `linear`, `exponential`.
    pub law: Option<String>,
    /// One sentence.
    pub summary: String,
}

/// One measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GrowthPointPart {
    /// The size of the input.
    pub size: u64,
    /// CPU time, in microseconds.
    pub cpu_us: u64,
    /// Whether the run was stopped at that time.
    pub is_stopped: bool,
}

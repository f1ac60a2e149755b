//! Why a program fails, as far as it was found out.

use std::fmt;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Why a program fails, as far as the daemon found out by running it on further inputs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Explanation {
    /// The smallest input that was found on which it fails as it did on the test.
    pub counterexample: Option<Counterexample>,
    /// Reasons by rule: each holds for all that was seen.
    pub causes: Vec<Reason>,
    /// Whether the case of the test in which the first difference is fails as a test of its own;
    /// null where that was not tried.
    #[serde(default)]
    pub fails_alone: Option<bool>,
    /// How its CPU time grows; only of programs that are too slow.
    pub growth: Option<Growth>,
    /// Runs of the program that it took.
    pub runs: u64,
    /// CPU time of these runs, in milliseconds.
    pub cpu_ms: u64,
    /// In a report: whether its student is shown the counterexample and the growth now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(required)]
    pub is_shown: Option<bool>,
}

/// An input on which a program fails. The texts are shown to people: bytes that are no text are
/// spelled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Counterexample {
    /// The input.
    pub input: String,
    /// The right answer.
    pub expected: String,
    /// What the program printed.
    pub printed: String,
    /// In a report: whether one of these is longer than what is shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(required)]
    pub cut: Option<bool>,
    /// The built-in problem that can draw the input, where one can and the input is whole.
    #[serde(default)]
    pub task: Option<String>,
    /// Cells of its boards, where the problem has boards.
    pub cells: Option<u64>,
    /// Cases that it has.
    #[schemars(range(min = 1))]
    pub cases: u64,
    /// Whether the last case alone was seen to be answered rightly, so that the cases before it make
    /// the program fail.
    pub is_carried_over: bool,
    /// How it was found: `test`, `cut`, `prefix`, `enumeration`, `shrink`, `family NAME`.
    #[schemars(with = "String")]
    pub found_by: Strategy,
    /// Why the expected answer is right, where the problem can say it.
    pub witness: Option<String>,
}

/// How an input was found on which a program fails.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", from = "String")]
pub enum Strategy {
    /// It is the failing test.
    Test,
    /// It is the failing case of the test.
    Cut,
    /// It is the beginning of the test, up to the failing case, which passes alone.
    Prefix,
    /// The problem's small inputs were tried one after the other.
    Enumeration,
    /// An input that fails was made simpler.
    Shrink,
    /// This family of generated inputs made it.
    Family(Arc<str>),
    /// Another program fails on it.
    Other,
    /// It is a test that was changed.
    Changed,
}

/// What stands before the name of a family.
const FAMILY: &str = "family ";

impl Strategy {
    /// Those without a name of their own, with their words.
    const PLAIN: [(Self, &str); 7] = [
        (Self::Test, "test"),
        (Self::Cut, "cut"),
        (Self::Prefix, "prefix"),
        (Self::Enumeration, "enumeration"),
        (Self::Shrink, "shrink"),
        (Self::Other, "a counterexample of another program"),
        (Self::Changed, "a test that was changed"),
    ];
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Self::Family(name) = self {
            return write!(f, "{FAMILY}{name}");
        }
        let plain = Self::PLAIN.into_iter().find(|(plain, _)| plain == self);
        f.write_str(plain.map_or("", |(_, word)| word))
    }
}

impl From<Strategy> for String {
    fn from(strategy: Strategy) -> Self {
        strategy.to_string()
    }
}

impl From<String> for Strategy {
    /// A word of a later version is some other way, and shows students nothing.
    fn from(text: String) -> Self {
        if let Some(name) = text.strip_prefix(FAMILY) {
            return Self::Family(name.into());
        }
        let plain = Self::PLAIN.into_iter().find(|(_, word)| *word == text);
        plain.map_or(Self::Other, |(plain, _)| plain)
    }
}

/// A reason by rule: it holds for all that was seen, or it is not named.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reason {
    /// A word for programs; stable.
    pub code: String,
    /// One sentence for the student.
    pub summary: String,
    /// What it rests on.
    pub evidence: String,
}

impl Reason {
    pub fn new(code: &str, summary: &str, evidence: String) -> Self {
        Self {
            code: code.to_owned(),
            summary: summary.to_owned(),
            evidence,
        }
    }
}

/// How a program's CPU time grows with its input.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Growth {
    /// What the sizes count, such as `rows`.
    pub quantity: String,
    /// The measurements, smallest size first.
    pub points: Vec<GrowthPoint>,
    /// The law that fits: `constant`, `linear`, `quadratic`, `cubic`, `exponential`; none if none
    /// fits.
    pub law: Option<String>,
    /// One sentence for the student.
    pub summary: String,
}

/// One measurement of [`Growth`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GrowthPoint {
    /// The size of the input.
    pub size: u64,
    /// CPU time in microseconds.
    pub cpu_us: u64,
    /// Whether the run was stopped at that time.
    pub is_stopped: bool,
}

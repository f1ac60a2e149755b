//! The judgement of a submission: one result per test, and what follows from them.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Cause, Digest, GroupResult, Score, Verdict};

/// Where a test comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TestKind {
    /// Shown in the statement.
    Sample,
    /// Made by the instructor.
    Secret,
    /// Dropped in later.
    Hack,
}

impl TestKind {
    /// The folder's word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Sample => "sample",
            Self::Secret => "secret",
            Self::Hack => "hack",
        }
    }

    /// Reads [`TestKind::word`] back.
    pub fn from_word(word: &str) -> Option<Self> {
        let all = [Self::Sample, Self::Secret, Self::Hack];
        all.into_iter().find(|kind| kind.word() == word)
    }
}

/// A test as results name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestRef {
    /// `sample/1`, `secret/010-two-wide`, `hack/evil`.
    pub name: String,
    /// Where it comes from.
    pub kind: TestKind,
    /// The place of its group among the problem's groups.
    pub group: Option<usize>,
    pub input: Digest,
    /// Digest of the expected output.
    pub expected: Digest,
}

/// The first place where the output is not the expected one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// Line of the output, from 1.
    pub line: usize,
    /// Column of the output in bytes, from 1.
    pub column: usize,
    /// What was expected there: printable, bounded.
    pub expected: String,
    /// What was printed there: printable, bounded.
    pub got: String,
}

/// What one test says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestResult {
    pub test: TestRef,
    pub verdict: Verdict,
    pub cause: Option<Cause>,
    /// Whether the program ended by itself; false where we ended it, or it was not run.
    pub ended_by_itself: bool,
    /// How often it was measured, the least CPU time counting; zero for a test that was not run.
    pub measurements: u32,
    /// How many of these were on a core that others kept busy.
    pub busy: u32,
    /// For how long the machine kept it waiting, at least; of several measurements the most.
    pub waited: Duration,
    /// CPU time; zero for a test that was not run.
    pub cpu: Duration,
    pub wall: Duration,
    /// Most memory in use, in bytes.
    pub memory_bytes: u64,
    /// Length of the output, in bytes.
    pub output_bytes: u64,
    /// Where the output goes wrong.
    pub difference: Option<Difference>,
    /// What the package's checker says of the output: printable, bounded.
    pub checker: Option<String>,
    /// What the checker says to the judges, in `judgemessage.txt`: printable, bounded.
    /// No student is ever shown it.
    pub judge_message: Option<String>,
    /// The beginning of standard error, as the bytes it is.
    pub stderr: Vec<u8>,
}

/// What a judgement was made from. Two judgements with the same provenance differ by what was
/// measured alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provenance {
    /// Key of the artifact: source, language, commands, compiler version.
    pub artifact: Digest,
    /// Digest of the language's commands and version.
    pub toolchain: Digest,
    /// Digest of everything in the package that a verdict depends on.
    pub package: Digest,
    /// Digest of the limits.
    pub limits: Digest,
    /// Digest of what the sandbox enforced and how the program was run in it.
    pub policy: Digest,
    /// Digest of all that the judgement was folded from.
    pub fold: Digest,
    /// Kernel, cores and processor of the machine that measured, its name before them where it is
    /// not the daemon's own; several where runs are of several.
    pub machine: String,
}

/// What all tests together say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// The verdict of the first failing test in order, or accepted.
    pub verdict: Verdict,
    pub cause: Option<Cause>,
    pub score: Score,
    /// What each group of tests brings; none where only the verdict counts.
    pub groups: Vec<GroupResult>,
    /// The compiler's words, errors or warnings, as the bytes they are.
    pub compiler_words: Vec<u8>,
    /// Index in `tests` of the first failing test.
    pub first_failing: Option<usize>,
    /// One result a test, in the tests' order.
    pub tests: Vec<TestResult>,
}

impl Judgement {
    /// The first failing test.
    pub fn failing(&self) -> Option<&TestResult> {
        self.tests.get(self.first_failing?)
    }
}

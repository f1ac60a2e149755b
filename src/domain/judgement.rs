//! The judgement of a submission: one result per test, what follows from them, and what is
//! published.

use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Cause, Compared, Digest, GroupResult, RunFacts, Score, Verdict, words};

words! {
    /// Where a test comes from; the word is its folder's.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    pub enum TestKind by word {
        /// Shown in the statement.
        Sample = "sample",
        /// Made by the instructor.
        Secret = "secret",
        /// Dropped in later.
        Hack = "hack",
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
    /// Arguments of the package's checker for it, where they are not those for all.
    pub told: Option<Vec<String>>,
}

/// What one test says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestResult {
    pub test: TestRef,
    pub said: Compared,
    /// What was measured; `None` for a test that was not run.
    pub run: Option<Arc<RunFacts>>,
}

impl TestResult {
    /// A test that was not run.
    pub fn skipped(test: &TestRef) -> Self {
        Self {
            test: test.clone(),
            said: Compared::plain(Verdict::Skipped, None),
            run: None,
        }
    }

    /// CPU time of its run; zero where it was not run.
    pub fn cpu(&self) -> Duration {
        self.run.as_ref().map_or(Duration::ZERO, |run| run.cpu)
    }

    /// The most memory that its run used, in bytes; zero where it was not run.
    pub fn memory_bytes(&self) -> u64 {
        self.run.as_ref().map_or(0, |run| run.memory_bytes)
    }

    /// Length of its output, in bytes; zero where it was not run.
    pub fn output_bytes(&self) -> u64 {
        self.run.as_ref().map_or(0, |run| run.output.len_bytes)
    }

    /// Whether it was run and ended by itself.
    pub fn ended_by_itself(&self) -> bool {
        self.run.as_ref().is_some_and(|run| run.stop.is_none())
    }
}

/// What a judgement was made from, so that anyone can tell whether two verdicts rest on the same
/// ground: BLAKE3 digests, 64 hexadecimal digits each; `withheld` in place of one that a student
/// is not told. Two judgements with the same provenance differ by what was measured alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Provenance {
    /// Everything that decides what the source is built to: source, language, commands, compiler
    /// version.
    pub artifact: String,
    /// The compiler or interpreter: commands and version.
    pub toolchain: String,
    /// The package: tests, answers, limits, comparison.
    pub package: String,
    /// The limits.
    pub limits: String,
    /// What the sandbox enforced, and how the program was run in it.
    pub policy: String,
    /// All of the above that the verdict was folded from.
    pub fold: String,
    /// The machine that measured: its kernel, cores and processor, and before them its name where
    /// it is not the daemon's own. Several where runs are of several.
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

/// What a program has got in each group of tests: grades may take the best of several programs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GroupPoints {
    /// The groups by their names, and the most that each brings; most programs for a problem share
    /// them.
    pub of: Arc<[(String, u32)]>,
    /// What it has got in each.
    pub got: Arc<[u32]>,
}

impl GroupPoints {
    /// `None` where only the verdict counts, and where the points of groups do not add up.
    fn of(judgement: &Judgement) -> Option<Self> {
        let groups = &judgement.groups;
        let all: Score = groups.iter().map(|group| group.score).sum();
        let of = groups.iter();
        let of = of.map(|group| (group.name.clone(), group.score.of));
        (!groups.is_empty() && all == judgement.score).then(|| Self {
            of: of.collect(),
            got: groups.iter().map(|group| group.score.got).collect(),
        })
    }
}

/// A verdict as tables, lines and pages show it, without the results of the single tests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Published {
    pub verdict: Verdict,
    pub cause: Option<Cause>,
    pub score: Score,
    /// Its name; many submissions fail on the same one.
    pub first_failing_test: Option<Arc<str>>,
    /// When it was judged, in milliseconds since 1970 UTC.
    pub judged_ms: i64,
    /// `None` where the problem has no groups or they do not add up, and where an earlier version has
    /// judged, which did not keep them.
    pub groups: Option<GroupPoints>,
}

impl Published {
    pub fn of(judgement: &Judgement, judged_ms: i64) -> Self {
        let failing = judgement.failing();
        Self {
            verdict: judgement.verdict,
            cause: judgement.cause.clone(),
            score: judgement.score,
            first_failing_test: failing.map(|result| Arc::from(result.test.name.as_str())),
            judged_ms,
            groups: GroupPoints::of(judgement),
        }
    }

    /// Whether the other one has the same verdict, cause, score and first failing test, and got the
    /// same in its groups, if both say what they got.
    pub fn says_the_same_as(&self, other: &Self) -> bool {
        let got_the_same = match (&self.groups, &other.groups) {
            (Some(groups), Some(others)) => groups.got == others.got,
            _ => true,
        };
        let now = Self {
            judged_ms: other.judged_ms,
            groups: other.groups.clone(),
            ..self.clone()
        };
        got_the_same && now == *other
    }
}

/// A verdict in the history of a submission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The verdict from then on.
    pub published: Published,
    /// Why it was judged: `received`, `hack/evil joined`, `the limits changed`.
    pub because: Arc<str>,
}

words! {
    /// A reason to judge again that names no test, as a submission's history gives it. Students
    /// read these as they are; whatever else a history says is kept from them.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Because by words {
        /// The first judgement.
        Received = "received",
        Away = "what changed while the daemon was away",
        Change = "a change",
        Rejudge = "rejudge",
        RejudgeForce = "rejudge --force",
        Limits = "the limits changed",
        Comparison = "the comparison changed",
        Groups = "the groups of tests changed",
        InputAndOutput = "the way of input and output changed",
        Package = "the package changed",
        Configuration = "the configuration was read again",
        Languages = "the languages changed",
        /// It was made by an earlier version.
        Upgrade = "measured again after an upgrade of verdictd",
    }
}

//! The points of a report: of the problem, and of each group of tests. A problem without groups has
//! neither, and its reports look as if there were none.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::{GroupResult, Score, Scoring};
use crate::util::excerpt::visible_line;

/// Points, where the problem has groups of tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScorePart {
    /// What the program got.
    pub got: u32,
    /// The most that it could get.
    pub of: u32,
}

/// What a group of tests brings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GroupPart {
    /// Its name.
    pub name: String,
    /// Its points.
    pub score: ScorePart,
    /// Whether it brings its points only if every test is passed, or a share for each.
    pub scoring: ScoringWord,
    /// How many of its tests are passed.
    pub passed: u64,
    /// How many tests it has.
    pub tests: u64,
    /// The group that must be passed first and is not; for that it brings nothing.
    #[serde(default)]
    pub lacks: Option<String>,
}

/// How the points of a group depend on its tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ScoringWord {
    /// All points if every test is passed, else none.
    All,
    /// The share of the tests that are passed, rounded down.
    Sum,
}

impl From<Score> for ScorePart {
    fn from(Score { got, of }: Score) -> Self {
        Self { got, of }
    }
}

impl ScorePart {
    /// The points where they say more than the verdict.
    pub fn shown(score: Score) -> Option<Self> {
        score.shown().map(Self::from)
    }

    /// `30/100`.
    pub fn short(self) -> String {
        format!("{}/{}", self.got, self.of)
    }

    /// Whether nothing is missing.
    pub fn is_full(self) -> bool {
        self.got == self.of
    }

    /// `30 of 100 points`.
    pub fn words(self) -> String {
        let points = if self.of == 1 { "point" } else { "points" };
        format!("{} of {} {points}", self.got, self.of)
    }
}

impl GroupPart {
    pub fn of(result: &GroupResult) -> Self {
        Self {
            name: visible_line(&result.name),
            score: result.score.into(),
            scoring: match result.scoring {
                Scoring::All => ScoringWord::All,
                Scoring::Sum => ScoringWord::Sum,
            },
            passed: result.passed as u64,
            tests: result.tests as u64,
            lacks: result.lacks.as_deref().map(visible_line),
        }
    }

    /// How it came to its points.
    pub fn words(&self) -> String {
        let passed = format!("{} of {} tests passed", self.passed, self.tests);
        match (&self.lacks, self.scoring) {
            (Some(lacks), _) => {
                format!("{passed}; it counts only if all tests of {lacks} are passed")
            }
            (None, ScoringWord::All) if self.passed < self.tests => {
                format!("{passed}; it counts only if all are")
            }
            (None, _) => passed,
        }
    }
}
